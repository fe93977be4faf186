import Navigation

/// The catalog as scenes see it: the rows `authors`, `books` (of all authors) and `author.books`,
/// and the image `book.cover`.
public struct LibraryDataSource: DataSource {
    public let catalog: Catalog
    /// Where each row of `books` lies in the catalog.
    private let allBooks: [(author: Int, book: Int)]

    public init(_ catalog: Catalog) {
        self.catalog = catalog
        allBooks = catalog.authors.indices.flatMap { author in
            catalog.authors[author].books.indices.map { (author, $0) }
        }
    }

    public var rowBindings: [String: RowBinding] { Self.rows }
    public var imageBindings: [String: ImageBinding] { Self.images }

    private static let rows = [
        "authors": RowBinding(requires: [], provides: ["author"]),
        "books": RowBinding(requires: [], provides: ["author", "book"]),
        "author.books": RowBinding(requires: ["author"], provides: ["author", "book"]),
    ]

    private static let images = [
        "book.cover": ImageBinding(requires: ["author", "book"])
    ]

    public func numberOfRows(in binding: String, _ parameters: Parameters) -> Int? {
        switch binding {
        case "authors": catalog.authors.count
        case "books": allBooks.count
        case "author.books": author(parameters)?.books.count
        default: nil
        }
    }

    public func row(_ index: Int, of binding: String, _ parameters: Parameters) -> Row? {
        guard let count = numberOfRows(in: binding, parameters), (0..<count).contains(index)
        else { return nil }
        switch binding {
        case "authors":
            let author = catalog.authors[index]
            let books = author.books.count
            return Row(
                title: author.name, subtitle: books == 1 ? "1 book" : "\(books) books",
                parameters: ["author": author.id])
        case "books":
            let place = allBooks[index]
            let author = catalog.authors[place.author]
            return row(author.books[place.book], of: author, subtitle: author.name)
        case "author.books":
            return author(parameters).map { row($0.books[index], of: $0, subtitle: nil) }
        default:
            return nil
        }
    }

    public func image(_ binding: String, _ parameters: Parameters) -> ImageReference? {
        guard binding == "book.cover", let author = author(parameters),
            let book = book(parameters), let cover = book.cover
        else { return nil }
        return ImageReference(
            components: ["authors", author.id, "books", book.id, "cover"],
            mediaType: cover.mediaType.rawValue)
    }

    public func displayName(of parameter: String, in parameters: Parameters) -> String? {
        switch parameter {
        case "author": author(parameters)?.name
        case "book": book(parameters)?.title
        default: nil
        }
    }

    private func row(_ book: Book, of author: Author, subtitle: String?) -> Row {
        Row(
            title: book.title, subtitle: subtitle,
            parameters: ["author": author.id, "book": book.id])
    }

    private func author(_ parameters: Parameters) -> Author? {
        parameters["author"].flatMap { catalog.author(withID: $0) }
    }

    private func book(_ parameters: Parameters) -> Book? {
        parameters["book"].flatMap { author(parameters)?.book(withID: $0) }
    }
}
