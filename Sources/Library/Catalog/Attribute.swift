/// A member of an author's or a book's dictionary that the catalog keeps but does not interpret.
public struct Attribute: Sendable, Equatable {
    public let key: String
    public let value: PropertyList
}
