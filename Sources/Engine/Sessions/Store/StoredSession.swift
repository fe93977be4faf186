import NavigationRules
import WaypostCore

/// A session as a store keeps it. Values that the app's storyboard determines are not stored; they
/// are computed when the session is restored as a `SessionState`.
public struct StoredSession: Sendable, Equatable {
    public let id: SessionID
    public let name: String?
    public let tokenHash: SecretHash
    public let createdAt: Timestamp
    public let expiresAt: Timestamp
    public let window: StoredWindow
    public let credential: SecretHash?
    public let credentialRefusal: CredentialRefusal?
    /// The version of the row in which the session is stored.
    public internal(set) var version: RowVersion
    /// The end of the session's stored log.
    public internal(set) var logEnd: LogEnd

    public init(
        id: SessionID, name: String? = nil, tokenHash: SecretHash, createdAt: Timestamp,
        expiresAt: Timestamp, window: StoredWindow, credential: SecretHash?,
        credentialRefusal: CredentialRefusal?, version: RowVersion = .first,
        logEnd: LogEnd
    ) {
        self.id = id
        self.name = name
        self.tokenHash = tokenHash
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.window = window
        self.credential = credential
        self.credentialRefusal = credentialRefusal
        self.version = version
        self.logEnd = logEnd
    }

    init(_ session: SessionState, _ version: RowVersion, _ logEnd: LogEnd) {
        self.init(
            id: session.id, name: session.name, tokenHash: session.tokenHash,
            createdAt: session.createdAt, expiresAt: session.expiresAt,
            window: session.window.stored, credential: session.credential,
            credentialRefusal: session.credentialRefusal, version: version, logEnd: logEnd)
    }
}

extension SessionState {
    /// Makes a state of a stored session.
    /// - Parameter window: the window, restored from the stored one.
    public convenience init(_ stored: StoredSession, _ window: Window) {
        self.init(
            id: stored.id, name: stored.name, tokenHash: stored.tokenHash,
            createdAt: stored.createdAt, expiresAt: stored.expiresAt, window: window,
            credential: stored.credential, credentialRefusal: stored.credentialRefusal)
    }
}
