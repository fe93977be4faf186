import GRDB

/// The tables, indexes, views and triggers of a database with their definitions, as SQLite lists
/// them in `sqlite_schema`.
///
/// A database that is not a store of Waypost's making can have further objects. A trigger, for
/// example, can delete an account whenever a session is opened.
struct SchemaObjects {
    /// The definitions of the objects, without comments and with single spaces, by the names of the
    /// objects in messages. The definition of an index that SQLite made itself is empty.
    private let definitions: [String: String]

    /// Reads the objects of a database.
    /// - Throws: SQLite's errors.
    init(of db: Database) throws {
        var definitions: [String: String] = [:]
        let rows = try GRDB.Row.fetchCursor(
            db, sql: "SELECT type, name, tbl_name, sql FROM sqlite_schema")
        while let row = try rows.next() {
            // The database may be damaged, so the values can have any type.
            let texts = (0..<4).map { String.fromDatabaseValue(row[$0] as DatabaseValue) ?? "" }
            let name = Self.name(kind: texts[0], texts[1], table: texts[2])
            definitions[name] = Self.normalized(texts[3])
        }
        self.definitions = definitions
    }

    /// Returns an object's name for messages. It is escaped because the file may be hostile.
    private static func name(kind: String, _ name: String, table: String) -> String {
        func quoted(_ name: String) -> String {
            String(reflecting: name.count <= 100 ? name : String(name.prefix(100)) + "…")
        }
        let described = "the \(kind) \(quoted(name))"
        return ["table", "view"].contains(kind)
            ? described : "\(described) on the table \(quoted(table))"
    }

    var isEmpty: Bool { definitions.isEmpty }

    func hasTable(_ name: String) -> Bool {
        definitions[Self.name(kind: "table", name, table: name)] != nil
    }

    /// Checks that a database has the expected objects and no others.
    /// - Throws: `.foreignObject` if the database has a further object; otherwise `.corrupt` if an
    ///   object is missing or has another definition.
    func check(against expected: SchemaObjects, path: String) throws(StoreError) {
        let foreign = definitions.keys.filter { expected.definitions[$0] == nil }
            .sorted()
        if let first = foreign.first {
            throw .foreignObject(path, object: first, others: foreign.count - 1)
        }
        let ownObjects = expected.definitions.sorted { $0.key < $1.key }
        if let missing = ownObjects.first(where: { definitions[$0.key] == nil })?.key {
            throw .corrupt(path, reason: "\(missing) is missing")
        }
        if let changed = ownObjects.first(where: { definitions[$0.key] != $0.value })?.key {
            throw .corrupt(
                path,
                reason: "\(changed) has another definition than Waypost gives it")
        }
    }

    /// Returns a definition without whole-line comments, and with one space for each run of white
    /// space, but none at parentheses and commas: different versions of Waypost may differ in these. A string
    /// literal cannot hide in what this method removes: none of Waypost's definitions has a literal
    /// with a line break, a parenthesis or a comma, so a definition with such a literal stays different.
    private static func normalized(_ definition: String) -> String {
        definition.split(whereSeparator: \.isNewline)
            .map { $0.split(whereSeparator: \.isWhitespace) }
            .filter { $0.first?.hasPrefix("--") != true }
            .joined().joined(separator: " ")
            .replacing("( ", with: "(").replacing(" )", with: ")").replacing(" ,", with: ",")
    }
}
