import CScheduling
import HTTPCore
import Sockets
import Testing

@testable import MicrohttpdServer

@Suite("The workers' processors", .timeLimit(.minutes(10)))
struct ProcessorTests {
    /// A handler that responds with the processors on which the worker may run.
    private struct ProcessorHandler: RequestHandler {
        func rejectionResponse(beforeBodyOf request: Request) -> Response? { nil }

        func handle(_ request: Request, respond: @escaping Respond) {
            respond { .text("\(numbers())") }
        }

        func rejectionResponse(for problem: Problem) -> Response { .text(problem.detail) }
    }

    /// Returns the processors of `count` workers, each requested on a connection of its own.
    private func processors(count: Int, pinned: Bool) throws -> [String] {
        let server = try Server(
            .with {
                $0.threads = count
                $0.pinsThreads = pinned
            }, listener: .listen(host: "127.0.0.1", port: 0), handler: ProcessorHandler())
        defer { server.stop(grace: 10_000) }
        // The server assigns each connection to the worker with the fewest connections.
        let clients = try (0..<count).map { _ in try RawClient(port: server.port) }
        return try clients.map { client in
            try client.get("/")
            return try client.readResponse().text
        }
    }

    @Test(
        "With one pinned worker for each processor, each has its own, and other threads keep theirs"
    )
    func own() throws {
        let all = numbers()
        let answers = try processors(count: all.count, pinned: true)
        #expect(answers.sorted() == all.map { "[\($0)]" }.sorted())
        #expect(numbers() == all)
    }

    @Test("Unpinned workers, and pinned ones of another number, may run on all processors")
    func shared() throws {
        let all = numbers()
        let more = try processors(count: all.count + 1, pinned: true)
        #expect(more == Array(repeating: "\(all)", count: all.count + 1))
        let unpinned = try processors(count: all.count, pinned: false)
        #expect(unpinned == Array(repeating: "\(all)", count: all.count))
    }
}

/// Returns the processors on which the calling thread may run, counted from 0.
private func numbers() -> [Int] {
    var processors = cpu_set_t()
    guard waypost_get_affinity(&processors) > 0 else { return [] }
    return withUnsafeBytes(of: processors) { bytes in
        (0..<8 * bytes.count).filter { bytes[$0 / 8] >> UInt8($0 % 8) & 1 == 1 }
    }
}
