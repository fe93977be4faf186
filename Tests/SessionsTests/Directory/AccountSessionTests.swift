import NavigationRules
import SessionStoreTesting
import TestSupport
import Testing
import WaypostCore

@testable import Sessions

/// The list of an account's sessions, without the HTTP API.
@Suite("Account sessions", .everyStore, .timeLimit(.minutes(10)))
struct AccountSessionTests {
    private let fixture: Fixture

    init() throws {
        fixture = try Fixture(.withLogin())
        fixture.clock.advance(by: .seconds(1))
    }

    /// The members of an entry in the list.
    private struct Entry: Equatable {
        let scene: Scene.Name
        let title: String?
        let revision: Int
        let expiresAt: Timestamp

        init(_ window: Window, _ expiresAt: Timestamp) {
            scene = window.topViewController.scene.name
            title = window.topViewController.effectiveTitle
            revision = window.revision
            self.expiresAt = expiresAt
        }

        init(_ session: AccountSession) {
            scene = session.topViewController.scene.name
            title = session.topViewController.effectiveTitle
            revision = session.listed.revision
            expiresAt = session.listed.expiresAt
        }
    }

    /// Opens sessions with different titles and numbers of changes.
    /// - Returns: what each session shows, by its id.
    private func openSessions() async throws -> [SessionID: Entry] {
        try await fixture.signUp("ada", "countess!")
        var shown: [SessionID: Entry] = [:]
        let changes: [ViewControllerChanges?] = [
            nil, ViewControllerChanges(title: "own"),
            ViewControllerChanges(
                title: "own", navigationItem: NavigationItemChanges(title: "item \"1\"")),
            ViewControllerChanges(title: .some(nil)),
        ]
        for (number, changes) in changes.enumerated() {
            let (session, _) = try await fixture.logIn("ada", "countess!")
            for _ in 0..<number { _ = try await session.push("detail") }
            if let changes {
                let id = try await session.current().window.topViewController.id
                _ = try await session.perform(.update(id, changes))
            }
            let record = try await session.current()
            shown[session.id] = Entry(record.window, record.expiresAt)
            fixture.clock.advance(by: .seconds(1))
        }
        return shown
    }

    private func list(_ directory: SessionDirectory) async throws -> [SessionID: Entry] {
        let page = try await directory.sessions(ofAccount: "ada", after: nil, limit: 100)
        return Dictionary(uniqueKeysWithValues: page.map { ($0.listed.id, Entry($0)) })
    }

    @Test("The list of an account's sessions reads no session, in memory or not")
    func summaries() async throws {
        let shown = try await openSessions()
        for directory in [fixture.directory, fixture.restarted()] {
            let reads = fixture.store.count(.session)
            #expect(try await list(directory) == shown)
            #expect(fixture.store.count(.session) == reads)
        }
    }

    @Test("A session whose scene the app has lost is listed with the scene where it starts again")
    func lostScene() async throws {
        try await fixture.signUp("ada", "countess!")
        let (session, _) = try await fixture.logIn("ada", "countess!")
        _ = try await session.push("detail")
        let directory = fixture.restarted(try .withLogin(leavingOut: "detail"))
        #expect(try await list(directory)[session.id]?.scene == "home")
    }

    @Test(
        "A session that is not in memory is not the account's after its credential has ended",
        arguments: [CredentialRefusal.revoked, .expired])
    func endedCredential(refusal: CredentialRefusal) async throws {
        let fixture = try Fixture.forFallBack()
        try await fixture.signUp("ada", "countess!")
        let (session, credential) = try await fixture.logIn("ada", "countess!")
        fixture.clock.advance(by: Fixture.credentialTTL / 2)
        let holder = try await fixture.holder(of: fixture.issueCredential(to: "ada"))
        func tokens() async throws -> [SessionToken] {
            try await fixture.restarted().tokens(for: session.id, of: holder, after: nil, limit: 1)
        }
        #expect(try await tokens().isEmpty)
        if refusal == .expired {
            fixture.clock.advance(by: Fixture.credentialTTL / 2)
        } else {
            // Another process revokes a credential in the same way.
            var batch = WriteBatch()
            batch.revocation = .credentials([credential.hash])
            try await fixture.store.base.commit(batch)
        }
        await #expect(throws: SessionError.ended) { _ = try await tokens() }
    }

    @Test("A session in memory is not the account's after it has expired")
    func expired() async throws {
        try await fixture.signUp("ada", "countess!")
        let session = try await fixture.logIn("ada", "countess!").session
        let holder = try await fixture.holder(of: fixture.issueCredential(to: "ada"))
        let tokens = try await fixture.directory.tokens(
            for: session.id, of: holder, after: nil, limit: 1)
        #expect(tokens.isEmpty)
        fixture.clock.advance(by: Fixture.sessionTTL)
        await #expect(throws: SessionError.ended) {
            _ = try await fixture.directory.tokens(
                for: session.id, of: holder, after: nil, limit: 1)
        }
    }

    @Test("A session that has logged out or in again is listed with the account that it shows")
    func logOut() async throws {
        try await fixture.signUp("bob", "countess!")
        let shown = try await openSessions()
        let (session, _) = try await fixture.logIn("ada", "countess!")
        _ = try await session.push("settings")
        #expect(try await list(fixture.directory)[session.id]?.scene == "settings")
        _ = try await session.logOut()
        #expect(try await list(fixture.directory) == shown)
        _ = try await session.logIn("bob", "countess!")
        #expect(try await list(fixture.directory) == shown)
        let page = try await fixture.directory.sessions(ofAccount: "bob", after: nil, limit: 9)
        #expect(page.map(\.listed.id) == [session.id])
        #expect(page.map(\.topViewController.scene.name) == ["home"])
    }
}
