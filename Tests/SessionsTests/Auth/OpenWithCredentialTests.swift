import NavigationRules
import SessionStoreTesting
import Testing
import WaypostCore

@testable import Sessions

@Suite("Opening a session with a credential", .everyStore, .timeLimit(.minutes(10)))
struct OpenWithCredentialTests {
    private let fixture: Fixture
    private let secret: Secret

    init() async throws {
        fixture = try Fixture(.withLogin())
        secret = try await fixture.issueCredential(to: "Ada")
    }

    @Test("A valid credential opens the app root without a view of the login root")
    func good() async throws {
        let (record, token) = try await fixture.directory.opened(credential: secret.text)
        #expect(record.window.auth == .loggedIn(username: "Ada"))
        #expect(record.scenes == ["home"])
        #expect(record.revision == 1)
        #expect(record.credential == secret.hash)
        #expect(record.credentialRefusal == nil)
        let session = try #require(
            try await fixture.directory.session(record.id, token: token.hash))
        #expect(try await session.allEvents().allSatisfy { $0.scene == "home" })
    }

    @Test("A session without a credential opens at the login root without a reason")
    func none() async throws {
        let record = try await fixture.directory.opened().session
        #expect(record.window.auth == .loggedOut)
        #expect(record.scenes == ["logIn"])
        #expect(record.credentialRefusal == nil)
    }

    @Test(
        "An unknown credential opens the login root with the reason",
        arguments: ["", "wpc_", "ada"])
    func unknown(text: String) async throws {
        let record = try await fixture.directory.opened(credential: text).session
        #expect(record.window.auth == .loggedOut)
        #expect(record.credential == nil)
        #expect(record.credentialRefusal == .unknown)
    }

    @Test("An expired credential opens the login root with the reason")
    func expired() async throws {
        fixture.clock.advance(by: Fixture.credentialTTL)
        let record = try await fixture.directory.opened(credential: secret.text).session
        #expect(record.window.auth == .loggedOut)
        #expect(record.credentialRefusal == .expired)
    }

    @Test("A log-in removes the reason for the login root")
    func reasonEnds() async throws {
        let (record, token) = try await fixture.directory.opened(credential: "wpc_")
        let session = try #require(
            try await fixture.directory.session(record.id, token: token.hash))
        let change = try await session.signUp("bob", "countess!").value
        #expect(change.session.credentialRefusal == nil)
        #expect(try await session.record().credentialRefusal == nil)
    }

    @Test("A log-out revokes the credential that opened the session")
    func logOut() async throws {
        let (record, token) = try await fixture.directory.opened(credential: secret.text)
        let session = try #require(
            try await fixture.directory.session(record.id, token: token.hash))
        _ = try await session.logOut()
        let next = try await fixture.directory.opened(credential: secret.text).session
        #expect(next.credentialRefusal == .revoked)
    }

    @Test("An app without a login ignores the credential", arguments: ["", "wpc_"])
    func noLogin(text: String) async throws {
        let fixture = try Fixture(.withoutLogin())
        let record = try await fixture.directory.opened(credential: text).session
        #expect(record.window.auth == .loggedIn(username: nil))
        #expect(record.credentialRefusal == nil)
    }
}
