import HTTPCore
import JSON
import SessionStoreTesting
import Sessions
import TestSupport
import Testing
import WaypostCore
import WaypostTesting

@testable import WaypostAPI

/// Tests of one session on many devices: the sessions of an account, further tokens, and names.
@Suite(.timeLimit(.minutes(10)), .everyStore) struct DeviceTests {
    private static let password = "a long password"
    private let clock = TestEnvironment()
    private let service: TestService

    init() throws {
        service = try TestService(environment: clock.environment)
    }

    private struct User {
        let client: Client
        let credential: String
    }

    private func enter(_ client: Client, _ route: String, _ username: String) async throws -> User {
        let reply = try await client.send(
            "POST", route, #"{"username": "\#(username)", "password": "\#(Self.password)"}"#)
        return User(client: client, credential: try #require(reply.json["credential"]?.text))
    }

    private func signUp(_ username: String = "Ada") async throws -> User {
        try await enter(try await Client(service.api), "sign-up", username)
    }

    private func logIn(_ username: String = "Ada") async throws -> User {
        try await enter(try await Client(service.api), "log-in", username)
    }

    /// Opens a session with a credential.
    private func open(_ credential: String) async throws -> Client {
        let reply = try await service.api.send(
            "POST", "/v1/sessions", #"{"credential": "\#(credential)"}"#)
        return Client(
            service.api, id: try #require(reply.json["id"]?.text),
            token: try #require(reply.json["token"]?.text))
    }

    private func send(
        _ method: String, _ path: String, _ credential: String, key: String? = nil
    ) async throws -> Reply {
        try await send(method, path, "", credential, key: key)
    }

    private func send(
        _ method: String, _ path: String, _ body: String, _ credential: String,
        key: String? = nil
    ) async throws -> Reply {
        try await service.api.send(
            method, "/v1/account/sessions\(path)", body, token: credential,
            headers: key.map { ["Idempotency-Key": $0] } ?? [:])
    }

    private func makeToken(
        _ name: String = "phone", for client: Client, _ credential: String
    ) async throws -> (id: String, client: Client) {
        let reply = try await send(
            "POST", "/\(client.id)/tokens", #"{"name": "\#(name)"}"#, credential)
        try #require(reply.status == 201)
        let token = try #require(reply.json["token"]?.text)
        return (
            try #require(reply.json["id"]?.text),
            Client(service.api, id: client.id, token: token)
        )
    }

    private func sessions(_ credential: String) async throws -> [JSONValue] {
        try #require(try await send("GET", "", credential).json["items"]?.elements)
    }

    private func tokens(of client: Client, _ credential: String) async throws -> [String] {
        let reply = try await send("GET", "/\(client.id)/tokens", credential)
        return try #require(reply.json["items"]?.elements).compactMap { $0["name"]?.text }
    }

    // MARK: Sessions

    @Test(
        "The sessions of all credentials of an account are listed with their top view controllers")
    func list() async throws {
        let first = try await signUp()
        clock.advance(by: .seconds(1))
        let second = try await logIn()
        clock.advance(by: .seconds(1))
        let third = try await open(first.credential)
        _ = try await signUp("bob")
        _ = try await Client(service.api)
        _ = try await first.client.send("POST", "select-row", #"{"row": 0}"#)
        let shown = try await first.client.session()

        for credential in [first.credential, second.credential] {
            let reply = try await send("GET", "", credential)
            #expect(reply.status == 200)
            #expect(reply.headers["Cache-Control"] == "no-store")
            #expect(reply.json["next"] == .null)
            let list = try #require(reply.json["items"]?.elements)
            #expect(list.map { $0["id"]?.text } == [third.id, second.client.id, first.client.id])
            let last = try #require(list.last)
            #expect(last["scene"]?.text == "books")
            #expect(last["title"] == shown["navigationBar"]?["title"])
            for member in ["revision", "createdAt", "expiresAt"] {
                #expect(last[member] == shown[member])
            }
            #expect(last["name"] == .null)
            #expect(list[0]["scene"]?.text == "authors")
        }

        // Ended, logged out and expired sessions are not listed.
        #expect(try await third.send("DELETE", "").status == 204)
        #expect(try await second.client.send("POST", "log-out").status == 200)
        #expect(try await sessions(first.credential).map { $0["id"]?.text } == [first.client.id])
        clock.advance(by: .seconds(30 * 86_400))
        #expect(try await sessions(first.credential) == [])
    }

    @Test("The sessions that are not in memory are listed with what they show")
    func listFromStore() async throws {
        let folder = try TemporaryFolder()
        let store = try StoreKind.current.makeStore(in: folder)
        let one = try TestService(
            store: store, environment: clock.environment)
        let client = try await Client(one.api)
        let user = try await enter(client, "sign-up", "Ada")
        _ = try await client.send("POST", "push", #"{"scene": "titles"}"#)
        let two = try TestService(
            store: store, environment: clock.environment)
        let reply = try await two.api.send("GET", "/v1/account/sessions", token: user.credential)
        #expect(reply.json["items"]?[0]?["id"]?.text == client.id)
        #expect(reply.json["items"]?[0]?["scene"]?.text == "titles")
        #expect(reply.json["items"]?[0]?["revision"]?.number == 3)
    }

    @Test("The list of sessions takes three calls of the store, whatever their number")
    func listCost() async throws {
        let store = try ScriptedStore()
        let service = try TestService(
            store: store, environment: clock.environment)
        let user = try await enter(try await Client(service.api), "sign-up", "Ada")
        for count in [1, 40] {
            for _ in 1..<count {
                _ = try await service.api.send(
                    "POST", "/v1/sessions", #"{"credential": "\#(user.credential)"}"#)
            }
            // The use of the credential is recorded once a minute.
            _ = try await service.api.send("GET", "/v1/account", token: user.credential)
            let calls = store.callCount
            let reply = try await service.api.send(
                "GET", "/v1/account/sessions", token: user.credential)
            #expect(reply.json["items"]?.elements?.count == count)
            #expect(store.callCount - calls <= 3)
        }
    }

    @Test("The pages of sessions together have each session once for every limit")
    func pages() async throws {
        let user = try await signUp()
        for _ in 0..<6 { _ = try await open(user.credential) }
        let all = try await sessions(user.credential).map { $0["id"]?.text }
        #expect(Set(all).count == 7)
        for limit in [1, 2, 3, 7] {
            var paged: [String?] = []
            var after = ""
            repeat {
                let page = try await send("GET", "?limit=\(limit)\(after)", user.credential)
                let list = try #require(page.json["items"]?.elements)
                #expect((1...limit).contains(list.count))
                paged += list.map { $0["id"]?.text }
                after = page.json["next"]?.text.map { "&after=\($0)" } ?? ""
            } while !after.isEmpty && paged.count < 100
            #expect(paged == all)
        }
        for query in ["limit=0", "limit=1001", "after=x", "after=1-2", "cursor=x", "page=2"] {
            #expect(try await send("GET", "?\(query)", user.credential).code == "invalid-query")
            let tokens = "/\(user.client.id)/tokens?\(query)"
            #expect(try await send("GET", tokens, user.credential).code == "invalid-query")
        }
    }

    // MARK: Names

    @Test("A name is part of the session and its tag, changes no revision, and null removes it")
    func name() async throws {
        let user = try await signUp()
        let before = try await user.client.send("GET", "")
        #expect(before.json["name"] == .null)
        for (name, shown) in [(#""Home ✓""#, "Home ✓"), (#""x""#, "x"), ("null", nil)] {
            let old = try await user.client.send("GET", "").headers["ETag"] ?? ""
            let reply = try await user.client.send("PATCH", "", #"{"name": \#(name)}"#)
            #expect(reply.status == 200)
            #expect(reply.json["name"]?.text == shown)
            let read = try await user.client.send("GET", "", headers: ["If-None-Match": old])
            #expect(read.status == 200)
            #expect(read.bytes == reply.bytes)
            #expect(read.headers["ETag"] == reply.headers["ETag"])
            #expect(read.headers["ETag"]?.hasPrefix("\"2-") == true)
            #expect(try await sessions(user.credential)[0]["name"]?.text == shown)
            let one = try await send("GET", "/\(user.client.id)", user.credential)
            #expect(one.json == (try await sessions(user.credential)[0]))
        }
        let after = try await user.client.send("GET", "")
        #expect(after.bytes == before.bytes)
        #expect(after.headers["ETag"] == before.headers["ETag"])
        _ = try await user.client.send("PATCH", "", #"{"name": "kept"}"#)
        let pushed = try await user.client.send("POST", "push", #"{"scene": "titles"}"#)
        #expect(pushed.json["session"]?["name"]?.text == "kept")
        #expect(try await sessions(user.credential)[0]["name"]?.text == "kept")
        let old = try await service.api.send(
            "GET", "/v1/sessions/\(user.client.id)?revision=2", token: user.client.token)
        #expect(old.json["name"]?.text == "kept")
    }

    @Test("Of two namings with one tag, the second is refused") func namingWithTag() async throws {
        let user = try await signUp()
        let tag = try #require(try await user.client.send("GET", "").headers["ETag"])
        func rename(_ name: String) async throws -> Reply {
            try await user.client.send(
                "PATCH", "", #"{"name": "\#(name)"}"#, headers: ["If-Match": tag])
        }
        #expect(try await rename("one").status == 200)
        let second = try await rename("two")
        #expect(second.status == 412)
        let read = try await user.client.send("GET", "")
        #expect(second.headers["ETag"] == read.headers["ETag"])
        #expect(read.json["name"]?.text == "one")
    }

    @Test("A session is opened with a name, and a fork has the name of its own request")
    func openingWithName() async throws {
        let opened = try await service.api.send("POST", "/v1/sessions", #"{"name": "one"}"#)
        #expect(opened.json["name"]?.text == "one")
        let origin = #"{"session": "\#(opened.json["id"]?.text ?? "")"}"#
        for (member, name) in [("", nil), (#", "name": "two""#, "two"), (#", "name": null"#, nil)] {
            let fork = try await service.api.send(
                "POST", "/v1/sessions", #"{"fork": \#(origin)\#(member)}"#,
                token: opened.json["token"]?.text)
            #expect(fork.status == 201)
            #expect(fork.json["name"]?.text == name)
        }
        let refused = try await service.api.send("POST", "/v1/sessions", #"{"name": ""}"#)
        #expect(refused.code == "invalid-body")
    }

    @Test("A session of another account, an unknown one and one that is logged out are a 404")
    func foreignAccountSession() async throws {
        let user = try await signUp()
        let other = try await signUp("bob")
        for id in [other.client.id, String(repeating: "0", count: 32), "x"] {
            let reply = try await send("GET", "/\(id)", user.credential)
            #expect(reply.status == 404)
            #expect(reply.code == "session-not-found")
        }
        let listed = try await send("GET", "/\(user.client.id)", user.credential)
        #expect(listed.status == 200)
        #expect(listed.headers["Cache-Control"] == "no-store")
    }

    @Test(
        "An invalid name of a session or a token is a 422",
        arguments: [
            #"{"name": ""}"#, #"{"name": 1}"#, #"{"name": "a\nb"}"#, #"{"name": "a\u0000"}"#,
            #"{"name": "\#(String(repeating: "x", count: 101))"}"#, #"{"name": "x", "more": 1}"#,
        ])
    func badName(_ body: String) async throws {
        let user = try await signUp()
        let renamed = try await user.client.send("PATCH", "", body)
        let made = try await send("POST", "/\(user.client.id)/tokens", body, user.credential)
        for reply in [renamed, made] {
            #expect(reply.status == 422)
            #expect(reply.code == "invalid-body")
            #expect(reply.json["errors"]?.count == 1)
        }
        #expect(try await sessions(user.credential)[0]["name"] == .null)
        #expect(try await tokens(of: user.client, user.credential) == [])
        for body in [#"{"name": null}"#, "{}"] {
            let reply = try await send("POST", "/\(user.client.id)/tokens", body, user.credential)
            #expect(reply.code == "invalid-body")
            #expect(reply.json["errors"]?.count == 1)
        }
    }

    @Test("A merge patch without members leaves the session as it is") func emptyPatch()
        async throws
    {
        let user = try await signUp()
        let named = try await user.client.send("PATCH", "", #"{"name": "one"}"#)
        let tag = try #require(named.headers["ETag"])
        for headers in [[:], ["If-Match": tag], ["Idempotency-Key": "key"]] {
            let reply = try await user.client.send("PATCH", "", "{}", headers: headers)
            #expect(reply.status == 200)
            #expect(reply.bytes == named.bytes)
            #expect(reply.headers["ETag"] == tag)
        }
        let stale = try await user.client.send(
            "PATCH", "", "{}", headers: ["If-Match": "\"9-00000000\""])
        #expect(stale.status == 412)
        let other = try await user.client.send(
            "PATCH", "", #"{"name": "two"}"#, headers: ["Idempotency-Key": "key"])
        #expect(other.code == "idempotency-key-reused")
    }

    @Test("A repeated naming with one key is made once, and If-Match is checked")
    func namingOnce() async throws {
        let user = try await signUp()
        let key = ["Idempotency-Key": "key"]
        let first = try await user.client.send("PATCH", "", #"{"name": "one"}"#, headers: key)
        #expect(first.status == 200)
        _ = try await user.client.send("PATCH", "", #"{"name": "two"}"#)
        let again = try await user.client.send("PATCH", "", #"{"name": "one"}"#, headers: key)
        #expect(again.status == 200)
        #expect(again.bytes == first.bytes)
        #expect(again.headers["Idempotency-Replayed"] == "true")
        #expect(try await sessions(user.credential)[0]["name"]?.text == "two")
        let other = try await user.client.send("PATCH", "", #"{"name": "three"}"#, headers: key)
        #expect(other.code == "idempotency-key-reused")
        let stale = try await user.client.send(
            "PATCH", "", #"{"name": "three"}"#, headers: ["If-Match": "\"9-00000000\""])
        #expect(stale.status == 412)
        #expect(try await sessions(user.credential)[0]["name"]?.text == "two")
    }

    // MARK: Tokens

    @Test("A further token gives access to its session at every route, and to no other session")
    func access() async throws {
        let user = try await signUp()
        let other = try await open(user.credential)
        let created = clock.now.description
        let reply = try await send(
            "POST", "/\(user.client.id)/tokens", #"{"name": "phone"}"#, user.credential)
        #expect(reply.status == 201)
        #expect(reply.headers["Cache-Control"] == "no-store")
        #expect(reply.json["name"]?.text == "phone")
        #expect(reply.json["createdAt"]?.text == created)
        let token = try #require(reply.json["token"]?.text)
        #expect(Secret(token, for: .session) != nil)

        let phone = Client(service.api, id: user.client.id, token: token)
        let push = try await phone.send("POST", "push", #"{"scene": "titles"}"#)
        #expect(push.status == 200)
        #expect(push.json["session"] == (try await user.client.session()))
        #expect(try await phone.send("GET", "screen").status == 200)
        #expect(try await phone.send("GET", "events").status == 200)
        #expect(try await phone.send("PATCH", "", #"{"name": "x"}"#).status == 200)
        let stranger = Client(service.api, id: other.id, token: token)
        #expect(try await stranger.send("GET", "").code == "session-not-found")

        // The list has the id and the name, and not the token.
        let list = try await send("GET", "/\(user.client.id)/tokens", user.credential)
        #expect(list.headers["Cache-Control"] == "no-store")
        #expect(list.json["items"]?.count == 1)
        #expect(list.json["items"]?[0]?["id"] == reply.json["id"])
        #expect(!list.body.contains(token.dropFirst(4)))
        #expect(try await tokens(of: other, user.credential) == [])
        #expect(try await phone.send("DELETE", "").status == 204)
        #expect(try await user.client.send("GET", "").code == "session-not-found")
    }

    @Test("A revoked token is refused at once, and the others stay")
    func revocation() async throws {
        let user = try await signUp()
        let (id, phone) = try await makeToken(for: user.client, user.credential)
        let (_, tablet) = try await makeToken("tablet", for: user.client, user.credential)
        let path = "/\(user.client.id)/tokens"
        for unknown in [String(repeating: "0", count: 32), "none"] {
            let reply = try await send("DELETE", "\(path)/\(unknown)", user.credential)
            #expect(reply.status == 404)
            #expect(reply.code == "token-not-found")
        }
        let revoked = try await send("DELETE", "\(path)/\(id)", user.credential, key: "key")
        #expect(revoked.status == 204)
        #expect(try await phone.send("GET", "").code == "session-not-found")
        #expect(try await phone.send("POST", "pop").code == "session-not-found")
        #expect(try await tablet.send("GET", "").status == 200)
        #expect(try await user.client.send("GET", "").status == 200)
        #expect(try await tokens(of: user.client, user.credential) == ["tablet"])
        #expect(
            try await send("DELETE", "\(path)/\(id)", user.credential).code == "token-not-found")
        let again = try await send("DELETE", "\(path)/\(id)", user.credential, key: "key")
        #expect(again.status == 204)
        #expect(again.headers["Idempotency-Replayed"] == "true")
    }

    @Test("A revoked or expired credential takes its tokens along, and leaves those of others")
    func credentialEnds() async throws {
        let user = try await signUp()
        let second = try await logIn()
        let (_, own) = try await makeToken("own", for: user.client, user.credential)
        let (_, through) = try await makeToken("through", for: user.client, second.credential)
        #expect(try await second.client.send("POST", "log-out").status == 200)
        #expect(try await through.send("GET", "").code == "session-not-found")
        #expect(try await own.send("GET", "").status == 200)
        #expect(try await tokens(of: user.client, user.credential) == ["own"])
        // A change each month keeps the session, until its credential expires.
        for _ in 0..<3 {
            clock.advance(by: .seconds(29 * 86_400))
            #expect(try await own.send("POST", "push", #"{"scene": "titles"}"#).status == 200)
        }
        clock.advance(by: .seconds(4 * 86_400))
        #expect(try await own.send("GET", "").code == "session-not-found")
        #expect(try await user.client.session()["window"]?["root"]?.text == "login")
    }

    @Test("A log-in ends the further tokens that were made before, for another user or the same")
    func nextUser() async throws {
        let ada = try await signUp()
        _ = try await signUp("bob")
        for name in ["bob", "Ada"] {
            let session = try await logIn().client
            let (_, phone) = try await makeToken(for: session, ada.credential)
            _ = try await session.send("POST", "log-out")
            #expect(try await phone.session()["window"]?["root"]?.text == "login")
            _ = try await enter(session, "log-in", name)
            #expect(try await phone.send("GET", "").code == "session-not-found")
            #expect(try await session.session()["window"]?["root"]?.text == "app")
        }
    }

    @Test("The eleventh token is a 409, and a revoked one makes room") func limit() async throws {
        let user = try await signUp()
        var ids: [String] = []
        for number in 0..<10 {
            ids.append(
                try await makeToken("\(number)", for: user.client, user.credential).id)
        }
        let path = "/\(user.client.id)/tokens"
        let body = #"{"name": "eleventh"}"#
        let refused = try await send("POST", path, body, user.credential, key: "key")
        #expect(refused.status == 409)
        #expect(refused.code == "too-many-tokens")
        #expect(try await send("DELETE", "\(path)/\(ids[3])", user.credential).status == 204)
        // A refusal is not kept: the same key is tried again.
        let made = try await send("POST", path, body, user.credential, key: "key")
        #expect(made.status == 201)
        let again = try await send("POST", path, body, user.credential, key: "key")
        #expect(again.headers["Idempotency-Replayed"] == "true")
        #expect(again.bytes == made.bytes)
        #expect(try await tokens(of: user.client, user.credential).count == 10)
        var paged: [String] = []
        var after = ""
        repeat {
            let page = try await send("GET", "\(path)?limit=3\(after)", user.credential)
            paged += (page.json["items"]?.elements ?? []).compactMap { $0["id"]?.text }
            after = page.json["next"]?.text.map { "&after=\($0)" } ?? ""
        } while !after.isEmpty && paged.count < 100
        #expect(paged.count == 10 && Set(paged).count == 10)
    }

    @Test("No session of another account, and none at the login root, can be listed or get a token")
    func strangers() async throws {
        let ada = try await signUp()
        let bob = try await signUp("bob")
        let login = try await Client(service.api)
        let (id, phone) = try await makeToken(for: ada.client, ada.credential)
        for path in ["/\(ada.client.id)/tokens", "/\(login.id)/tokens"] {
            let replies = [
                try await send("GET", path, bob.credential),
                try await send("POST", path, #"{"name": "x"}"#, bob.credential),
                try await send("DELETE", "\(path)/\(id)", bob.credential),
            ]
            #expect(replies.allSatisfy { $0.code == "session-not-found" })
        }
        #expect(try await phone.send("GET", "").status == 200)
        #expect(try await sessions(bob.credential).map { $0["id"]?.text } == [bob.client.id])
    }

    @Test("A store that fails when a further token is looked up is a 503, not a 404")
    func failingStore() async throws {
        let store = try ScriptedStore()
        let service = try TestService(store: store)
        let user = try await enter(try await Client(service.api), "sign-up", "Ada")
        let made = try await service.api.send(
            "POST", "/v1/account/sessions/\(user.client.id)/tokens", #"{"name": "x"}"#,
            token: user.credential)
        let phone = Client(
            service.api, id: user.client.id, token: try #require(made.json["token"]?.text))
        store.fail(.sessionToken)
        #expect(try await phone.send("GET", "").code == "storage-unavailable")
        // The first token needs no look into the store.
        let count = store.count(.sessionToken)
        #expect(try await user.client.send("GET", "").status == 200)
        #expect(store.count(.sessionToken) == count)
    }

    // MARK: Streams

    @Test("A stream that a further token opened ends when the token is revoked, and no other one")
    func streams() async throws {
        let thread = TestStreamThread()
        let user = try await signUp()
        let (id, phone) = try await makeToken(for: user.client, user.credential)
        let (_, tablet) = try await makeToken("tablet", for: user.client, user.credential)
        let ending = try await phone.stream(on: thread)
        let others = [
            try await tablet.stream(on: thread), try await user.client.stream(on: thread),
        ]
        for stream in [ending] + others { #expect(await stream.next()?.type == "snapshot") }
        let path = "/\(user.client.id)/tokens/\(id)"
        #expect(try await send("DELETE", path, user.credential).status == 204)
        // The stream ends without a message.
        #expect(await ending.next() == nil)
        for stream in others { await stream.heartbeat() }
        try await user.client.push()
        for stream in others { #expect(await stream.next()?.type == "change") }
    }

    @Test("A heartbeat ends the stream of a token that has expired with its credential")
    func expiringStream() async throws {
        let thread = TestStreamThread()
        let user = try await signUp()
        clock.advance(by: .seconds(3600))
        let second = try await logIn()
        let (_, phone) = try await makeToken(for: second.client, user.credential)
        for _ in 0..<3 {
            clock.advance(by: .seconds(29 * 86_400))
            try await second.client.push()
        }
        let stream = try await phone.stream(on: thread)
        #expect(await stream.next()?.type == "snapshot")
        clock.advance(by: .seconds(3 * 86_400 - 1800))
        await stream.heartbeat()
        #expect(await stream.next() == nil)
        #expect(try await second.client.session()["window"]?["root"]?.text == "app")
    }

    @Test("A stream of a further token ends before the message of the next log-in")
    func streamBeforeLogIn() async throws {
        let thread = TestStreamThread()
        let ada = try await signUp()
        let second = try await logIn()
        _ = try await signUp("bob")
        let (_, phone) = try await makeToken(for: ada.client, second.credential)
        let stream = try await phone.stream(on: thread)
        let own = try await ada.client.stream(on: thread)
        for stream in [stream, own] { #expect(await stream.next()?.type == "snapshot") }
        _ = try await ada.client.send("POST", "log-out")
        for stream in [stream, own] { #expect(await stream.next()?.type == "change") }
        _ = try await enter(ada.client, "log-in", "bob")
        #expect(await stream.next() == nil)
        #expect(await own.next()?.data["session"]?["auth"]?["username"]?.text == "bob")
    }
}
