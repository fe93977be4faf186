import PropertyLists

/// The authors of a library with their books, in the order of the file that they come from.
public struct Catalog: Sendable, Equatable {
    public let authors: [Author]
    private let index: [Author.ID: Int]

    /// - Precondition: no two authors share an id.
    init(authors: [Author]) {
        self.authors = authors
        index = Dictionary(uniqueKeysWithValues: zip(authors.map(\.id), authors.indices))
    }

    /// Looks an author up in constant time.
    public func author(withID id: Author.ID) -> Author? {
        index(ofAuthorWithID: id).map { authors[$0] }
    }

    /// The index of an author in `authors`, found in constant time.
    public func index(ofAuthorWithID id: Author.ID) -> Int? { index[id] }
}

/// An author of the catalog. Two authors of one name are two authors.
public struct Author: Sendable, Equatable, Identifiable {
    /// Unique in the catalog; comes from the name, see `Identifiers`.
    public let id: String
    public let name: String

    /// In the order of the file.
    public let books: [Book]

    /// The file's other members of the author, sorted by key.
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

/// A book of one author.
public struct Book: Sendable, Equatable, Identifiable {
    /// Unique among the books of its author; comes from the title, see `Identifiers`.
    public let id: String
    public let title: String

    /// `nil` if the file names none, or the covers folder had no such image when the catalog was read.
    public let cover: Cover?

    /// The file's other members of the book, sorted by key.
    public let attributes: [Attribute]
}

/// A book's cover: an image file inside the covers folder.
public struct Cover: Sendable, Equatable {
    /// The path relative to the covers folder, with its extension.
    public let fileName: String

    /// Absolute, all symbolic links resolved, so that what was checked is what is opened.
    public let path: String
    public let mediaType: ImageMediaType
}

/// A member of an author's or a book's dictionary that the catalog keeps but does not interpret.
public struct Attribute: Sendable, Equatable {
    public let key: String
    public let value: PropertyList
}
