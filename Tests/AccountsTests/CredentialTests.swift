import TestSupport
import Testing
import WaypostCore

@testable import Sessions

@Suite("Credentials")
struct CredentialTests {
    private let clock = TestEnvironment()
    private let store = TestAccountStore()
    private let accounts: Accounts
    private let account: Account

    init() throws {
        accounts = Accounts(
            store: store, hasher: try .minimal(threads: 2), environment: clock.environment,
            credentialTTL: .seconds(60))
        account = Account(
            username: try Username("Ada"), password: PasswordHash(text: ""), createdAt: clock.now)
    }

    /// Makes a credential and stores it, as a log-in does.
    private func issueCredential() -> (secret: Secret, credential: Credential) {
        let issued = accounts.makeCredential(for: account, session: "here")
        store.insert(issued.credential)
        return issued
    }

    @Test("An issued credential is found by its text, with its account and its expiry")
    func issue() async throws {
        let (secret, issued) = issueCredential()
        let found = try await accounts.credential(secret.text).get()
        #expect(secret.text.hasPrefix("wpc_"))
        #expect(found.hash == issued.hash)
        #expect(found.hash == secret.hash)
        #expect(found.username.text == "Ada")
        #expect(found.createdAt == clock.now)
        #expect(found.expiresAt == clock.now + .seconds(60))
    }

    @Test("Each issued credential is different, and earlier ones stay valid")
    func several() async throws {
        let secrets = (0..<10).map { _ in issueCredential().secret }
        #expect(Set(secrets.map(\.text)).count == 10)
        for secret in secrets {
            #expect(
                try await accounts.credential(secret.text).get().username == account.username)
        }
    }

    @Test(
        "A credential that was never issued is unknown",
        arguments: ["", "wpc_", "wpc_" + String(repeating: "0", count: 64), "Ada"])
    func unknown(text: String) async {
        _ = issueCredential()
        await #expect(throws: CredentialRefusal.unknown) {
            try await accounts.credential(text).get()
        }
    }

    @Test("A credential's text with the prefix of a session token is unknown")
    func otherPurpose() async {
        let (secret, _) = issueCredential()
        let text = "wps_" + secret.text.dropFirst(4)
        await #expect(throws: CredentialRefusal.unknown) {
            try await accounts.credential(text).get()
        }
    }

    @Test("A credential is valid until its expiry")
    func expiry() async throws {
        let (secret, _) = issueCredential()
        clock.advance(by: .milliseconds(59_999))
        #expect(try await accounts.credential(secret.text).get().username == account.username)
        clock.advance(by: .milliseconds(1))
        await #expect(throws: CredentialRefusal.expired) {
            try await accounts.credential(secret.text).get()
        }
    }

    @Test("A credential is valid for 90 days by default")
    func defaultExpiry() throws {
        let accounts = Accounts(
            store: store, hasher: try .minimal(threads: 2), environment: clock.environment)
        let (_, credential) = accounts.makeCredential(for: account, session: "here")
        #expect(credential.expiresAt == clock.now + .seconds(90 * 86_400))
    }

    @Test("A revoked credential is rejected, and others stay valid")
    func revocation() async throws {
        let (revoked, credential) = issueCredential()
        let (other, _) = issueCredential()
        store.revoke(credential.hash)
        await #expect(throws: CredentialRefusal.revoked) {
            try await accounts.credential(revoked.text).get()
        }
        #expect(try await accounts.credential(other.text).get().username == account.username)
        store.revoke(credential.hash)
        #expect(try await accounts.credential(other.text).get().username == account.username)
    }

    @Test("A credential fails with a storage error if the store cannot be read")
    func storageFailure() async {
        let (secret, _) = issueCredential()
        let failure = StorageError(reason: "the disk is gone")
        store.fail(failure)
        await #expect(throws: SessionError.storage(failure)) {
            try await accounts.credential(secret.text)
        }
    }

    @Test("The reasons for an invalid credential are the values of auth.reason")
    func words() {
        #expect(CredentialRefusal.unknown.rawValue == "credential-unknown")
        #expect(CredentialRefusal.expired.rawValue == "credential-expired")
        #expect(CredentialRefusal.revoked.rawValue == "credential-revoked")
    }
}
