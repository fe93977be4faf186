import HTTPCore
import Testing

@testable import MicrohttpdServer

@Suite("Request bodies that are too large", .timeLimit(.minutes(10)))
struct BodyLimitTests {
    private let handler = TestHandler { _ in .text("taken") }

    private static func head(_ field: String) -> String {
        "POST / HTTP/1.1\r\nHost: localhost\r\n\(field)\r\n\r\n"
    }

    @Test("A body of the maximum size is accepted, with a length and in chunks")
    func largest() async throws {
        try await withServer(handler, .with { $0.maximumBodySize = 1000 }) { server in
            let client = try RawClient(port: server.port)
            let body = String(repeating: "x", count: 1000)
            try client.send(Self.head("Content-Length: 1000") + body)
            #expect(try client.readResponse().text == "taken")
            try client.send(
                Self.head("Transfer-Encoding: chunked") + "3e8\r\n\(body)\r\n0\r\n\r\n")
            #expect(try client.readResponse().text == "taken")
        }
    }

    @Test(
        "A body that is too large to be skipped is refused before it is read",
        arguments: ["4194305", "9223372036854775807"])
    func contentLength(length: String) async throws {
        try await withServer(handler, .with { $0.maximumBodySize = 1000 }) { server in
            let client = try RawClient(port: server.port)
            try client.send(Self.head("Content-Length: \(length)"))
            let response = try client.readResponse()
            #expect(response.status == 413)
            #expect(response.text == "content-too-large")
            #expect(try client.isClosed())
        }
        #expect(handler.requestCount == 0)
    }

    @Test("A body that is too large is read to its end, so that the client sees the 413 response")
    func dropped() async throws {
        try await withServer(handler, .with { $0.maximumBodySize = 1000 }) { server in
            let client = try RawClient(port: server.port)
            for size in [1001, 4_194_304] {
                try client.send(
                    Self.head("Content-Length: \(size)") + String(repeating: "x", count: size))
                #expect(try client.readResponse().status == 413)
            }
            try client.get("/")
            #expect(try client.readResponse().text == "taken")
        }
        #expect(handler.requestCount == 1)
    }

    @Test("A client that sends Expect: 100-continue can be refused before its body")
    func expectRefused() async throws {
        try await withServer(handler) { server in
            let client = try RawClient(port: server.port)
            try client.send(
                "POST /refused HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n"
                    + "Expect: 100-continue\r\n\r\n")
            #expect(try client.readResponse().status == 403)
            #expect(try client.isClosed())
            // A client that does not ask first receives the response after the server has read its
            // body.
            let other = try RawClient(port: server.port)
            try other.send(
                "POST /refused HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nhello")
            #expect(try other.readResponse().text == "taken")
        }
        #expect(handler.requestCount == 1)
    }

    @Test("A client with a body that is too large gets a 413 instead of 100 Continue")
    func expectContinue() async throws {
        try await withServer(handler, .with { $0.maximumBodySize = 1000 }) { server in
            let client = try RawClient(port: server.port)
            try client.send(Self.head("Content-Length: 1001\r\nExpect: 100-continue"))
            #expect(try client.readResponse().status == 413)
        }
    }

    @Test("Chunks that exceed the maximum size together are refused when the body has ended")
    func chunks() async throws {
        try await withServer(handler, .with { $0.maximumBodySize = 1000 }) { server in
            let client = try RawClient(port: server.port)
            let chunk = "1f4\r\n" + String(repeating: "x", count: 500) + "\r\n"
            try client.send(
                Self.head("Transfer-Encoding: chunked") + chunk + chunk + "1\r\nx\r\n0\r\n\r\n")
            let response = try client.readResponse()
            #expect(response.status == 413)
            #expect(response.text == "content-too-large")
            // The server has read the whole body, so that the next request starts at the right
            // place.
            try client.get("/")
            #expect(try client.readResponse().text == "taken")
        }
        #expect(handler.requestCount == 1)
    }

    @Test("The server stops reading a body of endless chunks")
    func endless() async throws {
        try await withServer(handler, .with { $0.maximumBodySize = 1000 }) { server in
            let client = try RawClient(port: server.port)
            let chunk = "10000\r\n" + String(repeating: "x", count: 65_536) + "\r\n"
            try client.send(Self.head("Transfer-Encoding: chunked"))
            #expect(throws: RawClient.Failure.self) {
                for _ in 0..<1000 { try client.send(chunk) }
            }
        }
        #expect(handler.requestCount == 0)
    }
}
