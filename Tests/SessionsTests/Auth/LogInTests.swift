import Accounts
import Navigation
import Testing

@testable import Sessions

@Suite("Logging in and out", .timeLimit(.minutes(3)))
struct LogInTests {
    private let fixture: Fixture

    init() throws {
        fixture = try Fixture(.withLogin())
    }

    @Test("A sign-up swaps the root and gives a credential")
    func signUp() async throws {
        let session = try await fixture.open()
        _ = try await session.push("signUp")
        let change = try await session.signUp("Ada", "countess!")
        #expect(change.outcome.transition == .root)
        #expect(change.session.window.auth == .loggedIn(username: "Ada"))
        #expect(change.session.window.root == .app)
        #expect(change.session.scenes == ["home"])
        #expect(change.session.revision == 3)
        let secret = try #require(change.credential)
        #expect(try fixture.accounts.credential(secret.text).username.text == "Ada")
        #expect(change.session.credential == secret.hash)
    }

    @Test("A log-in does, with the name as it was signed up")
    func logIn() async throws {
        _ = try await fixture.accounts.signUp("Ada", "countess!")
        let session = try await fixture.open()
        let change = try await session.logIn("ADA", "countess!")
        #expect(change.outcome.transition == .root)
        #expect(change.session.window.auth == .loggedIn(username: "Ada"))
        let secret = try #require(change.credential)
        #expect(try fixture.accounts.credential(secret.text).username.text == "Ada")
    }

    @Test("A log-out swaps the root back and revokes the credential, and no other")
    func logOut() async throws {
        let other = try await fixture.open()
        let kept = try #require(try await other.signUp("ada", "countess!").credential)
        let session = try await fixture.open()
        let revoked = try #require(try await session.logIn("ada", "countess!").credential)
        let change = try await session.logOut()
        #expect(change.outcome.transition == .root)
        #expect(change.session.window.auth == .loggedOut)
        #expect(change.session.scenes == ["logIn"])
        #expect(change.session.credential == nil)
        #expect(change.credential == nil)
        #expect(throws: CredentialRefusal.unknown) {
            try fixture.accounts.credential(revoked.text)
        }
        #expect(try fixture.accounts.credential(kept.text).username.text == "ada")
        #expect(try await other.record().window.root == .app)
    }

    @Test("A log-out while logged out changes nothing")
    func logOutTwice() async throws {
        let session = try await fixture.open()
        let change = try await session.logOut()
        #expect(!change.outcome.changed)
        #expect(try await session.record().revision == 1)
    }

    @Test(
        "A log-in that fails changes nothing",
        arguments: [("ada", "wrong password"), ("bob", "countess!"), ("", "")])
    func wrong(username: String, password: String) async throws {
        _ = try await fixture.accounts.signUp("ada", "countess!")
        let session = try await fixture.open()
        await #expect(throws: SessionError.account(.wrongCredentials)) {
            try await session.logIn(username, password)
        }
        let record = try await session.record()
        #expect(record.window.auth == .loggedOut)
        #expect(record.revision == 1)
        #expect(record.credential == nil)
        #expect(fixture.store.count(.update) == 0)
    }

    @Test("A sign-up that fails changes nothing")
    func taken() async throws {
        _ = try await fixture.accounts.signUp("ada", "countess!")
        let session = try await fixture.open()
        await #expect(throws: SessionError.account(.usernameTaken)) {
            try await session.signUp("ada", "countess!")
        }
        await #expect(throws: SessionError.account(.invalidPassword("expected 8 to 256 bytes"))) {
            try await session.signUp("bob", "short")
        }
        #expect(try await session.record().revision == 1)
        #expect(try await session.record().window.root == .login)
    }

    @Test("While logged in both are refused before a password is hashed or an account made")
    func alreadyLoggedIn() async throws {
        // Any password that came to be hashed would be refused as busy.
        let fixture = try Fixture(.withLogin(), hashingQueue: 0)
        let session = try await fixture.open(for: "ada")
        await #expect(throws: SessionError.navigation(.alreadyLoggedIn)) {
            try await session.logIn("ada", "countess!")
        }
        await #expect(throws: SessionError.navigation(.alreadyLoggedIn)) {
            try await session.signUp("bob", "countess!")
        }
        #expect(try await session.record().window.auth == .loggedIn(username: "ada"))
    }

    @Test("An app without a login has neither")
    func noLogin() async throws {
        let fixture = try Fixture(.withoutLogin(), hashingQueue: 0)
        let session = try await fixture.open()
        await #expect(throws: SessionError.navigation(.noLogin)) {
            try await session.logIn("ada", "countess!")
        }
        await #expect(throws: SessionError.navigation(.noLogin)) { try await session.logOut() }
    }

    @Test("A precondition that does not hold makes no account and revokes nothing")
    func precondition() async throws {
        let session = try await fixture.open()
        let mismatch = SessionError.revisionMismatch(present: 1)
        await #expect(throws: mismatch) {
            try await session.signUp("ada", "countess!", if: { $0 == 2 })
        }
        let credential = try #require(try await session.signUp("ada", "countess!").credential)
        await #expect(throws: SessionError.revisionMismatch(present: 2)) {
            try await session.logOut(if: { $0 == 1 })
        }
        #expect(try fixture.accounts.credential(credential.text).username.text == "ada")
    }

    @Test("A link that waits at the login root is opened by the log-in, once")
    func pendingLink() async throws {
        let session = try await fixture.open()
        let link = Link(path: "/detail", segments: ["detail"])
        #expect(try await session.perform(.open(link), animated: true).outcome.changed)
        #expect(try await session.signUp("ada", "countess!").session.scenes == ["detail"])
        _ = try await session.logOut()
        #expect(try await session.logIn("ada", "countess!").session.scenes == ["home"])
    }
}
