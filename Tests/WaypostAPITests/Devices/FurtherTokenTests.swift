import HTTPCore
import SessionStoreTesting
import Sessions
import TestSupport
import Testing
import WaypostCore
import WaypostTesting

@testable import WaypostAPI

/// Tests of further tokens, with which other devices use a session.
@Suite(.timeLimit(.minutes(10)), .everyStore) struct FurtherTokenTests: DeviceSuite {
    let clock = TestEnvironment()
    let service: TestService

    init() throws {
        service = try TestService(environment: clock.environment)
    }

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

    @Test("A repeated request for a token of an expired session is refused like the first one")
    func expiredSession() async throws {
        let user = try await signUp()
        func makeToken() async throws -> Reply {
            try await send(
                "POST", "/\(user.client.id)/tokens", #"{"name": "phone"}"#, user.credential,
                key: "k")
        }
        clock.advance(by: .seconds(30 * 86_400 - 60))
        let first = try await makeToken()
        #expect(first.status == 201)
        #expect(try await makeToken().bytes == first.bytes)
        clock.advance(by: .seconds(60))
        #expect(try await makeToken().code == "session-not-found")
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

    @Test("A repetition gets no token after the credential was revoked or the session has ended")
    func repetition() async throws {
        let user = try await signUp()
        let second = try await logIn()
        let path = "/\(user.client.id)/tokens"
        let body = #"{"name": "phone"}"#
        for credential in [user.credential, second.credential] {
            #expect(try await send("POST", path, body, credential, key: "key").status == 201)
            let again = try await send("POST", path, body, credential, key: "key")
            #expect(again.headers["Idempotency-Replayed"] == "true")
        }
        #expect(try await second.client.send("POST", "log-out").status == 200)
        let revoked = try await send("POST", path, body, second.credential, key: "key")
        #expect(revoked.code == "unauthorized")
        #expect(try await user.client.send("DELETE", "").status == 204)
        let ended = try await send("POST", path, body, user.credential, key: "key")
        #expect(ended.code == "session-not-found")
    }

    @Test("A repetition gets no token after the session has logged out and in to the same account")
    func repetitionAfterLogIn() async throws {
        let user = try await signUp()
        let device = try await logIn()
        func makeToken() async throws -> Reply {
            try await send(
                "POST", "/\(user.client.id)/tokens", #"{"name": "phone"}"#, device.credential,
                key: "key")
        }
        #expect(try await makeToken().status == 201)
        _ = try await user.client.send("POST", "log-out")
        #expect(try await makeToken().code == "session-not-found")
        _ = try await enter(user.client, "log-in", "Ada")
        let again = try await makeToken()
        #expect(again.status == 403)
        #expect(again.code == "credential-revoked")
        #expect(try await tokens(of: user.client, device.credential) == [])
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
        #expect(try await send("DELETE", "\(path)/\(ids[0])", user.credential).status == 204)
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

    @Test("The operator sees all tokens of a session that has the maximum number")
    func operatorView() async throws {
        let user = try await signUp()
        let names = (0..<10).map(String.init)
        for name in names { _ = try await makeToken(name, for: user.client, user.credential) }
        let admin = AdminAPI(nil, accounts: service.accounts, sessions: service.directory)
        let shown = try await admin.post(
            "/sessions/show", #"{"session": "\#(user.client.id)"}"#)
        let tokens = try #require(shown.json["tokens"]?.elements)
        #expect(tokens.compactMap { $0["name"]?.text }.sorted() == names)
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
        for path in ["", "changes"] {
            #expect(try await phone.send("GET", path).code == "storage-unavailable")
        }
        // The first token needs no look into the store.
        let count = store.count(.sessionToken)
        #expect(try await user.client.send("GET", "").status == 200)
        #expect(store.count(.sessionToken) == count)
    }

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

    @Test("A stream whose further token is revoked before the stream begins ends at once")
    func lateStream() async throws {
        let thread = TestStreamThread()
        let user = try await signUp()
        let (id, phone) = try await makeToken(for: user.client, user.credential)
        let stream = try await phone.stream(on: thread) {
            let path = "/\(user.client.id)/tokens/\(id)"
            let revoked = try await send("DELETE", path, user.credential)
            #expect(revoked.status == 204)
        }
        #expect(await stream.next()?.type == "snapshot")
        #expect(await stream.next() == nil)
    }

    @Test("A check after a heartbeat interval ends the stream of a token that has expired")
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
        await stream.check()
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
