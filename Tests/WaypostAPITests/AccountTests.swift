import HTTPCore
import JSON
import SessionStoreTesting
import TestSupport
import Testing
import WaypostAPI
import WaypostCore
import WaypostTesting

/// Tests of `/v1/account`, whose bearer token is a credential.
@Suite(.timeLimit(.minutes(10)), .everyStore) struct AccountTests {
    private static let password = "a long password"
    private let clock = TestEnvironment()
    private let service: TestService

    init() throws {
        service = try TestService(environment: clock.environment)
    }

    /// Signs up in a new session; returns the session and its credential.
    private func signUp(_ username: String = "Ada") async throws -> (Client, credential: String) {
        let client = try await Client(service.api)
        return (client, try await enter(client, "sign-up", username))
    }

    private func logIn(_ username: String = "Ada") async throws -> (Client, credential: String) {
        let client = try await Client(service.api)
        return (client, try await enter(client, "log-in", username))
    }

    private func enter(
        _ client: Client, _ route: String, _ username: String, _ password: String = Self.password
    ) async throws -> String {
        let reply = try await client.send(
            "POST", route, #"{"username": "\#(username)", "password": "\#(password)"}"#)
        return try #require(reply.json["credential"]?.text)
    }

    private func send(
        _ method: String, _ path: String, _ credential: String
    ) async throws -> Reply {
        try await send(method, path, "", credential)
    }

    private func send(
        _ method: String, _ path: String, _ body: String, _ credential: String,
        key: String? = nil
    ) async throws -> Reply {
        try await service.api.send(
            method, "/v1/account\(path)", body, token: credential,
            headers: key.map { ["Idempotency-Key": $0] } ?? [:])
    }

    private func ids(_ credential: String) async throws -> [String] {
        let list = try await send("GET", "/credentials", credential).json["items"]
        return (list?.elements ?? []).compactMap { $0["id"]?.text }
    }

    private func root(_ client: Client) async throws -> String? {
        try await client.session()["window"]?["root"]?.text
    }

    // MARK: Reading

    @Test("GET /v1/account shows the account that the credential belongs to") func account()
        async throws
    {
        let created = clock.now.description
        let (_, ada) = try await signUp()
        let (_, bob) = try await signUp("bob")
        for (credential, username) in [(ada, "Ada"), (bob, "bob")] {
            let reply = try await send("GET", "", credential)
            #expect(reply.status == 200)
            #expect(reply.headers["Cache-Control"] == "no-store")
            #expect(reply.json["username"]?.text == username)
            #expect(reply.json["createdAt"]?.text == created)
        }
    }

    @Test("An account's valid credentials are listed newest first, with the current one marked")
    func credentials() async throws {
        let (first, ada) = try await signUp()
        clock.advance(by: .seconds(1))
        let created = clock.now
        let (second, other) = try await logIn()
        clock.advance(by: .seconds(60))
        let (_, revoked) = try await logIn()
        _ = try await signUp("bob")
        #expect(try await send("DELETE", "/credentials/\(ids(revoked)[0])", revoked).status == 204)
        #expect(try await send("GET", "", other).status == 200)

        let reply = try await send("GET", "/credentials", ada)
        #expect(reply.status == 200)
        #expect(reply.headers["Cache-Control"] == "no-store")
        let list = try #require(reply.json["items"])
        #expect(list.count == 2)
        #expect(reply.json["next"] == .null)
        #expect(list[0]?["session"]?.text == second.id)
        #expect(list[0]?["isCurrent"]?.flag == false)
        #expect(list[0]?["createdAt"]?.text == created.description)
        #expect(list[0]?["expiresAt"]?.text == (created + .seconds(90 * 86_400)).description)
        #expect(list[0]?["lastUsedAt"]?.text == clock.now.description)
        #expect(list[1]?["session"]?.text == first.id)
        #expect(list[1]?["isCurrent"]?.flag == true)
        // The listed part of a credential does not authenticate.
        for credential in [ada, other, revoked] {
            #expect(!String(decoding: reply.bytes, as: UTF8.self).contains(credential.dropFirst(4)))
        }
    }

    @Test("The pages of credentials together have each credential once for every limit")
    func pages() async throws {
        let (_, ada) = try await signUp()
        // The credentials have the same time, so that only their ids determine the order.
        for _ in 0..<6 { _ = try await logIn() }
        let all = try await ids(ada)
        #expect(Set(all).count == 7)
        for limit in [1, 2, 3, 7] {
            var paged: [String] = []
            var after = ""
            repeat {
                let page = try await send("GET", "/credentials?limit=\(limit)\(after)", ada)
                let list = try #require(page.json["items"]?.elements)
                #expect((1...limit).contains(list.count))
                paged += list.compactMap { $0["id"]?.text }
                after = page.json["next"]?.text.map { "&after=\($0)" } ?? ""
            } while !after.isEmpty && paged.count < 100
            #expect(paged == all)
        }
    }

    // MARK: The password

    @Test("A password change revokes all other credentials of the account") func newPassword()
        async throws
    {
        let (first, ada) = try await signUp()
        let (second, other) = try await logIn()
        let reply = try await send(
            "PUT", "/password",
            #"{"oldPassword": "\#(Self.password)", "newPassword": "a longer password"}"#, ada)
        #expect(reply.status == 204)
        #expect(reply.bytes.isEmpty)
        #expect(try await send("GET", "", ada).status == 200)
        #expect(try await send("GET", "", other).status == 401)
        #expect(try await root(first) == "app")
        let session = try await second.session()
        #expect(session["window"]?["root"]?.text == "login")
        #expect(session["auth"]?["reason"]?.text == "credential-revoked")
        #expect(session["revision"]?.number == 3)
        let refused = try await second.send(
            "POST", "log-in", #"{"username": "ada", "password": "\#(Self.password)"}"#)
        #expect(refused.code == "wrong-password")
        _ = try await enter(second, "log-in", "ada", "a longer password")
        #expect(try await second.session()["auth"]?["reason"] == nil)
    }

    @Test(
        "A refused password change gives the reason and keeps the old password",
        arguments: [
            (
                #"{"oldPassword": "wrong password", "newPassword": "good password"}"#,
                "wrong-password",
                nil
            ),
            (#"{"oldPassword": "", "newPassword": "good password"}"#, "wrong-password", nil),
            (#"{"oldPassword": "OLD", "newPassword": "short"}"#, "invalid-body", "/newPassword"),
            (
                #"{"oldPassword": "OLD", "newPassword": "Password1"}"#, "weak-password",
                "/newPassword"
            ),
            (
                #"{"oldPassword": "OLD", "newPassword": "ADA.LOVELACE"}"#, "weak-password",
                "/newPassword"
            ),
            (#"{"oldPassword": "OLD"}"#, "invalid-body", "/newPassword"),
            (#"{"newPassword": "good password"}"#, "invalid-body", "/oldPassword"),
            (
                #"{"oldPassword": 1, "newPassword": "good password"}"#, "invalid-body",
                "/oldPassword"
            ),
            ("", "invalid-body", "/oldPassword"), ("[]", "invalid-body", ""),
            ("[", "malformed-json", nil),
        ])
    func refusedPassword(_ body: String, _ code: String, _ pointer: String?)
        async throws
    {
        let (_, ada) = try await signUp("ada.lovelace")
        let (_, other) = try await logIn("ada.lovelace")
        let body = body.replacing("OLD", with: Self.password)
        let reply = try await send("PUT", "/password", body, ada)
        #expect(reply.code == code)
        #expect(reply.status == ["wrong-password": 403, "malformed-json": 400][code] ?? 422)
        #expect(reply.json["errors"]?[0]?["pointer"]?.text == pointer)
        #expect(try await send("GET", "", other).status == 200)
        _ = try await logIn("ada.lovelace")
    }

    @Test("A weak password at sign-up is a 422 with the reason") func weakPassword()
        async throws
    {
        let client = try await Client(service.api)
        for (username, password, reason) in [
            ("ada", "PASSWORD", "10,000 most common"), ("ada.lovelace", "Ada.Lovelace", "username"),
        ] {
            let reply = try await client.send(
                "POST", "sign-up", #"{"username": "\#(username)", "password": "\#(password)"}"#)
            #expect(reply.status == 422)
            #expect(reply.code == "weak-password")
            #expect(reply.json["errors"]?[0]?["pointer"]?.text == "/password")
            #expect(reply.json["detail"]?.text?.contains(reason) == true)
        }
        #expect(try await client.session()["revision"]?.number == 1)
    }

    @Test("A sign-up is refused with the defects of the username and of the password")
    func twoDefects() async throws {
        let client = try await Client(service.api)
        let reply = try await client.send(
            "POST", "sign-up", #"{"username": "ab", "password": "short"}"#)
        #expect(reply.code == "invalid-body")
        let defects = try #require(reply.json["errors"]?.elements)
        #expect(defects.map { $0["pointer"]?.text } == ["/username", "/password"])
        #expect(
            defects.map { $0["detail"]?.text }
                == ["expected 3 to 64 characters", "expected 8 to 256 bytes"])
    }

    @Test("A change of an account is refused if If-Match names an entity tag: it has none")
    func entityTags() async throws {
        let (client, ada) = try await signUp()
        let session = "/sessions/\(client.id)"
        let changes = [
            ("POST", "/delete", #"{"password": "\#(Self.password)"}"#),
            (
                "PUT", "/password",
                #"{"oldPassword": "\#(Self.password)", "newPassword": "a longer password"}"#
            ),
            ("DELETE", "/credentials", ""), ("DELETE", "/credentials/\(try await ids(ada)[0])", ""),
            ("DELETE", session, ""), ("POST", "\(session)/tokens", #"{"name": "phone"}"#),
            ("DELETE", "\(session)/tokens/\(String(repeating: "0", count: 32))", ""),
        ]
        func change(_ index: Int, _ match: String) async throws -> Reply {
            let (method, path, body) = changes[index]
            return try await service.api.send(
                method, "/v1/account\(path)", body, token: ada, headers: ["If-Match": match])
        }
        for index in changes.indices {
            let reply = try await change(index, #""1-00000000""#)
            #expect(reply.status == 412 && reply.code == "precondition-failed", "\(changes[index])")
        }
        #expect(try await root(client) == "app")
        #expect(try await change(5, "*").status == 201)
        #expect(try await change(2, "*").status == 204)
    }

    // MARK: Credentials

    @Test("A revoked credential is invalid and cannot be revoked again")
    func revocation() async throws {
        let (first, ada) = try await signUp()
        let (second, other) = try await logIn()
        let id = try #require(
            try await send("GET", "/credentials", ada).json["items"]?.elements?
                .first { $0["isCurrent"]?.flag == false }?["id"]?.text)
        #expect(try await send("DELETE", "/credentials/\(id)", ada).status == 204)
        #expect(try await send("GET", "", other).status == 401)
        #expect(try await root(first) == "app")
        #expect(try await second.session()["auth"]?["reason"]?.text == "credential-revoked")
        let opened = try await service.api.send(
            "POST", "/v1/sessions", #"{"credential": "\#(other)"}"#)
        #expect(opened.json["auth"]?["reason"]?.text == "credential-revoked")
        let again = try await send("DELETE", "/credentials/\(id)", ada)
        #expect(again.status == 404)
        #expect(again.code == "credential-not-found")
    }

    @Test("A credential can revoke itself, and its session falls back to the login root")
    func ownRevocation() async throws {
        let (client, ada) = try await signUp()
        #expect(try await send("DELETE", "/credentials/\(ids(ada)[0])", ada).status == 204)
        #expect(try await send("GET", "", ada).status == 401)
        #expect(try await root(client) == "login")
    }

    @Test("Revoking another account's credential and an unknown one give the same 404")
    func othersCredential() async throws {
        let (_, ada) = try await signUp()
        let (client, bob) = try await signUp("bob")
        let unknown = try await send(
            "DELETE", "/credentials/\(String(repeating: "0", count: 32))", ada)
        #expect(unknown.status == 404)
        for id in [try await ids(bob)[0], "x", String(repeating: "G", count: 32), ada] {
            let reply = try await send("DELETE", "/credentials/\(id)", ada)
            #expect(reply.status == 404)
            #expect(reply.headers.ofAnswer == unknown.headers.ofAnswer)
            #expect(reply.body == unknown.body)
        }
        #expect(try await root(client) == "app")
        #expect(try await send("GET", "", bob).status == 200)
    }

    // MARK: Removing the account

    @Test("An account is removed with its credentials, and only with its password") func removal()
        async throws
    {
        let (first, ada) = try await signUp()
        let (second, other) = try await logIn()
        for body in [#"{"password": "wrong password"}"#, #"{"password": ""}"#] {
            let refused = try await send("POST", "/delete", body, ada)
            #expect(refused.status == 403)
            #expect(refused.code == "wrong-password")
        }
        #expect(try await send("POST", "/delete", "", ada).code == "invalid-body")
        let withBody = try await send("DELETE", "", #"{"password": "\#(Self.password)"}"#, ada)
        #expect(withBody.status == 405 && withBody.headers["Allow"] == "GET, HEAD, OPTIONS")
        #expect(try await root(first) == "app")
        let reply = try await send("POST", "/delete", #"{"password": "\#(Self.password)"}"#, ada)
        #expect(reply.status == 204)
        for credential in [ada, other] {
            #expect(try await send("GET", "", credential).status == 401)
            let opened = try await service.api.send(
                "POST", "/v1/sessions", #"{"credential": "\#(credential)"}"#)
            #expect(opened.json["auth"]?["reason"]?.text == "credential-unknown")
        }
        for client in [first, second] {
            let push = try await client.send("POST", "push", #"{"scene": "titles"}"#)
            #expect(push.code == "session-not-found")
            #expect(try await client.send("GET", "").code == "session-not-found")
        }
        let next = try await Client(service.api)
        let refused = try await next.send(
            "POST", "log-in", #"{"username": "ada", "password": "\#(Self.password)"}"#)
        #expect(refused.code == "wrong-password")
        _ = try await enter(next, "sign-up", "ada")
    }

    // MARK: Repeated requests

    @Test("A repeated account change with the same key gets the first response again")
    func repetition() async throws {
        let (_, ada) = try await signUp()
        _ = try await logIn()
        let id = try #require(
            try await send("GET", "/credentials", ada).json["items"]?.elements?
                .first { $0["isCurrent"]?.flag == false }?["id"]?.text)
        let changes = [
            ("DELETE", "/credentials/\(id)", ""),
            (
                "PUT", "/password",
                #"{"oldPassword": "\#(Self.password)", "newPassword": "a longer password"}"#
            ),
            ("POST", "/delete", #"{"password": "a longer password"}"#),
        ]
        for (number, (method, path, body)) in changes.enumerated() {
            let first = try await send(
                method, path, body, ada, key: "key\(number)")
            #expect(first.status == 204)
            #expect(first.headers["Idempotency-Replayed"] == nil)
            for _ in 0..<2 {
                let again = try await send(method, path, body, ada, key: "key\(number)")
                #expect(again.status == 204)
                #expect(again.headers["Idempotency-Replayed"] == "true")
            }
            let other = try await send(method, path, #"{"x": 1}"#, ada, key: "key\(number)")
            #expect(other.code == "idempotency-key-reused")
            // The same key of another client is a different key.
            let strangers = try await send(method, path, body, "wpc_", key: "key\(number)")
            #expect(strangers.status == 401)
        }
        #expect(try await send("GET", "", ada).status == 401)
    }

    // MARK: Closed sign-up

    @Test("A closed sign-up is a 403 for free and taken names, and log-in still works")
    func signUpClosed() async throws {
        let service = try TestService(isSignUpOpen: false)
        let client = try await Client(service.api)
        let body = #"{"username": "ada", "password": "\#(Self.password)"}"#
        let refused = try await client.send("POST", "sign-up", body)
        #expect(refused.status == 403)
        #expect(refused.code == "sign-up-closed")
        #expect(try await client.session()["revision"]?.number == 1)
        try await service.accounts.add("ada", Self.password)
        // The response does not reveal which accounts exist.
        #expect(try await client.send("POST", "sign-up", body).body == refused.body)
        #expect(try await client.send("POST", "log-in", body).status == 200)
    }
}
