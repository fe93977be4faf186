import Navigation

/// Records in levels, where each record of a level lists records of the next level. All levels of
/// an app have different names, even levels of different hierarchies.
struct RecordHierarchy: Sendable {
    let levels: [RecordLevel]
    /// For each level, the names of its parameter and of the parameters of all levels above.
    let namesTo: [[String]]
    /// For each level, the paths to its records. A path has the record and all records above it,
    /// top first.
    let lines: [[[Record]]]
    /// An artificial record above the records of the first level.
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

    /// The numbers of records by level: `15 authors, 65 books`.
    var summary: String {
        zip(levels, lines).map { $0.counted($1.count) }.joined(separator: ", ")
    }

    /// Returns the path to the record that the parameters of the first `depth` levels identify.
    /// - Returns: nil if a parameter identifies no record.
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

    /// Returns the row for the record at the end of a path.
    /// - Parameter subtitle: the subtitle for a record without its own.
    func row(_ line: [Record], subtitle: String?) -> Row {
        let record = line[line.count - 1]
        return Row(
            title: record.title, subtitle: record.subtitle ?? subtitle,
            parameters: Parameters(names: namesTo[line.count - 1], values: line.map(\.id)))
    }
}

/// The names for the records of one level.
struct RecordLevel: Sendable, Equatable {
    /// The plural name of the records, such as `books`, which is also the name of the row binding.
    let rows: String
    /// The singular name of a record, such as `book`, which is also the name of its parameter.
    let each: String
    /// The name for the image of a record, such as `cover`; nil if records have no images.
    let image: String?

    /// Returns a number with its noun: `1 book`, `5 books`.
    func counted(_ number: Int) -> String { number == 1 ? "1 \(each)" : "\(number) \(rows)" }
}
