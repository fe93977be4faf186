import HTTPCore
import Synchronization
import Testing

@testable import MicrohttpdServer

/// A first-in, first-out queue. A task that leaves the queue resumes the next one.
private actor Line {
    private var isTaken = false
    private var waiting: [CheckedContinuation<Void, Never>] = []
    private var watcher: (count: Int, continuation: CheckedContinuation<Void, Never>)?

    func enter() async {
        guard isTaken else {
            isTaken = true
            return
        }
        await withCheckedContinuation { continuation in
            waiting.append(continuation)
            guard let watcher, waiting.count >= watcher.count else { return }
            self.watcher = nil
            watcher.continuation.resume()
        }
    }

    func leave() {
        if waiting.isEmpty { isTaken = false } else { waiting.removeFirst().resume() }
    }

    /// Waits until `count` tasks are in the queue.
    func waitForCount(_ count: Int) async {
        guard waiting.count < count else { return }
        await withCheckedContinuation { watcher = (count, $0) }
    }
}

@Suite("Responses that wait for one another", .timeLimit(.minutes(10)))
struct ChainTests {
    @Test(
        "Requests that each wait for the one before all get a response",
        .timeLimit(.minutes(3)))
    func chain() async throws {
        let line = Line()
        let handler = TestHandler { request in
            await line.enter()
            await line.leave()
            return .text(request.target.path)
        }
        try await withServer(handler) { server in
            // A task of its own keeps this test off the worker's thread. After a call of an actor
            // the test could otherwise resume on the thread that last ran the actor, and wait there
            // for itself.
            await Task { await line.enter() }.value
            let clients = try (0..<100).map { _ in try RawClient(port: server.port) }
            for (number, client) in clients.enumerated() { try client.get("/\(number)") }
            let count = clients.count
            await Task { await line.waitForCount(count) }.value
            await Task { await line.leave() }.value
            for (number, client) in clients.enumerated() {
                #expect(try client.readResponse().text == "/\(number)")
            }
        }
    }
}
