/// An author of the catalog. Two authors of one name are two authors.
public struct Author: Sendable, Equatable, Identifiable {
    /// Unique in the catalog; comes from the name, see `Identifiers`.
    public let id: String
    public let name: String

    /// In the order of the file.
    public let books: [Book]

    /// What the file says of the author beyond the name and the books, sorted by key.
    public let attributes: [Attribute]

    private let index: [Book.ID: Int]

    /// - Precondition: no two books share an id.
    init(id: String, name: String, books: [Book], attributes: [Attribute]) {
        self.id = id
        self.name = name
        self.books = books
        self.attributes = attributes
        index = Dictionary(uniqueKeysWithValues: zip(books.map(\.id), books.indices))
    }

    /// Looks a book of this author up in constant time.
    public func book(withID id: Book.ID) -> Book? {
        index[id].map { books[$0] }
    }
}
