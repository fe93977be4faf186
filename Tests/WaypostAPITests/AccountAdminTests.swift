import HTTPCore
import JSON
import SessionStoreTesting
import Sessions
import Synchronization
import TestSupport
import Testing
import WaypostAPI
import WaypostCore
import WaypostTesting

/// Tests of the account routes of the admin socket. The tests of the executable cover its commands.
@Suite(.timeLimit(.minutes(10)), .everyStore) struct AccountAdminTests {
    private let service: TestService
    private let admin: AdminAPI

    init() throws {
        service = try TestService()
        admin = AdminAPI(nil, accounts: service.accounts, sessions: service.directory)
    }

    private func post(
        _ path: String, _ body: String, to other: AdminAPI? = nil
    ) async throws -> Reply {
        try await (other ?? admin).post(path, body)
    }

    @Test("The pages of the operator's account list together have each account once")
    func pages() async throws {
        let names = (10..<21).map { "user-\($0)" }
        for name in names.shuffled() { try await service.accounts.add(name, "a long password") }
        try await service.accounts.setDisabled("user-13", true)
        for limit in [1, 3, 11, 1000] {
            var listed: [JSONValue] = []
            var after = ""
            while true {
                let reply = try await post("/accounts/list", "{\(after)\"limit\": \(limit)}")
                let page = try #require(reply.json["items"]?.elements)
                #expect((1...limit).contains(page.count))
                listed += page
                guard let next = reply.json["next"]?.text, listed.count < 100 else { break }
                after = "\"after\": \"\(next.uppercased())\", "
            }
            #expect(listed.map { $0["username"]?.text } == names)
            #expect(listed.map { $0["isDisabled"]?.flag } == names.map { $0 == "user-13" })
        }
        for limit in [0, 1001] {
            #expect(try await post("/accounts/list", "{\"limit\": \(limit)}").status == 422)
        }
    }

    /// Posts requests to the admin routes of a service.
    /// - Returns: the log of the commands.
    private func log(
        of requests: [(path: String, body: String)], to service: TestService
    ) async throws -> TestLog {
        let log = TestLog()
        let admin = AdminAPI(
            nil, accounts: service.accounts, sessions: service.directory, log: log.log)
        for request in requests { _ = try await post(request.path, request.body, to: admin) }
        return log
    }

    @Test("The log has each command of the operator, its subject and outcome, and no password")
    func log() async throws {
        let entry = #"{"username": "ada", "password": "countess!"}"#
        let log = try await log(
            of: [
                ("/accounts/add", entry), ("/accounts/add", entry),
                ("/accounts/disable", #"{"username": "eve"}"#),
            ], to: service)
        #expect(
            try log.entries().map { entry in
                ["logger", "command", "subject", "outcome"].map { entry[$0]?.text }
            } == [
                ["waypost.admin", "/accounts/add", "ada", "done"],
                ["waypost.admin", "/accounts/add", "ada", "username-taken"],
                ["waypost.admin", "/accounts/disable", "eve", "account-not-found"],
            ])
        #expect(!log.text().contains("countess!"))
    }

    @Test("The log has the cause for which the store refused a command of the operator")
    func cause() async throws {
        let store = try ScriptedStore()
        let service = try TestService(store: store)
        store.failCommits(StorageError(reason: "the disk is full"))
        let entry = #"{"username": "ada", "password": "countess!"}"#
        let entries = try await log(of: [("/accounts/add", entry)], to: service).entries()
        let line = try #require(entries.count == 1 ? entries.first : nil)
        #expect(line["outcome"]?.text == "storage-unavailable")
        #expect(line["cause"]?.text?.contains("the disk is full") == true)
    }

    @Test(
        "An invalid request of the operator gets its status and code",
        arguments: [
            ("list", #"{"limit": "1"}"#, 422, "invalid-body"),
            ("list", #"{"limit": 1, "after": "?"}"#, 422, "invalid-body"),
            ("add", #"{"username": "ada"}"#, 422, "invalid-body"),
            ("add", #"{"username": "ada", "password": "password"}"#, 422, "weak-password"),
            ("remove", #"{"username": "eve"}"#, 404, "account-not-found"),
            ("disable", #"{"username": "eve"}"#, 404, "account-not-found"),
            ("enable", #"{"username": "eve"}"#, 404, "account-not-found"),
            (
                "reset-password", #"{"username": "eve", "password": "a long one"}"#, 404,
                "account-not-found"
            ),
            ("dance", "{}", 404, "not-found"),
        ])
    func refusals(_ command: String, _ body: String, _ status: Int, _ code: String)
        async throws
    {
        let reply = try await post("/accounts/\(command)", body)
        #expect(reply.status == status)
        #expect(reply.code == code)
    }

    @Test("The public API has none of the operator's routes") func routes() async throws {
        for command in ["list", "add", "remove", "disable", "enable", "reset-password"] {
            for path in ["/accounts/\(command)", "/v1/accounts/\(command)"] {
                let reply = try await service.api.send("POST", path, #"{"username": "ada"}"#)
                #expect(reply.code == "not-found")
            }
        }
    }
}

extension AdminAPI {
    /// Sends a request, as the commands of the executable do.
    func post(_ path: String, _ body: String) async throws -> Reply {
        Reply(
            await respond(
                to: Request(
                    method: .post, target: try RequestTarget(path),
                    headers: ["Content-Type": "application/json"], body: Array(body.utf8))))
    }
}
