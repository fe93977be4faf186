import SessionStoreTesting
import TestSupport
import Testing
import WaypostCore

@testable import Sessions

@Suite("Account directory", .everyStore, .timeLimit(.minutes(10)))
struct AccountDirectoryTests {
    private let fixture: Fixture
    private var accounts: AccountDirectory { fixture.accountDirectory }

    init() throws {
        fixture = try Fixture(.withLogin())
    }

    private func account(_ username: String) async throws -> Account? {
        try await fixture.store.base.account(try Username(username))
    }

    private func credentials(of username: String) async throws -> [Credential] {
        try await fixture.store.base.credentials(
            of: try Username(username), at: fixture.clock.now, after: nil, limit: 100)
    }

    private func signedUp(
        _ username: String = "Ada"
    ) async throws -> (holder: AccountDirectory.AuthenticatedAccount, credential: Secret) {
        try await fixture.signUp(username, "countess!")
        let credential = try await fixture.logIn(username, "countess!").credential
        return (try await fixture.holder(of: credential), credential)
    }

    private func attempt(_ request: String = "request", key: String = "key") -> IdempotentRequest<
        Void
    > {
        IdempotentRequest(key: key, token: "wpc_1", request: request, requestSize: 100) { _, _ in
            Array("done".utf8)
        }
    }

    private func canLogIn(_ username: String, _ password: String) async -> Bool {
        (try? await fixture.accounts.logIn(username, password, from: nil)) != nil
    }

    // MARK: Authentication

    @Test("A valid credential authenticates its account")
    func holder() async throws {
        let (holder, credential) = try await signedUp()
        #expect(holder.account == (try await account("ada")))
        #expect(holder.credential.hash == credential.hash)
    }

    @Test("An invalid credential authenticates no account, whatever the reason")
    func nobody() async throws {
        for text in ["", "wpc_", "wpc_" + String(repeating: "0", count: 64)] {
            #expect(try await accounts.authenticate(text) == nil)
        }
        let (_, credential) = try await signedUp()
        #expect(try await accounts.authenticate("wps_" + credential.text.dropFirst(4)) == nil)
        fixture.clock.advance(by: Fixture.credentialTTL)
        #expect(try await accounts.authenticate(credential.text) == nil)
        let (session, other) = try await fixture.logIn("ada", "countess!")
        _ = try await session.logOut()
        #expect(try await accounts.authenticate(other.text) == nil)
        // This credential is valid by itself, but its account does not exist.
        #expect(try await accounts.authenticate(fixture.issueCredential(to: "eve").text) == nil)
    }

    @Test("A credential's use is recorded at most once a minute")
    func use() async throws {
        let (_, credential) = try await signedUp()
        let first = fixture.clock.now
        #expect(try await fixture.stored(credential)?.lastUsedAt == first)
        let writes = fixture.store.count(.other)
        for _ in 0..<59 {
            fixture.clock.advance(by: .seconds(1))
            _ = try await fixture.holder(of: credential)
        }
        #expect(fixture.store.count(.other) == writes)
        #expect(try await fixture.stored(credential)?.lastUsedAt == first)
        fixture.clock.advance(by: .seconds(1))
        _ = try await fixture.holder(of: credential)
        _ = try await fixture.holder(of: credential)
        #expect(fixture.store.count(.other) == writes + 1)
        let last = try await fixture.store.base.credential(credential.hash)?.lastUsedAt
        #expect(last == first + .seconds(60))
    }

    @Test("Opening a session records the credential's use")
    func useToOpen() async throws {
        let secret = try await fixture.issueCredential(to: "ada")
        #expect(try await fixture.stored(secret)?.lastUsedAt == nil)
        _ = try await fixture.directory.opened(credential: secret.text)
        let now = fixture.clock.now
        #expect(try await fixture.stored(secret)?.lastUsedAt == now)
    }

    // MARK: The password

