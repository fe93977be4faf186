import WaypostCore

/// Finds, changes and removes accounts, on behalf of their users or of the service's operator. Any
/// thread may call the methods.
///
/// When a credential is revoked, the sessions that are logged in with it fall back to the login
/// root: they show the root view controller for a user who is not logged in.
public final class AccountDirectory: Sendable {
    private let dependencies: SessionDependencies

    /// The minimum time between two updates of a credential's `lastUsedAt`. A credential that is
    /// used often thus causes few writes to the store.
    private static let useInterval = Duration.seconds(60)

    public init(_ dependencies: SessionDependencies) { self.dependencies = dependencies }

    /// A valid credential and its account.
    public struct AuthenticatedAccount: Sendable {
        public let account: Account
        public let credential: Credential
    }

    /// Checks the credential of a request. Stores the present time as the credential's
    /// `lastUsedAt`, at most once a minute, if the store can be written.
    /// - Parameter text: the credential as the client sent it.
    /// - Returns: the credential and its account; nil if the credential is unknown, revoked or
    ///   expired, or if the account is disabled.
    /// - Throws: `.storage` if the store cannot be read.
    public func authenticate(_ text: String) async throws(SessionError) -> AuthenticatedAccount? {
        guard case .success(let found) = try await dependencies.accounts.credential(text),
            let account = try await dependencies.store.account(found.username),
            !account.isDisabled
        else { return nil }
        let now = dependencies.environment.now()
        if found.lastUsedAt.map({ $0 + Self.useInterval <= now }) ?? true {
            let use = WriteBatch.CredentialUse(hash: found.hash, time: now)
            do throws(SessionError) {
                try await store(AccountWrites(credentialUse: use))
            } catch {
                // The credential was revoked in the meantime. After any other error, the time is
                // missing, but the request may be a read, which works without it.
                if error == .accountChanged { return nil }
            }
        }
        return AuthenticatedAccount(account: account, credential: found)
    }

    // MARK: For the user

    /// Changes an account's password, and revokes all of the account's credentials except the one
    /// in the request.
    /// - Parameters:
    ///   - holder: the account, and the credential in the request.
    ///   - client: the client's network address, for the rate limit; nil if unknown.
    ///   - idempotency: the request's `Idempotency-Key`; nil if the request has none.
    /// - Throws: `.wrongPassword`, `.invalidPassword`, `.weakPassword`,
    ///   `.accountChanged`, `.throttled` or `.passwordsBusy`; `.idempotencyKeyReused`; `.storage`.
    public func changePassword(
        of holder: AuthenticatedAccount, from old: String, to new: String, client: String?,
        idempotency: IdempotentRequest<Void>? = nil
    ) async throws(SessionError) -> IdempotentResult<Void> {
        try await carryOut(idempotency, attempt(of: holder, client)) {
            () async throws(SessionError) in
            // The new password is checked first, so that the old one is not hashed if the new one
            // is invalid.
            try self.dependencies.accounts.checkNewPassword(new, of: holder.account.username)
            let found = try await self.account(of: holder, password: old, client)
            let account = try await self.dependencies.accounts.replacePassword(
                of: found, with: new, from: client)
            return AccountWrites(
                account: .update(account, from: found),
                revocation: .all(of: account.username, except: holder.credential.hash))
        }
    }

    /// Returns a page of the valid credentials of the client's account, the newest first.
    /// - Parameters:
    ///   - holder: the account, and the credential in the request.
    ///   - position: the position of the last credential of the previous page; nil for the first
    ///     page.
    /// - Returns: at most `limit` credentials.
    public func credentials(
        of holder: AuthenticatedAccount, after position: CredentialPosition?, limit: Int
    ) async throws(SessionError) -> [Credential] {
        return try await dependencies.store.credentials(
            of: holder.account.username, at: dependencies.environment.now(), after: position,
            limit: limit)
    }

    /// Revokes a credential of the client's account. It may be the credential in the request
    /// itself.
    /// - Parameters:
    ///   - id: the id of the credential to revoke.
    ///   - holder: the account, and the credential in the request.
    ///   - idempotency: the request's `Idempotency-Key`; nil if the request has none.
    /// - Throws: `.credentialNotFound` if the account has no valid credential with this
    ///   id; `.idempotencyKeyReused`; `.storage`.
    public func revoke(
        _ id: CredentialID, of holder: AuthenticatedAccount,
        idempotency: IdempotentRequest<Void>? = nil
    ) async throws(SessionError) -> IdempotentResult<Void> {
        try await carryOut(idempotency, of: holder.account.username) {
            () async throws(SessionError) in
            let valid = try await self.dependencies.validCredentials(of: holder.account.username)
            guard let found = valid.first(where: { $0.id == id }) else { throw .credentialNotFound }
            return AccountWrites(revocation: .credentials([found.hash]))
        }
    }

