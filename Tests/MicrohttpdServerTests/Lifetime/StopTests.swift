import Foundation
import HTTPCore
import TestSupport
import Testing

@testable import MicrohttpdServer

@Suite("Stopping a server", .timeLimit(.minutes(10)))
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
        let end = ContinuousClock.now + .seconds(100)
        while isAccepting(server.port) { try #require(ContinuousClock.now < end) }
        #expect(stopped.wait(timeout: .now()) == .timedOut)
        gate.open()
        #expect(try client.readResponse().text == "done")
        #expect(try client.isClosed())
        #expect(await Task.detached { wait(for: stopped, seconds: 10) }.value)
    }

    /// Returns whether the server responds on a new connection.
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
        // If the server waited for the connections, the time limit of the suite would fail this
        // test.
        server.stop(grace: 3_600_000)
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
        // If the server waited for the request, the time limit of the suite would fail this test.
        server.stop(grace: 3_600_000)
        #expect(try client.isClosed())
    }

    @Test("Stopping it again, also from several threads at once, returns when it has stopped")
    func twice() async throws {
        let server = try makeServer(TestHandler { _ in .text("done") })
        let client = try RawClient(port: server.port)
        try client.get("/")
        #expect(try client.readResponse().text == "done")
        let stopped = DispatchSemaphore(value: 0)
        for _ in 0..<4 {
            Thread.detachNewThread {
                server.stop(grace: 0)
                server.stop(grace: 0)
                stopped.signal()
            }
        }
        for _ in 0..<4 {
            try #require(await Task.detached { wait(for: stopped, seconds: 100) }.value)
        }
        #expect(try client.isClosed())
    }

    @Test(
        "A server that nobody holds any more answers what runs with 503, and closes all connections"
    )
    func released() async {
        // A call of a freed callback would end the process, so that the test runs in a process of
        // its own.
        await #expect(processExitsWith: .success) {
            let gate = Gate()
            let (waiting, idle) = try await {
                let server = try makeServer(Self.handler(gate))
                let (waiting, idle) = (
                    try RawClient(port: server.port), try RawClient(port: server.port)
                )
                try idle.get("/")
                #expect(try idle.readResponse().text == "done")
                try waiting.get("/wait")
                await gate.waitForArrivals(1)
                return (waiting, idle)
            }()
            #expect(try waiting.readResponse().status == 503)
            #expect(try waiting.isClosed())
            #expect(try idle.isClosed())
            gate.open()
        }
    }

    @Test("What was sent ahead behind an abandoned request is not run")
    func sentAhead() async throws {
        let gate = Gate()
        let handler = Self.handler(gate)
        let server = try makeServer(handler)
        let client = try RawClient(port: server.port)
        try client.get("/wait")
        try client.get("/now")
        await gate.waitForArrivals(1)
        server.stop(grace: 0)
        let response = try client.readResponse()
        #expect(response.status == 503)
        #expect(response["Connection"]?.lowercased() == "close")
        #expect(try client.isClosed())
        #expect(handler.requestCount == 1)
        gate.open()
    }

    @Test("A request that comes when all others have been abandoned is answered with 503, too")
    func late() async {
        // A suspended request would make libmicrohttpd abort the process, so that the test runs in
        // a process of its own.
        await #expect(processExitsWith: .success) {
            let gate = Gate()
            let large = Response(.ok, body: .bytes([UInt8](repeating: 0, count: 50_000_000)))
            let handler = TestHandler { request in
                if request.target.path == "/large" { return large }
                if request.target.path == "/wait" { await gate.pass() }
                return .text("done")
            }
            let server = try makeServer(handler)
            let idle = try RawClient(port: server.port)
            try idle.get("/")
            _ = try idle.readResponse()
            // The server waits as long as the client has not read this response.
            let slow = try RawClient(port: server.port)
            try slow.get("/large")
            while handler.requestCount < 2 { await Task.yield() }
            let waiting = try RawClient(port: server.port)
            try waiting.get("/wait")
            await gate.waitForArrivals(1)
            let stopped = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                server.stop(grace: 0)
                stopped.signal()
            }
            #expect(try waiting.readResponse().status == 503)
            try idle.get("/wait")
            #expect(try idle.readResponse().status == 503)
            #expect(await Task.detached { wait(for: stopped, seconds: 10) }.value)
            #expect(throws: RawClient.Failure.self) { try slow.readResponse() }
        }
    }

    @Test("No descriptor is left open, however the requests ended")
    func descriptors() async {
        // The test runs in a process of its own, because other tests open and close descriptors.
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
            // The first run opens some descriptors that belong to libraries and stay open.
            try await run()
            let before = try openDescriptors()
            for _ in 0..<3 { try await run() }
            #expect(try openDescriptors() == before)
        }
    }
}

/// Returns the open sockets, epoll instances and event descriptors. Files are excluded, because
/// libdispatch sometimes opens files under /proc for a moment.
private func openDescriptors() throws -> [String] {
    let folder = "/proc/self/fd"
    return try FileManager.default.contentsOfDirectory(atPath: folder).filter { number in
        let target = try? FileManager.default.destinationOfSymbolicLink(
            atPath: "\(folder)/\(number)")
        return target?.hasPrefix("socket:") == true || target?.hasPrefix("anon_inode:") == true
    }.sorted()
}

/// Blocks the calling thread until the semaphore is signalled.
/// - Returns: false if the time is over first.
private func wait(for semaphore: DispatchSemaphore, seconds: Double) -> Bool {
    semaphore.wait(timeout: .now() + seconds) == .success
}
