/// A user who can log in.
public struct Account: Sendable, Equatable {
    public let username: Username
    public var password: PasswordHash
    public let createdAt: Timestamp
    /// Nobody enters a disabled account, and it has no credentials.
    public var isDisabled: Bool

    public init(
        username: Username, password: PasswordHash, createdAt: Timestamp, isDisabled: Bool = false
    ) {
        self.username = username
        self.password = password
        self.createdAt = createdAt
        self.isDisabled = isDisabled
    }
}

/// Where accounts and credentials are looked up. They are written together with the change of the
/// session that they belong to.
public protocol AccountStore: Sendable {
    func account(_ username: Username) async throws(StorageError) -> Account?

    /// Also one that has expired or is revoked.
    func credential(_ hash: SecretHash) async throws(StorageError) -> Credential?
    func credential(_ id: CredentialID) async throws(StorageError) -> Credential?

    /// By name.
    /// - Parameter after: the name before the first that is wanted; nil for the first of all.
    func accounts(
        after: Username?, limit: Int
    ) async throws(StorageError) -> [Account]

    /// Those of an account that are not revoked and have not expired, the newest first.
    /// - Parameter after: the one before the first that is wanted; nil for the newest.
    func credentials(
        of username: Username, at now: Timestamp, after: CredentialPosition?, limit: Int
    ) async throws(StorageError) -> [Credential]
}