    /// Revokes all credentials of the client's account in one commit.
    /// - Parameters:
    ///   - holder: the account, and the credential in the request.
    ///   - exceptCurrent: whether the credential in the request stays valid.
    ///   - idempotency: the request's `Idempotency-Key`; nil if the request has none.
    /// - Throws: `.idempotencyKeyReused`; `.storage`.
    public func revokeAll(
        of holder: AuthenticatedAccount, exceptCurrent: Bool,
        idempotency: IdempotentRequest<Void>? = nil
    ) async throws(SessionError) -> IdempotentResult<Void> {
        try await carryOut(idempotency) { () async throws(SessionError) in
            AccountWrites(
                revocation: .all(
                    of: holder.account.username,
                    except: exceptCurrent ? holder.credential.hash : nil))
        }
    }

    /// Removes the client's account, all of its credentials, and the sessions that are logged in to
    /// the account.
    /// - Parameters:
    ///   - holder: the account, and the credential in the request.
    ///   - client: the client's network address, for the rate limit; nil if unknown.
    ///   - idempotency: the request's `Idempotency-Key`; nil if the request has none.
    /// - Throws: `.wrongPassword`, `.accountChanged`, `.throttled` or `.passwordsBusy`;
    ///   `.idempotencyKeyReused`; `.storage`.
    public func remove(
        _ holder: AuthenticatedAccount, password: String, client: String?,
        idempotency: IdempotentRequest<Void>? = nil
    ) async throws(SessionError) -> IdempotentResult<Void> {
        try await dependencies.carryOut(idempotency, counting: attempt(of: holder, client)) {
            () async throws(SessionError) in
            let account = try await self.account(of: holder, password: password, client)
            try await delete(account, idempotency?.record(of: (), dependencies))
        }
    }

    /// Deletes an account together with the histories of the sessions in which its credentials were
    /// issued.
    private func delete(
        _ account: Account, _ record: IdempotencyRecord? = nil
    ) async throws(SessionError) {
        for _ in 0..<Session.conflictLimit {
            do throws(SessionError) {
                let histories = try await histories(of: account)
                return try await store(
                    AccountWrites(account: .delete(account, histories: histories)), record)
            } catch {
                // One of the sessions has changed since it was read.
                guard error == .conflict else { throw error }
            }
        }
        throw .sessionBusy
    }

    private func histories(
        of account: Account
    ) async throws(SessionError) -> [WriteBatch.HistoryRemoval] {
        let store = dependencies.store
        var histories: [WriteBatch.HistoryRemoval] = []
        for id in try await store.sessionsWithHistory(of: account.username) {
            do throws(SessionError) {
                if let stored = try await store.session(id) {
                    histories.append(WriteBatch.HistoryRemoval(stored))
                }
            } catch {
                guard case .storage(let error) = error, error.isUnreadable else { throw error }
                throw .storage(
                    StorageError(
                        reason: error.reason + "; `waypost store check` names a damaged session, "
                            + "and `waypost session end` removes it"))
            }
        }
        return histories
    }

    /// Verifies the password of the client's account.
    /// - Parameter client: the client's network address, for the rate limit; nil if unknown.
    /// - Returns: the account as it is stored now.
    /// - Throws: `.wrongPassword`, `.throttled`, `.passwordsBusy` or `.storage`.
    private func account(
        of holder: AuthenticatedAccount, password: String, _ client: String?
    ) async throws(SessionError) -> Account {
        do throws(SessionError) {
            return try await dependencies.accounts.logIn(
                holder.account.username.text, password, from: client
            ).found
        } catch {
            throw error == .wrongCredentials ? .wrongPassword : error
        }
    }

    private func attempt(of holder: AuthenticatedAccount, _ client: String?) -> PasswordAttempt {
        PasswordAttempt(username: holder.account.username.text, client: client)
    }

    /// Returns the stored response to a request that a client has sent again with the same
    /// `Idempotency-Key`. The method does not check the credential in the request, which may have
    /// become invalid since the first request. If a request with a password differs from the first
    /// one with the key, it may be a guess, and the rate limit counts it as a wrong password.
    /// - Parameters:
    ///   - credential: the credential in a request with a password, valid or not; nil without a
    ///     password. The rate limit counts a wrong password for the account of this credential. If
    ///     the store does not have the credential, the rate limit counts the wrong password for the
    ///     credential itself.
    ///   - client: the client's network address, for the rate limit; nil if unknown.
    /// - Returns: the encoded response; nil if no response is stored for the key.
    /// - Throws: `.idempotencyKeyReused` if the first request with the key was a different one;
    ///   `.throttled`; `.storage`.
    public func response<Output>(
        to idempotency: IdempotentRequest<Output>, withPasswordFor credential: Secret? = nil,
        client: String? = nil
    ) async throws(SessionError) -> [UInt8]? {
        guard let credential else { return try await dependencies.response(to: idempotency) }
        let found = try await dependencies.store.credential(credential.hash)
        // If the account is gone, guesses are counted under the credential's id. A username
        // contains no space, so it never equals such a text.
        let username =
            found?.username.text ?? "credential \(CredentialID(of: credential.hash))"
        return try await dependencies.response(
            to: idempotency, counting: PasswordAttempt(username: username, client: client))
    }

