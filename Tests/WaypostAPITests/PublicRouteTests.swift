import HTTPCore
import Testing
import WaypostTesting

@testable import WaypostAPI

/// Tests of the list of all routes, and of those that everybody may use.
@Suite struct PublicRouteTests {
    private static let service = Result { try TestService() }
    private static let keys = MatrixTests.doors.keys.sorted().filter { key in
        if case .everybody? = MatrixTests.doors[key] { true } else { false }
    }

    @Test("Every route is in the access matrix") func routes() throws {
        let routes = try Self.service.get().api.pipeline.router.routes
        #expect(
            routes.map { "\($0.method.name) \($0.path)" }.sorted()
                == MatrixTests.doors.keys.sorted())
    }

    @Test(
        "A public route returns the same response with and without any token", arguments: keys)
    func everybody(_ key: String) async throws {
        let service = try Self.service.get()
        let author = try #require(service.catalog.authors.first)
        let book = try #require(author.books.first)
        let values = [
            "code": "not-found", "author": author.id, "book": book.id, "image": "none.png",
            "file": "main.js", "scene": "cover",
        ]
        let plain = try await service.api.send(key, values, "", [])
        #expect((200...307).contains(plain.status) != key.contains("{image}"))
        let fields = MatrixTests.noTokens("wps_") + [["Bearer wps_\(MatrixTests.digits)"]]
        for authorization in fields {
            let reply = try await service.api.send(key, values, "", authorization)
            guard key != "POST /v1/sessions" else {
                // The credential is a member of the body there.
                #expect(authorization.isEmpty ? reply.status == 201 : reply.status == 400)
                continue
            }
            #expect(reply.status == plain.status)
            // The metrics count, so they differ each time.
            if key != "GET /metrics" { #expect(reply.body == plain.body) }
        }
    }
}
