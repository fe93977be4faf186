import Testing

@testable import Accounts

@Suite("Credentials")
struct CredentialTests {
    private let clock = TestEnvironment()
    private let accounts: Accounts
    private let username: Username

    init() throws {
        accounts = Accounts(
            hasher: try .cheap(), environment: clock.environment, credentialTTL: .seconds(60))
        username = try Username("Ada")
    }

    @Test("One that is issued is found by its text, and tells whose it is and how long")
    func issue() throws {
        let (secret, issued) = accounts.issueCredential(to: username)
        let found = try accounts.credential(secret.text)
        #expect(secret.text.hasPrefix("wpc_"))
        #expect(found.hash == issued.hash)
        #expect(found.hash == secret.hash)
        #expect(found.username.text == "Ada")
        #expect(found.createdAt == clock.now)
        #expect(found.expiresAt == clock.now + .seconds(60))
    }

    @Test("Each one is another, and none ends another")
    func several() throws {
        let secrets = (0..<10).map { _ in accounts.issueCredential(to: username).secret }
        #expect(Set(secrets.map(\.text)).count == 10)
        for secret in secrets { #expect(try accounts.credential(secret.text).username == username) }
    }

    @Test(
        "What was never issued is unknown",
        arguments: ["", "wpc_", "wpc_" + String(repeating: "0", count: 64), "Ada"])
    func unknown(text: String) {
        _ = accounts.issueCredential(to: username)
        #expect(throws: CredentialRefusal.unknown) { try accounts.credential(text) }
    }

    @Test("One of another purpose is unknown")
    func otherPurpose() {
        let (secret, _) = accounts.issueCredential(to: username)
        let text = "wps_" + secret.text.dropFirst(4)
        #expect(throws: CredentialRefusal.unknown) { try accounts.credential(text) }
    }

    @Test("It is good until the moment at which it expires")
    func expiry() throws {
        let (secret, _) = accounts.issueCredential(to: username)
        clock.advance(by: .milliseconds(59_999))
        #expect(try accounts.credential(secret.text).username == username)
        clock.advance(by: .milliseconds(1))
        #expect(throws: CredentialRefusal.expired) { try accounts.credential(secret.text) }
    }

    @Test("It is good for 90 days unless told otherwise")
    func defaultExpiry() throws {
        let accounts = Accounts(hasher: try .cheap(), environment: clock.environment)
        let (_, credential) = accounts.issueCredential(to: username)
        #expect(credential.expiresAt == clock.now + .seconds(90 * 86_400))
    }

    @Test("One that is revoked is unknown from then on, and the others are not")
    func revocation() throws {
        let (revoked, credential) = accounts.issueCredential(to: username)
        let (other, _) = accounts.issueCredential(to: username)
        accounts.revoke(credential.hash)
        #expect(throws: CredentialRefusal.unknown) { try accounts.credential(revoked.text) }
        #expect(try accounts.credential(other.text).username == username)
        accounts.revoke(credential.hash)
        #expect(try accounts.credential(other.text).username == username)
    }

    @Test("The words of a refusal are those of the session's auth.reason")
    func words() {
        #expect(CredentialRefusal.unknown.rawValue == "credential-unknown")
        #expect(CredentialRefusal.expired.rawValue == "credential-expired")
    }
}
