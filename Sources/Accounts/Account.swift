/// A user who can log in.
public struct Account: Sendable {
    public let username: Username
    public let password: PasswordHash
    public let createdAt: Timestamp

    public init(username: Username, password: PasswordHash, createdAt: Timestamp) {
        self.username = username
        self.password = password
        self.createdAt = createdAt
    }
}

/// Where accounts and credentials are looked up. They are written together with the change of the
/// session that they belong to.
public protocol AccountStore: Sendable {
    func account(_ username: Username) async throws(StorageError) -> Account?
    func credential(_ hash: SecretHash) async throws(StorageError) -> Credential?
}
