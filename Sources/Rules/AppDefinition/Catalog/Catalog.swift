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

    /// Returns the author with this id in constant time; nil if no author has this id.
    public func author(withID id: Author.ID) -> Author? {
        index(ofAuthorWithID: id).map { authors[$0] }
    }

    /// Returns the index in `authors` of the author with this id in constant time; nil if no author
    /// has this id.
    public func index(ofAuthorWithID id: Author.ID) -> Int? { index[id] }
}

/// An author of the catalog. Different authors may have the same name.
public struct Author: Sendable, Equatable, Identifiable {
    /// The id, which is unique in the catalog. `Identifiers` derives it from the name.
    public let id: String
    public let name: String

    /// The books in the order of the catalog's file.
    public let books: [Book]

    /// The members of the author's dictionary besides the name and the books, sorted by key.
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

    /// Returns the book with this id in constant time; nil if no book of the author has this id.
    public func book(withID id: Book.ID) -> Book? {
        index[id].map { books[$0] }
    }
}

/// A book of an author in the catalog.
public struct Book: Sendable, Equatable, Identifiable {
    /// The id, which is unique among the author's books. `Identifiers` derives it from the title.
    public let id: String
    public let title: String

    /// The cover; nil if the catalog names no cover for the book, or if the named image did not
    /// exist when the catalog was read.
    public let cover: Cover?

    /// The members of the book's dictionary that do not give the title, the cover or the author,
    /// sorted by key.
    public let attributes: [Attribute]
}

/// The image file of a book, or of another entry of an app's data.
public struct Cover: Sendable, Equatable {
    /// The path relative to the folder of images, with the file extension.
    public let fileName: String

    public let source: Source
    public let mediaType: ImageMediaType

    public enum Source: Sendable, Equatable {
        /// The absolute path, with symbolic links resolved. The service thus opens exactly the file
        /// that was checked.
        case file(path: String)
        /// The executable contains the image.
        case embedded(EmbeddedImage)
    }
}

/// A member of an author's or a book's dictionary that the service returns to clients without
/// interpreting the value.
public struct Attribute: Sendable, Equatable {
    public let key: String
    public let value: PropertyList
}
