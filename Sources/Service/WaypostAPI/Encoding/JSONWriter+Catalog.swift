import AppDefinition
import Foundation
import HTTPCore
import JSON
import WaypostCore

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
                json.propertyList(attribute.value)
            }
        }
    }

    /// Formats a date as RFC 3339 text with a precision of one second. The method does not use
    /// Foundation's formatter, because that formatter uses the Julian calendar for dates before
    /// 1582.
    private static func text(of date: Date) -> String {
        Timestamp(clock: date.timeIntervalSince1970.rounded(.down)).description
            .replacing(".000Z", with: "Z")
    }

    /// Writes a property list value as JSON. A date becomes RFC 3339 text, and data becomes Base64
    /// text. A number that JSON cannot represent, such as infinity, becomes null.
    private mutating func propertyList(_ value: PropertyList) {
        switch value {
        case .string(let text): string(text)
        case .integer(let number): integer(number)
        case .real(let number): number.isFinite ? real(number) : null()
        case .boolean(let flag): boolean(flag)
        case .date(let date): string(Self.text(of: date))
        case .data(let data): string(data.base64EncodedString())
        case .null: null()
        case .array(let elements): array(elements) { $0.propertyList($1) }
        case .dictionary(let members):
            object { json in
                for (key, member) in members.sorted(by: { $0.key < $1.key }) {
                    json.name(escaping: key)
                    json.propertyList(member)
                }
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