    @Test("A new password replaces the old one and revokes all other credentials")
    func changePassword() async throws {
        let (holder, own) = try await signedUp()
        let other = try await fixture.logIn("ada", "countess!").credential
        try await fixture.signUp("bob", "countess!")
        let stranger = try await fixture.logIn("bob", "countess!").credential
        _ = try await accounts.changePassword(
            of: holder, from: "countess!", to: "analytical", client: nil
        ).value
        #expect(await canLogIn("ada", "analytical"))
        #expect(await !canLogIn("ada", "countess!"))
        #expect(try await fixture.username(of: own) == "Ada")
        #expect(try await fixture.username(of: stranger) == "bob")
        await #expect(throws: CredentialRefusal.revoked) {
            try await fixture.username(of: other)
        }
    }

    @Test("A rejected change of password changes nothing")
    func refusedPassword() async throws {
        let (holder, _) = try await signedUp()
        let other = try await fixture.logIn("ada", "countess!").credential
        let before = try await account("ada")
        let size = SessionError.invalidPassword("expected 8 to 256 bytes")
        let weak = SessionError.weakPassword(
            "one of the 10,000 most common passwords: choose another")
        let cases: [(String, String, SessionError)] = [
            ("countess?", "analytical", .wrongPassword), ("", "analytical", .wrongPassword),
            ("countess!", "short", size), ("countess!", "password", weak),
        ]
        for (old, new, error) in cases {
            await #expect(throws: error) {
                try await accounts.changePassword(of: holder, from: old, to: new, client: nil)
            }
        }
        fixture.store.fail(.other)
        await #expect(throws: SessionError.storage(ScriptedStore.failure)) {
            try await accounts.changePassword(
                of: holder, from: "countess!", to: "analytical", client: nil)
        }
        #expect(try await account("ada") == before)
        #expect(try await fixture.username(of: other) == "Ada")
    }

    @Test("An invalid new password is rejected before the old one is hashed")
    func refusedBeforeHashing() async throws {
        // This queue has no places: a password that is sent to be hashed fails as busy.
        let fixture = try Fixture(.withLogin(), hashingQueue: 0)
        var commit = WriteBatch()
        commit.account = .insert(
            Account(
                username: try Username("ada.lovelace"), password: PasswordHash(text: ""),
                createdAt: fixture.clock.now))
        try await fixture.store.base.commit(commit)
        let holder = try await fixture.holder(of: fixture.issueCredential(to: "ada.lovelace"))
        for (password, refusal) in [
            ("short", SessionError.invalidPassword("expected 8 to 256 bytes")),
            ("Password1", .weakPassword("one of the 10,000 most common passwords: choose another")),
            ("Ada.Lovelace", .weakPassword("the same as the username: choose another")),
            ("good password", .passwordsBusy),
        ] {
            await #expect(throws: refusal) {
                try await fixture.accountDirectory.changePassword(
                    of: holder, from: "countess!", to: password, client: nil)
            }
        }
    }

    @Test("Wrong passwords in account requests count like those of log-ins")
    func guesses() async throws {
        let (holder, _) = try await signedUp()
        for number in 0..<5 {
            await #expect(throws: SessionError.wrongPassword) {
                if number.isMultiple(of: 2) {
                    _ = try await accounts.remove(holder, password: "guess", client: nil)
                } else {
                    _ = try await accounts.changePassword(
                        of: holder, from: "guess", to: "analytical", client: nil)
                }
            }
        }
        let throttled = SessionError.throttled(
            RateLimitExceeded(
                policy: "log-in-username", quota: 5, window: nil, retryAfter: .seconds(1)))
        await #expect(throws: throttled) {
            try await accounts.remove(holder, password: "countess!", client: nil)
        }
        await #expect(throws: throttled) { try await fixture.logIn("ada", "countess!") }
        #expect(try await account("ada") != nil)
    }

    @Test("One of two concurrent changes of a password succeeds")
    func passwordsAtOnce() async throws {
        let (holder, _) = try await signedUp()
        let gate = Gate()
        fixture.store.hold(.other, at: gate)
        let changes = ["analytical", "engineering"].map { new in
            Task { [accounts] in
                try await accounts.changePassword(
                    of: holder, from: "countess!", to: new, client: nil)
            }
        }
        await gate.waitForArrivals(2)
        gate.open()
        var made = 0
        for change in changes {
            do {
                _ = try await change.value.value
                made += 1
            } catch {
                #expect(error as? SessionError == .accountChanged)
            }
        }
        #expect(made == 1)
        #expect(await canLogIn("ada", "analytical") != canLogIn("ada", "engineering"))
    }

    // MARK: Credentials

    @Test("The holder's valid credentials are listed with their sessions, the newest first")
    func list() async throws {
        let (holder, own) = try await signedUp()
        fixture.clock.advance(by: .seconds(1))
        let (session, second) = try await fixture.logIn("ada", "countess!")
        fixture.clock.advance(by: .seconds(1))
        let (revoked, _) = try await fixture.logIn("ada", "countess!")
        _ = try await revoked.logOut()
        _ = try await fixture.signUp("bob", "countess!")
        _ = try await fixture.logIn("bob", "countess!")
        let listed = try await accounts.credentials(of: holder, after: nil, limit: 10)
        #expect(listed.map(\.hash) == [second.hash, own.hash])
        #expect(listed.first?.session == session.id.description)
        let rest = try await accounts.credentials(
            of: holder, after: listed.first?.position, limit: 10)
        #expect(rest.map(\.hash) == [own.hash])
    }

    @Test("A holder revokes a credential by its id, even the one in use")
    func revoke() async throws {
        let (holder, own) = try await signedUp()
        let other = try await fixture.logIn("ada", "countess!").credential
        let ids = try await credentials(of: "ada").map(\.id)
        #expect(ids.count == 2)
        for id in ids { _ = try await accounts.revoke(id, of: holder).value }
        for credential in [own, other] {
            await #expect(throws: CredentialRefusal.revoked) {
                try await fixture.username(of: credential)
            }
        }
    }

    @Test("A holder cannot revoke an unknown, foreign, revoked or expired credential")
    func revokeNone() async throws {
        let (holder, _) = try await signedUp()
        let (_, strangers) = try await signedUp("bob")
        let strangersID = try await #require(credentials(of: "bob").first).id
        let (session, _) = try await fixture.logIn("ada", "countess!")
        let hash = try #require(try await session.current().credential)
        let revokedID = try await #require(fixture.store.base.credential(hash)).id
        _ = try await session.logOut()
        let expired = try await fixture.issueCredential(to: "ada")
        let expiredID = try await #require(fixture.store.base.credential(expired.hash)).id
        let unknownID = try #require(CredentialID(String(repeating: "0", count: 32)))
        fixture.clock.advance(by: Fixture.credentialTTL)
        for id in [unknownID, strangersID, revokedID, expiredID] {
            await #expect(throws: SessionError.credentialNotFound) {
                try await accounts.revoke(id, of: holder)
            }
        }
        #expect(try await fixture.stored(strangers)?.isRevoked == false)
    }

    // MARK: Removing

    @Test("Removing an account removes its credentials and frees the name")
    func remove() async throws {
        let (holder, credential) = try await signedUp()
        _ = try await fixture.logIn("ada", "countess!")
        try await fixture.signUp("bob", "countess!")
        let stranger = try await fixture.logIn("bob", "countess!").credential
        _ = try await accounts.remove(holder, password: "countess!", client: nil).value
        #expect(try await account("ada") == nil)
        #expect(try await credentials(of: "ada").isEmpty)
        #expect(try await fixture.stored(credential) == nil)
        #expect(try await fixture.username(of: stranger) == "bob")
        try await fixture.signUp("ada", "countess!")
    }

    @Test("A wrong or just replaced password does not remove the account")
    func refusedRemoval() async throws {
        let (holder, _) = try await signedUp()
        await #expect(throws: SessionError.wrongPassword) {
            try await accounts.remove(holder, password: "countess?", client: nil)
        }
        let gate = Gate()
        fixture.store.hold(.other, at: gate)
        let removal = Task { [accounts] in
            try await accounts.remove(holder, password: "countess!", client: nil)
        }
        await gate.waitForArrivals(1)
        fixture.store.hold(.other, at: nil)
        try await accounts.resetPassword("ada", "analytical")
        gate.open()
        await #expect(throws: SessionError.accountChanged) { try await removal.value }
        #expect(await canLogIn("ada", "analytical"))
    }

    // MARK: Requests that are sent again

    @Test("A repeated account request returns the first response, even after the account's removal")
    func replay() async throws {
        let (holder, _) = try await signedUp()
        let other = try await fixture.logIn("ada", "countess!").credential
        let id = try await #require(fixture.store.base.credential(other.hash)).id
        let changes: [(String, (IdempotentRequest<Void>) async throws -> IdempotentResult<Void>)] =
            [
                ("revoke", { try await accounts.revoke(id, of: holder, idempotency: $0) }),
                (
                    "change",
                    {
                        try await accounts.changePassword(
                            of: holder, from: "countess!", to: "analytical", client: nil,
                            idempotency: $0)
                    }
                ),
                (
                    "remove",
                    {
                        try await accounts.remove(
                            holder, password: "analytical", client: nil, idempotency: $0)
                    }
                ),
            ]
        for (name, change) in changes {
            let attempt = attempt(name, key: name)
            _ = try await change(attempt).value
            let writes = fixture.store.count(.other)
            for _ in 0..<3 {
                #expect(try await change(attempt).replay == Array("done".utf8))
                #expect(try await accounts.response(to: attempt) == Array("done".utf8))
            }
            #expect(fixture.store.count(.other) == writes)
            let reused = self.attempt("another request", key: name)
            await #expect(throws: SessionError.idempotencyKeyReused) { try await change(reused) }
            await #expect(throws: SessionError.idempotencyKeyReused) {
                try await accounts.response(to: reused)
            }
        }
        #expect(try await account("ada") == nil)
    }

    @Test("One of many concurrent requests with one key is carried out; all get its response")
    func replaysAtOnce() async throws {
        let (holder, _) = try await signedUp()
        let attempt = attempt()
        let writes = fixture.store.count(.other)
        let made = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<20 {
                group.addTask { [accounts] in
                    let answered = try await accounts.changePassword(
                        of: holder, from: "countess!", to: "analytical", client: nil,
                        idempotency: attempt)
                    return if case .fresh = answered { true } else { false }
                }
            }
            return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(made == 1)
        #expect(fixture.store.count(.other) == writes + 1)
    }

    @Test("A rejected account request is not recorded and can be repeated")
    func refusalIsNotKept() async throws {
        let (holder, _) = try await signedUp()
        let attempt = attempt()
        await #expect(throws: SessionError.wrongPassword) {
            try await accounts.remove(
                holder, password: "countess?", client: nil, idempotency: attempt)
        }
        #expect(try await accounts.response(to: attempt) == nil)
        _ = try await accounts.remove(
            holder, password: "countess!", client: nil, idempotency: attempt
        ).value
    }

    // MARK: For the operator

    @Test("The operator creates, lists, disables, enables and removes accounts")
    func operate() async throws {
        for username in ["carol", "Ada", "bob"] { try await accounts.add(username, "countess!") }
        let listed = try await accounts.list(after: nil, limit: 10)
        #expect(listed.map(\.username.text) == ["Ada", "bob", "carol"])
        #expect(
            try await accounts.list(after: "ADA", limit: 1).map(\.username.text) == ["bob"])
        try await accounts.setDisabled("ADA", true)
        #expect(try await account("ada")?.isDisabled == true)
        #expect(await !canLogIn("ada", "countess!"))
        try await accounts.setDisabled("ada", false)
        #expect(await canLogIn("ada", "countess!"))
        try await accounts.resetPassword("ada", "analytical")
        #expect(await canLogIn("ada", "analytical"))
        try await accounts.remove("ADA")
        #expect(try await account("ada") == nil)
    }

    @Test("A disabled account stays disabled after a password reset")
    func resetOfDisabled() async throws {
        try await accounts.add("ada", "countess!")
        try await accounts.setDisabled("ada", true)
        try await accounts.resetPassword("ada", "analytical")
        #expect(await !canLogIn("ada", "analytical"))
        try await accounts.setDisabled("ada", false)
        #expect(await canLogIn("ada", "analytical"))
    }

    @Test("Invalid requests of the operator are rejected with the reason")
    func refused() async throws {
        try await accounts.add("ada", "countess!")
        let before = try await account("ada")
        let cases: [(SessionError, () async throws -> Void)] = [
            (.usernameTaken, { try await accounts.add("ADA", "countess!") }),
            (.accountNotFound, { try await accounts.remove("bob") }),
            (.accountNotFound, { try await accounts.setDisabled("bob", true) }),
            (.accountNotFound, { try await accounts.resetPassword("bob", "countess!") }),
            (
                .invalidUsername("expected 3 to 64 characters"),
                { try await accounts.remove("b") }
            ),
            (
                .invalidUsername("expected 3 to 64 characters"),
                { _ = try await accounts.list(after: "b", limit: 1) }
            ),
            (
                .invalidPassword("expected 8 to 256 bytes"),
                { try await accounts.resetPassword("ada", "short") }
            ),
            (
                .weakPassword("one of the 10,000 most common passwords: choose another"),
                { try await accounts.add("carol", "password") }
            ),
        ]
        for (error, run) in cases {
            await #expect(throws: error) { try await run() }
        }
        #expect(try await account("ada") == before)
        #expect(try await accounts.list(after: nil, limit: 10).count == 1)
    }
}
