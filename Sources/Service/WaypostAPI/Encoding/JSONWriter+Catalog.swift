import AppDefinition
import HTTPCore
import JSON

extension JSONWriter {
    /// Writes an author as a JSON object with the id, the name, the URL and the number of books.
    /// Omits the members `books` and `attributes`.
    mutating func authorSummary(_ author: Author) {
        object { json in
            json.authorMembers(author)
            json.member("numberOfBooks", author.books.count)
        }
    }

    mutating func author(_ author: Author) {
        object { json in
            json.authorMembers(author)
            json.name("attributes")
            json.attributes(author.attributes)
            json.array("books", author.books) { json, book in
                json.object { $0.bookMembers(book, of: author) }
            }
        }
    }

    mutating func book(_ book: Book, of author: Author) {
        object { json in
            json.bookMembers(book, of: author)
            json.object("author") { $0.authorMembers(author) }
        }
    }

    private mutating func authorMembers(_ author: Author) {
        member("id", author.id)
        member("name", author.name)
        member("url", CatalogURL.url(["catalog", "authors", author.id]))
    }

    private mutating func bookMembers(_ book: Book, of author: Author) {
        member("id", book.id)
        member("title", book.title)
        let path = ["catalog", "authors", author.id, "books", book.id]
        member("url", CatalogURL.url(path))
        member("cover", book.cover == nil ? nil : CatalogURL.url(path + ["cover"]))
        name("attributes")
        attributes(book.attributes)
    }

    private mutating func attributes(_ attributes: [Attribute]) {
        object { json in
            for attribute in attributes {
                json.name(escaping: attribute.key)
                json.write(JSONValue(attribute.value) { _ in .null })
            }
        }
    }
}

/// Builds the URL paths of catalog data in responses.
enum CatalogURL {
    /// Returns the URL path of catalog data, such as `/v1/catalog/authors/jules-verne`.
    /// - Parameter components: the path components after `/v1`, without percent-encoding.
    static func url(_ components: [String]) -> String {
        components.reduce(into: "/v1") {
            $0 += "/" + PercentEncoding.encoded($1, plain: .unreserved)
        }
    }
}
