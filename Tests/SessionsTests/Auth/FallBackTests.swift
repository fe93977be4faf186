import NavigationRules
import SessionStoreTesting
import TestSupport
import Testing
import WaypostCore

@testable import Sessions

/// A session whose credential is no longer valid falls back to the login root.
@Suite("Fall-back to the login root", .timeLimit(.minutes(10)))
struct FallBackTests: FallBackSuite {
    /// The requests that a client sends to a session.
    enum Request: CaseIterable {
        case show, events, push, logOut, replayedKey

        func send(to session: Session) async throws {
            switch self {
            case .show: _ = try await session.current()
            case .events: _ = try await session.history.events(after: 0, limit: 1)
            case .push:
                let refused = SessionError.navigation(.loginRequired("settings"))
                await #expect(throws: refused) { try await session.push("settings") }
            case .logOut: #expect(try await !session.logOut().value.outcome.changed)
            case .replayedKey:
                let attempt = IdempotentRequest<ChangeResult>(
                    key: "k", token: "t", request: "r", requestSize: 100
                ) { _, _ in [] }
                _ = try await session.perform(.popToRoot, animated: true, idempotency: attempt)
            }
        }
    }

    let fixture: Fixture

    init() throws { fixture = try .forFallBack() }

    @Test(
        "A session falls back once, at the first request after its credential ended",
        arguments: CredentialEnding.allCases, Request.allCases)
    func once(ending: CredentialEnding, request: Request) async throws {
        try await expectOneFallBack(ending, request)
    }

    @Test(
        "In each store, a session falls back once after each end of its credential", .everyStore,
        arguments: CredentialEnding.allCases)
    func onceAfterEachEnd(ending: CredentialEnding) async throws {
        try await expectOneFallBack(ending, .show)
    }

    @Test(
        "In each store, a session falls back once at each kind of request", .everyStore,
        arguments: Request.allCases)
    func onceAtEachRequest(request: Request) async throws {
        try await expectOneFallBack(.revocation, request)
    }

    private func expectOneFallBack(_ ending: CredentialEnding, _ request: Request) async throws {
        let (session, credential) = try await loggedIn()
        let before = try await session.current()
        try await end(credential, ending)
        #expect(try await fixture.store.base.holds(before))
        try await request.send(to: session)
        try await expectFallBack(of: session, from: before, ending.refusal)
        for request in Request.allCases { try await request.send(to: session) }
        try await expectFallBack(of: session, from: before, ending.refusal)
    }

