import HTTPCore
import Synchronization
import Testing

@testable import MicrohttpdServer

@Suite("Heads that come again", .timeLimit(.minutes(10)))
struct RecentHeadsTests {
    /// Tells heads apart.
    private final class Number: Sendable {
        let value: Int

        init(_ value: Int) { self.value = value }
    }

    /// Answers with a number of the head, and all of it as the handler sees it.
    private static func handler() -> TestHandler {
        let count = Mutex(0)
        return TestHandler { request in
            let number = request.head.finding {
                Number(
                    count.withLock {
                        $0 += 1
                        return $0
                    })
            }
            let fields = request.headers.fields.map { "\($0.name)=\($0.value)" }
            let body = String(decoding: request.body, as: UTF8.self)
            return .text(
                "\(number.value) \(request.method.name) \(request.target.path) "
                    + "\(fields.joined(separator: ",")) \(body)")
        }
    }

    /// Of a server with one place for all heads.
    private static func withClient(_ body: (Server, RawClient) throws -> Void) async throws {
        let configuration = Server.Configuration.with {
            $0.threads = 1
            $0.knownHeads = 1
        }
        try await withServer(handler(), configuration) { server in
            try body(server, try RawClient(port: server.port))
        }
    }

    private static let head = "GET /a HTTP/1.1\r\nHost: localhost\r\nX-Token: abcdefghijk\r\n\r\n"