    // MARK: For the operator

    /// Creates an account, even if clients cannot sign up.
    /// - Throws: `.invalidUsername`, `.invalidPassword`, `.weakPassword`,
    ///   `.usernameTaken` or `.passwordsBusy`; `.storage`.
    public func add(_ username: String, _ password: String) async throws(SessionError) {
        let account = try await dependencies.accounts.signUp(username, password)
        try await store(AccountWrites(account: .insert(account)))
    }

    /// Issues a credential to an account, as a log-in does, but without the password.
    /// - Parameter session: the id of the session that the credential is for; nil for none.
    /// - Returns: the credential; nil if the account is disabled.
    /// - Throws: `.accountNotFound`, `.invalidUsername` or `.accountChanged`; `.storage`.
    public func issueCredential(
        to username: String, for session: SessionID? = nil
    ) async throws(SessionError) -> Secret? {
        let made = try await dependencies.makeCredential(for: username, session: session)
        guard let made else { return nil }
        try await store(made.writes, of: made.writes.newCredential?.username)
        return made.secret
    }

    /// Returns a page of at most `limit` accounts, in the order of their usernames.
    /// - Parameter username: the last username of the previous page; nil for the first page.
    /// - Throws: `.invalidUsername`; `.storage`.
    public func list(
        after username: String?, limit: Int
    ) async throws(SessionError) -> [Account] {
        var position: Username?
        if let username { position = try Username(username) }
        return try await dependencies.store.accounts(after: position, limit: limit)
    }

    /// Returns an account and its valid credentials, the newest first.
    /// - Throws: `.accountNotFound` or `.invalidUsername`; `.storage`.
    public func account(
        _ username: String
    ) async throws(SessionError) -> (account: Account, credentials: [Credential]) {
        let account = try await find(username)
        return (account, try await dependencies.validCredentials(of: account.username))
    }

    /// Disables an account and revokes its credentials if `isDisabled` is true. Otherwise enables
    /// the account, which can then log in again.
    /// - Throws: `.accountNotFound`, `.invalidUsername` or `.accountChanged`;
    ///   `.storage`.
    public func setDisabled(_ username: String, _ isDisabled: Bool) async throws(SessionError) {
        // Enabling revokes nothing. A disabled account has no valid credentials, and an account
        // that is already enabled keeps its credentials.
        try await change(username, revokesCredentials: isDisabled) { account in
            account.isDisabled = isDisabled
        }
    }

    /// Sets an account's password and revokes all of its credentials.
    /// - Throws: errors such as `.accountNotFound` or `.weakPassword`; `.storage`.
    public func resetPassword(
        _ username: String, _ password: String
    ) async throws(SessionError) {
        let found = try await find(username)
        let account = try await dependencies.accounts.replacePassword(of: found, with: password)
        try await change(username, revokesCredentials: true) {
            $0.password = account.password
        }
    }

    /// Removes an account, all of its credentials, and the sessions that are logged in to the
    /// account.
    /// - Throws: `.accountNotFound`, `.invalidUsername` or `.accountChanged`;
    ///   `.storage`.
    public func remove(_ username: String) async throws(SessionError) {
        try await delete(try await find(username))
    }

    private func change(
        _ username: String, revokesCredentials: Bool, _ change: (inout Account) -> Void
    ) async throws(SessionError) {
        let found = try await find(username)
        var account = found
        change(&account)
        try await store(
            AccountWrites(
                account: .update(account, from: found),
                revocation: revokesCredentials ? .all(of: account.username, except: nil) : nil))
    }

    private func find(_ username: String) async throws(SessionError) -> Account {
        let name = try Username(username)
        let account = try await dependencies.store.account(name)
        guard let account else { throw .accountNotFound }
        return account
    }

    // MARK: Storing

    /// Carries out a request, or returns the stored response if the request was made before.
    /// - Parameters:
    ///   - idempotency: the request's `Idempotency-Key`; nil if the request has none.
    ///   - username: the username of the account whose credentials the writes revoke one by one; nil
    ///     if they do not.
    ///   - attempt: the username and the client for which the rate limit counts a wrong password; nil
    ///     if the request contains no password.
    ///   - makeWrites: returns the changes of accounts and credentials to store.
    private func carryOut(
        _ idempotency: IdempotentRequest<Void>?, of username: Username? = nil,
        _ attempt: PasswordAttempt? = nil,
        _ makeWrites: () async throws(SessionError) -> AccountWrites
    ) async throws(SessionError) -> IdempotentResult<Void> {
        try await dependencies.carryOut(idempotency, counting: attempt) {
            () async throws(SessionError) in
            let record = idempotency?.record(of: (), dependencies)
            try await store(try await makeWrites(), of: username, record)
        }
    }

    private func store(
        _ writes: AccountWrites, of username: Username? = nil, _ record: IdempotencyRecord? = nil
    ) async throws(SessionError) {
        try await dependencies.commit(writes, record)
        dependencies.revocations.note(writes, of: username)
    }
}

private typealias AccountWrites = WriteBatch.AccountWrites
