/// A book of one author.
public struct Book: Sendable, Equatable, Identifiable {
    /// Unique among the books of its author; comes from the title, see `Identifiers`.
    public let id: String
    public let title: String

    /// `nil` if the covers folder had no such image when the catalog was read.
    public let cover: Cover?

    /// What the file says of the book beyond its title and cover, sorted by key.
    public let attributes: [Attribute]
}
