import HTTPCore
import TestSupport
import Testing

@testable import MicrohttpdServer

@Suite("Connections", .timeLimit(.minutes(10)))
struct KeepAliveTests {
    @Test("A thousand requests on one connection get responses")
    func keepAlive() async throws {
        try await withServer(TestHandler { .text("at \($0.target.path)") }) { server in
            let client = try RawClient(port: server.port)
            for number in 1...1000 {
                try client.get("/\(number)")
                let response = try client.readResponse()
                try #require(response.status == 200)
                try #require(response.text == "at /\(number)")
            }
        }
    }

    @Test("Pipelined requests get their responses in order")
    func pipelining() async throws {
        let gate = Gate()
        let handler = TestHandler { request in
            // One request in three is suspended, so that a later one could overtake it.
            if request.target.path.hasSuffix("0") { await gate.pass() }
            return .text(request.target.path)
        }
        try await withServer(handler) { server in
            let client = try RawClient(port: server.port)
            let paths = (1...60).map { "/\($0)/\($0 % 3)" }
            try client.send(
                paths.map { "GET \($0) HTTP/1.1\r\nHost: localhost\r\n\r\n" }.joined())
            await gate.waitForArrivals(1)
            gate.open()
            for path in paths { #expect(try client.readResponse().text == path) }
        }
    }

    @Test("A thousand pipelined requests get their responses in order, without a pause")
    func pipelinedThousand() async throws {
        try await withServer(TestHandler { _ in .text("") }) { server in
            let client = try RawClient(port: server.port)
            let request = "GET /at-once HTTP/1.1\r\nHost: localhost\r\n\r\n"
            try client.send(String(repeating: request, count: 1000))
            for _ in 0..<1000 { try #require(try client.readResponse().text == "at once") }
            #expect(server.pauseCount == 0)
        }
    }

    @Test("Pipelined requests with bodies get their responses in order")
    func pipelinedBodies() async throws {
        try await withServer(TestHandler { Response(.ok, body: .bytes($0.body)) }) { server in
            let client = try RawClient(port: server.port)
            let bodies = (0..<50).map { String(repeating: "\($0 % 10)", count: $0 * 7 % 41) }
            try client.send(
                bodies.map {
                    "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: \($0.count)\r\n\r\n\($0)"
                }.joined())
            for body in bodies { #expect(try client.readResponse().text == body) }
        }
    }

    @Test("A request that arrives byte by byte is parsed as one request")
    func byteByByte() async throws {
        try await withServer(TestHandler { Response(.ok, body: .bytes($0.body)) }) { server in
            let client = try RawClient(port: server.port)
            let request =
                "POST /a%2Fb HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nhello"
            for byte in request.utf8 { try client.send([byte]) }
            #expect(try client.readResponse().text == "hello")
        }
    }

    @Test("A client that sends Connection: close has its connection closed after the response")
    func connectionClose() async throws {
        try await withServer(TestHandler { _ in .text("bye") }) { server in
            let client = try RawClient(port: server.port)
            try client.send("GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            #expect(try client.readResponse().text == "bye")
            #expect(try client.isClosed())
        }
    }

    @Test("An HTTP/1.0 request gets a response, and the connection is closed")
    func oldVersion() async throws {
        try await withServer(TestHandler { _ in .text("old") }) { server in
            let client = try RawClient(port: server.port)
            try client.send("GET / HTTP/1.0\r\n\r\n")
            let response = try client.readResponse()
            #expect(response.status == 200)
            #expect(response.text == "old")
            #expect(try client.isClosed())
        }
    }

    @Test("An HTTP/1.0 connection stays open if the client asks for keep-alive")
    func oldVersionKeepAlive() async throws {
        try await withServer(TestHandler { .text($0.target.path) }) { server in
            let client = try RawClient(port: server.port)
            for path in ["/1", "/2"] {
                try client.send("GET \(path) HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
                #expect(try client.readResponse().text == path)
            }
        }
    }
}
