import NavigationRules
import WaypostCore

/// The record of a token with which another device can use a session, in addition to the token that
/// was issued when the session was opened. The additional token is valid until the session ends or
/// logs in again, or until the credential in the request that made the token is revoked or expires.
public struct SessionToken: Sendable, Equatable {
    /// The maximum number of tokens for other devices per session.
    public static let limit = 10

    public let hash: SecretHash
    public let session: SessionID
    /// The name of the device that uses the token.
    public let name: String
    /// The hash of the credential in the request that made the token.
    public let credential: SecretHash
    public let createdAt: Timestamp
    /// The time when both `credential` and the token expire.
    public let expiresAt: Timestamp

    public init(
        hash: SecretHash, session: SessionID, name: String, credential: SecretHash,
        createdAt: Timestamp, expiresAt: Timestamp
    ) {
        self.hash = hash
        self.session = session
        self.name = name
        self.credential = credential
        self.createdAt = createdAt
        self.expiresAt = expiresAt
    }

    /// The token's id, which is derived from `hash` in the same way as the id of a credential. The
    /// id is not a secret.
    public var id: CredentialID { CredentialID(of: hash) }
    public var position: CredentialPosition { CredentialPosition(createdAt: createdAt, id: id) }
}

/// An entry in the list of the sessions that are logged in to an account.
public struct ListedSession: Sendable, Equatable {
    public let id: SessionID
    /// The name that a client has given the session; nil if none.
    public let name: String?
    public let createdAt: Timestamp
    public let expiresAt: Timestamp
    public let revision: Int
    /// The part of the visible view controller's state from which its scene and its title can be
    /// restored; nil if the stored value is damaged.
    public let summary: StoredWindow.Entry?

    public init(
        id: SessionID, name: String?, createdAt: Timestamp, expiresAt: Timestamp, revision: Int,
        summary: StoredWindow.Entry?
    ) {
        self.id = id
        self.name = name
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.revision = revision
        self.summary = summary
    }

    init(_ session: StorableSession) {
        self.init(
            id: session.id, name: session.name, createdAt: session.createdAt,
            expiresAt: session.expiresAt, revision: session.revision, summary: session.summary)
    }

    /// The place of the session in the list, which begins with the newest session.
    public var position: SessionPosition { SessionPosition(createdAt: createdAt, id: id) }
}
