import Dispatch
import Synchronization
import TestSupport
import Testing

@testable import HTTPCore

@Suite("Replacing a handler") struct ReplaceableHandlerTests {
    /// A handler that names itself, and responds when it is told to.
    private final class Named: RequestHandler {
        let name: String
        private let waiting = Mutex<[Answer.Reply]?>(nil)

        /// - Parameter isHeld: whether requests wait for `release`.
        init(_ name: String, isHeld: Bool = false) {
            self.name = name
            if isHeld { waiting.withLock { $0 = [] } }
        }

        private var response: Response { Response(.ok, body: .bytes(Array(name.utf8))) }

        func answer(_ request: Request) -> Answer {
            guard waiting.withLock({ $0 != nil }) else { return .ready(response) }
            return .later { reply in self.waiting.withLock { $0?.append(reply) } }
        }

        func release() {
            let held = waiting.withLock { waiting in
                defer { waiting = nil }
                return waiting ?? []
            }
            for reply in held { reply { self.response } }
        }

        func isUrgent(_ request: Request) -> Bool { name == "new" }
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
        _ = handler.replace(by: Named("new"))
        #expect(name(await handler.respond(to: try request())) == "new")
        let isUrgent = handler.isUrgent(try request())
        #expect(isUrgent)
        let problem = Problem(.notFound, "nothing")
        #expect(name(handler.rejectionResponse(for: problem)) == "new")
        #expect(name(handler.rejectionResponse(for: problem, headers: HeaderFields())) == "new")
        #expect(name(handler.rejectionResponse(beforeBodyOf: try request())) == "new")
    }

    @Test("A request in progress ends with its handler, and later ones get the new one at once")
    func inProgress() async throws {
        let old = Named("old", isHeld: true)
        let handler = ReplaceableHandler(old)
        let response = Mutex<String?>(nil)
        handler.answer(try request()).send { makeResponse in
            response.withLock { $0 = name(try? makeResponse()) }
        }
        let requests = handler.replace(by: Named("new"))
        #expect(name(await handler.respond(to: try request())) == "new")
        #expect(requests.wait(timeout: .now()) == .timedOut)
        #expect(response.withLock(\.self) == nil)
        old.release()
        #expect(requests.wait(timeout: .now()) == .success)
        #expect(response.withLock(\.self) == "old")
    }
}
