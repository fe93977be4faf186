import Accounts
import WaypostCore

/// The record of a further token of a session, with which another device uses the session. The token
/// ends with the credential that it was made through, and with the session.
public struct SessionToken: Sendable, Equatable {
    /// The maximum number of further tokens per session.
    public static let limit = 10

    public let hash: SecretHash
    public let session: SessionID
    /// The name of the device.
    public let name: String
    /// The credential that the token was made through.
    public let credential: SecretHash
    public let createdAt: Timestamp
    /// The time when the credential expires.
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

    /// The id, which is made in the same way as that of a credential, and is no secret either.
    public var id: CredentialID { CredentialID(of: hash) }
    public var position: CredentialPosition { CredentialPosition(createdAt: createdAt, id: id) }
}

/// An entry in the list of the sessions that are logged in to an account.
public struct ListedSession: Sendable, Equatable {
    public let id: SessionID
    /// The name that a client has given the session; nil if none.
    public let name: String?
    public let createdAt: Timestamp

    public init(id: SessionID, name: String?, createdAt: Timestamp) {
        self.id = id
        self.name = name
        self.createdAt = createdAt
    }

    public var position: SessionPosition { SessionPosition(createdAt: createdAt, id: id) }
}

/// The position of a session in the list of an account's sessions.
public struct SessionPosition: Sendable, Equatable {
    public let createdAt: Timestamp
    public let id: SessionID

    public init(createdAt: Timestamp, id: SessionID) {
        self.createdAt = createdAt
        self.id = id
    }

    /// Returns whether this position comes later in the list. The newest session is first.
    public func isAfter(_ other: SessionPosition) -> Bool {
        (createdAt, id.description) < (other.createdAt, other.id.description)
    }
}
