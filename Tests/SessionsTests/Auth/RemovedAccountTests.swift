import NavigationRules
import SessionStoreTesting
import TestSupport
import Testing
import WaypostCore

@testable import Sessions

/// The sessions and the history of an account that is removed.
@Suite("The removal of an account", .everyStore, .timeLimit(.minutes(10)))
struct RemovedAccountTests: FallBackSuite {
    let fixture: Fixture

    init() throws { fixture = try .forFallBack() }

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

    @Test("The removal of an account ends its sessions in an app that has no login any more, too")
    func appWithoutLogin() async throws {
        let (session, credential) = try await loggedIn()
        let (opened, _) = try await fixture.directory.opened(credential: credential.text)
        let service = fixture.restartedService(try .withoutLogin(), replacing: fixture.service)
        let reloaded = SessionDirectory(service)
        reloaded.noteEndOfPredecessor()
        let read = try #require(try await reloaded.session(session.id))
        let changed = try #require(try await reloaded.session(opened.id))
        #expect(try await read.current().scenes == ["home", "detail"])
        #expect(try await changed.perform(.pop).value.outcome.changed == false)
        try await AccountDirectory(service).remove("ada")
        await #expect(throws: SessionError.ended) { try await read.current() }
        await #expect(throws: SessionError.ended) { try await changed.perform(.pop) }
    }

    /// Opens a session that Ada has used and Bob uses now.
    private func sharedSession() async throws -> Session {
        let session = try await fixture.open()
        try await fixture.signUp("ada", "countess!")
        try await fixture.signUp("bob", "countess!")
        _ = try await session.logIn("ada", "countess!").value
        _ = try await session.push("detail")
        _ = try await session.logOut().value
        _ = try await session.logIn("bob", "countess!").value
        return session
    }

    @Test("The removal of an account succeeds although a former session changes meanwhile")
    func changeDuringRemoval() async throws {
        let session = try await sharedSession()
        try await expectNoHistory(of: session) { try await session.push("settings").session }
    }

    @Test("The removal of an account removes the history of a session that logs out meanwhile")
    func logOutDuringRemoval() async throws {
        let (session, _) = try await loggedIn()
        try await expectNoHistory(of: session) { try await session.logOut().value.session }
    }

    /// Makes a change of a session while the account is removed, and expects that the session has no
    /// history left.
    private func expectNoHistory(
        of session: Session, afterRemovalDuring change: () async throws -> SessionState
    ) async throws {
        let gate = Gate()
        fixture.store.hold(.other, at: gate)
        let removal = Task { [fixture] in try await fixture.accountDirectory.remove("ada") }
        await gate.waitForArrivals(1)
        fixture.store.hold(.other, at: nil)
        let present = try await change().revision
        gate.open()
        try await removal.value
        #expect(try await fixture.store.account(Username("ada")) == nil)
        let history = try await session.history.page(after: present, limit: 10)
        #expect(history.changes.isEmpty)
        #expect(history.oldest == present)
    }

    @Test("The removal of an account fails as busy if its former sessions change again and again")
    func changesDuringRemoval() async throws {
        _ = try await sharedSession()
        fixture.store.refuse(.other, .conflict, count: Session.conflictLimit)
        await #expect(throws: SessionError.sessionBusy) {
            try await fixture.accountDirectory.remove("ada")
        }
        #expect(try await fixture.store.account(Username("ada")) != nil)
        try await fixture.accountDirectory.remove("ada")
        #expect(try await fixture.store.account(Username("ada")) == nil)
    }

    @Test(
        """
        An account with a damaged former session is not removed, and the error names the commands \
        that remove the session
        """
    )
    func damagedSession() async throws {
        _ = try await sharedSession()
        let damage = StorageError(reason: "the row is damaged", isUnreadable: true)
        fixture.store.fail(.session, with: damage)
        let reason =
            "the row is damaged; `waypost store check` names a damaged session, and "
            + "`waypost session end` removes it"
        await #expect(throws: SessionError.storage(StorageError(reason: reason))) {
            try await fixture.accountDirectory.remove("ada")
        }
        fixture.store.fail(.session)
        await #expect(throws: SessionError.storage(ScriptedStore.failure)) {
            try await fixture.accountDirectory.remove("ada")
        }
        #expect(try await fixture.store.account(Username("ada")) != nil)
    }

    @Test("The removal of an account removes the history of its log-ins in other sessions")
    func removedHistory() async throws {
        let session = try await sharedSession()
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
}
