import NavigationRules
import WaypostCore

// Log-in and sign-up. The password is verified outside the session's executor: hashing takes long,
// and other changes must not wait for it.

extension Session {
    /// Creates an account and logs in to it. If the call fails, no account is created, unless a
    /// `StorageError` says that the outcome is unknown.
    /// - Parameters:
    ///   - client: the client's network address, for the rate limit; nil if unknown.
    ///   - precondition: returns whether the session's revision allows the change; nil if every
    ///     revision does.
    ///   - idempotency: the request's `Idempotency-Key`; nil if the request has none.
    ///   - requestID: the `X-Request-ID` that the client sent, for the history; nil if the client
    ///     sent none.
    /// - Throws: `.account`, for example with `.signUpClosed` or `.usernameTaken`; `.navigation` if
    ///   a user is already logged in or the app has no login; the errors of every change, such as
    ///   `.ended`.
    public nonisolated func signUp(
        _ username: String, _ password: String, from client: String? = nil,
        if precondition: Precondition? = nil,
        idempotency: IdempotentRequest<ChangeResult>? = nil, requestID: String? = nil
    ) async throws(SessionError) -> Answered<ChangeResult> {
        try await dependencies.once(
            idempotency, counting: PasswordGuess(username: username, client: client)
        ) { () async throws(SessionError) in
            try await logIn(.signUp, if: precondition, idempotency, requestID) {
                accounts async throws(AccountError) in
                guard accounts.isSignUpOpen else { throw .signUpClosed }
                let account = try await accounts.signUp(username, password, from: client)
                return (account, .insert(account))
            }
        }
    }

    /// Logs in with a username and a password.
    /// - Parameters:
    ///   - client: the client's network address, for the rate limit; nil if unknown.
    ///   - precondition: returns whether the session's revision allows the change; nil if every
    ///     revision does.
    ///   - idempotency: the request's `Idempotency-Key`; nil if the request has none.
    ///   - requestID: the `X-Request-ID` that the client sent, for the history; nil if the client
    ///     sent none.
    /// - Throws: `.account` with `.wrongCredentials`, `.throttled` or `.busy`; `.navigation` if a
    ///   user is already logged in or the app has no login; the errors of every change, such as
    ///   `.ended`.
    public nonisolated func logIn(
        _ username: String, _ password: String, from client: String? = nil,
        if precondition: Precondition? = nil,
        idempotency: IdempotentRequest<ChangeResult>? = nil, requestID: String? = nil
    ) async throws(SessionError) -> Answered<ChangeResult> {
        try await dependencies.once(
            idempotency, counting: PasswordGuess(username: username, client: client)
        ) { () async throws(SessionError) in
            // If the account changes while its password is verified, the log-in is tried once more.
            for _ in 0..<2 {
                do throws(SessionError) {
                    return try await logIn(.logIn, if: precondition, idempotency, requestID) {
                        accounts async throws(AccountError) in
                        let verified = try await accounts.logIn(username, password, from: client)
                        return (
                            verified.account, .update(verified.account, from: verified.found)
                        )
                    }
                } catch {
                    guard error == .account(.accountChanged) else { throw error }
                }
            }
            throw .account(.wrongCredentials)
        }
    }

    /// Logs in to the account that `find` returns.
    /// - Parameters:
    ///   - submission: whether the user logs in or signs up.
    ///   - precondition: returns whether the session's revision allows the change; nil if every
    ///     revision does.
    ///   - idempotency: the request's `Idempotency-Key`; nil if the request has none.
    ///   - requestID: the `X-Request-ID` that the client sent, for the history; nil if the client
    ///     sent none.
    ///   - find: verifies a password or makes a new account. Returns the account to log in to, and
    ///     the change of this account to store.
    private nonisolated func logIn(
        _ submission: Scene.Submission, if precondition: Precondition?,
        _ idempotency: IdempotentRequest<ChangeResult>?, _ requestID: String?,
        _ find: (Accounts) async throws(AccountError) -> (Account, WriteBatch.AccountChange)
    ) async throws(SessionError) -> ChangeResult {
        try await checkLogInIsPossible(submission, if: precondition)
        let position = dependencies.revocations.position
        let account: Account
        let change: WriteBatch.AccountChange
        do { (account, change) = try await find(dependencies.accounts) } catch {
            throw .account(error)
        }
        let surplus = try await surplusCredentials(of: account)
        let (secret, credential) = dependencies.accounts.makeCredential(
            for: account, session: id.description)
        let verified = VerifiedLogIn(
            account: change, username: account.username, secret: secret, credential: credential,
            surplus: surplus, position: position)
        return try await submit(
            ChangeRequest(
                .logIn(verified), if: precondition, idempotency: idempotency, requestID: requestID))
    }

    /// Checks that the session can be logged in. The caller makes this check before a password is
    /// hashed or an account is created.
    /// - Throws: the error that the log-in itself would fail with.
    private nonisolated func checkLogInIsPossible(
        _ submission: Scene.Submission, if precondition: Precondition?
    ) async throws(SessionError) {
        let snapshot = try await current()
        let revision = snapshot.window.revision
        guard precondition?(revision, snapshot.name) ?? true else {
            throw .revisionMismatch(present: revision, name: snapshot.name)
        }
        do {
            _ = try snapshot.window.performing(
                Operation(LogIn(username: "", isSignUp: submission == .signUp)), animated: false,
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
        do {
            return Credential.surplus(
                of: try await dependencies.store.credentials(
                    of: account.username, at: dependencies.environment.now(), after: nil,
                    limit: 10 * Credential.validLimit))
        } catch {
            throw .storage(error)
        }
    }
}

// MARK: - For callers in tasks

extension Session {
    /// Returns the session's last stored state. This method is the async form of `read(_:)`.
    /// - Throws: `.ended`, `.sessionBusy` or `.storage`.
    public nonisolated func current() async throws(SessionError) -> SessionSnapshot {
        let result = await withCheckedContinuation { continuation in
            read { continuation.resume(returning: $0) }
        }
        return try result.get()
    }

    /// Carries out a change, or returns the stored response if the request was made before. This
    /// method is the async form of `perform(_:completion:)`.
    public nonisolated func perform(
        _ request: ChangeRequest
    ) async throws(SessionError) -> Answered<ChangeResult> {
        let result = await withCheckedContinuation { continuation in
            perform(request) { continuation.resume(returning: $0) }
        }
        return try result.get()
    }

    /// Returns a page of the session's lifecycle events, the oldest first.
    /// - Parameters:
    ///   - after: the page begins with the event after this number (`seq`); 0 for the first page.
    ///   - limit: the maximum number of events on the page.
    /// - Returns: the page; and in `last`, the number of the newest event that is stored, which may
    ///   come after the page.
    public nonisolated func events(
        after: Int, limit: Int
    ) async throws(SessionError) -> (page: EventPage, last: Int) {
        let last = try await current().window.lastEvent
        do {
            let page = try await dependencies.store.events(of: id, after: after, limit: limit)
            // The store may already hold the events of a change that is not published yet.
            let events = page.events.filter { $0.seq <= last }
            return (EventPage(events: events, oldest: page.oldest), last)
        } catch {
            throw .storage(error)
        }
    }
}
