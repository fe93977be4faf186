/// The keys that a catalog's dictionaries have for the author, the books, the title and the cover.
public struct CatalogKeys: Sendable, Equatable {
    public var author = "Author"
    public var books = "Books"
    public var title = "Title"
    public var cover = "Cover"

    public init() {}

    /// Parses a mapping such as `title=titleOfBook,cover=bookImage`. Names that are not in the
    /// mapping have their default keys.
    /// - Returns: nil if a part is not `NAME=KEY` with the name `author`, `books`, `title` or
    ///   `cover`. Also nil if `author` and `books`, or `title` and `cover`, have the same key.
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

    /// Bytes that tell these keys from others, for a digest; empty for the default keys.
    package var differenceFromDefault: [UInt8] {
        guard self != CatalogKeys() else { return [] }
        return [author, books, title, cover].flatMap { Array($0.utf8) + [0] }
    }
}