    @Test(
        "From the second time on the same object stands for them, on each of a worker's connections"
    )
    func again() async throws {
        try await Self.withClient { server, client in
            let other = try RawClient(port: server.port)
            for (client, number) in [(client, 1), (other, 2), (client, 2), (other, 2)] {
                try client.send(Self.head)
                #expect(
                    try client.readResponse().text
                        == "\(number) GET /a Host=localhost,X-Token=abcdefghijk ")
            }
        }
    }

    @Test(
        "What differs in anything is another head, though it is as long",
        arguments: [
            "PUT /a HTTP/1.1\r\nHost: localhost\r\nX-Token: abcdefghijk\r\n\r\n",
            "GET /b HTTP/1.1\r\nHost: localhost\r\nX-Token: abcdefghijk\r\n\r\n",
            "GET /a HTTP/1.0\r\nHost: localhost\r\nX-Token: abcdefghijk\r\n\r\n",
            "GET /a HTTP/1.1\r\nHost: localhost\r\nX-Token: abcdefghijl\r\n\r\n",
            "GET /a HTTP/1.1\r\nHost: localhost\r\nX-Token: bbcdefghijk\r\n\r\n",
            "GET /a HTTP/1.1\r\nHost: localhost\r\nx-Token: abcdefghijk\r\n\r\n",
            "GET /a HTTP/1.1\r\nHost: localhosts\r\nX-Token: abcdefghij\r\n\r\n",
            "GET /a HTTP/1.1\r\nX-Token: abcdefghijk\r\nHost: localhost\r\n\r\n",
            "GET /a HTTP/1.1\r\nHost: localhost\r\nX-Tok: ab\r\nY: defghi\r\n\r\n",
            "GET /a HTTP/1.1\r\nHost: localhost\r\nX-Token: abcdefghij \r\n\r\n",
            "GET /a HTTP/1.1\r\nHost: localhost\r\nX-Token:  bcdefghijk\r\n\r\n",
        ])
    func difference(_ other: String) async throws {
        #expect(other.utf8.count == Self.head.utf8.count)
        try await Self.withClient { server, client in
            for _ in 1...3 {
                try client.send(Self.head)
                #expect(try client.readResponse().text.hasSuffix("X-Token=abcdefghijk "))
            }
            for _ in 1...3 {
                let client = try RawClient(port: server.port)
                try client.send(other)
                let text = try client.readResponse().text
                #expect(!text.hasPrefix("2 "))
                let words = other.split(separator: " ", maxSplits: 2)
                #expect(text.split(separator: " ").dropFirst().starts(with: words[..<2]))
                let fields = other.split(separator: "\r\n").dropFirst().map { line in
                    let parts = line.split(separator: ":", maxSplits: 1)
                    return parts[0] + "=" + parts[1].filter { $0 != " " }
                }
                #expect(text.hasSuffix(" \(fields.joined(separator: ",")) "))
            }
        }
    }

    /// Made as long with blanks, of which libmicrohttpd tells nothing.
    @Test(
        "What has one field more is another head",
        arguments: [
            ("Host:~localhost\r\n", "Host: localhost\r\nX: y\r\n", 200),
            ("Host:~localhost\r\n", "Host: localhost\r\nHost: other\r\n", 400),
            (
                "Host: localhost\r\nContent-Length:~5\r\n",
                "Host: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n", 400
            ),
            (
                "Host: localhost\r\nContent-Length:~5\r\n",
                "Host: localhost\r\nContent-Length: 5\r\nContent-Length: 55\r\n", 400
            ),
        ])
    func oneMore(_ fields: String, _ others: String, _ status: Int) async throws {
        let blanks = String(repeating: " ", count: others.utf8.count - fields.utf8.count + 1)
        let fields = fields.replacing("~", with: blanks)
        let body = fields.contains("Length") ? "12345" : ""
        try await Self.withClient { server, client in
            for _ in 1...3 {
                try client.send("POST /a HTTP/1.1\r\n\(fields)\r\n\(body)")
                #expect(try client.readResponse().status == 200)
            }
            let other = try RawClient(port: server.port)
            try other.send("POST /a HTTP/1.1\r\n\(others)\r\n\(body)")
            let response = try other.readResponse()
            #expect(response.status == status)
            if status == 200 { #expect(response.text.hasSuffix(" Host=localhost,X=y ")) }
        }
    }

    @Test("A head without fields is another one than one that has some")
    func noFields() async throws {
        try await Self.withClient { server, _ in
            for (head, fields) in [
                ("GET /a HTTP/1.0\r\n", ""), ("GET /a HTTP/1.0\r\nX:y\r\n", "X=y"),
                ("GET /a HTTP/1.0\r\n", ""),
            ] {
                for _ in 1...3 {
                    let client = try RawClient(port: server.port)
                    try client.send(head + "\r\n")
                    #expect(try client.readResponse().text.hasSuffix(" GET /a \(fields) "))
                }
            }
        }
    }

    @Test("Who asks before the body is sent is refused each time")
    func expectation() async throws {
        try await Self.withClient { server, _ in
            for _ in 1...4 {
                let client = try RawClient(port: server.port)
                try client.send(
                    "POST /refused HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n"
                        + "Expect: 100-continue\r\n\r\n")
                #expect(try client.readResponse().status == 403)
            }
        }
    }

    @Test("Each has the body that came with it")
    func bodies() async throws {
        try await Self.withClient { _, client in
            for body in ["one", "two", "six", "ten"] {
                try client.send(
                    "POST /a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\n" + body)
                #expect(try client.readResponse().text.hasSuffix(" \(body)"))
            }
        }
    }

    @Test("A large one, and one with a query, is read each time")
    func unkept() async throws {
        let large =
            "GET /a HTTP/1.1\r\nHost: localhost\r\nX: " + String(repeating: "x", count: 2048)
        let query = "GET /a?b=c HTTP/1.1\r\nHost: localhost"
        try await Self.withClient { _, client in
            var numbers: [Substring] = []
            for head in [large, query, large, query, large, query] {
                try client.send(head + "\r\n\r\n")
                numbers += try client.readResponse().text.split(separator: " ").prefix(1)
            }
            #expect(numbers == ["1", "2", "3", "4", "5", "6"])
        }
    }

    @Test("What is refused for its head is refused each time")
    func refused() async throws {
        try await Self.withClient { server, _ in
            for _ in 1...4 {
                let client = try RawClient(port: server.port)
                try client.send("GET /a HTTP/1.1\r\nHost: one\r\nHost: two\r\n\r\n")
                #expect(try client.readResponse().status == 400)
            }
        }
    }

    @Test("None is known for longer than a minute")
    func forgotten() throws {
        let clock = ManualClock()
        let registry = ConnectionRegistry(.with(clock) { $0.threads = 1 })
        let heads = try #require(registry.add(descriptor: -1, peer: nil)).recentHeads
        let request = RequestHead(method: .get, target: try RequestTarget("/"))
        func isKnown() -> Bool { heads.head(7) { $0.head === request } != nil }
        func note() {
            heads.note(7) {
                KnownHead(request, target: "/", version: "", announcesBody: false, size: 1)
            }
        }
        note()
        #expect(!isKnown())
        note()
        #expect(isKnown())
        for _ in 1..<3000 { clock.tick() }
        registry.endLate()
        #expect(isKnown())
        clock.tick()
        registry.endLate()
        #expect(!isKnown())
    }
}
