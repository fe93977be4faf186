import TestSupport
import Testing

@testable import HTTPCore

@Suite("Router")
struct RouterTests {
    /// A router whose routes respond with their own method and path, and the values of the
    /// parameters.
    private static let router = Router(
        [
            route(.get, "/"), route(.get, "/authors"), route(.post, "/authors"),
            route(.get, "/authors/{author}", parameters: 1),
            route(.delete, "/authors/{author}", parameters: 1),
            route(.get, "/authors/new"), route(.post, "/authors/new/draft"),
            route(.get, "/authors/{author}/books", parameters: 1),
            route(.get, "/authors/{author}/books/{book}", parameters: 2),
            route(.put, "/settings"),
        ])

    private static func route(_ method: HTTPCore.Method, _ path: String, parameters: Int = 0)
        -> Route
    {
        Route(method, path) { context in
            let name = "\(method.name) \(path)"
            let values = (0..<parameters).map { String(context.parameters[$0]) }
            let answer = ([name] + values).joined(separator: "|")
            return .ready(Response(.ok, body: .bytes(Array(answer.utf8))))
        }
    }

    private func answer(_ method: HTTPCore.Method, _ path: String) async throws -> String? {
        let request = Request(method: method, target: try RequestTarget(path))
        guard case .bytes(let bytes) = try await Self.router.respond(to: request).body else {
            return nil
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func problem(_ method: HTTPCore.Method, _ path: String) async throws -> Problem? {
        let request = Request(method: method, target: try RequestTarget(path))
        do throws(Problem) {
            _ = try await Self.router.respond(to: request)
            return nil
        } catch {
            return error
        }
    }

    @Test(
        "A request goes to the route of its method and path with decoded parameters",
        arguments: [
            (.get, "/", "GET /"), (.get, "/authors", "GET /authors"),
            (.post, "/authors", "POST /authors"), (.get, "/authors?limit=5", "GET /authors"),
            (.get, "/authors/ada", "GET /authors/{author}|ada"),
            (.delete, "/authors/ada", "DELETE /authors/{author}|ada"),
            (.get, "/authors/a%2Fb", "GET /authors/{author}|a/b"),
            (.get, "/%61uthors", "GET /authors"),
            (.get, "/authors/%7Bauthor%7D", "GET /authors/{author}|{author}"),
            (.get, "/authors/ada/books", "GET /authors/{author}/books|ada"),
            (.get, "/authors/ada/books/1", "GET /authors/{author}/books/{book}|ada|1"),
            (.put, "/settings", "PUT /settings"),
        ] as [(HTTPCore.Method, String, String)])
    func route(method: HTTPCore.Method, path: String, expected: String) async throws {
        #expect(try await answer(method, path) == expected)
    }

    @Test("A literal segment of a route takes precedence over a parameter")
    func literalFirst() async throws {
        #expect(try await answer(.get, "/authors/new") == "GET /authors/new")
    }

    @Test("A literal segment without a matching route is not matched again as a parameter")
    func noBacktracking() async throws {
        #expect(try await problem(.get, "/authors/new/books")?.kind == .notFound)
        #expect(try await problem(.delete, "/authors/new")?.kind == .methodNotAllowed)
    }

    @Test(
        "A path without a route is a not-found problem",
        arguments: [
            "/nothing", "/authors/", "/authors/ada/", "/authors//books", "//", "/Authors",
            "/authors/ada/books/1/2", "/authors/new/", "/settings/x", "/authors%2Fada",
        ])
    func notFound(path: String) async throws {
        for method in [HTTPCore.Method.get, .post, .head, .options, Method("BREW")] {
            #expect(try await problem(method, path)?.kind == .notFound)
        }
    }

    @Test("A prefix of a route's path is a not-found problem")
    func onTheWay() async throws {
        let router = Router([Self.route(.get, "/v1/authors")])
        await #expect(throws: Problem.self) {
            try await router.respond(to: Request(method: .get, target: RequestTarget("/v1")))
        }
    }

    @Test(
        "A method without a route is refused with the allowed methods",
        arguments: [
            (.delete, "/authors", "GET, HEAD, POST, OPTIONS"),
            (.post, "/authors/ada", "GET, HEAD, DELETE, OPTIONS"),
            (.get, "/authors/new/draft", "POST, OPTIONS"),
            (.head, "/settings", "PUT, OPTIONS"), (.get, "/settings", "PUT, OPTIONS"),
            (Method("BREW"), "/", "GET, HEAD, OPTIONS"), (Method("get"), "/", "GET, HEAD, OPTIONS"),
        ] as [(HTTPCore.Method, String, String)])
    func methodNotAllowed(method: HTTPCore.Method, path: String, allow: String) async throws {
        let problem = try #require(try await problem(method, path))
        #expect(problem.kind == .methodNotAllowed)
        #expect(problem.status == 405)
        #expect(problem.headers["Allow"] == allow)
    }

    @Test("A HEAD request goes to the GET route")
    func head() async throws {
        #expect(try await answer(.head, "/authors/ada") == "GET /authors/{author}|ada")
    }

    @Test(
        "OPTIONS returns the allowed methods of a path",
        arguments: [
            ("/authors", "GET, HEAD, POST, OPTIONS"), ("/settings", "PUT, OPTIONS"),
            ("/authors/ada", "GET, HEAD, DELETE, OPTIONS"),
            ("*", "GET, HEAD, POST, PUT, DELETE, OPTIONS"),
        ])
    func options(path: String, allow: String) async throws {
        let request = Request(method: .options, target: try RequestTarget(path))
        let response = try await Self.router.respond(to: request)
        #expect(response.status == .noContent)
        #expect(response.headers["Allow"] == allow)
    }

    @Test("Only OPTIONS is allowed for the request target *")
    func asterisk() async throws {
        let request = Request(method: .options, target: try RequestTarget("*"))
        let response = try await Self.router.respond(to: request)
        #expect(response.status == .noContent)
        #expect(response.headers["Allow"]?.isEmpty == false)
        #expect(try await problem(.get, "*")?.kind == .notFound)
    }

    @Test("The router passes on the problem of a route unchanged")
    func thrown() async throws {
        let expected = Problem(.busy, "its own")
        let router = Router([
            Route(.get, "/") { _ throws(Problem) in throw expected }
        ])
        let request = Request(method: .get, target: try RequestTarget("/"))
        await #expect(throws: expected) { try await router.respond(to: request) }
    }
}

extension Router {
    /// Returns the response to a request.
    /// - Throws: the problem of the match or of the route.
    fileprivate func respond(to request: Request) async throws(Problem) -> Response {
        try await answer(match(request)).response
    }
}
