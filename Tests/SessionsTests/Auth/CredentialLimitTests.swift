import SessionStoreTesting
import TestSupport
import Testing
import WaypostCore

@testable import Sessions

@Suite("Credential limit", .timeLimit(.minutes(10)))
struct CredentialLimitTests {
    private let fixture: Fixture

    init() async throws {
        fixture = try Fixture(.withLogin())
        try await fixture.signUp("ada", "countess!")
    }

    private func good() async throws -> [Credential] {
        try await fixture.store.base.credentials(
            of: try Username("ada"), at: fixture.clock.now, after: nil, limit: 10_000)
    }

    private func isGood(_ credential: Secret) async throws -> Bool {
        if case .success = try await fixture.accounts.credential(credential.text) {
            true
        } else {
            false
        }
    }

    /// Issues the maximum number of credentials for an account, one each second.
    private func fill(_ count: Int = Credential.validLimit) async throws -> [Secret] {
        var credentials: [Secret] = []
        for _ in 0..<count {
            credentials.append(try await fixture.issueCredential(to: "ada"))
            fixture.clock.advance(by: .seconds(1))
        }
        return credentials
    }

    @Test("A log-in beyond the limit revokes the credential with the oldest last use", .everyStore)
    func oneMore() async throws {
        let (session, first) = try await fixture.logIn("ada", "countess!")
        fixture.clock.advance(by: .seconds(1))
        let others = try await fill(Credential.validLimit - 1)
        #expect(try await fixture.accountDirectory.authenticate(others[0].text) != nil)
        #expect(try await good().count == Credential.validLimit)

        let (_, new) = try await fixture.logIn("ada", "countess!")
        #expect(try await good().count == Credential.validLimit)
        await #expect(throws: CredentialRefusal.revoked) { try await fixture.username(of: first) }
        // The session of the revoked credential falls back.
        let record = try await session.current()
        #expect(record.window.root == .login)
        #expect(record.credentialRefusal == .revoked)

        // The first of the other credentials was used, so the second one is the next to be revoked.
        _ = try await fixture.logIn("ada", "countess!")
        #expect(try await isGood(others[0]))
        #expect(try await !isGood(others[1]))
        #expect(try await isGood(others[2]))
        #expect(try await isGood(new))
        #expect(try await good().count == Credential.validLimit)
    }

    @Test("A credential that is issued without the password counts towards the limit", .everyStore)
    func issued() async throws {
        let oldest = try await fill()[0]
        let session = SessionID.make(fixture.clock.environment)
        let issued = try await fixture.accountDirectory.issueCredential(to: "ADA", for: session)
        #expect(try await isGood(try #require(issued)))
        #expect(try await good().first?.session == session.description)
        #expect(try await !isGood(oldest))
        #expect(try await good().count == Credential.validLimit)
        try await fixture.accountDirectory.setDisabled("ada", true)
        #expect(
            try await fixture.accountDirectory.issueCredential(to: "ada", for: session) == nil)
    }

    @Test("Revoked and expired credentials do not count towards the limit")
    func onlyGood() async throws {
        let credentials = try await fill()
        let holder = try await fixture.holder(of: credentials[0])
        let revoked = try #require(try await good().first)
        _ = try await fixture.accountDirectory.revoke(revoked.id, of: holder)
        _ = try await fixture.logIn("ada", "countess!")
        #expect(try await good().count == Credential.validLimit)
        #expect(try await isGood(credentials[0]))
    }

    @Test("A log-in revokes all credentials beyond the limit", .everyStore)
    func tooMany() async throws {
        _ = try await fill(Credential.validLimit + 20)
        #expect(try await good().count == Credential.validLimit + 20)
        _ = try await fixture.logIn("ada", "countess!")
        #expect(try await good().count == Credential.validLimit)
    }

    @Test("A log-in revokes the surplus credentials of earlier concurrent log-ins")
    func atOnce() async throws {
        _ = try await fill()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<20 {
                group.addTask { _ = try await fixture.logIn("ada", "countess!") }
            }
            try await group.waitForAll()
        }
        _ = try await fixture.logIn("ada", "countess!")
        #expect(try await good().count == Credential.validLimit)
    }

    @Test("A log-in that cannot be stored revokes no credential")
    func notStored() async throws {
        let credentials = try await fill()
        let session = try await fixture.open()
        fixture.store.fail(.update)
        await #expect(throws: SessionError.storage(ScriptedStore.failure)) {
            try await session.logIn("ada", "countess!")
        }
        for credential in credentials { #expect(try await isGood(credential)) }
    }

    @Test("One account's log-ins revoke no other account's credentials")
    func others() async throws {
        try await fixture.signUp("bob", "countess!")
        let (_, bob) = try await fixture.logIn("bob", "countess!")
        _ = try await fill()
        _ = try await fixture.logIn("ada", "countess!")
        #expect(try await fixture.username(of: bob) == "bob")
    }
}
