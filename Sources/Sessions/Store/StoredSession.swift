import Accounts
import Navigation

/// A session as a store keeps it: a record without what the storyboard makes of it.
public struct StoredSession: Sendable, Equatable {
    public let id: SessionID
    public let tokenHash: SecretHash
    public let createdAt: Timestamp
    public let expiresAt: Timestamp
    public let window: WindowArchive
    public let credential: SecretHash?
    public let credentialRefusal: CredentialRefusal?

    public init(
        id: SessionID, tokenHash: SecretHash, createdAt: Timestamp, expiresAt: Timestamp,
        window: WindowArchive, credential: SecretHash?, credentialRefusal: CredentialRefusal?
    ) {
        self.id = id
        self.tokenHash = tokenHash
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.window = window
        self.credential = credential
        self.credentialRefusal = credentialRefusal
    }
}

extension SessionRecord {
    public var stored: StoredSession {
        StoredSession(
            id: id, tokenHash: tokenHash, createdAt: createdAt, expiresAt: expiresAt,
            window: window.archive, credential: credential, credentialRefusal: credentialRefusal)
    }

    /// - Parameter window: made of the stored one.
    public convenience init(_ stored: StoredSession, _ window: Window) {
        self.init(
            id: stored.id, tokenHash: stored.tokenHash, createdAt: stored.createdAt,
            expiresAt: stored.expiresAt, window: window,
            credential: stored.credential, credentialRefusal: stored.credentialRefusal)
    }
}
