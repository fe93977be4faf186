import CScheduling
import HTTPCore
import Sockets
import Testing

@testable import MicrohttpdServer

@Suite("The workers' processors", .timeLimit(.minutes(10)))
struct ProcessorTests {
    /// Tells where the worker may run.
    private struct ProcessorHandler: RequestHandler {
        func rejectionResponse(beforeBodyOf request: Request) -> Response? { nil }

        func handle(_ request: Request, respond: @escaping Respond) {
            respond { .text("\(numbers())") }
        }

        func rejectionResponse(for problem: Problem) -> Response { .text(problem.detail) }
    }

    /// Of one connection for each of `count` workers.
    private func processors(count: Int, pinned: Bool) throws -> [String] {
        let server = try Server(
            .with {
                $0.threads = count
                $0.pinsThreads = pinned
            }, listener: .listen(host: "127.0.0.1", port: 0), handler: ProcessorHandler())
        defer { server.stop(grace: 10_000) }
        // Each goes to the worker that has the fewest.
        let clients = try (0..<count).map { _ in try RawClient(port: server.port) }
        return try clients.map { client in
            try client.get("/")
            return try client.readResponse().text
        }
    }

    @Test("With as many workers as processors each has its own, and nobody else is moved")
    func own() throws {
        let all = numbers()
        let answers = try processors(count: all.count, pinned: true)
        #expect(answers.sorted() == all.map { "[\($0)]" }.sorted())
        #expect(numbers() == all)
    }

    @Test("Workers other in number than the processors, or not pinned, may run on all processors")
    func shared() throws {
        let all = numbers()
        let more = try processors(count: all.count + 1, pinned: true)
        #expect(more == Array(repeating: "\(all)", count: all.count + 1))
        let unpinned = try processors(count: all.count, pinned: false)
        #expect(unpinned == Array(repeating: "\(all)", count: all.count))
    }
}

/// The processors that the calling thread may run on, counted from 0.
private func numbers() -> [Int] {
    var processors = cpu_set_t()
    guard waypost_get_affinity(&processors) > 0 else { return [] }
    return withUnsafeBytes(of: processors) { bytes in
        (0..<8 * bytes.count).filter { bytes[$0 / 8] >> UInt8($0 % 8) & 1 == 1 }
    }
}
