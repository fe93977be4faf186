import HTTPCore
import JSON
import Sessions
import TestSupport
import Testing
import WaypostCore
import WaypostTesting

@testable import WaypostAPI

/// Tests of what the log says about requests, and of the secrets that it must never have.
@Suite struct AccessLogTests {
    /// A service with a log.
    private struct Logged {
        let service: TestService
        private let log = TestLog()

        init(store: (any SessionStore)? = nil) throws {
            var configuration = API.Configuration()
            configuration.log = log.log
            configuration.isAccessLogged = true
            service = try TestService(store: store, configuration: configuration)
        }

        func text() -> String { log.text() }
        func entries() throws -> [JSONValue] { try log.entries() }
    }

    @Test("A stream is a line of the access log when it begins, and another when it ends")
    func stream() async throws {
        let logged = try Logged()
        let client = try await Client(logged.service.api)
        let thread = TestStreamThread()
        let stream = try await client.stream(on: thread)
        stream.end(.client)
        await thread.wait()
        let entries = try logged.entries().dropFirst()
        #expect(entries.map { $0["stream_end"]?.text } == [nil, "client"])
        #expect(stream.size > 0)
        #expect(entries.map { $0["http.response.body.size"]?.number } == [0, stream.size])
        for entry in entries {
            #expect(entry["http.route"]?.text == "/v1/sessions/{session}/changes")
            #expect(entry["http.response.status_code"]?.number == 200)
            #expect(entry["session"]?.text == String(client.id.prefix(8)))
        }
        #expect(Set(entries.compactMap { $0["request_id"]?.text }).count == 1)
    }

    @Test("Each request is one line of the access log with its route, status, id and session")
    func requests() async throws {
        let logged = try Logged()
        let client = try await Client(logged.service.api)
        let shown = try await client.send(
            "GET", "screen?limit=5",
            headers: [
                "X-Request-ID": "mine",
                "traceparent": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            ])
        #expect(shown.headers["X-Request-ID"] == "mine")
        let refused = try await logged.service.api.send("GET", "/nowhere")
        let entries = try logged.entries()
        try #require(entries.count == 3)
        #expect(entries.allSatisfy { $0["logger"]?.text == "waypost.access" })
        #expect(entries[0]["http.route"]?.text == "/v1/sessions")
        #expect(entries[0]["http.response.status_code"]?.number == 201)
        #expect(entries[0]["session"]?.text == String(client.id.prefix(8)))
        #expect(entries[1]["http.route"]?.text == "/v1/sessions/{session}/screen")
        #expect(entries[1]["http.request.method"]?.text == "GET")
        #expect(entries[1]["http.response.body.size"]?.number == shown.bytes.count)
        #expect(entries[1]["request_id"]?.text == "mine")
        #expect(entries[1]["session"]?.text == String(client.id.prefix(8)))
        #expect(entries[1]["trace_id"]?.text == "4bf92f3577b34da6a3ce929d0e0e4736")
        #expect(entries[1]["parent_id"]?.text == "00f067aa0ba902b7")
        #expect(entries[2]["http.route"]?.text == "none")
        #expect(entries[2]["problem"]?.text == "not-found")
        #expect(entries[2]["request_id"]?.text == refused.headers["X-Request-ID"])
        #expect(entries[2]["trace_id"] == nil)
    }

    @Test("A request for the tokens of a session names the session in the access log")
    func tokens() async throws {
        let logged = try Logged()
        let client = try await Client.loggedIn(logged.service)
        let path = "/v1/account/sessions/\(client.id)/tokens"
        for (method, path) in [("GET", path), ("POST", path), ("DELETE", "\(path)/none")] {
            _ = try await logged.service.api.send(method, path)
        }
        let entries = try logged.entries().suffix(3)
        #expect(
            entries.map { $0["session"]?.text }
                == Array(repeating: String(client.id.prefix(8)), count: 3))
    }

    @Test("A request that the HTTP server refuses is a line of the access log, too")
    func serverRefusals()
        throws
    {
        let logged = try Logged()
        let response = logged.service.api.rejectionResponse(
            for:
                Problem(.contentTooLarge, "too much"), headers: ["X-Request-ID": "mine"])
        #expect(response.headers["X-Request-ID"] == "mine")
        guard case .bytes(let body) = response.body else {
            Issue.record("no body")
            return
        }
        #expect(String(decoding: body, as: UTF8.self).contains(#""requestId":"mine""#))
        let entries = try logged.entries()
        try #require(entries.count == 1)
        #expect(entries[0]["http.response.status_code"]?.number == 413)
        #expect(entries[0]["problem"]?.text == "content-too-large")
        #expect(entries[0]["request_id"]?.text == "mine")
    }

    @Test("The log has no password, token or credential, and no arbitrary text from clients")
    func secrets() async throws {
        let logged = try Logged()
        let api = logged.service.api
        let client = try await Client(api)
        let password = "SECRET-password"
        let entry = #"{"username": "SECRET-name", "password": "\#(password)"}"#
        let answer = try await client.send("POST", "sign-up", entry)
        let credential = try #require(answer.json["credential"]?.text)
        _ = try await client.send("POST", "log-in", entry)
        _ = try await api.send("POST", "/v1/sessions", #"{"credential": "\#(credential)"}"#)
        _ = try await api.send("GET", "/v1/sessions/SECRET/screen?limit=SECRET", token: "SECRET")
        _ = try await api.send("SECRET", "/v1/catalog/authors/SECRET?cursor=SECRET")
        _ = try await api.send("GET", "/SECRET", headers: ["X-Request-ID": "SECRET\nline"])
        _ = try await client.send(
            "POST", "push", #"{"SECRET": 1}"#, headers: ["Idempotency-Key": "SECRET"])
        let text = logged.text()
        #expect(text.split(separator: "\n").count == 8)
        for secret in ["SECRET", password, client.token, credential, client.id] {
            #expect(!text.contains(secret))
        }
    }

    @Test("An unknown error is a 500 without details, which the log has with the request's id")
    func unknownError()
        async throws
    {
        let logged = try Logged()
        let reply = logged.service.api.rejectionResponse(
            for: .reporting(Fault()), headers: HeaderFields())
        #expect(reply.status == 500)
        guard case .bytes(let body) = reply.body else {
            Issue.record("no body")
            return
        }
        #expect(!String(decoding: body, as: UTF8.self).contains("the disk sings"))
        let entries = try logged.entries()
        try #require(entries.count == 2)
        #expect(entries[0]["level"]?.text == "error")
        #expect(entries[0]["cause"]?.text == "the disk sings")
        #expect(entries[0]["request_id"]?.text == reply.headers["X-Request-ID"])
        #expect(entries[1]["http.response.status_code"]?.number == 500)
    }

    private struct Fault: Error, CustomStringConvertible {
        let description = "the disk sings"
    }
}
