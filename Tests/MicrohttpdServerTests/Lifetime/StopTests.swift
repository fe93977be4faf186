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

    /// Stops a server on another thread, and returns when it accepts no new connection.
    /// - Returns: what is signalled at the end of the stop.
    private func beginStop(of server: Server, grace: Int) throws -> DispatchSemaphore {
        let stopped = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            server.stop(grace: grace)
            stopped.signal()
        }
        let end = ContinuousClock.now + .seconds(100)
        while (try? RawClient(port: server.port)) != nil {
            try #require(ContinuousClock.now < end)
        }
        return stopped
    }

    @Test("A stopping server completes running requests and accepts no new ones")
    func finishes() async throws {
        let gate = Gate()
        let server = try makeServer(Self.handler(gate))
        let client = try RawClient(port: server.port)
        try client.get("/wait")
        await gate.waitForArrivals(1)
        let stopped = try beginStop(of: server, grace: 30_000)
        #expect(stopped.wait(timeout: .now()) == .timedOut)
        gate.open()
        #expect(try client.readResponse().text == "done")
        #expect(try client.isClosed())
        #expect(await Task.detached { wait(for: stopped, seconds: 10) }.value)
    }

    @Test("A stopping server opens no stream and says so")
    func stream() async throws {
        let gate = Gate()
        let source = TestSource()
        let handler = TestHandler { request in
            if request.target.path == "/stream" { return Response(.ok, body: .stream(source)) }
            if request.target.path == "/wait" { await gate.pass() }
            return .text("done")
        }
        let server = try makeServer(handler)
        let idle = try RawClient(port: server.port)
        try idle.get("/")
        _ = try idle.readResponse()
        let waiting = try RawClient(port: server.port)
        try waiting.get("/wait")
        await gate.waitForArrivals(1)
        let stopped = try beginStop(of: server, grace: 100_000)
        try idle.get("/stream")
        let refused = try idle.readResponse()
        #expect(refused.status == 503)
        #expect(refused.text == "shutting-down")
        gate.open()
        #expect(try waiting.readResponse().text == "done")
        #expect(await Task.detached { wait(for: stopped, seconds: 100) }.value)
    }

    @Test("Requests that exceed the grace period get a 503, and their late responses are discarded")
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

    @Test("A server without running requests stops at once and closes idle connections")
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

    @Test("A stopping server does not wait for an incomplete request")
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

    @Test("Repeated and concurrent stops return when the server has stopped")
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
        "A released server answers running requests with 503 and closes all connections"
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

    @Test("A request that is pipelined behind an abandoned one does not run")
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

    @Test("A request that arrives after all others were abandoned gets a 503")
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
            await until { handler.requestCount >= 2 }
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

    @Test("A stopped server leaves no descriptor open, regardless of how its requests ended")
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
