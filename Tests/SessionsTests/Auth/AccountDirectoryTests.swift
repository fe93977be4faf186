import SessionStoreTesting
import TestSupport
import Testing
import WaypostCore

@testable import Sessions

@Suite("Account directory", .everyStore, .timeLimit(.minutes(10)))
struct AccountDirectoryTests: AccountDirectorySuite {
    let fixture: Fixture

    init() throws { fixture = try Fixture(.withLogin()) }

    // MARK: Authentication

    @Test("A valid credential authenticates its account")
    func holder() async throws {
        let (holder, credential) = try await signedUp()
        #expect(holder.account == (try await account("ada")))
        #expect(holder.credential.hash == credential.hash)
    }

    @Test("An invalid credential authenticates no account, whatever the reason")
    func nobody() async throws {
        for text in ["", "wpc_", "wpc_" + String(repeating: "0", count: 64)] {
            #expect(try await accounts.authenticate(text) == nil)
        }
        let (_, credential) = try await signedUp()
        #expect(try await accounts.authenticate("wps_" + credential.text.dropFirst(4)) == nil)
        fixture.clock.advance(by: Fixture.credentialTTL)
        #expect(try await accounts.authenticate(credential.text) == nil)
        let (session, other) = try await fixture.logIn("ada", "countess!")
        _ = try await session.logOut()
        #expect(try await accounts.authenticate(other.text) == nil)
        // This credential is valid by itself, but its account does not exist.
        #expect(try await accounts.authenticate(fixture.issueCredential(to: "eve").text) == nil)
    }

    @Test("A credential's use is recorded at most once a minute")
    func use() async throws {
        let (_, credential) = try await signedUp()
        let first = fixture.clock.now
        #expect(try await fixture.stored(credential)?.lastUsedAt == first)
        let writes = fixture.store.count(.other)
        for _ in 0..<59 {
            fixture.clock.advance(by: .seconds(1))
            _ = try await fixture.holder(of: credential)
        }
        #expect(fixture.store.count(.other) == writes)
        #expect(try await fixture.stored(credential)?.lastUsedAt == first)
        fixture.clock.advance(by: .seconds(1))
        _ = try await fixture.holder(of: credential)
        _ = try await fixture.holder(of: credential)
        #expect(fixture.store.count(.other) == writes + 1)
        let last = try await fixture.store.base.credential(credential.hash)?.lastUsedAt
        #expect(last == first + .seconds(60))
    }

    @Test("A credential authenticates its account although the store cannot record the use")
    func unrecordedUse() async throws {
        let (_, credential) = try await signedUp()
        let first = fixture.clock.now
        fixture.clock.advance(by: .seconds(60))
        fixture.store.failCommits(ScriptedStore.failure)
        #expect(try await fixture.holder(of: credential).account == account("ada"))
        #expect(try await fixture.stored(credential)?.lastUsedAt == first)
        fixture.store.failCommits(nil)
        _ = try await fixture.holder(of: credential)
        #expect(try await fixture.stored(credential)?.lastUsedAt == fixture.clock.now)
    }

    @Test("Opening a session records the credential's use")
    func useToOpen() async throws {
        let secret = try await fixture.issueCredential(to: "ada")
        #expect(try await fixture.stored(secret)?.lastUsedAt == nil)
        _ = try await fixture.directory.opened(credential: secret.text)
        let now = fixture.clock.now
        #expect(try await fixture.stored(secret)?.lastUsedAt == now)
    }

    // MARK: Credentials

    @Test("The holder's valid credentials are listed with their sessions, the newest first")
    func list() async throws {
        let (holder, own) = try await signedUp()
        fixture.clock.advance(by: .seconds(1))
        let (session, second) = try await fixture.logIn("ada", "countess!")
        fixture.clock.advance(by: .seconds(1))
        let (revoked, _) = try await fixture.logIn("ada", "countess!")
        _ = try await revoked.logOut()
        _ = try await fixture.signUp("bob", "countess!")
        _ = try await fixture.logIn("bob", "countess!")
        let listed = try await accounts.credentials(of: holder, after: nil, limit: 10)
        #expect(listed.map(\.hash) == [second.hash, own.hash])
        #expect(listed.first?.session == session.id.description)
        let rest = try await accounts.credentials(
            of: holder, after: listed.first?.position, limit: 10)
        #expect(rest.map(\.hash) == [own.hash])
    }

    @Test("A holder revokes a credential by its id, even the one in use")
    func revoke() async throws {
        let (holder, own) = try await signedUp()
        let other = try await fixture.logIn("ada", "countess!").credential
        let ids = try await credentials(of: "ada").map(\.id)
        #expect(ids.count == 2)
        for id in ids { _ = try await accounts.revoke(id, of: holder).value }
        for credential in [own, other] {
            await #expect(throws: CredentialRefusal.revoked) {
                try await fixture.username(of: credential)
            }
        }
    }

    @Test("A holder cannot revoke an unknown, foreign, revoked or expired credential")
    func revokeNone() async throws {
        let (holder, _) = try await signedUp()
        let (_, strangers) = try await signedUp("bob")
        let strangersID = try await #require(credentials(of: "bob").first).id
        let (session, _) = try await fixture.logIn("ada", "countess!")
        let hash = try #require(try await session.current().credential)
        let revokedID = try await #require(fixture.store.base.credential(hash)).id
        _ = try await session.logOut()
        let expired = try await fixture.issueCredential(to: "ada")
        let expiredID = try await #require(fixture.store.base.credential(expired.hash)).id
        let unknownID = try #require(CredentialID(String(repeating: "0", count: 32)))
        fixture.clock.advance(by: Fixture.credentialTTL)
        for id in [unknownID, strangersID, revokedID, expiredID] {
            await #expect(throws: SessionError.credentialNotFound) {
                try await accounts.revoke(id, of: holder)
            }
        }
        #expect(try await fixture.stored(strangers)?.isRevoked == false)
    }

    // MARK: Removing

    @Test("Removing an account removes its credentials and frees the name")
    func remove() async throws {
        let (holder, credential) = try await signedUp()
        _ = try await fixture.logIn("ada", "countess!")
        try await fixture.signUp("bob", "countess!")
        let stranger = try await fixture.logIn("bob", "countess!").credential
        _ = try await accounts.remove(holder, password: "countess!", client: nil).value
        #expect(try await account("ada") == nil)
        #expect(try await credentials(of: "ada").isEmpty)
        #expect(try await fixture.stored(credential) == nil)
        #expect(try await fixture.username(of: stranger) == "bob")
        try await fixture.signUp("ada", "countess!")
    }

    @Test("A wrong or just replaced password does not remove the account")
    func refusedRemoval() async throws {
        let (holder, _) = try await signedUp()
        await #expect(throws: SessionError.wrongPassword) {
            try await accounts.remove(holder, password: "countess?", client: nil)
        }
        let gate = Gate()
        fixture.store.hold(.other, at: gate)
        let removal = Task { [accounts] in
            try await accounts.remove(holder, password: "countess!", client: nil)
        }
        await gate.waitForArrivals(1)
        fixture.store.hold(.other, at: nil)
        try await accounts.resetPassword("ada", "analytical")
        gate.open()
        await #expect(throws: SessionError.accountChanged) { try await removal.value }
        #expect(await canLogIn("ada", "analytical"))
    }
}
