import Navigation

/// A data source with levels of records. The levels authors and books of the Library have the row
/// bindings `authors`, `author.books` and `books` (of all authors), and the image binding
/// `book.cover`.
public struct RecordSource: DataSource {
    /// The records that a row binding lists.
    private enum Listing {
        /// All records of a level, regardless of their parents.
        case all(depth: Int)
        /// The records below the record that the parameters identify.
        case below(depth: Int)
    }

    public let rowBindings: [String: RowBinding]
    public let imageBindings: [String: ImageBinding]
    /// The numbers of records by level: `15 authors, 65 books`.
    public let summary: String
    private let listings: [String: Listing]
    /// The name of the parameter for each level.
    private let names: [String]
    /// For each level, the names of its parameter and of the parameters of all levels above.
    private let namesTo: [[String]]
    /// An artificial record above the records of the first level.
    private let root: Record
    /// For each level, the paths to its records. A path has the record and all records above it,
    /// top first.
    private let lines: [[[Record]]]

    init(levels: [RecordLevel], records: [Record]) {
        let names = levels.map(\.each)
        self.names = names
        namesTo = names.indices.map { Array(names[...$0]) }
        let root = Record(id: "", title: "", children: records)
        var rowBindings: [String: RowBinding] = [:]
        var imageBindings: [String: ImageBinding] = [:]
        var listings: [String: Listing] = [:]
        var lines: [[[Record]]] = []
        for (depth, level) in levels.enumerated() {
            let names = namesTo[depth]
            rowBindings[level.rows] = RowBinding(requires: [], provides: names)
            listings[level.rows] = .all(depth: depth)
            if depth > 0 {
                let name = "\(names[depth - 1]).\(level.rows)"
                rowBindings[name] = RowBinding(requires: names.dropLast(), provides: names)
                listings[name] = .below(depth: depth)
            }
            if let image = level.image {
                imageBindings["\(level.each).\(image)"] = ImageBinding(requires: names)
            }
            let above = depth == 0 ? [[]] : lines[depth - 1]
            lines.append(above.flatMap { line in (line.last ?? root).children.map { line + [$0] } })
        }
        summary = zip(levels, lines).map { $0.counted($1.count) }.joined(separator: ", ")
        self.root = root
        self.rowBindings = rowBindings
        self.imageBindings = imageBindings
        self.listings = listings
        self.lines = lines
    }

    // MARK: DataSource

    public func numberOfRows(in binding: String, _ parameters: Parameters) -> Int? {
        switch listings[binding] {
        case .all(let depth): lines[depth].count
        case .below(let depth): line(to: parameters, depth: depth)?.last?.children.count
        case nil: nil
        }
    }

    public func row(_ index: Int, of binding: String, _ parameters: Parameters) -> Row? {
        guard let listing = listings[binding],
            let count = numberOfRows(in: binding, parameters), (0..<count).contains(index)
        else { return nil }
        switch listing {
        case .all(let depth):
            let line = lines[depth][index]
            return row(line, subtitle: depth > 0 ? line[depth - 1].title : nil)
        case .below(let depth):
            guard let line = line(to: parameters, depth: depth), let parent = line.last
            else { return nil }
            return row(line + [parent.children[index]], subtitle: nil)
        }
    }

    public func image(_ binding: String, _ parameters: Parameters) -> ImageReference? {
        guard let depth = imageBindings[binding]?.requires.count else { return nil }
        return line(to: parameters, depth: depth)?.last?.image
    }

    public func displayName(of parameter: String, in parameters: Parameters) -> String? {
        guard let index = names.firstIndex(of: parameter) else { return nil }
        return line(to: parameters, depth: index + 1)?.last?.title
    }

    /// Returns the path to the record that the first `depth` parameters identify.
    /// - Returns: nil if a parameter identifies no record.
    private func line(to parameters: Parameters, depth: Int) -> [Record]? {
        var line: [Record] = []
        for name in names[..<depth] {
            guard let id = parameters[name],
                let record = (line.last ?? root).child(withID: id)
            else { return nil }
            line.append(record)
        }
        return line
    }

    /// Returns the row for the record at the end of a path.
    /// - Parameter subtitle: the subtitle for a record without its own.
    private func row(_ line: [Record], subtitle: String?) -> Row {
        let record = line[line.count - 1]
        return Row(
            title: record.title, subtitle: record.subtitle ?? subtitle,
            parameters: Parameters(names: namesTo[line.count - 1], values: line.map(\.id)))
    }
}

extension RecordSource {
    /// Creates a data source from the authors and books of a catalog, with their covers.
    public init(_ catalog: Catalog) {
        let authors = RecordLevel(rows: "authors", each: "author", image: nil)
        let books = RecordLevel(rows: "books", each: "book", image: "cover")
        let records = catalog.authors.map { author in
            Record(
                id: author.id, title: author.name, subtitle: books.counted(author.books.count),
                children: author.books.map { book in
                    Record(
                        id: book.id, title: book.title,
                        image: book.cover.map { cover in
                            ImageReference(
                                components: [
                                    "catalog", "authors", author.id, "books", book.id, "cover",
                                ], mediaType: cover.mediaType.rawValue)
                        })
                })
        }
        self.init(levels: [authors, books], records: records)
    }
}
