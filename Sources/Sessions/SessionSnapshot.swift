import Accounts
import Navigation
import WaypostCore

/// All that there is to know of a session, apart from its lifecycle log. What a store keeps.
///
/// A class only so that the session, its readers and a store in memory share it; it never changes.
public final class SessionSnapshot: Sendable {
    public let id: SessionID
    public let tokenHash: SecretHash
    public let createdAt: Timestamp
    /// Moves on with each change.
    public let expiresAt: Timestamp
    public let window: Window
    /// The credential that the session is logged in with: log-out revokes it.
    public let credential: SecretHash?
    /// Why the session was opened at the login root although a credential was shown.
    public let credentialRefusal: CredentialRefusal?

    init(
        id: SessionID, tokenHash: SecretHash, createdAt: Timestamp, expiresAt: Timestamp,
        window: Window, credential: SecretHash?, credentialRefusal: CredentialRefusal?
    ) {
        self.id = id
        self.tokenHash = tokenHash
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.window = window
        self.credential = credential
        self.credentialRefusal = credentialRefusal
    }

    func with(_ window: Window, expiresAt: Timestamp) -> SessionSnapshot {
        SessionSnapshot(
            id: id, tokenHash: tokenHash, createdAt: createdAt, expiresAt: expiresAt,
            window: window, credential: credential, credentialRefusal: credentialRefusal)
    }

    func with(
        _ credential: SecretHash?, _ refusal: CredentialRefusal? = nil
    ) -> SessionSnapshot {
        SessionSnapshot(
            id: id, tokenHash: tokenHash, createdAt: createdAt, expiresAt: expiresAt,
            window: window, credential: credential, credentialRefusal: refusal)
    }
}
