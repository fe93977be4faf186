/// What a client keeps after a log-in, to open its next session straight at the app root.
public struct Credential: Sendable {
    public let hash: SecretHash
    public let username: Username
    public let createdAt: Timestamp
    public let expiresAt: Timestamp

    public init(
        hash: SecretHash, username: Username, createdAt: Timestamp, expiresAt: Timestamp
    ) {
        self.hash = hash
        self.username = username
        self.createdAt = createdAt
        self.expiresAt = expiresAt
    }
}

/// Why a credential opens nothing. The words are those of `auth.reason`.
public enum CredentialRefusal: String, Error, Sendable {
    case unknown = "credential-unknown"
    case expired = "credential-expired"
}
