import PropertyLists

/// The authors of a library with their books, in the order of the catalog's file.
public struct Catalog: Sendable, Equatable {
    public let authors: [Author]
    private let index: [Author.ID: Int]

    /// Creates a catalog.
    /// - Precondition: no two authors have the same id.
    init(authors: [Author]) {
        self.authors = authors
        index = Dictionary(uniqueKeysWithValues: zip(authors.map(\.id), authors.indices))
    }

    /// Returns the author with this id, found in constant time; nil if there is none.
    public func author(withID id: Author.ID) -> Author? {
        index(ofAuthorWithID: id).map { authors[$0] }
    }

    /// Returns the index in `authors` of the author with this id, found in constant time.
    public func index(ofAuthorWithID id: Author.ID) -> Int? { index[id] }
}

/// An author of the catalog. Different authors may have the same name.
public struct Author: Sendable, Equatable, Identifiable {
    /// An id that is unique in the catalog and derived from the name by `Identifiers`.
    public let id: String
    public let name: String

    /// The books in the order of the file.
    public let books: [Book]

    /// The other members of the author's dictionary, sorted by key.
    public let attributes: [Attribute]

    private let index: [Book.ID: Int]

    /// Creates an author.
    /// - Precondition: no two books have the same id.
    init(id: String, name: String, books: [Book], attributes: [Attribute]) {
        self.id = id
        self.name = name
        self.books = books
        self.attributes = attributes
        index = Dictionary(uniqueKeysWithValues: zip(books.map(\.id), books.indices))
    }

    /// Returns the book with this id, found in constant time; nil if there is none.
    public func book(withID id: Book.ID) -> Book? {
        index[id].map { books[$0] }
    }
}

/// A book of an author.
public struct Book: Sendable, Equatable, Identifiable {
    /// An id that is unique among the author's books and derived from the title by `Identifiers`.
    public let id: String
    public let title: String

    /// The cover; nil if the file names none or the image did not exist when the catalog was read.
    public let cover: Cover?

    /// The other members of the book's dictionary, sorted by key.
    public let attributes: [Attribute]
}

/// The image of a book or record: a file inside the folder of images.
public struct Cover: Sendable, Equatable {
    /// The path of the file relative to the folder, with its extension.
    public let fileName: String

    /// The absolute path without symbolic links, so that the service opens exactly the file that
    /// was checked.
    public let path: String
    public let mediaType: ImageMediaType
}

/// A member of an author's or a book's dictionary that the service passes on without interpreting
/// it.
public struct Attribute: Sendable, Equatable {
    public let key: String
    public let value: PropertyList
}
