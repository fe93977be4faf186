import NavigationRules
import SessionStoreTesting
import TestSupport
import Testing
import WaypostCore

@testable import Sessions

/// A session whose credential is no longer valid falls back to the login root.
@Suite("Fall-back to the login root", .everyStore, .timeLimit(.minutes(10)))
struct FallBackTests {
    /// The events that end a credential, except the removal of the account.
    enum Ending: CaseIterable {
        case logOutElsewhere, revocation, passwordChange, disabling, passwordReset, expiry

        var refusal: CredentialRefusal { self == .expiry ? .expired : .revoked }
        var leavesPassword: Bool {
            [.logOutElsewhere, .revocation, .expiry].contains(self)
        }
    }

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

    private let fixture: Fixture

    init() throws {
        // Sessions live longer than credentials, so that a credential can expire before its session.
        fixture = try Fixture(.withLogin(), sessionTTL: Fixture.credentialTTL * 2)
    }

    /// Ends a credential, from another session or with another credential where that is needed.
    private func end(_ credential: Secret, _ ending: Ending) async throws {
        let accounts = fixture.accountDirectory
        switch ending {
        case .logOutElsewhere:
            let (record, token) = try await fixture.directory.opened(credential: credential.text)
            let other = try #require(
                try await fixture.directory.session(record.id, token: token.hash))
            _ = try await other.logOut()
        case .revocation:
            let holder = try await fixture.holder(of: fixture.logIn("ada", "countess!").credential)
            let id = Credential(
                hash: credential.hash, username: holder.account.username, session: nil,
                createdAt: fixture.clock.now, expiresAt: fixture.clock.now
            ).id
            _ = try await accounts.revoke(id, of: holder).value
        case .passwordChange:
            let holder = try await fixture.holder(of: fixture.logIn("ada", "countess!").credential)
            _ = try await accounts.changePassword(
                of: holder, from: "countess!", to: "analytical", client: nil
            ).value
        case .disabling: try await accounts.setDisabled("ADA", true)
        case .passwordReset: try await accounts.resetPassword("ADA", "analytical")
        case .expiry: fixture.clock.advance(by: Fixture.credentialTTL)
        }
    }

    /// Opens a session with two view controllers on the stack, logged in as Ada.
    private func loggedIn() async throws -> (session: Session, credential: Secret) {
        try await fixture.signUp("ada", "countess!")
        let (session, credential) = try await fixture.logIn("ada", "countess!")
        _ = try await session.push("detail")
        return (session, credential)
    }

    /// Expects that the session shows the login root, one revision after `before`, and that its log
    /// contains the transition.
    private func expectFallBack(
        of session: Session, from before: SessionState, _ refusal: CredentialRefusal = .revoked,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let record = try await session.current()
        #expect(record.window.auth == .loggedOut, sourceLocation: sourceLocation)
        #expect(record.window.root == .login, sourceLocation: sourceLocation)
        #expect(record.scenes == ["logIn"], sourceLocation: sourceLocation)
        #expect(record.revision == before.revision + 1, sourceLocation: sourceLocation)
        #expect(record.credential == nil, sourceLocation: sourceLocation)
        #expect(record.credentialRefusal == refusal, sourceLocation: sourceLocation)
        let last = before.window.lastEvent
        let events = try await session.history.events(after: last, limit: .max).page.events
        #expect(
            events.map { "\($0.kind) \($0.scene)" } == [
                "viewDidLoad logIn", "willShow logIn", "viewWillDisappear detail",
                "viewWillAppear logIn", "didShow logIn", "viewDidDisappear detail",
                "viewDidAppear logIn",
            ], sourceLocation: sourceLocation)
        #expect(events.map(\.seq) == Array(last + 1...last + 7), sourceLocation: sourceLocation)
        #expect(
            events.allSatisfy { $0.revision == record.revision && !$0.animated },
            sourceLocation: sourceLocation)
        #expect(
            try await fixture.store.base.holds(record),
            sourceLocation: sourceLocation)
    }

    @Test(
        "A session falls back once, at the first request after its credential ended",
        arguments: Ending.allCases, Request.allCases)
    func once(ending: Ending, request: Request) async throws {
        let (session, credential) = try await loggedIn()
        let before = try await session.current()
        try await end(credential, ending)
        #expect(try await fixture.store.base.holds(before))
        try await request.send(to: session)
        try await expectFallBack(of: session, from: before, ending.refusal)
        for request in Request.allCases { try await request.send(to: session) }
        try await expectFallBack(of: session, from: before, ending.refusal)
    }

    @Test("A session falls back after a restart of the service", arguments: Ending.allCases)
    func restart(ending: Ending) async throws {
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
        "A session falls back if its credential is revoked after a restart",
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

    @Test("A log-in after the fall-back opens the app root again")
    func logInAgain() async throws {
        for ending in Ending.allCases where ending != .disabling {
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

    @Test("A disabled account cannot log in, and an enabled one can again")
    func noLogInAgain() async throws {
        let (session, credential) = try await loggedIn()
        try await end(credential, .disabling)
        let wrong = SessionError.wrongCredentials
        await #expect(throws: wrong) { try await session.logIn("ada", "countess!") }
        try await fixture.accountDirectory.setDisabled("ada", false)
        _ = try await session.logIn("ada", "countess!").value
        #expect(try await session.current().scenes == ["home"])
    }

    // MARK: A removed account

    /// Removes the account of a credential, as its user or as the operator.
    private func remove(_ credential: Secret, byOperator: Bool) async throws {
        let accounts = fixture.accountDirectory
        if byOperator { return try await accounts.remove("ADA") }
        let holder = try await fixture.holder(of: credential)
        _ = try await accounts.remove(holder, password: "countess!", client: nil).value
    }

    @Test(
        "The removal of an account ends its sessions, and its name is free",
        arguments: [false, true])
    func removal(byOperator: Bool) async throws {
        let (session, credential) = try await loggedIn()
        let (opened, token) = try await fixture.directory.opened(credential: credential.text)
        let stranger = try await fixture.open(for: "bob")
        try await remove(credential, byOperator: byOperator)
        await #expect(throws: SessionError.ended) { try await session.current() }
        await #expect(throws: SessionError.ended) { try await session.push("settings") }
        await #expect(throws: SessionError.ended) { try await session.logOut() }
        await #expect(throws: SessionError.ended) {
            try await session.history.events(after: 0, limit: 1)
        }
        let restarted = try await fixture.restarted().session(opened.id, token: token.hash)
        #expect(restarted == nil)
        #expect(try await stranger.current().window.root == .app)
        let next = try await fixture.open()
        _ = try await next.signUp("ada", "countess!").value
        #expect(try await next.current().scenes == ["home"])
    }

    @Test("The removal of an account removes the history of its log-ins in other sessions")
    func removedHistory() async throws {
        let session = try await fixture.open()
        try await fixture.signUp("ada", "countess!")
        try await fixture.signUp("bob", "countess!")
        _ = try await session.logIn("ada", "countess!").value
        _ = try await session.push("detail")
        _ = try await session.logOut().value
        _ = try await session.logIn("bob", "countess!").value
        let before = try await session.current()
        #expect(try await session.history.page(after: 1, limit: 10).changes.count == 4)
        let (_, credential) = try await fixture.logIn("ada", "countess!")
        try await remove(credential, byOperator: false)
        // Bob's session goes on, and its history begins again.
        #expect(try await session.current().revision == before.revision)
        let history = try await session.history.page(after: before.revision, limit: 10)
        #expect(history.changes.isEmpty)
        #expect(history.oldest == before.revision)
        for session in [session, try await fixture.restarted().session(session.id)] {
            let session = try #require(session)
            let pushed = try await session.push("detail").session.revision
            let changes = try await session.history.page(after: pushed - 1, limit: 10).changes
            #expect(changes.map(\.entry.revision) == [pushed])
            #expect(changes.first?.isHidden == false)
        }
    }

    @Test("The fall-back precedes the precondition and keeps idempotency records")
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
                .push("signUp"), animated: true, if: { revision, _ in revision == before.revision }
            )
        }
        #expect(try await session.current().revision == before.revision + 1)
        let again = try await session.perform(
            .push("settings"), animated: true, idempotency: attempt)
        #expect(try again.replay == Array("\(before.revision)".utf8))
    }

    @Test("A deep link after the fall-back waits for the next log-in")
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

    // MARK: Sessions that stay logged in

    @Test("A password change keeps its own session and other accounts' sessions logged in")
    func others() async throws {
        let (session, credential) = try await loggedIn()
        let (kept, keptCredential) = try await fixture.logIn("ada", "countess!")
        let (other, _) = try await fixture.logIn("ada", "countess!")
        try await fixture.signUp("bob", "countess!")
        let (stranger, _) = try await fixture.logIn("bob", "countess!")
        try await end(credential, .logOutElsewhere)
        for session in [kept, other, stranger] {
            #expect(try await session.current().window.root == .app)
            #expect(try await session.current().revision == 2)
        }
        #expect(try await session.current().window.root == .login)

        _ = try await fixture.accountDirectory.changePassword(
            of: fixture.holder(of: keptCredential), from: "countess!", to: "analytical", client: nil
        ).value
        for session in [kept, stranger] {
            #expect(try await session.current().window.root == .app)
            #expect(try await session.current().revision == 2)
        }
        #expect(try await other.current().credentialRefusal == .revoked)
        #expect(try await fixture.username(of: keptCredential) == "ada")
    }

    @Test("Enabling an enabled account logs no session out")
    func enable() async throws {
        let (session, credential) = try await loggedIn()
        try await fixture.accountDirectory.setDisabled("ada", false)
        #expect(try await session.current().window.root == .app)
        #expect(try await fixture.username(of: credential) == "ada")
    }

    @Test("A read does not ask the store for the credential after revocations of other accounts")
    func cost() async throws {
        let (session, _) = try await loggedIn()
        let looks = fixture.store.count(.credential)
        for _ in 0..<100 {
            _ = try await fixture.open(for: "bob").logOut()
            #expect(try await session.current().window.root == .app)
        }
        // Opening a session with a credential reads the credential once.
        #expect(fixture.store.count(.credential) == looks + 100)
        try await fixture.signUp("bob", "countess!")
        try await fixture.accountDirectory.remove("bob")
        for _ in 0..<5 { _ = try await session.current() }
        #expect(fixture.store.count(.credential) == looks + 100)
    }

    @Test("A revocation is seen even if more follow than the log holds", arguments: [0, 100, 199])
    func manyRevocations(position: Int) async throws {
        let (session, credential) = try await loggedIn()
        let before = try await session.current()
        let (other, _) = try await fixture.logIn("ada", "countess!")
        for number in 0..<200 {
            if number == position { try await end(credential, .logOutElsewhere) }
            _ = try await fixture.open(for: "bob").logOut()
        }
        try await expectFallBack(of: session, from: before)
        #expect(try await other.current().window.root == .app)
    }

    @Test("An app without a login ignores revocations, even for sessions with a credential")
    func noLogin() async throws {
        let (record, token) = try await fixture.directory.opened(
            credential: fixture.issueCredential(to: "ada").text)
        fixture.clock.advance(by: Fixture.credentialTTL)
        let directory = fixture.restarted(try .withoutLogin())
        let session = try #require(try await directory.session(record.id, token: token.hash))
        let looks = fixture.store.count(.credential)
        #expect(try await session.current().scenes == ["home"])
        #expect(try await session.push("detail").session.scenes == ["home", "detail"])
        #expect(try await session.current().revision == 2)
        #expect(fixture.store.count(.credential) == looks)
    }

    // MARK: At once

    @Test("Concurrent requests after a revocation cause one fall-back, and none sees the app root")
    func concurrent() async throws {
        let (session, credential) = try await loggedIn()
        let before = try await session.current()
        try await end(credential, .logOutElsewhere)
        let updates = fixture.store.count(.update)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<200 {
                group.addTask {
                    switch number % 4 {
                    case 0:
                        let page = try await session.history.events(after: 0, limit: .max).page
                        #expect(page.events.last?.scene == "logIn")
                    case 1:
                        let refused = SessionError.navigation(.loginRequired("settings"))
                        await #expect(throws: refused) { try await session.push("settings") }
                    default: #expect(try await session.current().window.root == .login)
                    }
                }
            }
            try await group.waitForAll()
        }
        // In a shared store, the revocation has changed the version of the session's row.
        let attempts = fixture.store.isShared ? 2 : 1
        #expect(fixture.store.count(.update) == updates + attempts)
        try await expectFallBack(of: session, from: before)
    }

    @Test("Reads beyond the waiting limit fail as busy during a fall-back; the others succeed")
    func busy() async throws {
        let fixture = try Fixture(.withLogin(), waitingLimit: 2)
        let session = try await fixture.open(for: "ada")
        try await fixture.signUp("ada", "countess!")
        try await fixture.accountDirectory.setDisabled("ada", true)
        let gate = Gate()
        fixture.store.hold(.update, at: gate)
        let first = Task { try await session.current() }
        await gate.waitForArrivals(1)
        let looks = (0..<3).map { _ in Task.immediate { try await session.current() } }
        await #expect(throws: SessionError.sessionBusy) { try await looks[2].value }
        await #expect(throws: SessionError.sessionBusy) { try await session.push("detail") }
        gate.open()
        for look in [first, looks[0], looks[1]] {
            #expect(try await look.value.window.root == .login)
        }
        #expect(try await session.current().revision == 2)
    }

    @Test("A session whose credential is revoked while it opens falls back at its first read")
    func whileOpening() async throws {
        let credential = try await fixture.issueCredential(to: "ada")
        try await fixture.signUp("ada", "countess!")
        let gate = Gate()
        fixture.store.hold(.insert, at: gate)
        let opening = Task { [fixture] in
            try await fixture.directory.opened(credential: credential.text)
        }
        await gate.waitForArrivals(1)
        try await fixture.accountDirectory.setDisabled("ada", true)
        gate.open()
        let (record, token) = try await opening.value
        let session = try #require(
            try await fixture.directory.session(record.id, token: token.hash))
        #expect(try await session.current().window.root == .login)
    }

    // MARK: A store that fails

    @Test(
        "Reads fail until the fall-back can be stored",
        arguments: Ending.allCases)
    func storeFailure(ending: Ending) async throws {
        let (session, credential) = try await loggedIn()
        let before = try await session.current()
        try await end(credential, ending)
        fixture.store.fail(.update)
        let failed = SessionError.storage(ScriptedStore.failure)
        for _ in 0..<3 {
            await #expect(throws: failed) { try await session.current() }
            await #expect(throws: failed) { try await session.history.events(after: 0, limit: 1) }
            await #expect(throws: failed) { try await session.push("settings") }
        }
        #expect(try await fixture.store.base.holds(before))
        fixture.store.fail()
        try await expectFallBack(of: session, from: before, ending.refusal)
    }

    @Test("Requests fail without a change while the credential cannot be read")
    func lookUpFailure() async throws {
        let (session, _) = try await loggedIn()
        let before = try await session.current()
        // The log holds 128 revocations. After more of them, the session must ask the store.
        for _ in 0..<129 { _ = try await fixture.open(for: "bob").logOut() }
        fixture.store.fail(.credential)
        let failed = SessionError.storage(ScriptedStore.failure)
        for _ in 0..<3 {
            await #expect(throws: failed) { try await session.current() }
            await #expect(throws: failed) { try await session.push("settings") }
        }
        fixture.store.fail()
        #expect(try await session.current().revision == before.revision)
        #expect(try await session.current().window.root == .app)
    }
}
