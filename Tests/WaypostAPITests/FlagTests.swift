import JSON
import SessionStoreTesting
import TestSupport
import Testing
import WaypostTesting

/// Tests of the flags of a session as clients see them.
@Suite(.timeLimit(.minutes(10)), .everyStore) struct FlagTests {
    private static let storyboard = """
        { "name": "Flags", "initialScene": "home", "flags": { "paid": false, "tour": true },
          "scenes": {
            "home": { "kind": "table", "title": "Home", "path": "/home",
              "rows": [ { "title": "Tour", "segue": "more", "when": "tour" },
                        { "title": "More", "segue": "more", "set": { "tour": false } } ],
              "buttons": [ { "title": "Pay", "set": { "paid": true }, "when": "!paid" } ],
              "segues": [ { "identifier": "more", "kind": "show", "scene": "more" },
                          { "identifier": "close", "kind": "dismiss", "when": "paid" },
                          { "identifier": "again", "kind": "present", "scene": "home" } ] },
            "more": { "kind": "blank", "title": "More" } } }
        """
    private let folder: TemporaryFolder
    private let service: TestService

    init() throws {
        folder = try TemporaryFolder()
        service = try TestService(storyboard: folder.write(Self.storyboard, to: "app.json"))
    }

    private func open(_ body: String) async throws -> Reply {
        try await service.api.send("POST", "/v1/sessions", body)
    }

    private func client(_ body: String) async throws -> Client {
        let opened = try await open(body)
        try #require(opened.status == 201)
        return try Client(service.api, opened: opened.json)
    }

    private func flags(_ session: JSONValue?) -> [String] {
        guard case .object(let flags)? = session?["flags"] else { return ["none"] }
        return flags.members.map { "\($0.name) \($0.value.flag == true)" }
    }

    @Test("A session is opened with flags, in its first revision") func opening() async throws {
        let opened = try await open(#"{"flags": {"paid": true}, "strict": true, "open": "/home"}"#)
        #expect(opened.status == 201)
        #expect(flags(opened.json) == ["paid true", "tour true"])
        #expect(opened.json["revision"]?.number == 1)
        #expect(flags(try await open("{}").json) == ["paid false", "tour true"])
    }

    @Test(
        "Flags that no session can have open none, and the refusal names the flag",
        arguments: [
            (#"{"flags": {"paied": true}}"#, 404, "flag-not-found", "/flags/paied"),
            (#"{"flags": {"loggedIn": true}}"#, 404, "flag-not-found", "/flags/loggedIn"),
            (#"{"flags": {"paid": "yes"}}"#, 422, "invalid-body", "/flags/paid"),
            (#"{"flags": {}, "fork": {"session": "x"}}"#, 422, "invalid-body", "/flags"),
        ])
    func refused(_ body: String, _ status: Int, _ code: String, _ pointer: String) async throws {
        let reply = try await open(body)
        #expect(reply.status == status && reply.code == code)
        #expect(reply.json["errors"]?[0]?["pointer"]?.text == pointer, "\(reply.json)")
    }

    @Test("The refusal of an unknown flag suggests the nearest") func nearest() async throws {
        let client = try await client("{}")
        let reply = try await client.send(
            "POST", "batch", #"{"operations": [{"set-flags": {"flags": {"pad": true}}}]}"#)
        #expect(reply.code == "flag-not-found")
        #expect(
            reply.json["errors"]?[0]?["pointer"]?.text == "/operations/0/set-flags/flags/pad")
        #expect(reply.json["detail"]?.text?.hasSuffix("no flag pad; did you mean paid?") == true)
    }

    @Test("A screen and its pages count the rows that are there") func rows() async throws {
        let client = try await client("{}")
        _ = try await client.send("POST", "tap", #"{"title": "Tour"}"#)
        _ = try await client.send("POST", "pop")
        let all = try await client.send("GET", "screen").json
        #expect(all["numberOfRows"]?.number == 2)
        let tag = try await client.send("GET", "screen").headers["ETag"]
        let change = try await client.send("POST", "set-flags", #"{"flags": {"tour": false}}"#)
        #expect(change.json["transition"]?.text == "none")
        #expect(change.json["events"]?.count == 0)
        let screen = try await client.send("GET", "screen?limit=1")
        #expect(screen.headers["ETag"] != tag)
        #expect(screen.json["rows"]?.elements?.map { $0["title"]?.text } == ["More"])
        #expect(screen.json["next"] == .null)
    }

    @Test("The history, a fork and the exported flow have the flags") func history() async throws {
        let client = try await client(#"{"flags": {"paid": true}}"#)
        _ = try await client.send("POST", "set-flags", #"{"flags": {"paid": false}}"#)
        _ = try await client.send("POST", "tap", #"{"title": "More"}"#)
        let history = try await client.send("GET", "history").json["items"]?.elements ?? []
        #expect(history.map { $0["operation"]?.operationName } == ["set-flags", "tap"])
        #expect(history[0]["operation"]?["set-flags"]?["flags"]?["paid"] == .boolean(false))
        for (revision, expected) in [
            (1, ["paid true", "tour true"]), (2, ["paid false", "tour true"]),
            (3, ["paid false", "tour false"]),
        ] {
            let past = try await service.api.send(
                "GET", "/v1/sessions/\(client.id)?revision=\(revision)", token: client.token)
            #expect(flags(past.json) == expected)
            let fork = try await service.api.send(
                "POST", "/v1/sessions",
                #"{"fork": {"session": "\#(client.id)", "revision": \#(revision)}}"#,
                token: client.token)
            #expect(flags(fork.json) == expected)
        }
        let flow = try await client.send("GET", "flow")
        let lines = flow.body.split(separator: "\n")
        #expect(lines.contains("flags: {paid: true}"), "\(flow.body)")
        #expect(lines.contains { $0.hasPrefix("  - set-flags: ") }, "\(flow.body)")
        #expect(lines.last?.contains("flags: {paid: false, tour: false}") == true, "\(flow.body)")
    }

    @Test("The storyboard lists the flags, the conditions and what a tap sets")
    func storyboard() async throws {
        let storyboard = try await service.api.send("GET", "/v1/storyboard").json
        #expect(flags(storyboard) == ["paid false", "tour true"])
        #expect(storyboard["guests"] == .boolean(false))
        #expect(storyboard["initialIsBare"] == .boolean(false))
        let home = storyboard["scenes"]?["home"]
        #expect(home?["access"]?.text == "members")
        #expect(home?["rows"]?[0]?["when"]?.text == "tour")
        #expect(home?["rows"]?[1]?["set"]?["tour"] == .boolean(false))
        #expect(home?["buttons"]?[0]?["when"]?.text == "!paid")
        #expect(home?["buttons"]?[0]?["segue"] == .null)
        #expect(home?["segues"]?[1]?["kind"]?.text == "dismiss")
        #expect(home?["segues"]?[1]?["when"]?.text == "paid")
    }
}
