import NavigationRules
import SessionStoreTesting
import Testing
import WaypostCore

@testable import Sessions

/// Requests that other processes prevent at each attempt.
@Suite("Repeated conflicts", .everyStore, .timeLimit(.minutes(10)))
struct RepeatedConflictTests {
    private let fixture: Fixture

    init() throws { fixture = try Fixture(.withLogin()) }

    @Test("A log-in whose account changes twice fails as with a wrong password")
    func logIn() async throws {
        try await fixture.signUp("ada", "countess!")
        let session = try await fixture.open()
        fixture.store.refuse(.update, .accountChanged, count: 2)
        await #expect(throws: SessionError.wrongCredentials) {
            try await session.logIn("ada", "countess!")
        }
        fixture.store.refuse(.update, .accountChanged, count: 1)
        let change = try await session.logIn("ada", "countess!").value
        #expect(change.session.window.auth == .loggedIn(username: "ada"))
    }

    @Test("No session opens if the account changes during both attempts")
    func opening() async throws {
        let secret = try await fixture.issueCredential(to: "ada")
        fixture.store.refuse(.insert, .accountChanged, count: 2)
        await #expect(throws: SessionError.sessionBusy) {
            try await fixture.directory.opened(credential: secret.text)
        }
        fixture.store.refuse(.insert, .accountChanged, count: 1)
        let opened = try await fixture.directory.opened(credential: secret.text)
        #expect(opened.session.window.auth == .loggedIn(username: "ada"))
    }

    @Test("A request whose key is taken twice without a stored response fails as busy")
    func takenKey() async throws {
        let request = IdempotentRequest<SessionDirectory.Opened>(
            key: "key", token: "", request: "POST", requestSize: 9
        ) { _, _ in Array("opened".utf8) }
        fixture.store.refuse(.insert, .recordExists, count: 2)
        await #expect(throws: SessionError.sessionBusy) {
            try await fixture.directory.open(idempotency: request)
        }
        _ = try await fixture.directory.open(idempotency: request).value
        #expect(
            try await fixture.directory.open(idempotency: request).replay == Array("opened".utf8))
    }

    @Test("A session that others change at each attempt to give it a new root fails as busy")
    func newRoot() async throws {
        let session = try await fixture.open(for: "ada")
        _ = try await session.push("detail")
        let restarted = fixture.restarted(try .withLogin(leavingOut: "detail"))
        fixture.store.refuse(.update, .conflict, count: Session.conflictLimit)
        await #expect(throws: SessionError.sessionBusy) {
            try await restarted.session(session.id)
        }
        #expect(try await restarted.session(session.id)?.current().scenes == ["home"])
    }

    @Test("A change finds that another process has deleted the session")
    func deleted() async throws {
        let session = try await fixture.open(for: "ada")
        let stored = try #require(try await fixture.store.base.session(session.id))
        try await fixture.store.base.commit(
            WriteBatch(session: .delete(session.id, replacing: stored.version)))
        fixture.store.conflict(count: 1)
        let updates = fixture.store.count(.update)
        for _ in 0..<2 {
            await #expect(throws: SessionError.ended) { try await session.push("detail") }
        }
        #expect(fixture.store.count(.update) == updates + 1)
    }
}
