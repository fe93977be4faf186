import NavigationRules

/// A data source that gives scenes their rows and images from hierarchies of records.
///
/// A binding is the name by which a scene refers to rows or an image. The Library, the built-in
/// app, has the row bindings `authors`, `author.books` (the books of one author) and `books` (the
/// books of all authors), and the image binding `book.cover`.
public struct RecordSource: DataSource {
    /// A level of one of the hierarchies: the index of the hierarchy, and the depth of the level in
    /// it.
    private struct Level {
        let hierarchy: Int
        let depth: Int
    }

    /// The records that a scene shows as rows. The scene chooses them with a row binding, which is
    /// a name such as `author.books`.
    private enum Listing {
        /// All records of a level, regardless of their parents.
        case all(Level)
        /// The records of a level that have a certain parent. The parameters of the scene identify
        /// the parent.
        case below(Level)
    }

    public let rowBindings: [String: RowBinding]
    public let imageBindings: [String: ImageBinding]
    private let hierarchies: [RecordHierarchy]
    private let listings: [String: Listing]
    /// For each image binding, which is a name such as `book.cover`, the level whose records have
    /// the image.
    private let images: [String: Level]
    /// For each parameter name, the level whose records the parameter identifies.
    private let parameters: [String: Level]
    private let titles = TitleIndexes()

    /// No data.
    package static let empty = RecordSource([RecordHierarchy]())

    init(_ hierarchies: [RecordHierarchy]) {
        var rowBindings: [String: RowBinding] = [:]
        var imageBindings: [String: ImageBinding] = [:]
        var listings: [String: Listing] = [:]
        var images: [String: Level] = [:]
        var parameters: [String: Level] = [:]
        for (index, hierarchy) in hierarchies.enumerated() {
            for (depth, names) in hierarchy.levels.enumerated() {
                let level = Level(hierarchy: index, depth: depth)
                let provided = hierarchy.namesTo[depth]
                rowBindings[names.rows] = RowBinding(requires: [], provides: provided)
                listings[names.rows] = .all(level)
                if depth > 0 {
                    let binding = "\(provided[depth - 1]).\(names.rows)"
                    rowBindings[binding] = RowBinding(
                        requires: provided.dropLast(), provides: provided)
                    listings[binding] = .below(level)
                }
                if let image = names.image {
                    let binding = "\(names.each).\(image)"
                    imageBindings[binding] = ImageBinding(requires: provided)
                    images[binding] = level
                }
                parameters[names.each] = level
            }
        }
        self.hierarchies = hierarchies
        self.rowBindings = rowBindings
        self.imageBindings = imageBindings
        self.listings = listings
        self.images = images
        self.parameters = parameters
    }

    /// The number of records on each level, as text such as `15 authors, 65 books`.
    public var summary: String { hierarchies.map(\.summary).joined(separator: "; ") }

    // MARK: DataSource

    public func numberOfRows(in binding: String, _ parameters: Parameters) -> Int? {
        switch listings[binding] {
        case .all(let level): hierarchies[level.hierarchy].lines[level.depth].count
        case .below(let level): line(to: parameters, above: level)?.last?.children.count
        case nil: nil
        }
    }

    public func row(_ index: Int, of binding: String, _ parameters: Parameters) -> Row? {
        guard let listing = listings[binding],
            let count = numberOfRows(in: binding, parameters), (0..<count).contains(index)
        else { return nil }
        switch listing {
        case .all(let level):
            let hierarchy = hierarchies[level.hierarchy]
            let line = hierarchy.lines[level.depth][index]
            return hierarchy.row(line, subtitle: line.dropLast().last?.title)
        case .below(let level):
            guard let line = line(to: parameters, above: level), let parent = line.last
            else { return nil }
            return hierarchies[level.hierarchy].row(line + [parent.children[index]], subtitle: nil)
        }
    }

    public func indices(
        ofRowsTitled title: String, in binding: String, _ parameters: Parameters
    ) -> [Int] {
        switch listings[binding] {
        case .all(let level):
            let lines = hierarchies[level.hierarchy].lines[level.depth]
            return titles.indices(of: title, in: binding) { lines.map { $0[level.depth].title } }
        case .below(let level):
            guard let line = line(to: parameters, above: level), let parent = line.last
            else { return [] }
            return titles.indices(of: title, in: binding, below: line.map(\.id)) {
                parent.children.map(\.title)
            }
        case nil: return []
        }
    }

    public func image(_ binding: String, _ parameters: Parameters) -> ImageReference? {
        images[binding].flatMap { line(to: parameters, of: $0)?.last?.image }
    }

    public func displayName(of parameter: String, in parameters: Parameters) -> String? {
        self.parameters[parameter].flatMap { line(to: parameters, of: $0)?.last?.title }
    }

    /// Returns the path to the record of a level that the parameters identify. A path is a list of
    /// records from the first level down. Returns nil if a parameter is missing or identifies no
    /// record.
    private func line(to parameters: Parameters, of level: Level) -> [Record]? {
        hierarchies[level.hierarchy].line(to: parameters, depth: level.depth + 1)
    }

    /// Returns the path to the parent of records on `level`. The parameters identify the parent.
    /// Returns nil if a parameter is missing or identifies no record.
    private func line(to parameters: Parameters, above level: Level) -> [Record]? {
        hierarchies[level.hierarchy].line(to: parameters, depth: level.depth)
    }
}

extension RecordSource {
    /// Creates a data source with a single hierarchy of records.
    init(levels: [RecordLevel], records: [Record]) {
        self.init([RecordHierarchy(levels: levels, records: records)])
    }

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
