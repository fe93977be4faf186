import HTTPCore
import Sockets
import Synchronization
import TestSupport
import Testing

@testable import MicrohttpdServer

@Suite("Time limits", .timeLimit(.minutes(10)))
struct TimeoutTests {
    private let clock = ManualClock()
    private let handler = TestHandler { _ in .text("done") }
    private static let head = "POST / HTTP/1.1\r\nHost: localhost\r\n"

    /// Sends the first bytes of a request, then one byte at a time, which must not extend the
    /// deadline.
    /// - Returns: whether the server closes the connection without a response.
    private func isCutOff(_ client: RawClient, after start: String) throws -> Bool {
        try client.send(start)
        while !client.canBeRead(within: 20) {
            clock.tick()
            do { try client.send("x") } catch { break }
        }
        return try client.isClosed()
    }

    private func wait(for client: RawClient) {
        while !client.canBeRead(within: 20) { clock.tick() }
    }

    @Test(
        "A head that arrives byte by byte exceeds the time limit, in a first and in a later request"
    )
    func head() async throws {
        try await withServer(handler, .with(clock) { $0.headerTimeout = .milliseconds(200) }) {
            server in
            let first = try RawClient(port: server.port)
            #expect(try isCutOff(first, after: "GET /"))
            let later = try RawClient(port: server.port)
            try later.get("/")
            #expect(try later.readResponse().text == "done")
            #expect(try isCutOff(later, after: "GET / HTTP/1.1\r\nHost: "))
        }
        #expect(handler.requestCount == 1)
    }

    @Test("A connection without any bytes is closed after the time limit")
    func silence() async throws {
        try await withServer(handler, .with(clock) { $0.headerTimeout = .milliseconds(200) }) {
            server in
            let client = try RawClient(port: server.port)
            wait(for: client)
            #expect(try client.isClosed())
        }
    }

    @Test(
        "A body that arrives byte by byte exceeds the time limit",
        arguments: ["Content-Length: 60000", "Transfer-Encoding: chunked"])
    func body(field: String) async throws {
        try await withServer(handler, .with(clock) { $0.bodyTimeout = .milliseconds(200) }) {
            server in
            let client = try RawClient(port: server.port)
            #expect(try isCutOff(client, after: Self.head + field + "\r\n\r\n" + "ea60\r\n"))
        }
        #expect(handler.requestCount == 0)
    }

    @Test("An extension of a chunk without end exceeds the time limit, and its worker pauses")
    func extensionOfChunk() async throws {
        try await withServer(handler, .with(clock) { $0.bodyTimeout = .milliseconds(200) }) {
            server in
            let client = try RawClient(port: server.port)
            try client.send(Self.head + "Transfer-Encoding: chunked\r\n\r\n")
            // More than the connection's memory, but not more than the socket holds.
            try client.send("5;" + String(repeating: "x", count: 50_000))
            await until { server.pauseCount != 0 }
            wait(for: client)
            #expect(try client.isClosed())
        }
        #expect(handler.requestCount == 0)
    }

    @Test("An idle keep-alive connection is closed after the time limit")
    func keepAlive() async throws {
        try await withServer(handler, .with(clock) { $0.keepAliveTimeout = .milliseconds(200) }) {
            server in
            let client = try RawClient(port: server.port)
            for _ in 0..<2 {
                try client.get("/")
                #expect(try client.readResponse().text == "done")
            }
            wait(for: client)
            #expect(try client.isClosed())
        }
    }

    @Test("A keep-alive connection in use stays open for longer than any time limit")
    func used() async throws {
        try await withServer(
            handler,
            .with(clock) {
                $0.headerTimeout = .milliseconds(300)
                $0.bodyTimeout = .milliseconds(300)
                $0.keepAliveTimeout = .milliseconds(300)
            }
        ) { server in
            let client = try RawClient(port: server.port)
            for _ in 0..<45 {
                try client.get("/")
                #expect(try client.readResponse().text == "done")
                // The server has time to check its connections.
                #expect(!client.canBeRead(within: 20))
                clock.tick()
            }
        }
    }

