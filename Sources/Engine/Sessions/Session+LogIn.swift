import NavigationRules
import WaypostCore

// Log-in and sign-up. The password is verified outside the session's executor: hashing takes long,
// and other changes must not wait for it.

/// A request to log in with a password, or to create an account and log in to it.
public struct LogInRequest: Sendable {
    let submission: Scene.Submission
    let username: String
    let password: String
    let client: String?
    let precondition: Precondition?
    let idempotency: IdempotentRequest<ChangeResult>?
    let requestID: String?
    let admit: @Sendable () throws(RateLimitExceeded) -> Void

    /// - Parameters:
    ///   - submission: whether the user logs in or signs up.
    ///   - client: the client's network address, for the rate limit; nil if unknown.
    ///   - precondition: see `ChangeRequest`, as for the other parameters.
    ///   - admit: counts a sign-up towards a quota. It is called only if the session allows a
    ///     sign-up, and not if the request is a repetition.
    public init(
        _ submission: Scene.Submission, _ username: String, _ password: String,
        from client: String? = nil, if precondition: Precondition? = nil,
        idempotency: IdempotentRequest<ChangeResult>? = nil, requestID: String? = nil,
        admit: @escaping @Sendable () throws(RateLimitExceeded) -> Void = {}
    ) {
        self.submission = submission
        self.username = username
        self.password = password
        self.client = client
        self.precondition = precondition
        self.idempotency = idempotency
        self.requestID = requestID
        self.admit = admit
    }
}

extension Session {
    /// Logs in, or creates an account and logs in to it. If the log-in fails, no account is created,
    /// unless a `StorageError` says that the outcome is unknown.
    ///
    /// The errors are those of an account, such as `.wrongCredentials`, `.throttled`,
    /// `.passwordsBusy`, `.signUpClosed` or `.usernameTaken`; `.navigation` if a user is already
    /// logged in or the app has no login; and those of every change, such as `.ended`.
    public nonisolated func logIn(
        _ request: LogInRequest, completion: @escaping Completion<IdempotentResult<ChangeResult>>
    ) {
        let attempt = PasswordAttempt(username: request.username, client: request.client)
        carryOut(request.idempotency, counting: attempt, completion) {
            () async throws(SessionError) in
            // If the account changes while its password is verified, the log-in is tried once more.
            for _ in 0..<2 {
                do throws(SessionError) { return try await self.logIn(request) } catch {
                    guard request.submission == .logIn, error == .accountChanged else {
                        throw error
                    }
                }
            }
            throw .wrongCredentials
        }
    }

    private nonisolated func logIn(
        _ request: LogInRequest
    ) async throws(SessionError) -> ChangeResult {
        try await checkLogInIsPossible(request)
        let position = dependencies.revocations.position
        let (account, write) = try await account(for: request)
        let surplus = try await surplusCredentials(of: account)
        let (secret, credential) = dependencies.accounts.makeCredential(
            for: account, session: id.description)
        let verified = VerifiedLogIn(
            account: write, username: account.username, secret: secret, credential: credential,
            surplus: surplus, position: position)
        let change = ChangeRequest(
            .logIn(verified), if: request.precondition, idempotency: request.idempotency,
            requestID: request.requestID)
        return try await withCompletion { submit(change, completion: $0) }
    }

    /// Verifies the password of a log-in, or makes the account of a sign-up.
    /// - Returns: the account, and the change of this account to store.
    private nonisolated func account(
        for request: LogInRequest
    ) async throws(SessionError) -> (Account, WriteBatch.AccountChange) {
        let accounts = dependencies.accounts
        let (username, password) = (request.username, request.password)
        switch request.submission {
        case .logIn:
            let verified = try await accounts.logIn(username, password, from: request.client)
            return (verified.account, .update(verified.account, from: verified.found))
        case .signUp:
            guard accounts.isSignUpOpen else { throw .signUpClosed }
            do throws(RateLimitExceeded) { try request.admit() } catch { throw .throttled(error) }
            let account = try await accounts.signUp(username, password, from: request.client)
            return (account, .insert(account))
        }
    }

    /// Checks that the session can be logged in. The caller makes this check before a password is
    /// hashed or an account is created.
    /// - Throws: the error that the log-in itself would fail with.
    private nonisolated func checkLogInIsPossible(
        _ request: LogInRequest
    ) async throws(SessionError) {
        let state = try await withCompletion(read)
        try request.precondition.check(state)
        do {
            _ = try state.window.performing(
                Operation(LogIn(username: "", isSignUp: request.submission == .signUp)),
                animated: false,
                in: dependencies.app)
        } catch {
            throw .navigation(error)
        }
    }

    /// Returns the hashes of the credentials to revoke so that a new credential does not exceed the
    /// account's limit. Concurrent log-ins get the same list. The account may then have a few
    /// credentials too many, which the next log-in revokes.
    private nonisolated func surplusCredentials(
        of account: Account
    ) async throws(SessionError) -> [SecretHash] {
        Credential.surplus(of: try await dependencies.validCredentials(of: account.username))
    }
}
