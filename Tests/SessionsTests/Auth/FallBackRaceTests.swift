import NavigationRules
import SessionStoreTesting
import TestSupport
import Testing
import WaypostCore

@testable import Sessions

/// A fall-back at the same time as other requests, and one that cannot be stored at first.
@Suite("Fall-back during other requests", .everyStore, .timeLimit(.minutes(10)))
struct FallBackRaceTests: FallBackSuite {
    let fixture: Fixture

    init() throws { fixture = try .forFallBack() }

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

    @Test(
        "Reads fail until the fall-back can be stored",
        arguments: CredentialEnding.allCases)
    func storeFailure(ending: CredentialEnding) async throws {
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

    @Test("A fall-back does not end a log-in that another process has made meanwhile")
    func newLogInElsewhere() async throws {
        let (session, _) = try await loggedIn()
        let other = try #require(try await fixture.restarted().session(session.id))
        _ = try await other.logOut()
        _ = try await other.logIn("ada", "countess!").value
        let present = try await other.current()
        // The log holds 128 revocations. After more of them, the session must ask the store.
        try fixture.noteRevocations(0..<129)
        let found = try await session.current()
        #expect(found.window.root == .app)
        #expect(found.credentialRefusal == nil)
        #expect(found.revision == present.revision)
        #expect(try await session.push("detail").session.revision == present.revision + 1)
    }

    @Test("Requests fail without a change while the credential cannot be read")
    func lookUpFailure() async throws {
        let (session, _) = try await loggedIn()
        let before = try await session.current()
        // The log holds 128 revocations. After more of them, the session must ask the store.
        try fixture.noteRevocations(0..<129)
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
