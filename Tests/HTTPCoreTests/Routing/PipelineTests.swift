import Synchronization
import TestSupport
import Testing

@testable import HTTPCore

@Suite("Middleware")
struct PipelineTests {
    /// A step that notes its calls, and refuses requests if it has a problem.
    private final class Step: ResponseMiddleware {
        private let name: String
        private let calls: Calls
        private let problem: Problem?

        init(name: String, calls: Calls, problem: Problem? = nil) {
            self.name = name
            self.calls = calls
            self.problem = problem
        }

        func before(_ context: Context) throws(Problem) {
            calls.note("before \(name)")
            if let problem { throw problem }
            context.requestID = (context.requestID ?? "") + name
        }

        func after(_ context: Context, _ response: inout Response) {
            calls.note("after \(name)")
            response.headers.append("Steps", name)
        }
    }

    private final class Calls: Sendable {
        private let notes = Mutex<[String]>([])
        var all: [String] { notes.withLock(\.self) }

        func note(_ call: String) { notes.withLock { $0.append(call) } }
    }

    private let calls = Calls()

    private func pipeline(second problem: Problem? = nil) -> Pipeline {
        let calls = calls
        let router = Router([
            Route(.get, "/now") { context in
                calls.note("handler \(context.requestID ?? "")")
                return .ready(Response(.ok))
            },
            Route(
                .post, "/later",
                task: { _ async throws(Problem) in
                    calls.note("handler")
                    return { Response(.created) }
                }),
            Route(.get, "/thrown") { _ throws(Problem) in throw Problem(.busy, "thrown") },
            Route(.get, "/thrown-later") { _ in
                .later { $0(Answer.refusal(Problem(.busy, "thrown later"))) }
            },
        ])
        let steps: [any Middleware] = [
            Step(name: "1", calls: calls), Step(name: "2", calls: calls, problem: problem),
            Step(name: "3", calls: calls),
        ]
        return Pipeline(router, steps) { problem, context in
            var response = Response(problem.status)
            response.headers.append("Detail", problem.detail + (context.requestID ?? ""))
            return response
        }
    }

    private func respond(
        _ pipeline: Pipeline, _ method: HTTPCore.Method, _ path: String
    ) async throws -> Response {
        let request = Request(method: method, target: try RequestTarget(path))
        return try await pipeline.answer(request).response
    }

    @Test("A request passes the steps in order, and its response passes them in reverse")
    func order() async throws {
        let response = try await respond(pipeline(), .get, "/now")
        #expect(response.status == .ok)
        #expect(response.headers.values("Steps") == ["3", "2", "1"])
        #expect(
            calls.all == [
                "before 1", "before 2", "before 3", "handler 123", "after 3", "after 2", "after 1",
            ])
    }

    @Test("The response of an asynchronous handler passes the steps too")
    func later() async throws {
        let response = try await respond(pipeline(), .post, "/later")
        #expect(response.status == .created)
        #expect(response.headers.values("Steps") == ["3", "2", "1"])
    }

    @Test("A step that refuses a request leaves out the later steps and the handler")
    func refusal() async throws {
        let response = try await respond(
            pipeline(second: Problem(.misdirectedRequest, "refused")), .get, "/now")
        #expect(response.status == 421)
        #expect(response.headers["Detail"] == "refused1")
        #expect(response.headers.values("Steps") == ["3", "2", "1"])
        #expect(calls.all == ["before 1", "before 2", "after 3", "after 2", "after 1"])
    }

    @Test(
        "The response for a problem of the router or of a handler passes the steps",
        arguments: [
            ("/thrown", "thrown123"), ("/thrown-later", "thrown later123"),
            ("/nothing", "nothing is at /nothing123"),
        ])
    func problem(path: String, detail: String) async throws {
        let response = try await respond(pipeline(), .get, path)
        #expect(response.headers["Detail"] == detail)
        #expect(response.headers.values("Steps") == ["3", "2", "1"])
    }

    @Test("A request that may send its body has passed every step but the first, which counts it")
    func bodyAccepted() throws {
        let request = Request(method: .post, target: try RequestTarget("/later"))
        let response = pipeline().refusal(beforeBodyOf: request) { _ in }
        #expect(response == nil)
        #expect(calls.all == ["before 2", "before 3"])
    }

    @Test("A request that may not send its body gets a response that passed all steps")
    func bodyRefused() throws {
        let request = Request(method: .post, target: try RequestTarget("/later"))
        let problem = Problem(.contentTooLarge, "too long")
        let response = pipeline().refusal(beforeBodyOf: request) { _ throws(Problem) in
            throw problem
        }
        #expect(response?.status == 413)
        #expect(calls.all == ["before 2", "before 3", "before 1", "after 3", "after 2", "after 1"])
    }
}
