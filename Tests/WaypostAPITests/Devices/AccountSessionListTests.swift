import HTTPCore
import SessionStoreTesting
import TestSupport
import Testing
import WaypostTesting

@testable import WaypostAPI

/// Tests of the list of an account's sessions, on whatever device they are.
@Suite(.timeLimit(.minutes(10)), .everyStore) struct AccountSessionListTests: DeviceSuite {
    let clock = TestEnvironment()
    let service: TestService

    init() throws {
        service = try TestService(environment: clock.environment)
    }

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
}
