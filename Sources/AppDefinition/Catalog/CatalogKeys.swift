/// The keys of a catalog's dictionaries.
public struct CatalogKeys: Sendable, Equatable {
    public var author = "Author"
    public var books = "Books"
    public var title = "Title"
    public var cover = "Cover"

    public init() {}

    /// Parses a mapping such as `title=titleOfBook,cover=bookImage`; other keys keep their names.
    /// - Returns: nil if a part is not `NAME=KEY` with one of the names author, books, title and
    ///   cover, or if two names have the same key in one dictionary.
    public init?(_ mapping: String) {
        for part in mapping.split(separator: ",", omittingEmptySubsequences: false) {
            guard let sign = part.firstIndex(of: "=") else { return nil }
            let key = String(part[part.index(after: sign)...])
            guard !key.isEmpty else { return nil }
            switch part[..<sign] {
            case "author": author = key
            case "books": books = key
            case "title": title = key
            case "cover": cover = key
            default: return nil
            }
        }
        guard author != books, title != cover else { return nil }
    }
}