    @Test(
        "A session falls back after a restart of the service", .everyStore,
        arguments: CredentialEnding.allCases)
    func restart(ending: CredentialEnding) async throws {
        try await fixture.signUp("ada", "countess!")
        let (record, token) = try await fixture.directory.opened()
        let session = try #require(
            try await fixture.directory.session(record.id, token: token.hash))
        let credential = try #require(
            try await session.logIn("ada", "countess!").value.credential)
        let before = try await session.push("detail").session
        try await end(credential, ending)
        for _ in 0..<2 {
            let restarted = try await fixture.restarted().session(record.id, token: token.hash)
            try await expectFallBack(of: #require(restarted), from: before, ending.refusal)
        }
    }

    @Test(
        "A session falls back if its credential is revoked after a restart", .everyStore,
        arguments: [false, true])
    func revokedAfterRestart(isAllOfThem: Bool) async throws {
        let (record, token) = try await fixture.directory.opened(
            credential: fixture.issueCredential(to: "ada").text)
        let service = fixture.restartedService()
        let directory = SessionDirectory(service)
        let session = try #require(try await directory.session(record.id, token: token.hash))
        _ = try await session.push("detail")
        let before = try await session.current()
        try await fixture.signUp("ada", "countess!")
        let accounts = AccountDirectory(service)
        if isAllOfThem {
            try await accounts.setDisabled("ada", true)
        } else {
            let other = try await fixture.issueCredential(to: "ada")
            let holder = try #require(try await accounts.authenticate(other.text))
            let all = try await accounts.credentials(of: holder, after: nil, limit: 10)
            let id = try #require(all.first { $0.hash == before.credential }).id
            _ = try await accounts.revoke(id, of: holder).value
        }
        try await expectFallBack(of: session, from: before)
    }

    @Test("A session of the app before a reload falls back if the new app revokes its credential")
    func revokedByNewApp() async throws {
        let (session, _) = try await loggedIn()
        let before = try await session.current()
        let service = fixture.restartedService(replacing: fixture.service)
        try await AccountDirectory(service).setDisabled("ada", true)
        try await expectFallBack(of: session, from: before)
    }

    @Test("A session whose credential the store has forgotten falls back as after a revocation")
    func forgottenCredential() async throws {
        let lifetime = Fixture.credentialTTL + Credential.retention
        let fixture = try Fixture(.withLogin(), sessionTTL: lifetime * 2)
        let session = try await fixture.open(for: "ada")
        fixture.clock.advance(by: lifetime)
        while try await fixture.store.purge(before: fixture.clock.now) {}
        let record = try await session.current()
        #expect(record.window.root == .login)
        #expect(record.credentialRefusal == .revoked)
    }

    @Test("A log-in after the fall-back opens the app root again", .everyStore)
    func logInAgain() async throws {
        for ending in CredentialEnding.allCases where ending != .disabling {
            let fixture = try FallBackTests()
            let (session, credential) = try await fixture.loggedIn()
            let before = try await session.current()
            try await fixture.end(credential, ending)
            let password = ending.leavesPassword ? "countess!" : "analytical"
            let change = try await session.logIn("ada", password).value
            #expect(change.session.revision == before.revision + 2)
            #expect(change.session.credentialRefusal == nil)
            #expect(try await session.current().scenes == ["home"])
            #expect(try await session.push("detail").session.scenes == ["home", "detail"])
        }
    }

    @Test("A disabled account cannot log in, and an enabled one can again", .everyStore)
    func noLogInAgain() async throws {
        let (session, credential) = try await loggedIn()
        try await end(credential, .disabling)
        let wrong = SessionError.wrongCredentials
        await #expect(throws: wrong) { try await session.logIn("ada", "countess!") }
        try await fixture.accountDirectory.setDisabled("ada", false)
        _ = try await session.logIn("ada", "countess!").value
        #expect(try await session.current().scenes == ["home"])
    }

    @Test("The fall-back precedes the precondition and keeps idempotency records", .everyStore)
    func preconditionAndAttempt() async throws {
        let (session, credential) = try await loggedIn()
        let attempt = IdempotentRequest<ChangeResult>(
            key: "key", token: "wps_", request: "push", requestSize: 100
        ) { change, _ in Array("\(change.session.revision)".utf8) }
        _ = try await session.perform(.push("settings"), animated: true, idempotency: attempt)
        let before = try await session.current()
        try await end(credential, .logOutElsewhere)
        let mismatch = SessionError.revisionMismatch(present: before.revision + 1)
        await #expect(throws: mismatch) {
            try await session.perform(
                .push("signUp"), animated: true, if: revision(before.revision)
            )
        }
        #expect(try await session.current().revision == before.revision + 1)
        let again = try await session.perform(
            .push("settings"), animated: true, idempotency: attempt)
        #expect(try again.replay == Array("\(before.revision)".utf8))
    }

    @Test("A deep link after the fall-back waits for the next log-in", .everyStore)
    func link() async throws {
        let (session, credential) = try await loggedIn()
        try await end(credential, .logOutElsewhere)
        let link = Link.path("/detail")
        let change = try await session.perform(.open(link), animated: true).value
        #expect(change.session.scenes == ["logIn"])
        #expect(change.session.window.pendingLink == "/detail")
        let entered = try await session.logIn("ada", "countess!").value
        #expect(entered.session.scenes == ["detail"])
    }
}