    @Test("A client that does not read its response is disconnected, and others are served")
    func sending() async throws {
        let large = Response(.ok, body: .bytes([UInt8](repeating: 0, count: 20_000_000)))
        let handler = TestHandler { $0.target.path == "/large" ? large : .text("done") }
        // The time limit for 20 MB would be 20 minutes; only the configured part of it matters
        // here.
        try await withServer(
            handler,
            .with(clock) {
                $0.sendTimeout = .milliseconds(200)
                $0.minimumSendRate = 1 << 40
            }
        ) { server in
            let slow = try RawClient(port: server.port)
            try slow.get("/large")
            let other = try RawClient(port: server.port)
            try other.get("/")
            #expect(try other.readResponse().text == "done")
            // The reset discards the unread bytes of the response.
            while !slow.isReset() { clock.tick() }
        }
    }

    @Test("A large response has time in proportion to its size")
    func largeResponse() async throws {
        let size = 20_000_000
        let large = Response(.ok, body: .bytes([UInt8](repeating: 0, count: size)))
        let handler = TestHandler { _ in large }
        try await withServer(
            handler,
            .with(clock) {
                $0.sendTimeout = .milliseconds(200)
                $0.headerTimeout = .milliseconds(400)
                $0.minimumSendRate = size / 1000
            }
        ) { server in
            let slow = try RawClient(port: server.port)
            try slow.get("/")
            while !slow.canBeRead(within: 20) {}
            // A check that ends the second connection follows one that has seen the slow client
            // after its `sendTimeout`.
            for _ in 0..<2 {
                let probe = try RawClient(port: server.port)
                wait(for: probe)
                #expect(try probe.isClosed())
            }
            #expect(try slow.readResponse().body.count == size)
        }
    }

    @Test("A response that takes too long is replaced by 503, and the connection stays open")
    func answer() async throws {
        let gate = Gate()
        let (ends, noted) = AsyncStream.makeStream(of: Bool?.self)
        let handler = TestHandler { request in
            if request.target.path == "/wait" {
                await gate.pass()
                noted.yield(request.exchange?.isAbandoned)
            }
            return .text("done")
        }
        try await withServer(handler, .with(clock) { $0.responseTimeout = .milliseconds(200) }) {
            server in
            let client = try RawClient(port: server.port)
            try client.send("GET /wait HTTP/1.1\r\nHost: localhost\r\nX-Request-ID: mine\r\n\r\n")
            wait(for: client)
            let response = try client.readResponse()
            #expect(response.status == 503)
            #expect(response.text == "timed-out")
            #expect(response["X-Request-ID"] == "mine")
            #expect(response["Retry-After"] == "1")
            try client.get("/")
            #expect(try client.readResponse().text == "done")
            gate.open()
            // The handler learns that its response is no longer wanted.
            var wasAbandoned = ends.makeAsyncIterator()
            #expect(await wasAbandoned.next() == true)
            // The late response is discarded.
            try client.get("/")
            #expect(try client.readResponse().text == "done")
        }
    }

    @Test("The rejection response to a timeout may read the server's connection count")
    func countsConnections() async {
        // A lock that is taken twice ends the process, so that the test runs in a process of its
        // own.
        await #expect(processExitsWith: .success) {
            let clock = ManualClock()
            let handler = CountingHandler()
            let server = try Server(
                .with(clock) { $0.responseTimeout = .milliseconds(200) },
                listener: .listen(host: "127.0.0.1", port: 0), handler: handler)
            handler.server.withLock { $0 = server }
            let client = try RawClient(port: server.port)
            try client.get("/")
            while !client.canBeRead(within: 20) { clock.tick() }
            #expect(try client.readResponse().text == "1")
            server.stop(grace: 0)
            handler.server.withLock { $0 = nil }
        }
    }
}

/// A handler that never responds, and whose rejection responses have the number of the server's
/// connections.
private final class CountingHandler: RequestHandler {
    let server = Mutex<Server?>(nil)

    func answer(_ request: Request) -> Answer { .later { _ in } }

    func rejectionResponse(for problem: Problem, headers: HeaderFields) -> Response {
        .text("\(server.withLock { $0 }?.connectionCount ?? 0)")
    }
}
