import GRDB

/// The tables, indexes, views and triggers of a database with their definitions, as SQLite lists
/// them in `sqlite_schema`.
///
/// A database that is not a store of Waypost's making can have further objects. A trigger, for
/// example, can delete an account whenever a session is opened.
struct SchemaObjects {
    private struct Object: Hashable {
        let kind: String
        let name: String
        let table: String

        /// The object as messages show it. Names are escaped because they may come from a hostile
        /// file.
        var description: String {
            let described = "the \(kind) \(Self.quoted(name))"
            return kind == "table" || kind == "view"
                ? described : described + " on the table \(Self.quoted(table))"
        }

        private static func quoted(_ name: String) -> String {
            String(reflecting: name.count <= 100 ? name : String(name.prefix(100)) + "…")
        }
    }

    /// The definitions of the objects, without comments and with single spaces. The definition of
    /// an index that SQLite made itself is empty.
    private let definitions: [Object: String]

    /// Reads the objects of a database.
    /// - Throws: SQLite's errors.
    init(of db: Database) throws {
        var definitions: [Object: String] = [:]
        let rows = try GRDB.Row.fetchCursor(
            db, sql: "SELECT type, name, tbl_name, sql FROM sqlite_schema")
        while let row = try rows.next() {
            // The database may be damaged, so the values can have any type.
            let texts = (0..<4).map { String.fromDatabaseValue(row[$0] as DatabaseValue) ?? "" }
            let object = Object(kind: texts[0], name: texts[1], table: texts[2])
            definitions[object] = Self.normalized(texts[3])
        }
        self.definitions = definitions
    }

    var isEmpty: Bool { definitions.isEmpty }

    func hasTable(_ name: String) -> Bool {
        definitions[Object(kind: "table", name: name, table: name)] != nil
    }

    /// Checks that a database has the expected objects and no others.
    /// - Throws: `.foreignObject` if the database has a further object; otherwise `.corrupt` if an
    ///   object is missing or has another definition.
    func check(against expected: SchemaObjects, path: String) throws(StoreError) {
        func sorted(_ objects: some Sequence<Object>) -> [String] {
            objects.map(\.description).sorted()
        }
        let foreign = sorted(definitions.keys.filter { expected.definitions[$0] == nil })
        if let first = foreign.first {
            throw .foreignObject(path, object: first, others: foreign.count - 1)
        }
        let missing = sorted(expected.definitions.keys.filter { definitions[$0] == nil })
        if let first = missing.first { throw .corrupt(path, reason: "\(first) is missing") }
        let changed = sorted(
            expected.definitions.keys.filter { definitions[$0] != expected.definitions[$0] })
        if let first = changed.first {
            throw .corrupt(path, reason: "\(first) has another definition than Waypost gives it")
        }
    }

    /// Returns a definition without whole-line comments, and with one space for each run of white
    /// space. Different versions of Waypost may have different comments. A string literal cannot
    /// hide in what this method removes: none of Waypost's definitions has a literal with a line
    /// break, so a definition with such a literal stays different.
    private static func normalized(_ definition: String) -> String {
        definition.split(whereSeparator: \.isNewline)
            .map { $0.split(whereSeparator: \.isWhitespace) }
            .filter { $0.first?.hasPrefix("--") != true }
            .joined().joined(separator: " ")
    }
}
