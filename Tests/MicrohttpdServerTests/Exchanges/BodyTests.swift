import Foundation
import FoundationNetworking
import HTTPCore
import Testing

@testable import MicrohttpdServer

@Suite("Request bodies", .timeLimit(.minutes(10)))
struct BodyTests {
    /// Returns bytes of all values, none of which may be treated as the end of the body.
    private static func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) }
    }

    private static func chunked(_ body: [UInt8], by size: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        for start in stride(from: 0, to: body.count, by: size) {
            let chunk = body[start..<min(start + size, body.count)]
            bytes += Array("\(String(chunk.count, radix: 16))\r\n".utf8) + chunk + [13, 10]
        }
        return bytes + Array("0\r\n\r\n".utf8)
    }

    private func echo(_ request: [UInt8]) async throws -> [RawResponse] {
        var responses: [RawResponse] = []
        try await withServer(TestHandler { Response(.ok, body: .bytes($0.body)) }) { server in
            let client = try RawClient(port: server.port)
            // The second request fails if the server has not read the first one completely.
            for _ in 0..<2 {
                try client.send(request)
                responses.append(try client.readResponse())
            }
        }
        return responses
    }

    @Test(
        "A request body with a Content-Length reaches the handler completely",
        arguments: [0, 1, 1023, 65_536])
    func contentLength(count: Int) async throws {
        let body = Self.bytes(count)
        let head = "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(count)\r\n\r\n"
        for response in try await echo(Array(head.utf8) + body) {
            #expect(response.status == 200)
            #expect(response.body == body)
        }
    }

    @Test(
        "A chunked request body reaches the handler completely",
        arguments: [(0, 1), (1, 1), (1000, 1), (65_536, 1000), (65_536, 65_536)])
    func chunks(count: Int, size: Int) async throws {
        let body = Self.bytes(count)
        let head = "POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
        for response in try await echo(Array(head.utf8) + Self.chunked(body, by: size)) {
            #expect(response.status == 200)
            #expect(response.body == body)
        }
    }

    @Test("A request without a body reaches the handler with an empty body")
    func none() async throws {
        for response in try await echo(Array("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)) {
            #expect(response.body.isEmpty)
        }
    }

    @Test("A client that sends Expect: 100-continue gets a 100 response")
    func expectContinue() async throws {
        try await withServer(TestHandler { Response(.ok, body: .bytes($0.body)) }) { server in
            let client = try RawClient(port: server.port)
            try client.send(
                "PUT / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n"
                    + "Expect: 100-continue\r\n\r\n")
            #expect(try client.readResponse().status == 100)
            try client.send("hi")
            #expect(try client.readResponse().text == "hi")
        }
    }

    @Test("An upload by URLSession reaches the handler completely")
    func urlSession() async throws {
        try await withServer(TestHandler { Response(.ok, body: .bytes($0.body)) }) { server in
            let url = try #require(URL(string: "http://127.0.0.1:\(server.port)/"))
            var request = URLRequest(url: url)
            request.httpMethod = "POST"
            let body = Data(Self.bytes(65_536))
            let (data, response) = try await URLSession.shared.upload(for: request, from: body)
            #expect((response as? HTTPURLResponse)?.statusCode == 200)
            #expect(data == body)
        }
    }
}
