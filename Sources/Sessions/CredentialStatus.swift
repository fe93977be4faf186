import Accounts

/// What a session knows of the credential that it is logged in with.
struct CredentialStatus: Sendable {
    /// The revocations up to here are known not to concern the credential.
    var position: RevocationLog.Position
    var expiresAt: Timestamp

    /// The store has to be asked.
    static let unknown = CredentialStatus(
        position: RevocationLog.unknown, expiresAt: Timestamp(milliseconds: 0))

    /// - Parameter position: the log's before the credential was looked up.
    init(_ credential: Credential, at position: RevocationLog.Position) {
        self.init(position: position, expiresAt: credential.expiresAt)
    }

    private init(position: RevocationLog.Position, expiresAt: Timestamp) {
        self.position = position
        self.expiresAt = expiresAt
    }
}
