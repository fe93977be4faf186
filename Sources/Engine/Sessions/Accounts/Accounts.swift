import WaypostCore

/// Makes and checks accounts and credentials. The caller must store the new and changed accounts
/// and credentials that the methods return. The type itself stores only the counts of failed
/// log-ins. Any thread may call its methods.
public struct Accounts: Sendable {
    private static let passwordSize = 8...256

    /// Whether clients may sign up. The operator of the service can always create accounts.
    public let isSignUpOpen: Bool
    private let store: any AccountStore
    private let hasher: PasswordHasher
    private let limiter: LogInRateLimiter
    private let environment: Environment
    private let credentialTTL: Duration
    private let logIns = LogInMetrics()

    /// The metrics of log-ins with a password.
    public var metrics: [Family] { logIns.families }
    /// The number of log-ins since the process started that had a wrong password or that the rate
    /// limit refused.
    public var refusedLogIns: Int { logIns.refused }

    /// Creates an instance that reads accounts and credentials from `store`.
    /// - Parameters:
    ///   - credentialTTL: the lifetime of a credential.
    ///   - addressLogInLimit: the number of failed log-ins after which a client must wait before
    ///     its next attempt; 0 for no limit.
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
        limiter = LogInRateLimiter(environment: environment, clientLimit: addressLogInLimit)
    }

    // MARK: Accounts

    /// Makes a new account for the caller to store. If another request takes the name in the
    /// meantime, the store rejects the account.
    /// - Parameters:
    ///   - password: 8 to 256 bytes in UTF-8, as the client sent it.
    ///   - client: the network address of the client; nil if unknown.
    /// - Throws: `.invalidUsername`, `.invalidPassword`, `.invalidUsernameAndPassword`,
    ///   `.weakPassword`, `.usernameTaken`,
    ///   `.passwordsBusy`, `.throttled`, `.storage`.
    public func signUp(
        _ username: String, _ password: String, from client: String? = nil
    ) async throws(SessionError) -> Account {
        let username = try checkNewAccount(username, password)
        // If the name is taken, this early check avoids the computation of a hash.
        guard try await store.account(username) == nil else { throw .usernameTaken }
        return Account(
            username: username,
            password: try await hasher.hash(
                Array(password.utf8), for: WorkOwner(client: client, account: nil)),
            createdAt: environment.now())
    }

    /// Checks the username and the password of a new account. The password is checked even if the
    /// username is invalid, so that the client learns about both at once.
    private func checkNewAccount(
        _ username: String, _ password: String
    ) throws(SessionError) -> Username {
        let name: Username
        do { name = try Username(username) } catch {
            guard case .invalidUsername(let reason) = error else { throw error }
            do { try checkNewPassword(password, of: nil) } catch {
                switch error {
                case .invalidPassword(let other), .weakPassword(let other):
                    throw .invalidUsernameAndPassword(username: reason, password: other)
                default: throw error
                }
            }
            throw error
        }
        try checkNewPassword(password, of: name)
        return name
    }

    /// Returns a copy of an account with a new password, for the caller to store.
    /// - Parameter client: the network address of the client; nil if unknown.
    /// - Throws: `.invalidPassword`, `.weakPassword`, `.passwordsBusy`, `.throttled`.
    public func replacePassword(
        of account: Account, with password: String, from client: String? = nil
    ) async throws(SessionError) -> Account {
        try checkNewPassword(password, of: account.username)
        let owner = WorkOwner(client: client, account: account.username.key)
        var account = account
        account.password = try await hasher.hash(Array(password.utf8), for: owner)
        return account
    }

    /// Checks that a new password has 8 to 256 bytes, and is neither a common password nor the
    /// username. There is no rule about the kinds of characters, as NIST SP 800-63B, 5.1.1.2,
    /// recommends.
    /// - Parameter username: the username of the account; nil if it is unknown.
    /// - Throws: `.invalidPassword` for a wrong length; `.weakPassword` for a common password or
    ///   the username.
    public func checkNewPassword(
        _ password: String, of username: Username?
    ) throws(SessionError) {
        guard Self.passwordSize.contains(password.utf8.count) else {
            throw .invalidPassword("expected 8 to 256 bytes")
        }
        guard !CommonPasswords.contains(password) else {
            throw .weakPassword("one of the 10,000 most common passwords: choose another")
        }
        guard username == nil || username?.key != (try? Username(password))?.key else {
            throw .weakPassword("the same as the username: choose another")
        }
    }

    /// An account whose password has been verified.
    public struct Verified: Sendable {
        /// The account as it was read from the store. The caller may store `account` only if the
        /// stored account still equals this value.
        public let found: Account
        /// The account to store. If the cost of hashing has changed, the account contains a new
        /// hash of the password.
        public let account: Account
    }

    /// Verifies a username and a password.
    /// - Parameter client: the network address of the client, for the rate limit; nil if unknown.
    /// - Throws: `.wrongCredentials` in each of three cases: the name is unknown, the password is
    ///   wrong, or the account is disabled. `.throttled` if a limit on failed log-ins or on waiting
    ///   passwords refuses the attempt; `.passwordsBusy` if the password cannot be hashed at present;
    ///   `.storage` if the store fails.
    public func logIn(
        _ username: String, _ password: String, from client: String?
    ) async throws(SessionError) -> Verified {
        do throws(SessionError) {
            let verified = try await verifyAndCount(username, password, from: client)
            logIns.verified.increment()
            return verified
        } catch {
            logIns.count(error)
            throw error
        }
    }

    /// Verifies a username and a password. An attempt that fails with `.wrongCredentials` counts
    /// toward the rate limit.
    private func verifyAndCount(
        _ username: String, _ password: String, from client: String?
    ) async throws(SessionError) -> Verified {
        let name = try? Username(username)
        let attempt = try await begin(PasswordAttempt(username: username, client: client))
        let verified: Verified?
        do throws(SessionError) {
            let owner = WorkOwner(client: client, account: name?.key ?? username)
            verified = try await verify(name, password, for: owner)
        } catch {
            await limiter.end(attempt, .unknown, in: store.logInFailures)
            throw error
        }
        await limiter.end(attempt, verified == nil ? .wrong : .right, in: store.logInFailures)
        guard let verified else { throw .wrongCredentials }
        return verified
    }

    /// Checks a password in a way that needs no password hash, such as a comparison with an earlier
    /// request. A wrong password counts toward the rate limit.
    /// - Parameter look: checks the password and returns nil if it is wrong.
    /// - Returns: the result of `look`.
    /// - Throws: `.throttled` if the rate limit allows no attempt at present; `look` is then not
    ///   called. `.storage` if the store fails.
    public func counting<Result>(
        _ attempt: PasswordAttempt, _ look: () -> Result?
    ) async throws(SessionError) -> Result? {
        let begun = try await begin(attempt)
        let result = look()
        // A right password does not reset the count, because it only proves that the password was
        // right at an earlier time.
        await limiter.end(begun, result == nil ? .wrong : .unknown, in: store.logInFailures)
        return result
    }

    /// Forgets the wrong passwords that this process has counted.
    public func forgetWrongPasswords() { limiter.forgetFailures() }

    private func begin(
        _ attempt: PasswordAttempt
    ) async throws(SessionError) -> LogInRateLimiter.Attempt {
        let name = (try? Username(attempt.username))?.key ?? attempt.username
        return try await limiter.begin(name, from: attempt.client, in: store.logInFailures)
    }

    /// Verifies a password. The work is the same for an unknown, a disabled and an enabled account,
    /// so that the duration does not reveal whether the account exists.
    /// - Parameters:
    ///   - username: the username; nil if the client sent a text that is not a valid username.
    ///   - owner: the client and the account to which the limits on waiting passwords apply.
    /// - Returns: nil if the password is wrong, or if the account is unknown or disabled.
    private func verify(
        _ username: Username?, _ password: String, for owner: WorkOwner
    ) async throws(SessionError) -> Verified? {
        // The password is hashed even if the name is invalid or the password is too long, so that
        // the response time reveals nothing.
        var found: Account?
        if let username { found = try await store.account(username) }
        let password = Array(password.utf8.prefix(Self.passwordSize.upperBound + 1))
        let isRight = try await hasher.verify(password, against: found?.password, for: owner)
        guard isRight, let found, !found.isDisabled else { return nil }
        var account = found
        if hasher.isOutdated(found.password) {
            account.password = try await hasher.hash(password, for: owner)
        }
        return Verified(found: found, account: account)
    }

    // MARK: Credentials

    /// Makes a new credential for the caller to store.
    /// - Parameter session: the id of the session in which the user logs in; nil for none.
    /// - Returns: the secret for the client, and the record to store. The record contains only the
    ///   hash of the secret.
    public func makeCredential(
        for account: Account, session: String?
    ) -> (secret: Secret, credential: Credential) {
        let secret = Secret.make(for: .credential, environment)
        let now = environment.now()
        let credential = Credential(
            hash: secret.hash, username: account.username, session: session, createdAt: now,
            expiresAt: now + credentialTTL)
        return (secret, credential)
    }

    /// Finds the stored credential for the token that a client has sent.
    /// - Parameter text: the token as the client sent it.
    /// - Returns: the credential, or the reason why it is invalid.
    public func credential(
        _ text: String
    ) async throws(SessionError) -> Result<Credential, CredentialRefusal> {
        guard let secret = Secret(text, for: .credential) else { return .failure(.unknown) }
        return try await credential(secret.hash)
    }

    /// Finds the stored credential whose token has this hash.
    /// - Returns: the credential, or the reason why it is invalid.
    public func credential(
        _ hash: SecretHash
    ) async throws(SessionError) -> Result<Credential, CredentialRefusal> {
        guard let credential = try await store.credential(hash) else { return .failure(.unknown) }
        return credential.refusal(at: environment.now()).map { .failure($0) }
            ?? .success(credential)
    }
}
