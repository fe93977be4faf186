import Dispatch
import HTTPCore
import Testing

@testable import MicrohttpdServer

@Suite(.timeLimit(.minutes(10))) struct ReadinessTests {
    /// Many connections become ready while their worker is busy. With exactly 128 of them,
    /// libmicrohttpd would wait for more.
    @Test(
        "A worker serves all of more than 128 connections that become ready at once",
        arguments: [127, 128, 129, 256])
    func simultaneous(count: Int) async throws {
        let isHeld = DispatchSemaphore(value: 0)
        let isReady = DispatchSemaphore(value: 0)
        let handler = TestHandler { _ in
            isHeld.signal()
            block(on: isReady)
            return .text("held")
        }
        try await withServer(handler, .with { $0.threads = 1 }) { server in
            let holder = try RawClient(port: server.port)
            let clients = try (0..<count).map { _ in try RawClient(port: server.port) }
            for client in clients {
                try client.get("/at-once")
                #expect(try client.readResponse().status == 200)
            }
            try holder.get("/")
            block(on: isHeld)
            for client in clients { try client.get("/at-once") }
            isReady.signal()
            for client in clients { #expect(try client.readResponse().status == 200) }
            #expect(try holder.readResponse().text == "held")
        }
    }
}

/// Blocks the calling thread, which is the worker's.
private func block(on semaphore: DispatchSemaphore) { semaphore.wait() }
