import Accounts
import Navigation
import WaypostCore

/// The complete state of a session except its lifecycle log. A store saves it.
///
/// A snapshot never changes. It is a class so that the session, its readers and a memory store share
/// it.
public final class SessionSnapshot: Sendable {
    public let id: SessionID
    public let tokenHash: SecretHash
    public let createdAt: Timestamp
    /// The time when the session expires; each change moves it.
    public let expiresAt: Timestamp
    public let window: Window
    /// The credential that the session is logged in with; log-out revokes it.
    public let credential: SecretHash?
    /// The reason why the session was opened at the login root although the client sent a credential,
    /// or why it fell back to the login root.
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
