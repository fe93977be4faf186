import Synchronization
import Testing

@testable import HTTPCore

@Suite("Replacing a handler") struct ReplaceableHandlerTests {
    /// A handler that names itself, and responds when it is told to.
    private final class Named: RequestHandler {
        let name: String
        private let waiting = Mutex<[Respond]?>(nil)

        /// - Parameter isHeld: whether requests wait for `release`.
        init(_ name: String, isHeld: Bool = false) {
            self.name = name
            if isHeld { waiting.withLock { $0 = [] } }
        }

        private var response: Response { Response(.ok, body: .bytes(Array(name.utf8))) }

        func handle(_ request: Request, respond: @escaping Respond) {
            let isHeld = waiting.withLock { waiting in
                waiting?.append(respond)
                return waiting != nil
            }
            if !isHeld { respond { self.response } }
        }

        func release() {
            let held = waiting.withLock { waiting in
                defer { waiting = nil }
                return waiting ?? []
            }
            for respond in held { respond { self.response } }
        }

        func rejectionResponse(for problem: Problem) -> Response { response }
        func rejectionResponse(for problem: Problem, headers: HeaderFields) -> Response { response }
        func rejectionResponse(beforeBodyOf request: Request) -> Response? { response }
    }

    private func request() throws -> Request {
        Request(method: .get, target: try RequestTarget("/"), headers: HeaderFields())
    }

    private func name(_ response: Response?) -> String? {
        guard case .bytes(let bytes) = response?.body else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test("Requests and rejections go to the new handler after the replacement")
    func replacement() async throws {
        let handler = ReplaceableHandler(Named("old"))
        #expect(name(await handler.respond(to: try request())) == "old")
        #expect(await handler.replace(within: .seconds(60)) { Named("new") })
        #expect(name(await handler.respond(to: try request())) == "new")
        let problem = Problem(.notFound, "nothing")
        #expect(name(handler.rejectionResponse(for: problem)) == "new")
        #expect(name(handler.rejectionResponse(for: problem, headers: HeaderFields())) == "new")
        #expect(name(handler.rejectionResponse(beforeBodyOf: try request())) == "new")
    }

    @Test(
        "A request in progress ends with its handler, and those that come meanwhile get the new one"
    )
    func inProgress() async throws {
        let old = Named("old", isHeld: true)
        let handler = ReplaceableHandler(old)
        let (first, second) = (try request(), try request())
        let responses = Mutex<[String]>([])
        let (all, done) = AsyncStream.makeStream(of: Void.self)
        func send(_ request: Request) {
            handler.handle(request) { makeResponse in
                responses.withLock { $0.append(name(makeResponse()) ?? "") }
                done.yield()
            }
        }
        send(first)
        let replaced = await handler.replace(within: .zero) { Named("never") }
        #expect(!replaced)
        async let isReplaced = handler.replace(within: .seconds(60)) {
            // The second request has come during the pause, as the old handler holds the first.
            Named("new")
        }
        // Until the pause, requests go to the old handler, which holds them.
        while !handler.isPaused { await Task.yield() }
        send(second)
        old.release()
        #expect(await isReplaced)
        var iterator = all.makeAsyncIterator()
        _ = await iterator.next()
        _ = await iterator.next()
        #expect(responses.withLock(\.self) == ["old", "new"])
    }

    @Test("A forced replacement does not wait beyond its limit") func forced() async throws {
        let old = Named("old", isHeld: true)
        let handler = ReplaceableHandler(old)
        let response = Mutex<String?>(nil)
        handler.handle(try request()) { makeResponse in
            response.withLock { $0 = name(makeResponse()) }
        }
        #expect(await handler.replace(within: .zero, isForced: true) { Named("new") })
        #expect(name(await handler.respond(to: try request())) == "new")
        old.release()
        #expect(response.withLock(\.self) == "old")
    }
}
