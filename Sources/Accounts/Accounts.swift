/// Makes and checks accounts and credentials. Keeps nothing itself.
public struct Accounts: Sendable {
    private static let passwordSize = 8...256

    private let store: any AccountStore
    private let hasher: PasswordHasher
    private let environment: Environment
    private let credentialTTL: Duration

    public init(
        store: any AccountStore, hasher: PasswordHasher, environment: Environment,
        credentialTTL: Duration = .seconds(90 * 24 * 3600)
    ) {
        self.store = store
        self.hasher = hasher
        self.environment = environment
        self.credentialTTL = credentialTTL
    }

    /// An account that is to be stored. Whether its name still is free then, the store decides.
    /// - Parameter password: 8 to 256 bytes in UTF-8, as received.
    /// - Throws: `.invalidUsername`, `.invalidPassword`, `.usernameTaken`, `.busy`, `.storage`.
    public func signUp(
        _ username: String, _ password: String
    ) async throws(AccountError) -> Account {
        let username = try Username(username)
        let password = Array(password.utf8)
        guard Self.passwordSize.contains(password.count) else {
            throw .invalidPassword("expected 8 to 256 bytes")
        }
        // Spares the hashing in the common case.
        guard try await account(username) == nil else { throw .usernameTaken }
        return Account(
            username: username, password: try await hasher.hash(password),
            createdAt: environment.now())
    }

    /// - Throws: `.wrongCredentials`, the same for an unknown name as for a wrong password; `.busy`,
    ///   `.storage`.
    public func logIn(
        _ username: String, _ password: String
    ) async throws(AccountError) -> Account {
        // Nobody has a name or a password that could not be signed up with; it is hashed all the
        // same, so that time tells nothing.
        var found: Account?
        if let username = try? Username(username) { found = try await account(username) }
        let password = Array(password.utf8.prefix(Self.passwordSize.upperBound + 1))
        let isRight = try await hasher.verify(password, against: found?.password)
        guard isRight, let found else { throw .wrongCredentials }
        return found
    }

    private func account(_ username: Username) async throws(AccountError) -> Account? {
        do { return try await store.account(username) } catch { throw .storage(error) }
    }

    // MARK: Credentials

    /// A credential that is to be stored.
    /// - Returns: the secret, which is kept nowhere, and what is kept.
    public func makeCredential(for account: Account) -> (secret: Secret, credential: Credential) {
        let secret = Secret.make(for: .credential, environment)
        let now = environment.now()
        let credential = Credential(
            hash: secret.hash, username: account.username, createdAt: now,
            expiresAt: now + credentialTTL)
        return (secret, credential)
    }

    /// - Parameter text: as the client sent it.
    public func credential(
        _ text: String
    ) async throws(StorageError) -> Result<Credential, CredentialRefusal> {
        guard let secret = Secret(text, for: .credential),
            let credential = try await store.credential(secret.hash)
        else { return .failure(.unknown) }
        return environment.now() < credential.expiresAt ? .success(credential) : .failure(.expired)
    }
}
