import NavigationRules
import SessionStoreTesting
import TestSupport
import Testing
import WaypostCore

@testable import Sessions

/// Sessions that stay logged in when other credentials end.
@Suite("Sessions that stay logged in", .everyStore, .timeLimit(.minutes(10)))
struct KeptLogInTests: FallBackSuite {
    let fixture: Fixture

    init() throws { fixture = try .forFallBack() }

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
        _ = try await fixture.open(for: "bob").logOut()
        for number in 0..<100 {
            try fixture.noteRevocations(number...number)
            #expect(try await session.current().window.root == .app)
        }
        // Opening a session with a credential reads the credential once.
        #expect(fixture.store.count(.credential) == looks + 1)
        try await fixture.signUp("bob", "countess!")
        try await fixture.accountDirectory.remove("bob")
        for _ in 0..<5 { _ = try await session.current() }
        #expect(fixture.store.count(.credential) == looks + 1)
    }

    @Test("A revocation is seen even if more follow than the log holds", arguments: [0, 100, 199])
    func manyRevocations(position: Int) async throws {
        let (session, credential) = try await loggedIn()
        let before = try await session.current()
        let (other, _) = try await fixture.logIn("ada", "countess!")
        try fixture.noteRevocations(0..<position)
        try await end(credential, .logOutElsewhere)
        try fixture.noteRevocations(position..<199)
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
}
