import HTTPCore
import JSON
import SessionStoreTesting
import TestSupport
import Testing
import WaypostAPI
import WaypostCore
import WaypostTesting

/// Tests of the session routes of the admin socket. The tests of the executable cover its commands.
@Suite(.timeLimit(.minutes(10)), .everyStore) struct SessionAdminTests {
    private static let password = "a long password"
    private let service: TestService
    private let admin: AdminAPI

    init() throws {
        service = try TestService()
        admin = AdminAPI(nil, accounts: service.accounts, sessions: service.directory)
    }

    /// Opens a session and logs it in.
    private func session(_ username: String) async throws -> Client {
        let client = try await Client(service.api)
        let reply = try await client.send(
            "POST", "log-in",
            #"{"username": "\#(username)", "password": "\#(Self.password)"}"#)
        try #require(reply.status == 200)
        return client
    }

    @Test("The operator lists the sessions of an account in pages, each session once")
    func list() async throws {
        for name in ["ada", "bob"] { try await service.accounts.add(name, Self.password) }
        var ids: [String] = []
        for name in ["ada", "bob", "ada", "ada"] {
            let client = try await session(name)
            if name == "ada" { ids.append(client.id) }
        }
        var listed: [String] = []
        var after = ""
        repeat {
            let page = try await admin.post(
                "/sessions/list", #"{"username": "ADA", "limit": 2\#(after)}"#)
            try #require(page.status == 200)
            listed += page.json["items"]?.elements?.compactMap { $0["id"]?.text } ?? []
            after = page.json["next"]?.text.map { #", "after": "\#($0)""# } ?? ""
        } while !after.isEmpty
        #expect(listed.sorted() == ids.sorted())
    }

    @Test("The operator sees a session as its client does, with the names of its tokens")
    func show() async throws {
        try await service.accounts.add("ada", Self.password)
        let client = try await session("ada")
        let shown = try await admin.post("/sessions/show", #"{"session": "\#(client.id)"}"#)
        let read = try await client.send("GET", "")
        #expect(shown.json["session"] == read.json)
        #expect(shown.json["tokens"] == .array([]))
    }

    @Test("The operator reads all events of a session in pages")
    func events() async throws {
        try await service.accounts.add("ada", Self.password)
        let client = try await session("ada")
        var numbers: [Int] = []
        var after: String? = "0"
        while let position = after {
            let page = try await admin.post(
                "/sessions/events",
                #"{"session": "\#(client.id)", "after": "\#(position)", "limit": 3}"#)
            try #require(page.status == 200)
            numbers += page.json["items"]?.elements?.compactMap { $0["seq"]?.number } ?? []
            after = page.json["next"]?.text
        }
        #expect(numbers == Array(1...numbers.count))
        #expect(numbers.count > 7)
    }

    @Test("A request that the store fails tells the operator the cause, and how to end the session")
    func unreadEvents() async throws {
        let store = try ScriptedStore()
        let service = try TestService(store: store)
        let admin = AdminAPI(nil, accounts: service.accounts, sessions: service.directory)
        let client = try await Client(service.api)
        for (error, advice) in [
            (ScriptedStore.failure, ""),
            (
                StorageError(reason: "the row is damaged", isUnreadable: true),
                "; end it with `waypost session end \(client.id)`"
            ),
        ] {
            store.fail(.events, with: error)
            let reply = try await admin.post("/sessions/events", #"{"session": "\#(client.id)"}"#)
            #expect(reply.status == 503 && reply.code == "storage-unavailable")
            #expect(reply.json["detail"]?.text == error.reason + advice)
        }
    }

    @Test("A request that the HTTP server refuses has its problem as the response")
    func rejection() {
        let problem = Problem(.contentTooLarge, "too much")
        let reply = Reply(admin.rejectionResponse(for: problem))
        #expect(reply.status == 413 && reply.code == "content-too-large")
        #expect(reply.json["detail"]?.text == "too much")
    }

    @Test("A session that the operator has ended is gone for its client")
    func end() async throws {
        let client = try await Client(service.api)
        let body = #"{"session": "\#(client.id)"}"#
        #expect(try await admin.post("/sessions/end", body).status == 204)
        #expect(try await client.send("GET", "").status == 404)
        let again = try await admin.post("/sessions/end", body)
        #expect(again.status == 404)
        #expect(again.json["detail"]?.text == "no session has this id")
        let page = try await service.api.send("GET", "/metrics")
        let metrics = try PrometheusText(String(decoding: page.bytes, as: UTF8.self))
        for (side, count) in [("operator", 1), ("client", 0)] {
            let value = metrics.value("waypost_sessions_ended_total", ["by": side])
            #expect(value == Double(count), "\(side)")
        }
    }

    @Test(
        "A request with a defect is refused with the reason",
        arguments: [
            ("show", #"{"session": "12"}"#, 422, "/session: expected the 32 digits"),
            ("list", #"{"username": "eve", "limit": 5}"#, 404, "no account"),
            (
                "list", #"{"username": "ada", "limit": 5, "after": "x"}"#, 400, "invalid after"
            ),
        ])
    func defects(_ route: String, _ body: String, _ status: Int, _ detail: String) async throws {
        let reply = try await admin.post("/sessions/\(route)", body)
        #expect(reply.status == status)
        #expect(reply.json["detail"]?.text?.contains(detail) == true)
    }

    @Test("The operator sees an account with its credentials and no secret")
    func account() async throws {
        try await service.accounts.add("ada", Self.password)
        let client = try await session("ada")
        let shown = try await admin.post("/accounts/show", #"{"username": "ada"}"#)
        #expect(shown.json["account"]?["username"]?.text == "ada")
        let credentials = try #require(shown.json["credentials"]?.elements)
        #expect(credentials.map { $0["session"]?.text } == [client.id])
        let text = String(decoding: shown.bytes, as: UTF8.self)
        #expect(!text.contains("wpc_") && !text.contains("argon2"))
    }
}
