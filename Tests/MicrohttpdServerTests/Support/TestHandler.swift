import HTTPCore
import Sockets
import Synchronization
import WaypostCore

@testable import MicrohttpdServer

/// A handler that responds with the result of a test's closure, and to a problem with its code.
final class TestHandler: RequestHandler {
    private let makeResponse: @Sendable (Request) async -> Response
    private let count = Mutex(0)
    private let made = Mutex(0)

    init(_ makeResponse: @escaping @Sendable (Request) async -> Response) {
        self.makeResponse = makeResponse
    }

    /// Rejects requests to `/refused` before their body.
    func rejectionResponse(beforeBodyOf request: Request) -> Response? {
        request.target.path == "/refused" ? Response(403) : nil
    }

    func isUrgent(_ request: Request) -> Bool { request.target.path == "/urgent" }

    /// The number of requests that have reached the handler.
    var requestCount: Int { count.withLock { $0 } }

    /// The number of responses of tasks that the server has made.
    var responseCount: Int { made.withLock { $0 } }

    /// Responds before it returns if the path is `/at-once`, and in a task otherwise.
    func answer(_ request: Request) -> Answer {
        count.withLock { $0 += 1 }
        if request.target.path == "/at-once" { return .ready(.text("at once")) }
        return .task {
            let response = await self.makeResponse(request)
            return {
                self.made.withLock { $0 += 1 }
                return response
            }
        }
    }

    func rejectionResponse(for problem: Problem, headers request: HeaderFields) -> Response {
        var headers = problem.headers
        headers.append("Content-Type", "application/problem+json")
        // The head of the request is known, also if the request has timed out.
        if let id = request["X-Request-ID"] { headers.append("X-Request-ID", id) }
        return Response(
            problem.status, headers: headers, body: .bytes(Array(problem.code.utf8)))
    }
}

extension Response {
    static func text(_ text: String) -> Response {
        Response(.ok, headers: ["Content-Type": "text/plain"], body: .bytes(Array(text.utf8)))
    }
}

/// Runs `body` with a server on a free port, and stops the server afterwards.
func withServer(
    _ handler: TestHandler, _ configuration: Server.Configuration = .with { _ in },
    _ body: (Server) async throws -> Void
) async throws {
    let server = try makeServer(handler, configuration)
    do {
        try await body(server)
    } catch {
        server.stop(grace: 0)
        throw error
    }
    server.stop(grace: 10_000)
}

/// Starts a server on a free port, which the caller must stop.
func makeServer(
    _ handler: TestHandler, _ configuration: Server.Configuration = .with { _ in }
) throws -> Server {
    try Server(
        configuration, listener: .listen(host: "127.0.0.1", port: 0), handler: handler)
}
