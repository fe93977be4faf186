import Foundation
import HTTPCore
import JSON
import SessionStoreTesting
import TestSupport
import Testing
import WaypostCore
import WaypostTesting

@testable import WaypostAPI

/// Tests of what ends with a credential or a token: the sessions that depend on it, also those that
/// were made from others (forks).
@Suite(.timeLimit(.minutes(10)), .everyStore) struct RevocationTests {
    private static let password = "a long password"
    private let service: TestService

    init() throws {
        service = try TestService()
    }

    /// The sessions of Ada, and the token of her second device for the first session.
    private struct Setting {
        /// Her first session, and the credential of its log-in.
        let session: Client
        let credential: String
        /// The session in which the device has logged in, and the credential of this log-in.
        let device: Client
        let deviceCredential: String
        /// The device's further token for her first session: its id, and the session as the device
        /// sees it.
        let tokenID: String
        let further: Client
        /// Each session by the way in which it was made.
        let sessions: [Made: Client]
    }

    /// The way in which a session was made.
    enum Made: String, CaseIterable {
        case signUp, logIn
        case forkByFirstToken, forkByDeviceToken, forkOfPastByDeviceToken
        /// A fork of a fork that the device has made, by the first token of that fork.
        case forkOfForkByDevice
        /// A fork of the device's session, by a further token of Ada's first credential.
        case forkByOwnersToken

        /// Whether the session depends on the credential of the device.
        var isOfDevice: Bool {
            switch self {
            case .logIn, .forkByDeviceToken, .forkOfPastByDeviceToken, .forkOfForkByDevice: true
            case .signUp, .forkByFirstToken, .forkByOwnersToken: false
            }
        }
    }

    private func enter(_ route: String) async throws -> (Client, String) {
        let client = try await Client(service.api)
        let reply = try await client.send(
            "POST", route, #"{"username": "Ada", "password": "\#(Self.password)"}"#)
        return (client, try #require(reply.json["credential"]?.text))
    }

    private func account(
        _ method: String, _ path: String, _ credential: String, body: String = "",
        key: String? = nil
    ) async throws -> Reply {
        try await service.api.send(
            method, "/v1/account\(path)", body, token: credential,
            headers: key.map { ["Idempotency-Key": $0] } ?? [:])
    }

    private func makeToken(
        for client: Client, _ credential: String
    ) async throws -> (id: String, client: Client) {
        let reply = try await account(
            "POST", "/sessions/\(client.id)/tokens", credential, body: #"{"name": "phone"}"#)
        let token = try #require(reply.json["token"]?.text)
        return (
            try #require(reply.json["id"]?.text),
            Client(service.api, id: client.id, token: token)
        )
    }

    private func fork(_ client: Client, at revision: Int? = nil) async throws -> Client {
        let revision = revision.map { #", "revision": \#($0)"# } ?? ""
        let reply = try await service.api.send(
            "POST", "/v1/sessions", #"{"fork": {"session": "\#(client.id)"\#(revision)}}"#,
            token: client.token)
        try #require(reply.status == 201)
        #expect(reply.json["auth"]?["username"]?.text == "Ada")
        return try Client(service.api, opened: reply.json)
    }

    private func makeSetting() async throws -> Setting {
        let (session, credential) = try await enter("sign-up")
        _ = try await session.send("POST", "push", #"{"scene": "titles"}"#)
        let (device, deviceCredential) = try await enter("log-in")
        let (id, further) = try await makeToken(for: session, deviceCredential)
        let owners = try await makeToken(for: device, credential).client
        let ofDevice = try await fork(further)
        return Setting(
            session: session, credential: credential, device: device,
            deviceCredential: deviceCredential, tokenID: id, further: further,
            sessions: [
                .signUp: session, .logIn: device, .forkByFirstToken: try await fork(session),
                .forkByDeviceToken: ofDevice,
                .forkOfPastByDeviceToken: try await fork(further, at: 2),
                .forkOfForkByDevice: try await fork(ofDevice),
                .forkByOwnersToken: try await fork(owners),
            ])
    }

    /// A revocation, and the sessions that it logs out.
    enum Revocation: String, CaseIterable {
        case token, deviceCredential, newPassword, othersAtOnce, allAtOnce
        case logOut, logOutOfDevice, logOutOfFork, disabling, removal

        func logsOut(_ made: Made) -> Bool {
            switch self {
            case .token: false
            case .deviceCredential, .newPassword, .othersAtOnce, .logOutOfDevice, .logOutOfFork:
                made.isOfDevice
            case .logOut: !made.isOfDevice
            case .allAtOnce, .disabling: true
            // The removal ends the sessions.
            case .removal: false
            }
        }

        /// Whether the further token of the device is invalid afterwards.
        var endsToken: Bool { self == .token || self == .removal || logsOut(.logIn) }
    }

    private func revoke(_ revocation: Revocation, _ setting: Setting) async throws {
        let reply: Reply
        switch revocation {
        case .token:
            reply = try await account(
                "DELETE", "/sessions/\(setting.session.id)/tokens/\(setting.tokenID)",
                setting.credential)
        case .deviceCredential:
            let list = try await account("GET", "/credentials", setting.credential)
            let other = try #require(
                list.json["items"]?.elements?.first { $0["isCurrent"]?.flag == false })
            reply = try await account(
                "DELETE", "/credentials/\(other["id"]?.text ?? "")", setting.credential)
        case .newPassword:
            reply = try await account(
                "PUT", "/password", setting.credential,
                body: #"{"oldPassword": "\#(Self.password)", "newPassword": "a longer password"}"#)
        case .othersAtOnce:
            reply = try await account(
                "DELETE", "/credentials?except=current", setting.credential)
        case .allAtOnce: reply = try await account("DELETE", "/credentials", setting.credential)
        case .logOut: reply = try await setting.session.send("POST", "log-out")
        case .logOutOfDevice: reply = try await setting.device.send("POST", "log-out")
        case .logOutOfFork:
            reply = try await #require(setting.sessions[.forkByDeviceToken])
                .send("POST", "log-out")
        case .disabling: return try await service.accounts.setDisabled("ada", true)
        case .removal:
            reply = try await account(
                "POST", "/delete", setting.credential, body: #"{"password": "\#(Self.password)"}"#)
        }
        #expect([200, 204].contains(reply.status))
    }

    @Test(
        "A revocation logs out each session that depends on the credential, forks too, and no other",
        arguments: Revocation.allCases)
    func matrix(_ revocation: Revocation) async throws {
        let setting = try await makeSetting()
        try await revoke(revocation, setting)
        for made in Made.allCases {
            let client = try #require(setting.sessions[made])
            if revocation == .removal {
                #expect(try await client.send("GET", "").code == "session-not-found", "\(made)")
                continue
            }
            let push = try await client.send("POST", "push", #"{"scene": "titles"}"#)
            let state = try await client.session()["auth"]?["state"]?.text
            #expect(
                state == (revocation.logsOut(made) ? "loggedOut" : "loggedIn"), "\(made)")
            #expect(push.code == (revocation.logsOut(made) ? "login-required" : nil), "\(made)")
        }
        let further = try await setting.further.send("GET", "")
        #expect(further.status == (revocation.endsToken ? 404 : 200))
    }

    @Test("A fork by a further token needs the token's credential to be valid at that moment")
    func revokedToken() async throws {
        let setting = try await makeSetting()
        try await revoke(.deviceCredential, setting)
        let reply = try await service.api.send(
            "POST", "/v1/sessions", #"{"fork": {"session": "\#(setting.session.id)"}}"#,
            token: setting.further.token)
        #expect(reply.code == "session-not-found")
    }

    // MARK: The end of one session

    @Test("A credential ends a session of its account, and no session of another account")
    func end() async throws {
        let setting = try await makeSetting()
        let fork = try #require(setting.sessions[.forkByDeviceToken])
        let stranger = try await Client(service.api)
        let bob = try await stranger.send(
            "POST", "sign-up", #"{"username": "bob", "password": "\#(Self.password)"}"#)
        let bobs = try #require(bob.json["credential"]?.text)
        let login = try await Client(service.api)
        for (id, credential) in [
            (fork.id, bobs), (stranger.id, setting.credential), (login.id, setting.credential),
            ("none", setting.credential), (String(repeating: "0", count: 32), setting.credential),
        ] {
            let reply = try await account("DELETE", "/sessions/\(id)", credential, key: "key")
            #expect(reply.code == "session-not-found")
        }
        let query = try await account("DELETE", "/sessions/\(fork.id)?x=1", setting.credential)
        #expect(query.code == "invalid-query")
        for client in [fork, stranger, login] {
            #expect(try await client.send("GET", "").status == 200)
        }

        let path = "/sessions/\(fork.id)"
        let ended = try await account("DELETE", path, setting.credential, key: "key")
        #expect(ended.status == 204)
        #expect(ended.bytes.isEmpty)
        #expect(try await fork.send("GET", "").code == "session-not-found")
        let listed = try await account("GET", "/sessions", setting.credential)
        let ids = listed.json["items"]?.elements?.compactMap { $0["id"]?.text }
        #expect(ids?.count == Made.allCases.count - 1)
        #expect(ids?.contains(fork.id) == false)
        let again = try await account("DELETE", path, setting.credential, key: "key")
        #expect(again.status == 204)
        #expect(again.headers["Idempotency-Replayed"] == "true")
        let without = try await account("DELETE", path, setting.credential)
        #expect(without.code == "session-not-found")
        // The end of a session revokes no credential.
        #expect(try await account("GET", "", setting.deviceCredential).status == 200)
    }

    @Test("A credential does not end a session in which another user has logged in meanwhile")
    func nextUser() async throws {
        let setting = try await makeSetting()
        _ = try await setting.device.send("POST", "log-out")
        _ = try await setting.device.send(
            "POST", "sign-up", #"{"username": "bob", "password": "\#(Self.password)"}"#)
        let reply = try await account(
            "DELETE", "/sessions/\(setting.device.id)", setting.credential)
        #expect(reply.code == "session-not-found")
        #expect(try await setting.device.session()["auth"]?["username"]?.text == "bob")
    }

    // MARK: All credentials at once

    @Test("One request revokes all credentials, and its repetition with the same key succeeds")
    func logOutEverywhere() async throws {
        let setting = try await makeSetting()
        let path = "/credentials"
        for query in ["?except=", "?except=all", "?except=current&except=current", "?x=current"] {
            let reply = try await account("DELETE", path + query, setting.credential)
            #expect(reply.status == 400)
            #expect(reply.code == "invalid-query")
        }
        let others = "\(path)?except=current"
        #expect(
            try await account("DELETE", others, setting.credential, key: "key").status == 204)
        #expect(try await account("GET", "", setting.credential).status == 200)
        #expect(try await account("GET", "", setting.deviceCredential).status == 401)
        // The same key with another query is another request.
        let other = try await account("DELETE", path, setting.credential, key: "key")
        #expect(other.code == "idempotency-key-reused")
        #expect(try await account("GET", "", setting.credential).status == 200)

        #expect(try await account("DELETE", path, setting.credential, key: "all").status == 204)
        #expect(try await account("GET", "", setting.credential).status == 401)
        let again = try await account("DELETE", path, setting.credential, key: "all")
        #expect(again.status == 204)
        #expect(again.headers["Idempotency-Replayed"] == "true")
        #expect(try await account("DELETE", path, setting.credential).status == 401)
        let (_, credential) = try await enter("log-in")
        let list = try await account("GET", path, credential)
        #expect(list.json["items"]?.count == 1)
    }

    // MARK: A removed account

    @Test("After an account is removed, its name and its titles are not in the database file")
    func removedFromFile() async throws {
        let folder = try TemporaryFolder()
        let store = try StoreKind.sqlite.makeStore(in: folder)
        let service = try TestService(store: store)
        let entry = #"{"username": "grace.hopper", "password": "\#(Self.password)"}"#
        func visit(_ client: Client, _ route: String) async throws -> String {
            let reply = try await client.send("POST", route, entry)
            // Enough changes that a part of the history leaves the session's row.
            for number in 0..<40 {
                let pushed = try await client.send("POST", "push", #"{"scene": "titles"}"#)
                let top = pushed.json["session"]?["viewControllers"]?.elements?.last?["id"]?.text
                _ = try await client.send(
                    "PATCH", "view-controllers/\(top ?? "")", #"{"title": "Nanosecond \#(number)"}"#
                )
            }
            return try #require(reply.json["credential"]?.text)
        }
        // A session in which another user logs in later, and one that stays logged in.
        let shared = try await Client(service.api)
        _ = try await visit(shared, "sign-up")
        _ = try await shared.send("POST", "log-out")
        let bob = #"{"username": "bob", "password": "\#(Self.password)"}"#
        _ = try await shared.send("POST", "sign-up", bob)
        let credential = try await visit(try await Client(service.api), "log-in")
        let removed = try await service.api.send(
            "POST", "/v1/account/delete", #"{"password": "\#(Self.password)"}"#, token: credential)
        #expect(removed.status == 204)
        #expect(try await shared.session()["auth"]?["username"]?.text == "bob")
        #expect(try await shared.send("POST", "push", #"{"scene": "titles"}"#).status == 200)

        while try await store.purge(before: Timestamp(milliseconds: 0)) {}
        // Closing the store moves the write-ahead log into the file.
        await store.close()
        let file = try Data(contentsOf: URL(filePath: folder.file("waypost.sqlite")))
        #expect(file.range(of: Data("bob".utf8)) != nil)
        for text in ["grace.hopper", "Nanosecond"] {
            #expect(file.range(of: Data(text.utf8)) == nil, "\(text)")
        }
    }

    // MARK: Repeated requests

    @Test("A repeated request does not show the screens of a log-in that has ended")
    func replays() async throws {
        let client = try await Client(service.api)
        let entry = #"{"username": "Ada", "password": "\#(Self.password)"}"#
        func send(
            _ method: String, _ path: String, _ body: String = "", minimal: Bool = false
        ) async throws -> Reply {
            var headers = ["Idempotency-Key": "\(method) \(path)".replacing(" ", with: "-")]
            if minimal { headers["Prefer"] = "return=minimal" }
            return try await client.send(method, path, body, headers: headers)
        }
        func sendAll() async throws -> [Reply] {
            [
                try await send("POST", "sign-up", entry),
                try await send("POST", "push", #"{"scene": "titles"}"#),
                try await send("PATCH", "view-controllers/vc2", #"{"title": "Ada's secret"}"#),
                try await send("POST", "pop", minimal: true),
                try await send("PATCH", "", #"{"name": "kiosk"}"#),
            ]
        }
        func open() async throws -> Reply {
            try await service.api.send(
                "POST", "/v1/sessions", #"{"fork": {"session": "\#(client.id)"}}"#,
                token: client.token, headers: ["Idempotency-Key": "fork"])
        }
        let first = try await sendAll() + [open()]
        #expect(first.map(\.status) == [200, 200, 200, 200, 200, 201])
        let again = try await sendAll() + [open()]
        #expect(again.map(\.bytes) == first.map(\.bytes))

        let logOut = try await send("POST", "log-out")
        #expect(logOut.status == 200)
        for user in ["nobody", "bob"] {
            let replies = try await sendAll() + [open()]
            #expect(replies.map(\.status) == [403, 403, 403, 403, 403, 403], "\(user)")
            for reply in replies {
                #expect(reply.code == "credential-revoked")
                #expect(!reply.body.contains("Ada"))
            }
            // The log-out belongs to no log-in.
            let repeated = try await send("POST", "log-out")
            #expect(repeated.bytes == logOut.bytes)
            #expect(repeated.headers["Idempotency-Replayed"] == "true")
            let next = #"{"username": "bob", "password": "\#(Self.password)"}"#
            _ = try await client.send("POST", "sign-up", next)
        }
        // The repetitions have changed nothing.
        #expect(try await client.session()["auth"]?["username"]?.text == "bob")
        _ = try await send("DELETE", "")
        let ended = try await send("DELETE", "")
        #expect(ended.status == 204)
        #expect(ended.headers["Idempotency-Replayed"] == "true")
    }
}
