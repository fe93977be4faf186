import WaypostCore

/// Makes and checks accounts and credentials. Stores nothing itself: what it makes is stored with
/// the change that it belongs to.
public struct Accounts: Sendable {
    private static let passwordSize = 8...256

    /// Whether strangers may sign up. The operator can always make accounts.
    public let isSignUpOpen: Bool
    private let store: any AccountStore
    private let hasher: PasswordHasher
    private let guesses: LogInRateLimiter
    private let environment: Environment
    private let credentialTTL: Duration

    public init(
        store: any AccountStore, hasher: PasswordHasher, environment: Environment,
        credentialTTL: Duration = .seconds(90 * 24 * 3600), isSignUpOpen: Bool = true,
        addressLogInLimit: Int = 20
    ) {
        self.store = store
        self.hasher = hasher
        self.environment = environment
        self.credentialTTL = credentialTTL
        self.isSignUpOpen = isSignUpOpen
        guesses = LogInRateLimiter(environment: environment, clientLimit: addressLogInLimit)
    }

    // MARK: Accounts

    /// An account that is to be stored. Whether its name still is free then, the store decides.
    /// - Parameters:
    ///   - password: 8 to 256 bytes in UTF-8, as received.
    ///   - client: where the request comes from, as far as is known.
    /// - Throws: `.invalidUsername`, `.invalidPassword`, `.weakPassword`, `.usernameTaken`, `.busy`,
    ///   `.throttled`, `.storage`.
    public func signUp(
        _ username: String, _ password: String, from client: String? = nil
    ) async throws(AccountError) -> Account {
        let username = try Username(username)
        try checkNewPassword(password, of: username)
        // Spares the hashing in the common case.
        guard try await account(username) == nil else { throw .usernameTaken }
        return Account(
            username: username,
            password: try await hasher.hash(
                Array(password.utf8), for: PasswordHasher.Owner(client: client, account: nil)),
            createdAt: environment.now())
    }

    /// The account with another password, that is to be stored.
    /// - Parameter client: where the request comes from, as far as is known.
    /// - Throws: `.invalidPassword`, `.weakPassword`, `.busy`, `.throttled`.
    public func replacePassword(
        of account: Account, with password: String, from client: String? = nil
    ) async throws(AccountError) -> Account {
        try checkNewPassword(password, of: account.username)
        let owner = PasswordHasher.Owner(client: client, account: account.username.key)
        var account = account
        account.password = try await hasher.hash(Array(password.utf8), for: owner)
        return account
    }

    /// Checks what needs no hash of a password that is to be set. No rules of composition (NIST
    /// SP 800-63B, 5.1.1.2): length, and not what is guessed first.
    /// - Throws: `.invalidPassword`, `.weakPassword`.
    public func checkNewPassword(
        _ password: String, of username: Username
    ) throws(AccountError) {
        guard Self.passwordSize.contains(password.utf8.count) else {
            throw .invalidPassword("expected 8 to 256 bytes")
        }
        guard !CommonPasswords.contains(password) else {
            throw .weakPassword("one of the 10,000 most common passwords: choose another")
        }
        guard username.key != (try? Username(password))?.key else {
            throw .weakPassword("the same as the username: choose another")
        }
    }

    /// An account that somebody has the password of.
    public struct Verified: Sendable {
        /// The account as it was found. A change of it may be stored only if it still is so.
        public let found: Account
        /// The account to store: its password is hashed anew if the cost of a hash has changed.
        public let account: Account
    }

    /// - Parameter client: where the request comes from, as far as is known: guesses are counted.
    /// - Throws: `.wrongCredentials`, the same for an unknown name as for a wrong password and for a
    ///   disabled account; `.throttled`, `.busy`, `.storage`.
    public func logIn(
        _ username: String, _ password: String, from client: String?
    ) async throws(AccountError) -> Verified {
        let name = try? Username(username)
        let guess = try begin(PasswordGuess(username: username, client: client))
        let verified: Verified?
        do throws(AccountError) {
            let owner = PasswordHasher.Owner(client: client, account: name?.key ?? username)
            verified = try await verify(name, password, for: owner)
        } catch {
            guesses.end(guess, .unknown)
            throw error
        }
        guesses.end(guess, verified == nil ? .wrong : .right)
        guard let verified else { throw .wrongCredentials }
        return verified
    }

    /// Looks whether a guess is right where that needs no hash, and counts it if it is wrong.
    /// - Parameter look: returns nil if the guess is wrong.
    /// - Returns: what `look` returned.
    /// - Throws: `.throttled`, before it looks, if a guess now would come too early.
    public func counting<Result>(
        _ guess: PasswordGuess, _ look: () -> Result?
    ) throws(AccountError) -> Result? {
        let begun = try begin(guess)
        let result = look()
        // A right one resets nothing: it is older than the failures since.
        guesses.end(begun, result == nil ? .wrong : .unknown)
        return result
    }

    private func begin(_ guess: PasswordGuess) throws(AccountError) -> LogInRateLimiter.Guess {
        let name = (try? Username(guess.username))?.key ?? guess.username
        do { return try guesses.begin(name, from: guess.client) } catch { throw .throttled(error) }
    }

    /// The same work whether there is an account or not, and whether it is disabled or not.
    private func verify(
        _ username: Username?, _ password: String, for owner: PasswordHasher.Owner
    ) async throws(AccountError) -> Verified? {
        // Nobody has a name or a password that could not be signed up with; it is hashed all the
        // same, so that time tells nothing.
        var found: Account?
        if let username { found = try await account(username) }
        let password = Array(password.utf8.prefix(Self.passwordSize.upperBound + 1))
        let isRight = try await hasher.verify(password, against: found?.password, for: owner)
        guard isRight, let found, !found.isDisabled else { return nil }
        var account = found
        if hasher.isOutdated(found.password) {
            account.password = try await hasher.hash(password, for: owner)
        }
        return Verified(found: found, account: account)
    }

    private func account(_ username: Username) async throws(AccountError) -> Account? {
        do { return try await store.account(username) } catch { throw .storage(error) }
    }

    // MARK: Credentials

    /// A credential that is to be stored.
    /// - Parameter session: the id of the session that it is issued to.
    /// - Returns: the secret, which is kept nowhere, and what is kept.
    public func makeCredential(
        for account: Account, session: String
    ) -> (secret: Secret, credential: Credential) {
        let secret = Secret.make(for: .credential, environment)
        let now = environment.now()
        let credential = Credential(
            hash: secret.hash, username: account.username, session: session, createdAt: now,
            expiresAt: now + credentialTTL)
        return (secret, credential)
    }

    /// - Parameter text: as the client sent it.
    public func credential(
        _ text: String
    ) async throws(StorageError) -> Result<Credential, CredentialRefusal> {
        guard let secret = Secret(text, for: .credential) else { return .failure(.unknown) }
        return try await credential(secret.hash)
    }

    public func credential(
        _ hash: SecretHash
    ) async throws(StorageError) -> Result<Credential, CredentialRefusal> {
        guard let credential = try await store.credential(hash) else { return .failure(.unknown) }
        return credential.refusal(at: environment.now()).map { .failure($0) }
            ?? .success(credential)
    }
}
