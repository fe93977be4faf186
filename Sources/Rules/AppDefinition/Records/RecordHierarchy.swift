import NavigationRules

/// Records in levels, such as authors on the first level and their books on the second. Levels have
/// unique names, even if an app has several hierarchies.
struct RecordHierarchy: Sendable {
    let levels: [RecordLevel]
    /// For each level, the names of the parameters that identify a record: `["author"]` for an
    /// author, and `["author", "book"]` for a book.
    let namesTo: [[String]]
    /// For each level, the paths to all its records. A path is a list of records from the first
    /// level down to the record, such as an author and a book.
    let lines: [[[Record]]]
    /// An artificial record whose children are the records of the first level.
    private let root: Record

    init(levels: [RecordLevel], records: [Record]) {
        let names = levels.map(\.each)
        let root = Record(id: "", title: "", children: records)
        var lines: [[[Record]]] = []
        for depth in levels.indices {
            let above = depth == 0 ? [[]] : lines[depth - 1]
            lines.append(above.flatMap { line in (line.last ?? root).children.map { line + [$0] } })
        }
        self.levels = levels
        namesTo = names.indices.map { Array(names[...$0]) }
        self.lines = lines
        self.root = root
    }

    /// The number of records on each level, as text such as `15 authors, 65 books`.
    var summary: String {
        zip(levels, lines).map { $0.counted($1.count) }.joined(separator: ", ")
    }

    /// Returns the path to a record: a list of records from the first level down to this record.
    /// - Parameters:
    ///   - parameters: the ids of the records on the path, by parameter name.
    ///   - depth: the number of records on the path.
    /// - Returns: nil if a parameter is missing or identifies no record.
    func line(to parameters: Parameters, depth: Int) -> [Record]? {
        var line: [Record] = []
        for level in levels[..<depth] {
            guard let id = parameters[level.each],
                let record = (line.last ?? root).child(withID: id)
            else { return nil }
            line.append(record)
        }
        return line
    }

    /// Returns the table row for the last record of a path.
    /// - Parameters:
    ///   - line: the records from the first level down to the record of the row.
    ///   - subtitle: the subtitle of the row if the record has none.
    func row(_ line: [Record], subtitle: String?) -> Row {
        let record = line[line.count - 1]
        return Row(
            title: record.title, subtitle: record.subtitle ?? subtitle,
            parameters: Parameters(names: namesTo[line.count - 1], values: line.map(\.id)))
    }
}

/// The names that storyboards use for the records of one level.
struct RecordLevel: Sendable, Equatable {
    /// The plural name of the records, such as `books`. A scene that lists all records of the level
    /// refers to them by this name.
    let rows: String
    /// The singular name of a record, such as `book`. The parameter that identifies a record has
    /// the same name.
    let each: String
    /// The name of a record's image, such as `cover`; nil if the records have no images.
    let image: String?

    /// Returns a number of records as text, such as `1 book` or `5 books`.
    func counted(_ number: Int) -> String { number == 1 ? "1 \(each)" : "\(number) \(rows)" }
}
