import HTTPCore
import Testing

@testable import MicrohttpdServer

@Suite("Request targets over a socket", .timeLimit(.minutes(10)))
struct TargetTests {
    @Test(
        "The server splits a request target before it decodes the parts",
        arguments: [
            ("/a%2Fb", "/a%2Fb a/b"), ("/a/b", "/a/b a|b"),
            ("/a%20b/%C3%A9", "/a%20b/%C3%A9 a b|é"),
            ("/a+b", "/a+b a+b"), ("/a%3Fb?x=1", "/a%3Fb a?b x=1"),
            ("/?x=%26&x=2&y", "/  x=& x=2 y="), ("//a//", "//a// |a||"), ("/%2541", "/%2541 %41"),
        ])
    func decoded(target: String, expected: String) async throws {
        let handler = TestHandler { request in
            let target = request.target
            let query = target.query.map { " \($0.name)=\($0.value)" }.joined()
            return .text("\(target.path) \(target.segments.joined(separator: "|"))\(query)")
        }
        try await withServer(handler) { server in
            let client = try RawClient(port: server.port)
            try client.get(target)
            #expect(try client.readResponse().text == expected)
        }
    }

    @Test(
        "An invalid request target is a 400, and the connection stays open",
        arguments: ["/%", "/%4", "/%zz", "/a%00b", "/%FF", "/?x=%C3", "a", "/a#b"])
    func malformed(target: String) async throws {
        let handler = TestHandler { _ in .text("taken") }
        try await withServer(handler) { server in
            let client = try RawClient(port: server.port)
            try client.get(target)
            let response = try client.readResponse()
            #expect(response.status == 400)
            #expect(response["Content-Type"] == "application/problem+json")
            #expect(response.text == "malformed-request")
            #expect(handler.requestCount == 0)
            try client.get("/good")
            #expect(try client.readResponse().text == "taken")
        }
    }

    @Test("OPTIONS with the target * reaches the handler")
    func asterisk() async throws {
        try await withServer(TestHandler { .text($0.target.path) }) { server in
            let client = try RawClient(port: server.port)
            try client.get("*", method: "OPTIONS")
            #expect(try client.readResponse().text == "*")
        }
    }
}
