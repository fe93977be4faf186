import Accounts
import Navigation

/// All that there is to know of a session, apart from its lifecycle log. What a store keeps.
public struct SessionRecord: Sendable {
    public let id: SessionID
    public let tokenHash: SecretHash
    public let createdAt: Timestamp
    /// Moves on with each change.
    public internal(set) var expiresAt: Timestamp
    public internal(set) var window: Window
    /// The credential that the session is logged in with: log-out revokes it.
    public internal(set) var credential: SecretHash?
    /// Why the session was opened at the login root although a credential was shown.
    public internal(set) var credentialRefusal: CredentialRefusal?
}
