import HTTPCore
import TestSupport
import Testing

@testable import MicrohttpdServer

@Suite("Clients that hang up", .timeLimit(.minutes(10)))
struct HangUpTests {
    /// The parts of requests that clients send before they hang up.
    static let beginnings = [
        "", "G", "GET / HT", "GET / HTTP/1.1\r\n", "GET / HTTP/1.1\r\nHost: local",
        "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nhalf of",
        "POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhal",
        "GET / HTTP/1.1\r\nHost: localhost\r\n\r\nGET / HT",
    ]

    @Test(
        "Clients that hang up in the middle of a request leave no exchange behind",
        arguments: beginnings)
    func inRequest(beginning: String) async throws {
        weak var left: TestHandler?
        do {
            let handler = TestHandler { _ in .text("here") }
            left = handler
            let server = try makeServer(handler)
            for round in 0..<20 {
                let client = try RawClient(port: server.port)
                try client.send(beginning)
                if round.isMultiple(of: 2) { client.resetWhenClosed() }
            }
            let client = try RawClient(port: server.port)
            try client.get("/")
            #expect(try client.readResponse().text == "here")
            // If the server waited for a request, the time limit of the suite would fail this test.
            server.stop(grace: 3_600_000)
        }
        // A remaining part of an exchange would keep the handler alive, and the time limit of the
        // suite would fail this test. The task of a response may end after the server.
        await until { left == nil }
    }

    @Test(
        "Connections whose clients hang up in a request end before their time limit",
        arguments: beginnings)
    func place(beginning: String) async throws {
        // The client closes its connection immediately after the last byte, and the server's clock
        // stands still.
        try await withServer(TestHandler { _ in .text("here") }) { server in
            let clients = try (0..<20).map { _ in try RawClient(port: server.port) }
            for client in clients { try client.sendLast(beginning) }
            for client in clients {
                #expect {
                    while true { _ = try client.readResponse() }
                } throws: { error in
                    if case RawClient.Failure.closed = error { true } else { false }
                }
            }
        }
    }

    @Test("The response to a client that hangs up while it waits is discarded")
    func whileWaiting() async throws {
        weak var left: TestHandler?
        do {
            let gate = Gate()
            let handler = TestHandler { request in
                if request.target.path == "/wait" { await gate.pass() }
                return .text("here")
            }
            left = handler
            let server = try makeServer(handler)
            for round in 0..<20 {
                let client = try RawClient(port: server.port)
                try client.get("/wait")
                await gate.waitForArrivals(round + 1)
                if round.isMultiple(of: 2) { client.resetWhenClosed() }
            }
            gate.open()
            let client = try RawClient(port: server.port)
            try client.get("/")
            #expect(try client.readResponse().text == "here")
            server.stop(grace: 15_000)
        }
        await until { left == nil }
    }

    @Test("A request whose client closes the connection directly behind it is finished")
    func directlyBehind() async throws {
        let gate = Gate()
        let handler = TestHandler { _ in
            await gate.pass()
            return .text("here")
        }
        try await withServer(handler) { server in
            for _ in 0..<20 {
                let client = try RawClient(port: server.port)
                try client.get("/")
            }
            await gate.waitForArrivals(20)
            gate.open()
            // The server makes each response, also if nobody can read it. Otherwise the time limit
            // of the suite would fail this test.
            await until { handler.responseCount == 20 }
        }
    }

    @Test("Clients that hang up during a large response do not delay other clients")
    func beforeReading() async throws {
        let body = [UInt8](repeating: 7, count: 20_000_000)
        try await withServer(TestHandler { _ in Response(.ok, body: .bytes(body)) }) { server in
            for round in 0..<6 {
                let client = try RawClient(port: server.port)
                try client.get("/")
                if round.isMultiple(of: 2) { client.resetWhenClosed() }
            }
            let client = try RawClient(port: server.port)
            try client.get("/")
            #expect(try client.readResponse().body.count == body.count)
        }
    }

    @Test("Clients that send a request and close their sending side get the response")
    func rightBehind() async throws {
        try await withServer(TestHandler { _ in .text("here") }) { server in
            for count in 1...3 {
                let client = try RawClient(port: server.port)
                let request = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
                try client.sendLast(String(repeating: request, count: count))
                for _ in 0..<count { #expect(try client.readResponse().text == "here") }
                #expect(try client.isClosed())
            }
        }
    }

    @Test("A handler learns that its client has hung up, and not before")
    func abandoned() async throws {
        let (arrivals, arrive) = AsyncStream.makeStream(of: Bool.self)
        let (leaves, leave) = AsyncStream.makeStream(of: Void.self)
        let (results, noted) = AsyncStream.makeStream(of: Void.self)
        let handler = TestHandler { request in
            arrive.yield(request.exchange?.isAbandoned ?? true)
            for await _ in leaves {}
            // If the handler did not learn it, the time limit of the suite would fail this test.
            await until { request.exchange?.isAbandoned != false }
            noted.yield()
            return .text("late")
        }
        try await withServer(handler) { server in
            var arrived = arrivals.makeAsyncIterator()
            do {
                let client = try RawClient(port: server.port)
                try client.get("/")
                #expect(await arrived.next() == false)
            }
            leave.finish()
            var result = results.makeAsyncIterator()
            await result.next()
        }
    }
}
