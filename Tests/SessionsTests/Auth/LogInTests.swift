import NavigationRules
import SessionStoreTesting
import TestSupport
import Testing

@testable import Sessions

@Suite("Log-in and log-out", .everyStore, .timeLimit(.minutes(10)))
struct LogInTests {
    private let fixture: Fixture

    init() throws {
        fixture = try Fixture(.withLogin())
    }

    @Test("A sign-up shows the app root and issues a credential")
    func signUp() async throws {
        let session = try await fixture.open()
        _ = try await session.push("signUp")
        let change = try await session.signUp("Ada", "countess!").value
        #expect(change.outcome.transition == .root)
        #expect(change.session.window.auth == .loggedIn(username: "Ada"))
        #expect(change.session.window.root == .app)
        #expect(change.session.scenes == ["home"])
        #expect(change.session.revision == 3)
        let secret = try #require(change.credential)
        #expect(try await fixture.username(of: secret) == "Ada")
        #expect(change.session.credential == secret.hash)
    }

    @Test("A log-in shows the app root with the username as signed up")
    func logIn() async throws {
        try await fixture.signUp("Ada", "countess!")
        let session = try await fixture.open()
        let change = try await session.logIn("ADA", "countess!").value
        #expect(change.outcome.transition == .root)
        #expect(change.session.window.auth == .loggedIn(username: "Ada"))
        let secret = try #require(change.credential)
        #expect(try await fixture.username(of: secret) == "Ada")
    }

    @Test("A log-out shows the login root and revokes only the session's credential")
    func logOut() async throws {
        let other = try await fixture.open()
        let kept = try #require(try await other.signUp("ada", "countess!").value.credential)
        let session = try await fixture.open()
        let revoked = try #require(try await session.logIn("ada", "countess!").value.credential)
        let change = try await session.logOut().value
        #expect(change.outcome.transition == .root)
        #expect(change.session.window.auth == .loggedOut)
        #expect(change.session.scenes == ["logIn"])
        #expect(change.session.credential == nil)
        #expect(change.credential == nil)
        await #expect(throws: CredentialRefusal.revoked) {
            try await fixture.username(of: revoked)
        }
        #expect(try await fixture.username(of: kept) == "ada")
        #expect(try await other.record().window.root == .app)
    }

    @Test("A log-out while logged out changes nothing")
    func logOutTwice() async throws {
        let session = try await fixture.open()
        let change = try await session.logOut().value
        #expect(!change.outcome.changed)
        #expect(try await session.record().revision == 1)
    }

    @Test(
        "A log-in that fails changes nothing",
        arguments: [("ada", "wrong password"), ("bob", "countess!"), ("", "")])
    func wrong(username: String, password: String) async throws {
        try await fixture.signUp("ada", "countess!")
        let session = try await fixture.open()
        await #expect(throws: SessionError.wrongCredentials) {
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
        try await fixture.signUp("ada", "countess!")
        let session = try await fixture.open()
        await #expect(throws: SessionError.usernameTaken) {
            try await session.signUp("ada", "countess!")
        }
        await #expect(throws: SessionError.invalidPassword("expected 8 to 256 bytes")) {
            try await session.signUp("bob", "short")
        }
        #expect(try await session.record().revision == 1)
        #expect(try await session.record().window.root == .login)
    }

    @Test("One of two sign-ups that both found the name free succeeds; the other changes nothing")
    func takenMeanwhile() async throws {
        let gate = Gate()
        let sessions = [try await fixture.open(), try await fixture.open()]
        fixture.store.hold(.update, at: gate)
        let requests = [("ada", "countess!"), ("ADA", "analytical")]
        let signUps = zip(sessions, requests).map { session, request in
            Task { try await session.signUp(request.0, request.1).value }
        }
        await gate.waitForArrivals(2)
        gate.open()
        var winners: [(name: String, password: String)] = []
        for ((session, signUp), request) in zip(zip(sessions, signUps), requests) {
            do {
                _ = try await signUp.value
                winners.append(request)
            } catch {
                #expect(error as? SessionError == .usernameTaken)
                let record = try await session.record()
                #expect(record.window.root == .login)
                #expect(record.revision == 1)
                #expect(record.credential == nil)
                #expect(try await session.allEvents().count == record.window.lastEvent)
            }
        }
        #expect(winners.count == 1)
        let winner = try #require(winners.first)
        let account = try await fixture.accounts.logIn("ada", winner.password, from: nil).account
        #expect(account.username.text == winner.name)
    }

    @Test("A logged-in session rejects log-in and sign-up before a password is hashed")
    func alreadyLoggedIn() async throws {
        // This queue has no places: a password that is sent to be hashed fails as busy.
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

    @Test("An app without a login rejects log-in and sign-up")
    func noLogin() async throws {
        let fixture = try Fixture(.withoutLogin(), hashingQueue: 0)
        let session = try await fixture.open()
        await #expect(throws: SessionError.navigation(.noLogin)) {
            try await session.logIn("ada", "countess!")
        }
        await #expect(throws: SessionError.navigation(.noLogin)) { try await session.logOut() }
    }

    @Test("A log-in, sign-up or log-out with a failed precondition changes nothing")
    func precondition() async throws {
        let session = try await fixture.open()
        let mismatch = SessionError.revisionMismatch(present: 1)
        await #expect(throws: mismatch) {
            try await session.signUp("ada", "countess!", if: revision(2))
        }
        // Without places to hash, a password that is sent to be hashed fails as busy.
        let full = try await Fixture(.withLogin(), hashingQueue: 0).open()
        await #expect(throws: mismatch) {
            try await full.logIn("ada", "countess!", if: revision(2))
        }
        let credential = try #require(try await session.signUp("ada", "countess!").value.credential)
        await #expect(throws: SessionError.revisionMismatch(present: 2)) {
            try await session.logOut(if: revision(1))
        }
        #expect(try await fixture.username(of: credential) == "ada")
    }

    @Test("A log-in opens the pending deep link, once")
    func pendingLink() async throws {
        let session = try await fixture.open()
        let link = Link.path("/detail")
        #expect(try await session.perform(.open(link), animated: true).value.outcome.changed)
        #expect(try await session.signUp("ada", "countess!").value.session.scenes == ["detail"])
        _ = try await session.logOut()
        #expect(try await session.logIn("ada", "countess!").value.session.scenes == ["home"])
    }
}
