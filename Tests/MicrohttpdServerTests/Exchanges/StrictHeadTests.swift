import CMicrohttpd
import HTTPCore
import TestSupport
import Testing

@testable import MicrohttpdServer

@Suite("Ambiguous request heads", .timeLimit(.minutes(10)))
struct StrictHeadTests {
    private static let handler = TestHandler { request in
        .text("\(request.target.path) \(request.target.query.count)")
    }

    /// Malformed heads that both versions of libmicrohttpd or the server refuse.
    static let heads = [
        "GET  /a HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /a HTTP/1.1\r\nHost: a\0b\r\n\r\n",
        "GET /a HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer t\0u\r\nX: y\r\n\r\n",
        "GET /a HTTP/1.1\r\nHost: a\r\nX: \0y\r\n\r\n",
        "GET /a HTTP/1.1\r\nHost: a\r\nX: y\0\r\n\r\n",
        "GET /a HTTP/1.1\r\nHost: a\r\nX: y\r\n z\r\n\r\n",
        "GET /a HTTP/1.1\r\nHost: a\r\nX: y\r\n \r\n\r\n",
        "GET /a HTTP/1.1\r\nHost: a\r\nX: y\r\n\tz\r\nY: z\r\n\r\n",
        "GET /a HTTP/1.1\r\nHost: a\r\n: y\r\n\r\n",
        "GET /a HTTP/1.1\nHost: a\n\n",
        "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 2\0 9\r\n\r\n{}",
        "POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\0x\r\n\r\n0\r\n\r\n",
    ]

    /// Heads with a NUL in the request line. Version 1 of libmicrohttpd closes the connection.
    static let headsWithNUL = [
        "GET /a\0/../b HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /a\0?b=c HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /a?b\0c HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET\0X /a HTTP/1.1\r\nHost: a\r\n\r\n",
    ]

    /// Heads that only version 1 of libmicrohttpd refuses. Before, it does not report the hidden
    /// bytes, and the size of such a head is that of a valid one (docs/http.md).
    static let headsOfValidSize = [
        "GET /a HTTP/1.1\r\nHost: a\nX: y\r\n\r\n",
        "GET /a HTTP/1.1\r\nHost: a\r\nX: y\r\n\n",
        "GET /a HTTP/1.1\r\nHost:a\r\nX: y\0\r\n\r\n",
        "GET  /a HTTP/1.1\r\nHost:a\r\n\r\n",
        "GET /a HTTP/1.1\r\nHost:a\r\nX:y\r\n z\r\nY:z\r\n\r\n",
    ]

    /// Valid heads that the server must refuse before version 1 of libmicrohttpd, which ignores
    /// blanks after `chunked`. Before, two blanks cannot be told from a hidden byte.
    static let headsWithBlanks = [
        "GET /a HTTP/1.1\r\nHost: a\r\nX:  y\r\n\r\n",
        "GET /a HTTP/1.1\r\nHost: a\r\nX:\t y\r\n\r\n",
        "POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked \r\n\r\n0\r\n\r\n",
        "POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\t\r\n\r\n0\r\n\r\n",
        "POST /a HTTP/1.1\r\nHost: a\r\ntransfer-encoding: chunked \r\n\r\n0\r\n\r\n",
        "POST /a HTTP/1.1\r\nHost: a\r\ntransfer-encoding: chunked\t\r\n\r\n0\r\n\r\n",
    ]

    private func expectRefusal(to client: RawClient) throws {
        let response = try client.readResponse()
        #expect(response.status == 400)
        #expect(response["Connection"]?.lowercased() == "close")
        #expect(try client.isClosed())
    }

    @Test("A head with bytes that the parsed request lacks is refused", arguments: heads)
    func refused(head: String) async throws {
        try await withServer(Self.handler) { server in
            let client = try RawClient(port: server.port)
            try client.send(head)
            try expectRefusal(to: client)
        }
    }

    @Test("A request line with a NUL is refused", arguments: headsWithNUL)
    func refusedLine(head: String) async throws {
        try await withServer(Self.handler) { server in
            let client = try RawClient(port: server.port)
            try client.send(head)
            if !waypost_checks_heads() { return try expectRefusal(to: client) }
            #expect(try client.isClosed())
        }
    }

    @Test("A malformed head of the size of a valid one is refused", arguments: headsOfValidSize)
    func refusedSize(head: String) async throws {
        try await withServer(Self.handler) { server in
            let client = try RawClient(port: server.port)
            try client.send(head)
            if waypost_checks_heads() { return try expectRefusal(to: client) }
            #expect(try client.readResponse().text == "/a 0")
        }
    }

    @Test(
        "A head with needless blanks is refused if they may hide bytes", arguments: headsWithBlanks)
    func refusedBlanks(head: String) async throws {
        try await withServer(Self.handler) { server in
            let client = try RawClient(port: server.port)
            try client.send(head)
            if !waypost_checks_heads() { return try expectRefusal(to: client) }
            #expect(try client.readResponse().text == "/a 0")
        }
    }

