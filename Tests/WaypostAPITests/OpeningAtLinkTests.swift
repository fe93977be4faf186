import JSON
import SessionStoreTesting
import Testing
import WaypostTesting

/// Tests of sessions that show a link from the start.
@Suite(.timeLimit(.minutes(10)), .everyStore) struct OpeningAtLinkTests {
    private static let path = "/authors/oscar-wilde/books/de-profundis"
    private static let password = "a long password"
    private let service: TestService

    init() throws { service = try TestService() }

    private func open(_ body: String) async throws -> Reply {
        try await service.api.send("POST", "/v1/sessions", body)
    }

    /// Returns a credential of a new account.
    private func credential() async throws -> String {
        let reply = try await Client(service.api).send(
            "POST", "sign-up", #"{"username": "ada", "password": "\#(Self.password)"}"#)
        return try #require(reply.json["credential"]?.text)
    }

    private func titles(_ session: JSONValue?) -> [String?]? {
        session?["viewControllers"]?.elements?.map { $0["title"]?.text }
    }

    @Test("A session with a credential shows the link in its first revision")
    func loggedIn() async throws {
        let credential = try await credential()
        let opened = try await open(
            #"{"open": "\#(Self.path)", "credential": "\#(credential)", "lifecycle": "native"}"#)
        #expect(opened.status == 201)
        #expect(titles(opened.json) == ["Authors", "Oscar Wilde", "De Profundis"])
        #expect(opened.json["revision"]?.number == 1)
        let client = try Client(service.api, opened: opened.json)
        let events = try await client.send("GET", "events").json["items"]?.elements ?? []
        #expect(events.map { $0["seq"]?.number } == Array(1...events.count))
        #expect(events.allSatisfy { $0["revision"]?.number == 1 })
        // The next change goes on from there.
        let back = try await client.send("POST", "back", "{}")
        #expect(titles(back.json["session"]) == ["Authors", "Oscar Wilde"])
        #expect(back.json["events"]?.elements?.first?["seq"]?.number == events.count + 1)
        let history = try await client.send("GET", "history")
        #expect(
            history.json["items"]?.elements?.map { $0["operation"]?.operationName } == ["back"])
    }

    @Test("At the login root the link waits for the log-in")
    func loggedOut() async throws {
        let opened = try await open(#"{"open": "\#(Self.path)"}"#)
        #expect(opened.json["window"]?["root"]?.text == "login")
        #expect(opened.json["pendingLink"]?.text == Self.path)
        #expect(opened.json["revision"]?.number == 1)
        let client = try Client(service.api, opened: opened.json)
        let signedUp = try await client.send(
            "POST", "sign-up", #"{"username": "ada", "password": "\#(Self.password)"}"#)
        #expect(
            titles(signedUp.json["session"]) == ["Authors", "Oscar Wilde", "De Profundis"])
    }

    @Test(
        "A link that cannot be opened opens no session, and the refusal names the member",
        arguments: [
            (#"{"open": "/nowhere"}"#, 404, "link-not-found"),
            (#"{"open": "/authors/%zz"}"#, 400, "malformed-link"),
            (#"{"open": "/authors/%00"}"#, 400, "malformed-link"),
            (#"{"open": "https://example.com/authors"}"#, 404, "foreign-link"),
            (#"{"open": 3}"#, 422, "invalid-body"),
            (#"{"open": "/a", "fork": {"session": "x"}}"#, 422, "invalid-body"),
        ])
    func refused(_ body: String, _ status: Int, _ code: String) async throws {
        let reply = try await open(body)
        #expect(reply.status == status)
        #expect(reply.json["code"]?.text == code)
        #expect(reply.json["errors"]?.elements?.first?["pointer"]?.text == "/open")
    }

    @Test("A repeated request with a key opens one session at the link")
    func repeated() async throws {
        let body = #"{"open": "\#(Self.path)"}"#
        let first = try await service.api.send(
            "POST", "/v1/sessions", body,
            headers: ["Idempotency-Key": "the-key-of-one-opening"])
        let second = try await service.api.send(
            "POST", "/v1/sessions", body,
            headers: ["Idempotency-Key": "the-key-of-one-opening"])
        #expect(first.json["id"] == second.json["id"])
        #expect(first.bytes == second.bytes)
    }
}
