import SessionStoreTesting
import TestSupport
import Testing
import WaypostCore

@testable import Sessions

@Suite("Account directory: the password", .everyStore, .timeLimit(.minutes(10)))
struct AccountPasswordTests: AccountDirectorySuite {
    let fixture: Fixture

    init() throws { fixture = try Fixture(.withLogin()) }

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
}
