import Synchronization

/// The accounts of all users, and their credentials. Kept in memory.
public final class Accounts: Sendable {
    private struct State {
        /// A name is kept as it was signed up: a log-in may write it in another case.
        var accounts: [Username: (username: Username, password: PasswordHash)] = [:]
        var credentials: [SecretHash: Credential] = [:]
    }

    private static let passwordSize = 8...256

    private let hasher: PasswordHasher
    private let environment: Environment
    private let credentialTTL: Duration
    private let state = Mutex(State())

    public init(
        hasher: PasswordHasher, environment: Environment,
        credentialTTL: Duration = .seconds(90 * 24 * 3600)
    ) {
        self.hasher = hasher
        self.environment = environment
        self.credentialTTL = credentialTTL
    }

    /// Makes an account.
    /// - Parameter password: 8 to 256 bytes in UTF-8, as received.
    /// - Throws: `.invalidUsername`, `.invalidPassword`, `.usernameTaken`, `.busy`.
    public func signUp(
        _ username: String, _ password: String
    ) async throws(AccountError) -> Username {
        let username = try Username(username)
        let password = Array(password.utf8)
        guard Self.passwordSize.contains(password.count) else {
            throw .invalidPassword("expected 8 to 256 bytes")
        }
        guard account(username) == nil else { throw .usernameTaken }
        let hash = try await hasher.hash(password)
        let isNew = state.withLock { state in
            guard state.accounts[username] == nil else { return false }
            state.accounts[username] = (username, hash)
            return true
        }
        guard isNew else { throw .usernameTaken }
        return username
    }

    /// - Returns: the name as it was signed up.
    /// - Throws: `.wrongCredentials`, the same for an unknown name as for a wrong password; `.busy`.
    public func logIn(
        _ username: String, _ password: String
    ) async throws(AccountError) -> Username {
        // Nobody has a name or a password that could not be signed up with; it is hashed all the
        // same, so that time tells nothing.
        let account = (try? Username(username)).flatMap(account)
        let password = Array(password.utf8.prefix(Self.passwordSize.upperBound + 1))
        let isRight = try await hasher.verify(password, against: account?.password)
        guard isRight, let account else { throw .wrongCredentials }
        return account.username
    }

    private func account(_ username: Username) -> (username: Username, password: PasswordHash)? {
        state.withLock { $0.accounts[username] }
    }

    // MARK: Credentials

    /// - Returns: the secret, which is kept nowhere else, and what is kept.
    public func issueCredential(to username: Username) -> (secret: Secret, credential: Credential) {
        let secret = Secret.make(for: .credential, environment)
        let now = environment.now()
        let credential = Credential(
            hash: secret.hash, username: username, createdAt: now, expiresAt: now + credentialTTL)
        state.withLock { $0.credentials[credential.hash] = credential }
        return (secret, credential)
    }

    /// - Parameter text: as the client sent it.
    public func credential(_ text: String) throws(CredentialRefusal) -> Credential {
        guard let secret = Secret(text, for: .credential),
            let credential = state.withLock({ $0.credentials[secret.hash] })
        else { throw .unknown }
        guard environment.now() < credential.expiresAt else { throw .expired }
        return credential
    }

    public func revoke(_ credential: SecretHash) {
        _ = state.withLock { $0.credentials.removeValue(forKey: credential) }
    }
}
