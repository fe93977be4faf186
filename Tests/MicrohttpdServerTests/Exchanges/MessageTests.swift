import HTTPCore
import Testing

@testable import MicrohttpdServer

@Suite("Messages on the wire", .timeLimit(.minutes(10)))
struct MessageTests {
    @Test(
        "The method of a request reaches the handler unchanged",
        arguments: ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "BREW", "get"])
    func method(name: String) async throws {
        try await withServer(TestHandler { .text($0.method.name) }) { server in
            let client = try RawClient(port: server.port)
            try client.get("/", method: name)
            #expect(try client.readResponse().text == name)
        }
    }

    @Test("Immediate and suspended responses leave one connection in order")
    func atOnce() async throws {
        let handler = TestHandler { _ in
            await Task.yield()
            return .text("later")
        }
        try await withServer(handler) { server in
            let client = try RawClient(port: server.port)
            for path in ["/at-once", "/", "/at-once", "/at-once", "/"] {
                try client.get(path)
                #expect(try client.readResponse().text == (path == "/" ? "later" : "at once"))
            }
        }
    }

    @Test("The response to HEAD has the head of the response to GET and no body")
    func head() async throws {
        try await withServer(TestHandler { _ in .text("twelve bytes") }) { server in
            let client = try RawClient(port: server.port)
            try client.get("/", method: "HEAD")
            let response = try client.readResponse(isHead: true)
            #expect(response.status == 200)
            #expect(response["Content-Length"] == "12")
            #expect(response["Content-Type"] == "text/plain")
            // If the server had sent a body, the next response would begin with it.
            try client.get("/")
            #expect(try client.readResponse().text == "twelve bytes")
        }
    }

    @Test("Header fields of a request reach the handler with names, values and order")
    func requestFields() async throws {
        let handler = TestHandler { request in
            let values = request.headers.values("X-List").joined(separator: "|")
            return .text("\(values) \(request.headers["x-empty"] ?? "none")")
        }
        try await withServer(handler) { server in
            let client = try RawClient(port: server.port)
            try client.send(
                "GET / HTTP/1.1\r\nHost: localhost\r\nX-List: a, b\r\nX-Empty:\r\n"
                    + "x-list:  é \t \r\n\r\n")
            let text = try client.readResponse().text
            #expect(text == "a, b|é ")
        }
    }

    @Test("Header fields of a response are sent, even if a name repeats")
    func responseFields() async throws {
        let handler = TestHandler { _ in
            Response(Status(299), headers: ["X-One": "a b", "Link": "<1>", "link": "<2>"])
        }
        try await withServer(handler) { server in
            let client = try RawClient(port: server.port)
            try client.get("/")
            let response = try client.readResponse()
            #expect(response.version == "HTTP/1.1")
            #expect(response.status == 299)
            #expect(response["X-One"] == "a b")
            #expect(response.values("Link") == ["<1>", "<2>"])
        }
    }

    @Test("A response with a status that allows no content has none")
    func noContent() async throws {
        try await withServer(TestHandler { _ in Response(.noContent) }) { server in
            let client = try RawClient(port: server.port)
            for _ in 0..<2 {
                try client.get("/")
                let response = try client.readResponse()
                #expect(response.status == 204)
                #expect(response["Content-Length"] == nil)
                #expect(response.body.isEmpty)
            }
        }
    }

    @Test("A 304 response has the size of the unchanged content but no content")
    func notModified() async throws {
        let handler = TestHandler { _ in Response(.notModified, body: .bytes(Array("same".utf8))) }
        try await withServer(handler) { server in
            let client = try RawClient(port: server.port)
            for _ in 0..<2 {
                try client.get("/")
                let response = try client.readResponse(isHead: true)
                #expect(response.status == 304)
                #expect(response["Content-Length"] == "4")
            }
        }
    }

    @Test("A response of any size arrives completely", arguments: [0, 1, 65_536, 5_000_000])
    func size(count: Int) async throws {
        let body = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
        try await withServer(TestHandler { _ in Response(.ok, body: .bytes(body)) }) { server in
            let client = try RawClient(port: server.port)
            for _ in 0..<2 {
                try client.get("/")
                #expect(try client.readResponse().body == body)
            }
        }
    }
}
