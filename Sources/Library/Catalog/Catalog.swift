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

    /// Where an author stands in `authors`, in constant time.
    public func index(ofAuthorWithID id: Author.ID) -> Int? { index[id] }
}
