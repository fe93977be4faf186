import Accounts

/// What a session knows of the credential that it is logged in with.
struct Standing: Sendable {
    /// How far the revocations have been looked through.
    var position: RevocationLog.Position
    var expiresAt: Timestamp

    /// The store is to be asked.
    static let unknown = Standing(
        position: RevocationLog.nowhere, expiresAt: Timestamp(milliseconds: 0))

    /// - Parameter position: from before the credential was looked up.
    init(_ credential: Credential, at position: RevocationLog.Position) {
        self.init(position: position, expiresAt: credential.expiresAt)
    }

    private init(position: RevocationLog.Position, expiresAt: Timestamp) {
        self.position = position
        self.expiresAt = expiresAt
    }
}
