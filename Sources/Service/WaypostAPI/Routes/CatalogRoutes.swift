import AppDefinition
import HTTPCore
import JSON

/// The routes under `/v1/catalog` for the authors, their books and the book covers. They require no
/// token.
struct CatalogRoutes: Sendable {
    private let catalog: Catalog
    private let covers = CoverResponses()
    /// The header fields of every successful JSON response. The responses of these routes change
    /// only when the service loads another catalog.
    private let fields: StaticResponseHeaders
    /// The encoded responses for authors, by author id. `bookResponses` has the encoded responses
    /// for books, by author id and book id.
    private let authorResponses: [String: [UInt8]]
    private let bookResponses: [[String]: [UInt8]]

    init(catalog: Catalog) {
        self.catalog = catalog
        let content = JSONWriter.bytes { json in
            json.array(catalog.authors) { json, author in
                json.authorSummary(author)
                json.author(author)
                json.array(author.books) { $0.book($1, of: author) }
            }
        }
        fields = StaticResponseHeaders(EntityTag(hashing: content), "application/json")
        var authorResponses: [String: [UInt8]] = [:]
        var bookResponses: [[String]: [UInt8]] = [:]
        for author in catalog.authors {
            authorResponses[author.id] = JSONWriter.bytes { $0.author(author) }
            for book in author.books {
                bookResponses[[author.id, book.id]] = JSONWriter.bytes {
                    $0.book(book, of: author)
                }
            }
        }
        self.authorResponses = authorResponses
        self.bookResponses = bookResponses
    }

    var routes: [Route] {
        [
            Route(.get, "/v1/catalog/authors", query: PageRequest.parameters, authors),
            Route(.get, "/v1/catalog/authors/{author}", author),
            Route(.get, "/v1/catalog/authors/{author}/books/{book}", book),
            Route(
                .get, "/v1/catalog/authors/{author}/books/{book}/cover", produces: [], cover),
        ]
    }

    private func authors(_ context: Context) throws(Problem) -> Answer {
        let request = context.request
        let asked = try Query(request).page()
        let last = try asked.position { catalog.index(ofAuthorWithID: $0) }
        let rest = catalog.authors[(last.map { $0 + 1 } ?? 0)...]
        let found = Array(rest.prefix(asked.readLimit))
        let content = JSONWriter.bytes { json in
            json.page(found, limit: asked.limit, at: \.id) { $0.authorSummary($1) }
        }
        return response(to: request, content)
    }

    private func author(_ context: Context) throws(Problem) -> Answer {
        guard let content = authorResponses[String(context.parameters[0])] else {
            throw Self.authorNotFound(context.parameters[0])
        }
        return response(to: context.request, content)
    }

    private func book(_ context: Context) throws(Problem) -> Answer {
        guard
            let content = bookResponses[[
                String(context.parameters[0]), String(context.parameters[1]),
            ]]
        else {
            throw Self.bookNotFound(context.parameters[1], of: try author(context.parameters[0]))
        }
        return response(to: context.request, content)
    }

    private func cover(_ context: Context) throws(Problem) -> Answer {
        let author = try author(context.parameters[0])
        let book = try book(context.parameters[1], of: author)
        let notFound = Problem(.coverNotFound, "there is no cover of \(book.title)")
        guard let cover = book.cover else { throw notFound }
        return .ready(
            try covers.response(for: cover, orElse: notFound).response(to: context.request))
    }

    private func response(to request: Request, _ content: [UInt8]) -> Answer {
        .ready(.data(to: request, fields, content))
    }

    private func author(_ id: Substring) throws(Problem) -> Author {
        guard let author = catalog.author(withID: String(id)) else {
            throw Self.authorNotFound(id)
        }
        return author
    }

    private static func authorNotFound(_ id: Substring) -> Problem {
        Problem(.authorNotFound, "no author has the id \(id)")
    }

    private func book(_ id: Substring, of author: Author) throws(Problem) -> Book {
        guard let book = author.book(withID: String(id)) else {
            throw Self.bookNotFound(id, of: author)
        }
        return book
    }

    private static func bookNotFound(_ id: Substring, of author: Author) -> Problem {
        Problem(.bookNotFound, "no book of \(author.name) has the id \(id)")
    }
}
