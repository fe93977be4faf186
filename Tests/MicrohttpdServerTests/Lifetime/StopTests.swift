import Foundation
import HTTPCore
import Testing

@testable import MicrohttpdServer

@Suite("Stopping a server", .timeLimit(.minutes(3)))
struct StopTests {
    private static func handler(_ gate: Gate) -> TestHandler {
        TestHandler { request in
            if request.target.path == "/wait" { await gate.pass() }
            return .text("done")
        }
    }

    @Test("What runs is finished first, and nothing new is accepted")
    func finishes() async throws {
        let gate = Gate()
        let server = try makeServer(Self.handler(gate))
        let client = try RawClient(port: server.port)
        try client.get("/wait")
        await gate.waitForArrivals(1)
        let stopped = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            server.stop(grace: 30_000)
            stopped.signal()
        }
        while isAccepting(server.port) {}
        #expect(stopped.wait(timeout: .now()) == .timedOut)
        gate.open()
        #expect(try client.readResponse().text == "done")
        #expect(try client.isClosed())
        #expect(await Task.detached { wait(for: stopped, seconds: 10) }.value)
    }

    /// Whether a new connection is answered.
    private func isAccepting(_ port: UInt16) -> Bool {
        do {
            let client = try RawClient(port: port, patience: 0.2)
            try client.get("/now")
            return try client.readResponse().status == 200
        } catch {
            return false
        }
    }

    @Test("What does not finish within the grace is answered with 503, and late answers are lost")
    func abandons() async throws {
        let gate = Gate()
        let server = try makeServer(Self.handler(gate))
        let clients = try (0..<20).map { _ in try RawClient(port: server.port) }
        for client in clients { try client.get("/wait") }
        await gate.waitForArrivals(clients.count)
        server.stop(grace: 20)
        for client in clients {
            let response = try client.readResponse()
            #expect(response.status == 503)
            #expect(response.text == "shutting-down")
            #expect(try client.isClosed())
        }
        gate.open()
    }

    @Test("With nothing to wait for it is over at once, and idle connections are closed")
    func idle() async throws {
        let server = try makeServer(TestHandler { _ in .text("done") })
        let silent = try RawClient(port: server.port)
        let client = try RawClient(port: server.port)
        try client.get("/")
        #expect(try client.readResponse().text == "done")
        let time = ContinuousClock().measure { server.stop(grace: 30_000) }
        #expect(time < .seconds(10))
        #expect(try client.isClosed())
        #expect(try silent.isClosed())
    }

    @Test("A request of which only the beginning has come is not waited for")
    func unfinishedHead() async throws {
        let server = try makeServer(TestHandler { _ in .text("done") })
        let client = try RawClient(port: server.port)
        try client.get("/")
        _ = try client.readResponse()
        try client.send("GET / HTTP/1.1\r\nHost: local")
        let time = ContinuousClock().measure { server.stop(grace: 30_000) }
        #expect(time < .seconds(10))
        #expect(try client.isClosed())
    }

    @Test("A client that tries again at once does not keep the server from stopping")
    func retry() async {
        await #expect(processExitsWith: .success) {
            let gate = Gate()
            let handler = TestHandler { _ in
                await gate.pass()
                return .text("done")
            }
            let server = try makeServer(handler)
            let clients = try (0..<20).map { _ in try RawClient(port: server.port) }
            // The second one is there when the first has been answered with 503.
            for client in clients {
                try client.get("/")
                try client.get("/")
            }
            await gate.waitForArrivals(clients.count)
            server.stop(grace: 0)
            for client in clients { #expect(try client.readResponse().status == 503) }
            #expect(handler.requestCount == clients.count)
        }
    }

    @Test("No descriptor is left open, however the requests ended")
    func descriptors() async {
        // In a process of its own, where no other test opens and closes descriptors meanwhile.
        await #expect(processExitsWith: .success) {
            func run() async throws {
                let gate = Gate()
                let server = try makeServer(Self.handler(gate))
                let clients = try (0..<10).map { _ in try RawClient(port: server.port) }
                for client in clients { try client.get("/wait") }
                await gate.waitForArrivals(clients.count)
                let idle = try RawClient(port: server.port)
                try idle.get("/")
                _ = try idle.readResponse()
                let unfinished = try RawClient(port: server.port)
                try unfinished.send("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Le")
                server.stop(grace: 0)
                gate.open()
                #expect(try idle.isClosed())
                #expect(try unfinished.isClosed())
            }
            func count() throws -> Int {
                try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
            }
            // What the first run opens for good is not the server's.
            try await run()
            let before = try count()
            for _ in 0..<3 { try await run() }
            #expect(try count() == before)
        }
    }
}

/// Blocks its thread.
private func wait(for semaphore: DispatchSemaphore, seconds: Double) -> Bool {
    semaphore.wait(timeout: .now() + seconds) == .success
}
