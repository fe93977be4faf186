import HTTPCore
import JSON
import SessionStoreTesting
import Sessions
import TestSupport
import Testing
import WaypostCore
import WaypostTesting

@testable import WaypostAPI

@Suite("The history of a session over HTTP", .everyStore, .timeLimit(.minutes(10)))
struct HistoryTests {
    private let service: TestService

    init() throws { service = try TestService() }

    /// Reads the session with a query.
    private func session(
        _ client: Client, _ query: String, headers: [String: String] = [:]
    ) async throws -> Reply {
        try await service.api.send(
            "GET", "/v1/sessions/\(client.id)\(query)", token: client.token, headers: headers)
    }

    private func fork(_ client: Client, _ body: String, token: String? = nil) async throws -> Reply
    {
        try await service.api.send("POST", "/v1/sessions", body, token: token ?? client.token)
    }

    @Test("The history has each change as the client asked for it")
    func entries() async throws {
        let client = try await Client.loggedIn(service)
        _ = try await client.send(
            "POST", "push", #"{"scene": "titles"}"#, headers: ["X-Request-ID": "my-own"])
        _ = try await client.send("POST", "back", #"{"animated": false}"#)
        _ = try await client.send(
            "PATCH", "view-controllers/vc2",
            #"{"title": null, "navigationItem": {"leftItems": []}}"#)
        // Neither a refused operation nor one without effect is a change.
        _ = try await client.send("POST", "back")
        _ = try await client.send("POST", "pop-to-root")
        _ = try await client.send("POST", "select-row", #"{"row": 1}"#)
        let page = try await client.send("GET", "history")
        #expect(page.status == 200)
        #expect(page.headers["Cache-Control"] == "private, no-cache")
        #expect(page.json["next"] == .null)
        let history = try #require(page.json["items"]?.elements)
        #expect(history.map { $0["revision"]?.number } == [2, 3, 4, 5, 6])
        let operations = history.map { $0["operation"] }
        #expect(
            operations.map { $0?.operationName }
                == ["sign-up", "push", "back", "patch", "select-row"])
        #expect(history.map { $0["requestId"]?.text } == [nil, "my-own", nil, nil, nil])
        #expect(history.map { $0["transition"]?.text } == ["root", "push", "pop", "none", "push"])
        let signUp = operations[0]?["sign-up"]
        #expect(signUp?["username"]?.text == "user-\(client.id.prefix(12))")
        #expect(signUp?["password"] == nil)
        #expect(operations[1]?["push"]?["scene"]?.text == "titles")
        #expect(operations[2]?["back"]?["animated"] == .boolean(false))
        #expect(operations[3]?["patch"]?["viewController"]?.text == "vc2")
        #expect(operations[4]?["select-row"]?["row"]?.number == 1)
        #expect(history[1]["title"]?.text == "Titles")
        #expect(history.allSatisfy { $0["withheld"] == .boolean(false) })
        #expect(history.allSatisfy { $0["time"]?.text?.hasSuffix("Z") == true })
    }

    @Test("A patch is recorded with its view controller and its body")
    func patch() async throws {
        let client = try await Client.loggedIn(service)
        let members = #""title": "Mine", "navigationItem": {"rightItems": ["Edit"]}"#
        let id = try #require(try await client.session()["viewControllers"]?[0]?["id"]?.text)
        _ = try await client.send("PATCH", "view-controllers/\(id)", "{\(members)}")
        let entry = try await client.send("GET", "history?after=2").json["items"]?[0]
        let expected = #"{"patch": {"viewController": "\#(id)", \#(members)}}"#
        #expect(
            entry?["operation"] == (try JSONValue(parsing: Array(expected.utf8), maximumDepth: 9)))
        #expect(entry?["title"]?.text == "Mine")
    }

    @Test("A page of the history is not sent again while nothing has changed")
    func tags() async throws {
        let client = try await Client.loggedIn(service)
        let page = try await client.send("GET", "history")
        let headers = ["If-None-Match": page.headers["ETag"] ?? ""]
        #expect(try await client.send("GET", "history", headers: headers).status == 304)
        #expect(try await client.send("GET", "history?limit=1", headers: headers).status == 200)
        _ = try await client.send("POST", "push", #"{"scene": "titles"}"#)
        #expect(try await client.send("GET", "history", headers: headers).status == 200)
    }

    @Test("The session and its screen are shown as they were at a revision")
    func revision() async throws {
        let client = try await Client.loggedIn(service)
        let shown = try await client.send("GET", "")
        let screen = try await client.send("GET", "screen?limit=3")
        _ = try await client.send("POST", "select-row", #"{"row": 1}"#)
        let past = try await session(client, "?revision=2")
        #expect(past.status == 200 && past.body == shown.body)
        #expect(past.headers["Waypost-Revision"] == "2")
        #expect(past.headers["ETag"] == shown.headers["ETag"])
        let pastScreen = try await client.send("GET", "screen?revision=2&limit=3")
        #expect(pastScreen.body == screen.body)
        #expect(pastScreen.headers["Waypost-Revision"] == "2")
        let headers = ["If-None-Match": past.headers["ETag"] ?? ""]
        #expect(try await session(client, "?revision=2", headers: headers).status == 304)
        let present = try await session(client, "?revision=3")
        #expect(present.body == (try await client.send("GET", "")).body)
        #expect(try await client.send("GET", "").headers["Waypost-Revision"] == nil)
    }

    @Test(
        "A revision that is not there yet, or is none, is an error of the client",
        arguments: [
            ("?revision=3", 404, "revision-not-found"), ("?revision=0", 400, "invalid-query"),
            ("?revision=-1", 400, "invalid-query"), ("?revision=", 400, "invalid-query"),
            ("?revision=two", 400, "invalid-query"),
            ("?revision=99999999999999999999", 404, "revision-not-found"),
            ("?revision=1&revision=1", 400, "invalid-query"),
            ("/screen?revision=3", 404, "revision-not-found"),
            ("/layers?revision=1", 400, "invalid-query"),
            ("/flow?from=3", 404, "revision-not-found"), ("/flow?from=0", 400, "invalid-query"),
        ])
    func wrongRevision(_ path: String, _ status: Int, _ code: String) async throws {
        let client = try await Client.loggedIn(service)
        let reply = try await session(client, path)
        #expect(reply.status == status)
        #expect(reply.code == code)
    }

    @Test("A revision of a log-in that has ended is shown to nobody")
    func revoked() async throws {
        let client = try await Client.loggedIn(service)
        _ = try await client.send("POST", "push", #"{"scene": "titles"}"#)
        _ = try await client.send("POST", "log-out")
        let shown = "this revision cannot be shown: the session was logged in with a credential"
        let flows = "the flow would show revision 3, of a log-in that has ended: send from=4"
        for (path, detail) in [
            ("?revision=3", shown), ("/screen?revision=2", shown), ("/flow?from=3", flows),
            ("/flow?from=1", flows),
        ] {
            let reply = try await session(client, path)
            #expect(reply.status == 403)
            #expect(reply.code == "credential-revoked")
            #expect(reply.json["detail"]?.text?.starts(with: detail) == true)
        }
        #expect(try await session(client, "/flow?from=4").status == 200)
        #expect(try await session(client, "?revision=1").status == 200)
        // Without `from`, the flow begins after the log-in.
        let flow = try await session(client, "/flow")
        #expect(flow.status == 200)
        #expect(flow.body.contains(#"root: "login""#))
        #expect(!flow.body.contains("titles"))
        let history = try await client.send("GET", "history").json["items"]
        #expect(history?[1]?["withheld"] == .boolean(true))
        #expect(history?[1]?["title"] == .null)
        #expect(history?[1]?["operation"]?["push"] == .null)
        #expect(history?[2]?["operation"]?.operationName == "log-out")
        let forked = try await fork(
            client, #"{"fork": {"session": "\#(client.id)", "revision": 2}}"#)
        #expect(forked.status == 403)
        #expect(forked.code == "credential-revoked")
    }

    @Test("A fork is a session of its own that starts as the other one was")
    func forks() async throws {
        let client = try await Client.loggedIn(service)
        _ = try await client.send("POST", "select-row", #"{"row": 1}"#)
        let forked = try await fork(
            client, #"{"fork": {"session": "\#(client.id)", "revision": 2}}"#)
        #expect(forked.status == 201)
        let id = try #require(forked.json["id"]?.text)
        let token = try #require(forked.json["token"]?.text)
        #expect(forked.headers["Location"] == "/v1/sessions/\(id)")
        #expect(id != client.id && token != client.token)
        #expect(forked.json["revision"]?.number == 1)
        let past = try await session(client, "?revision=2").json
        #expect(forked.json["viewControllers"] == past["viewControllers"])
        #expect(forked.json["auth"] == past["auth"])
        let other = Client(service.api, id: id, token: token)
        #expect(try await other.send("GET", "events").json["items"]?.count == 0)
        _ = try await other.send("POST", "push", #"{"scene": "titles"}"#)
        let events = try await other.send("GET", "events").json["items"]
        #expect(events?[0]?["seq"]?.number == 1)
        #expect(try await other.send("GET", "history").json["items"]?.count == 1)
        // Neither session changes with the other one.
        #expect(try await client.session()["revision"]?.number == 3)
        let present = try await fork(client, #"{"fork": {"session": "\#(client.id)"}}"#)
        let now = try await client.session()
        #expect(present.json["viewControllers"] == now["viewControllers"])
    }

    @Test("A fork of a session whose credential was refused shows the same reason")
    func refusedCredential() async throws {
        let unknown = "wpc_" + String(repeating: "0", count: 64)
        let opened = try await service.api.send(
            "POST", "/v1/sessions", #"{"credential": "\#(unknown)"}"#)
        let client = try Client(service.api, opened: opened.json)
        #expect(opened.json["auth"]?["reason"]?.text == "credential-unknown")
        for revision in ["", #", "revision": 1"#] {
            let forked = try await fork(
                client, #"{"fork": {"session": "\#(client.id)"\#(revision)}}"#)
            #expect(forked.json["auth"] == opened.json["auth"])
        }
    }

    @Test("A fork that begins with a state to which no link leads has no flow")
    func flowOfFork() async throws {
        let client = try await Client.loggedIn(service)
        for operation in ["select-row {\"row\": 1}", "push {\"scene\": \"titles\"}"] {
            let parts = operation.split(separator: " ", maxSplits: 1).map(String.init)
            #expect(try await client.send("POST", parts[0], parts[1]).status == 200)
        }
        let forked = try await fork(client, #"{"fork": {"session": "\#(client.id)"}}"#).json
        let other = try Client(service.api, opened: forked)
        for title in ["titles", "authors"] {
            let flow = try await other.send("GET", "flow")
            #expect(flow.status == 410)
            #expect(flow.code == "revision-gone")
            _ = try await other.send("POST", "push", "{\"scene\": \"\(title)\"}")
        }
    }

    @Test("A fork needs the token of the session, and nothing that the session gives it")
    func refusedForks() async throws {
        let client = try await Client(service.api)
        let other = try await Client(service.api)
        let body = #"{"fork": {"session": "\#(client.id)"}}"#
        #expect(try await service.api.send("POST", "/v1/sessions", body).status == 401)
        #expect(try await fork(client, body, token: other.token).status == 404)
        #expect(
            try await fork(client, #"{"fork": {"session": "none"}}"#).code == "session-not-found")
        for body in [
            #"{"fork": {"session": "\#(client.id)"}, "strict": true}"#,
            #"{"fork": {"session": "\#(client.id)"}, "lifecycle": "native"}"#,
            #"{"fork": {"session": "\#(client.id)", "revision": 0}}"#,
            #"{"fork": {"session": "\#(client.id)", "at": 1}}"#, #"{"fork": {}}"#,
            #"{"fork": "\#(client.id)"}"#,
        ] {
            let reply = try await fork(client, body)
            #expect(reply.status == 422, "\(body)")
            #expect(reply.code == "invalid-body")
        }
        let future = try await fork(
            client, #"{"fork": {"session": "\#(client.id)", "revision": 2}}"#)
        #expect(future.code == "revision-not-found")
    }

    @Test("A fork with an Idempotency-Key is made once")
    func idempotentFork() async throws {
        let client = try await Client(service.api)
        let body = #"{"fork": {"session": "\#(client.id)"}}"#
        let headers = ["Idempotency-Key": "\"fork-1\""]
        var ids: Set<String?> = []
        for _ in 0..<2 {
            let reply = try await service.api.send(
                "POST", "/v1/sessions", body, token: client.token, headers: headers)
            #expect(reply.status == 201)
            ids.insert(reply.json["id"]?.text)
        }
        #expect(ids.count == 1)
    }
}

extension JSONValue {
    /// The name of an operation in the one notation, an object with the name as its only member;
    /// nil for another value.
    var operationName: String? {
        guard case .object(let object) = self, object.members.count == 1 else { return nil }
        return object.members[0].name
    }
}