    @Test("A head with bytes hidden by a NUL is refused even after a valid head of its size")
    func knownHead() async throws {
        try await withServer(Self.handler) { server in
            let sound = "GET /a HTTP/1.1\r\nHost: a\r\nX: yyyy\r\n\r\n"
            let unsound = "GET /a HTTP/1.1\r\nHost: a\r\nX: y\0zz\r\n\r\n"
            #expect(sound.utf8.count == unsound.utf8.count)
            let client = try RawClient(port: server.port)
            for _ in 0..<3 {
                try client.send(sound)
                #expect(try client.readResponse().status == 200)
            }
            try client.send(unsound)
            #expect(try client.readResponse().status == 400)
        }
    }

    @Test(
        "Blanks around header values, empty values and empty queries are accepted",
        arguments: [
            "GET /a HTTP/1.1\r\nHost:a\r\nX: \t y \t \r\nY:\r\nZ: \r\n\r\n",
            "GET /a HTTP/1.1\r\nHost:a\r\nX:y\r\nY:\tz\r\n\r\n",
            "GET /a? HTTP/1.1\r\nHost: a\r\n\r\n", "\r\nGET /a HTTP/1.1\r\nHost: a\r\n\r\n",
            "GET /a HTTP/1.0\r\n\r\n",
            "POST /a HTTP/1.1\r\nHost: a\r\nIf-Modified-Since: now \r\nContent-Length: 2\r\n\r\n{}",
        ])
    func taken(head: String) async throws {
        try await withServer(Self.handler) { server in
            let client = try RawClient(port: server.port)
            try client.send(head)
            #expect(try client.readResponse().text == "/a 0")
        }
    }

    @Test("Several empty lines before a request are ignored, or end the connection")
    func emptyLines() async throws {
        try await withServer(Self.handler) { server in
            let client = try RawClient(port: server.port)
            try client.send("\r\n\r\nGET /a HTTP/1.1\r\nHost: a\r\n\r\n")
            if waypost_checks_heads() {
                #expect(try client.isClosed())
            } else {
                #expect(try client.readResponse().text == "/a 0")
            }
        }
    }

    @Test("A head that arrives byte by byte or pipelined is parsed like a complete one")
    func pieces() async throws {
        try await withServer(Self.handler) { server in
            let client = try RawClient(port: server.port)
            let long = String(repeating: "y", count: 9000)
            let head = "GET /a?b=c&d HTTP/1.1\r\nHost: a\r\nX: y\r\nCookie: a=b; c\r\n\r\n"
            let large = "GET /a HTTP/1.1\r\nHost: a\r\nX: \(long)\r\nY: z\r\n\r\n"
            for byte in head.utf8 { try client.send([byte]) }
            #expect(try client.readResponse().text == "/a 2")
            try client.send(head + large + head)
            for text in ["/a 2", "/a 0", "/a 2"] {
                #expect(try client.readResponse().text == text)
            }
        }
    }

    @Test("A query of 300 parameters gets a response", arguments: ["&", "a&", "a=b&"])
    func parameters(part: String) async throws {
        try await withServer(Self.handler) { server in
            let client = try RawClient(port: server.port)
            for _ in 0..<2 {
                try client.get("/a?" + String(repeating: part, count: 300))
                #expect(try client.readResponse().text == "/a \(part == "&" ? 0 : 300)")
            }
        }
    }

    @Test(
        "A query of hundreds of parameters ends its connection, and no other",
        arguments: [("&", 8000), ("a&", 600), ("a&", 4000), ("a=b&", 2000)])
    func tooManyParameters(part: String, count: Int) async throws {
        try await withServer(Self.handler, .with { $0.threads = 1 }) { server in
            let other = try RawClient(port: server.port)
            try other.get("/a")
            #expect(try other.readResponse().text == "/a 0")
            for _ in 0..<3 {
                let client = try RawClient(port: server.port)
                try client.get("/a?" + String(repeating: part, count: count))
                if waypost_checks_heads() { #expect(try client.readResponse().status == 431) }
                #expect(try client.isClosed())
            }
            try other.get("/a")
            #expect(try other.readResponse().text == "/a 0")
            await until { server.connectionCount <= 1 }
        }
    }

    @Test("A request for a host that is not allowed is refused each time it is sent")
    func hosts() async throws {
        let configuration = Server.Configuration.with { $0.allowedHosts = AllowedHosts() }
        try await withServer(Self.handler, configuration) { server in
            for _ in 0..<3 {
                let client = try RawClient(port: server.port)
                try client.get("/a")
                #expect(try client.readResponse().status == 200)
                try client.send("GET /a HTTP/1.1\r\nHost: evil.example\r\n\r\n")
                #expect(try client.readResponse().status == 421)
                #expect(try client.isClosed())
                let other = try RawClient(port: server.port)
                try other.send("GET http://evil.example/a HTTP/1.1\r\nHost: localhost\r\n\r\n")
                #expect(try other.readResponse().status == 421)
            }
        }
    }
}
