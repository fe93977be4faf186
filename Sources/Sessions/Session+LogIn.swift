import Accounts
import Navigation
import WaypostCore

// Log-in and sign-up. The password is verified outside the session's executor: hashing takes long, and
// other changes must not wait for it.

extension Session {
    /// Creates an account and logs in with it. A failure creates no account.
    /// - Parameters:
    ///   - client: the client's network address, for the rate limit; nil if unknown.
    ///   - requestID: the `X-Request-ID` that the client sent, for the history; nil if it sent none.
    public nonisolated func signUp(
        _ username: String, _ password: String, from client: String? = nil,
        if precondition: Precondition? = nil,
        idempotency: IdempotentRequest<ChangeResult>? = nil, requestID: String? = nil
    ) async throws(SessionError) -> Answered<ChangeResult> {
        try await dependencies.once(
            idempotency, counting: PasswordGuess(username: username, client: client)
        ) { () async throws(SessionError) in
            try await logIn(if: precondition, idempotency, requestID) {
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
    ///   - requestID: the `X-Request-ID` that the client sent, for the history; nil if it sent none.
    /// - Throws: `.account` with `.wrongCredentials`, `.throttled` or `.busy`, and the errors that
    ///   every change may fail with.
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
                    return try await logIn(if: precondition, idempotency, requestID) {
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

    /// Logs in with the account that `find` returns.
    /// - Parameter find: verifies the password and returns the account with the change to store for
    ///   it.
    private nonisolated func logIn(
        if precondition: Precondition?, _ idempotency: IdempotentRequest<ChangeResult>?,
        _ requestID: String?,
        _ find: (Accounts) async throws(AccountError) -> (Account, WriteBatch.AccountChange)
    ) async throws(SessionError) -> ChangeResult {
        try await checkLogInIsPossible(if: precondition)
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

    /// Checks that the session accepts a log-in, before a password is hashed or an account is created.
    /// - Throws: the error that the log-in itself would fail with.
    private nonisolated func checkLogInIsPossible(
        if precondition: Precondition?
    ) async throws(SessionError) {
        let snapshot = try await current()
        let revision = snapshot.window.revision
        guard precondition?(revision) ?? true else {
            throw .revisionMismatch(present: revision)
        }
        do {
            _ = try snapshot.window.performing(
                .logIn(username: ""), animated: false, in: dependencies.app)
        } catch {
            throw .navigation(error)
        }
    }

    /// Returns the credentials to revoke so that the account may have one more credential. Concurrent
    /// log-ins get the same list, so that the account may have a few too many; the next log-in revokes
    /// these.
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
    /// Returns the last stored state, like `read`.
    public nonisolated func current() async throws(SessionError) -> SessionSnapshot {
        let result = await withCheckedContinuation { continuation in
            read { continuation.resume(returning: $0) }
        }
        return try result.get()
    }

    /// Carries out a change, like `perform(_:completion:)`.
    public nonisolated func perform(
        _ request: ChangeRequest
    ) async throws(SessionError) -> Answered<ChangeResult> {
        let result = await withCheckedContinuation { continuation in
            perform(request) { continuation.resume(returning: $0) }
        }
        return try result.get()
    }

    /// Returns a page of the session's lifecycle log, up to the last event of the last stored state.
    /// - Parameter after: the number (`seq`) of the event before the page; 0 for the first page.
    /// - Returns: the page, and the number of the last event of the last stored state.
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
