import Foundation
import TestSupport

/// A catalog of four authors and 26 books with covers of three types. The third book of each author
/// has no cover file.
struct LibraryFixture {
    static let booksPerAuthor = [
        ("J.R.R. Tolkien", 5), ("Charlotte Brontë", 4), ("Jane Austen", 7), ("Лев Толстой", 10),
    ]

    static var entries: [[String: Any]] {
        booksPerAuthor.enumerated().map { index, author in
            let books: [[String: Any]] = (0..<author.1).map { book in
                [
                    "Title": "Book \(book + 1)", "Year": 1950 + book,
                    "Cover": "\(index)-\(book).\(["jpg", "jpeg", "png"][book % 3])",
                ]
            }
            return ["Author": author.0, "Books": books]
        }
    }

    /// Writes the catalog and the covers.
    /// - Returns: the path of the property list.
    static func write(
        to folder: TemporaryFolder, format: PropertyListSerialization.PropertyListFormat = .xml
    ) throws -> String {
        for entry in entries {
            let books = entry["Books"] as? [[String: Any]] ?? []
            for (index, book) in books.enumerated() where index != 2 {
                try folder.write("image", to: book["Cover"] as? String ?? "")
            }
        }
        let data = try PropertyListSerialization.data(
            fromPropertyList: entries, format: format, options: 0)
        return try folder.write(data, to: "Books.plist")
    }
}
