import Metrics
import WaypostCore

/// Makes and checks accounts and credentials. The caller stores the returned accounts and
/// credentials, together with the change that they belong to; the type itself stores only counts of
/// log-in failures. Any thread may call its methods.
public struct Accounts: Sendable {
    private static let passwordSize = 8...256

    /// Whether clients may sign up. The operator can always create accounts.
    public let isSignUpOpen: Bool
    private let store: any AccountStore
    private let hasher: PasswordHasher
    private let guesses: LogInRateLimiter
    private let environment: Environment
    private let credentialTTL: Duration
    private let logIns = LogInMetrics()

    /// The metrics of log-ins.
    public var metrics: [Family] { logIns.families }
    /// The number of log-ins that had a wrong password or that the rate limit refused.
    public var refusedLogIns: Int { logIns.refused }

    /// - Parameters:
    ///   - credentialTTL: the lifetime of a credential.
    ///   - addressLogInLimit: the number of log-in failures per client after which the client has
    ///     to wait before its next attempt; 0 for no limit.
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

    /// Makes a new account for the caller to store. The store later rejects it if the name has been
    /// taken meanwhile.
    /// - Parameters:
    ///   - password: 8 to 256 bytes in UTF-8, as received.
    ///   - client: the client's network address; nil if unknown.
    /// - Throws: `.invalidUsername`, `.invalidPassword`, `.weakPassword`, `.usernameTaken`, `.busy`,
    ///   `.throttled`, `.storage`.
    public func signUp(
        _ username: String, _ password: String, from client: String? = nil
    ) async throws(AccountError) -> Account {
        let username = try Username(username)
        try checkNewPassword(password, of: username)
        // The early check saves a hash if the name is taken.
        guard try await account(username) == nil else { throw .usernameTaken }
        return Account(
            username: username,
            password: try await hasher.hash(
                Array(password.utf8), for: PasswordHasher.Owner(client: client, account: nil)),
            createdAt: environment.now())
    }

    /// Returns a copy of an account with a new password, for the caller to store.
    /// - Parameter client: the client's network address; nil if unknown.
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

    /// Checks the length of a new password, and that it is neither a common password nor the username.
    /// No rule says which kinds of characters a password must contain (NIST SP 800-63B, 5.1.1.2).
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

    /// An account whose password has been verified.
    public struct Verified: Sendable {
        /// The account as it was read. A change may be stored only if the stored account is still
        /// equal to it.
        public let found: Account
        /// The account to store. Its password is hashed again if the cost of hashes has changed.
        public let account: Account
    }

    /// Verifies a username and a password.
    /// - Parameter client: the client's network address, for the rate limit; nil if unknown.
    /// - Throws: `.wrongCredentials` alike for an unknown name, a wrong password and a disabled
    ///   account; `.throttled`, `.busy`, `.storage`.
    public func logIn(
        _ username: String, _ password: String, from client: String?
    ) async throws(AccountError) -> Verified {
        do throws(AccountError) {
            let verified = try await verifyGuess(username, password, from: client)
            logIns.verified.increment()
            return verified
        } catch {
            logIns.count(error)
            throw error
        }
    }

    /// Verifies a username and a password, and counts a failure for the rate limit.
    private func verifyGuess(
        _ username: String, _ password: String, from client: String?
    ) async throws(AccountError) -> Verified {
        let name = try? Username(username)
        let guess = try await begin(PasswordGuess(username: username, client: client))
        let verified: Verified?
        do throws(AccountError) {
            let owner = PasswordHasher.Owner(client: client, account: name?.key ?? username)
            verified = try await verify(name, password, for: owner)
        } catch {
            await guesses.end(guess, .unknown, in: store.logInFailures)
            throw error
        }
        await guesses.end(guess, verified == nil ? .wrong : .right, in: store.logInFailures)
        guard let verified else { throw .wrongCredentials }
        return verified
    }

    /// Checks a guess that needs no hash, and counts it for the rate limit if it is wrong.
    /// - Parameter look: checks the guess and returns nil if it is wrong.
    /// - Returns: the result of `look`.
    /// - Throws: `.throttled`, without calling `look`, if the rate limit allows no guess now.
    public func counting<Result>(
        _ guess: PasswordGuess, _ look: () -> Result?
    ) async throws(AccountError) -> Result? {
        let begun = try await begin(guess)
        let result = look()
        // A right guess does not reset the count, as it only proves that the password was right at an
        // earlier time.
        await guesses.end(begun, result == nil ? .wrong : .unknown, in: store.logInFailures)
        return result
    }

    private func begin(
        _ guess: PasswordGuess
    ) async throws(AccountError) -> LogInRateLimiter.Guess {
        let name = (try? Username(guess.username))?.key ?? guess.username
        return try await guesses.begin(name, from: guess.client, in: store.logInFailures)
    }

    /// Verifies a password with the same work for an unknown, a disabled and an enabled account.
    private func verify(
        _ username: Username?, _ password: String, for owner: PasswordHasher.Owner
    ) async throws(AccountError) -> Verified? {
        // An invalid name or an over-long password is hashed, too, so that the time of the response
        // tells nothing.
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

    /// Makes a new credential for the caller to store.
    /// - Parameter session: the id of the session whose log-in issues it.
    /// - Returns: the secret for the client, which the service does not store, and the record to
    ///   store.
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

    /// Returns the stored credential that a client has sent, or the reason why it is invalid.
    /// - Parameter text: the credential as the client sent it.
    public func credential(
        _ text: String
    ) async throws(StorageError) -> Result<Credential, CredentialRefusal> {
        guard let secret = Secret(text, for: .credential) else { return .failure(.unknown) }
        return try await credential(secret.hash)
    }

    /// Returns the stored credential with a hash, or the reason why it is invalid.
    public func credential(
        _ hash: SecretHash
    ) async throws(StorageError) -> Result<Credential, CredentialRefusal> {
        guard let credential = try await store.credential(hash) else { return .failure(.unknown) }
        return credential.refusal(at: environment.now()).map { .failure($0) }
            ?? .success(credential)
    }
}
