import Accounts
import WaypostCore

/// Finds, changes and removes accounts, for their users and for the operator.
///
/// A session that is logged in with a credential that is revoked here falls back to the login root.
public final class AccountDirectory: Sendable {
    private let dependencies: SessionDependencies

    /// A credential is marked as used once in this time, so that not each request writes.
    private static let useInterval = Duration.seconds(60)

    public init(_ dependencies: SessionDependencies) { self.dependencies = dependencies }

    /// A good credential, and its account.
    public struct AuthenticatedAccount: Sendable {
        public let account: Account
        public let credential: Credential
    }

    /// - Parameter text: the credential as the client sent it.
    /// - Returns: nil if it is no good, whatever the reason.
    public func authenticate(_ text: String) async throws(SessionError) -> AuthenticatedAccount? {
        let found: Credential
        let account: Account?
        do {
            guard case .success(let credential) = try await dependencies.accounts.credential(text)
            else { return nil }
            found = credential
            account = try await dependencies.store.account(found.username)
        } catch {
            throw .storage(error)
        }
        guard let account, !account.isDisabled else { return nil }
        let now = dependencies.environment.now()
        if found.lastUsedAt.map({ $0 + Self.useInterval <= now }) ?? true {
            var writes = AccountWrites()
            writes.credentialUse = WriteBatch.CredentialUse(hash: found.hash, time: now)
            try await store(writes)
        }
        return AuthenticatedAccount(account: account, credential: found)
    }

    // MARK: For the user

    /// Sets another password, and revokes all credentials but the holder's own.
    /// - Throws: `.account` with `.wrongPassword`, `.invalidPassword`, `.weakPassword`, `.throttled`,
    ///   `.busy`; `.storage`.
    public func changePassword(
        of holder: AuthenticatedAccount, from old: String, to new: String, client: String?,
        idempotency: IdempotentRequest<Void>? = nil
    ) async throws(SessionError) -> Answered<Void> {
        try await once(idempotency, guess(of: holder, client)) { () async throws(SessionError) in
            // Before the old one is hashed: what is refused anyway costs nothing.
            do throws(AccountError) {
                try self.dependencies.accounts.checkNewPassword(new, of: holder.account.username)
            } catch {
                throw .account(error)
            }
            let found = try await self.account(of: holder, password: old, client)
            let account = try await self.account { accounts async throws(AccountError) in
                try await accounts.replacePassword(of: found, with: new, from: client)
            }
            var writes = AccountWrites()
            writes.account = .update(account, from: found)
            writes.revocation = .all(of: account.username, except: holder.credential.hash)
            return writes
        }
    }

    /// The holder's good credentials, the newest first.
    public func credentials(
        of holder: AuthenticatedAccount, after position: CredentialPosition?, limit: Int
    ) async throws(SessionError) -> [Credential] {
        do {
            return try await dependencies.store.credentials(
                of: holder.account.username, at: dependencies.environment.now(), after: position,
                limit: limit)
        } catch {
            throw .storage(error)
        }
    }

    /// Revokes one of the holder's credentials; it may be the one that is shown.
    /// - Throws: `.account(.credentialNotFound)` if the holder has no good one of this id.
    public func revoke(
        _ id: CredentialID, of holder: AuthenticatedAccount,
        idempotency: IdempotentRequest<Void>? = nil
    ) async throws(SessionError) -> Answered<Void> {
        try await once(idempotency) { () async throws(SessionError) in
            let found: Credential?
            do throws(StorageError) {
                found = try await self.dependencies.store.credential(id)
            } catch {
                throw .storage(error)
            }
            guard let found, found.username == holder.account.username,
                found.refusal(at: self.dependencies.environment.now()) == nil
            else { throw .account(.credentialNotFound) }
            var writes = AccountWrites()
            writes.revocation = .credentials([found.hash])
            return writes
        }
    }

    /// Removes the holder's account and its credentials. Its sessions fall back to the login root.
    /// - Throws: `.account` with `.wrongPassword`, `.throttled`, `.busy`; `.storage`.
    public func remove(
        _ holder: AuthenticatedAccount, password: String, client: String?,
        idempotency: IdempotentRequest<Void>? = nil
    ) async throws(SessionError) -> Answered<Void> {
        try await once(idempotency, guess(of: holder, client)) { () async throws(SessionError) in
            var writes = AccountWrites()
            writes.account = .delete(try await self.account(of: holder, password: password, client))
            return writes
        }
    }

    /// The holder's account, if the password is right.
    private func account(
        of holder: AuthenticatedAccount, password: String, _ client: String?
    ) async throws(SessionError) -> Account {
        try await account { accounts async throws(AccountError) in
            do throws(AccountError) {
                return try await accounts.logIn(
                    holder.account.username.text, password, from: client
                ).found
            } catch {
                throw error == .wrongCredentials ? .wrongPassword : error
            }
        }
    }

    private func guess(of holder: AuthenticatedAccount, _ client: String?) -> PasswordGuess {
        PasswordGuess(username: holder.account.username.text, client: client)
    }

    /// The response to a request that came before, whose credential may be gone since.
    public func response(to idempotency: IdempotentRequest<Void>) async throws(SessionError)
        -> [UInt8]?
    {
        try await dependencies.response(to: idempotency)
    }

    /// The response to a request that came before and holds a password. One that is not the same as the
    /// first time counts as a wrong password.
    /// - Parameter credential: what the request shows; also one that is no good any more.
    /// - Throws: `.idempotencyKeyReused`; `.account(.throttled)`; `.storage`.
    public func response(
        to idempotency: IdempotentRequest<Void>, withPasswordFor credential: Secret, client: String?
    ) async throws(SessionError) -> [UInt8]? {
        let found: Credential?
        do { found = try await dependencies.store.credential(credential.hash) } catch {
            throw .storage(error)
        }
        // No username has a blank. Where the account is gone, the guesses count by its credential.
        let username =
            found?.username.text ?? "credential \(CredentialID(of: credential.hash))"
        return try await dependencies.response(
            to: idempotency, counting: PasswordGuess(username: username, client: client))
    }

    // MARK: For the operator

    /// Makes an account, also where sign-up is closed.
    public func add(_ username: String, _ password: String) async throws(SessionError) {
        let account = try await account { accounts async throws(AccountError) in
            try await accounts.signUp(username, password)
        }
        var writes = AccountWrites()
        writes.account = .insert(account)
        try await store(writes)
    }

    /// Returns accounts in the order of their names.
    /// - Parameter after: the name before the first that is wanted.
    public func list(
        after username: String?, limit: Int
    ) async throws(SessionError) -> [Account] {
        var position: Username?
        if let username { position = try name(username) }
        do {
            return try await dependencies.store.accounts(after: position, limit: limit)
        } catch {
            throw .storage(error)
        }
    }

    /// Disables an account, and revokes its credentials; or lets it be entered again.
    public func setDisabled(_ username: String, _ isDisabled: Bool) async throws(SessionError) {
        // A disabled account has no credentials, and of one that is not none is to be revoked.
        try await change(username, revokesCredentials: isDisabled) { account in
            account.isDisabled = isDisabled
        }
    }

    /// Sets a password, and revokes all credentials.
    public func resetPassword(
        _ username: String, _ password: String
    ) async throws(SessionError) {
        let found = try await find(username)
        let account = try await account { accounts async throws(AccountError) in
            try await accounts.replacePassword(of: found, with: password)
        }
        try await change(username, revokesCredentials: true) {
            $0.password = account.password
        }
    }

    public func remove(_ username: String) async throws(SessionError) {
        var writes = AccountWrites()
        writes.account = .delete(try await find(username))
        try await store(writes)
    }

    private func change(
        _ username: String, revokesCredentials: Bool, _ change: (inout Account) -> Void
    ) async throws(SessionError) {
        let found = try await find(username)
        var account = found
        change(&account)
        var writes = AccountWrites()
        writes.account = .update(account, from: found)
        if revokesCredentials { writes.revocation = .all(of: account.username, except: nil) }
        try await store(writes)
    }

    private func find(_ username: String) async throws(SessionError) -> Account {
        let name = try name(username)
        let account: Account?
        do { account = try await dependencies.store.account(name) } catch { throw .storage(error) }
        guard let account else { throw .account(.accountNotFound) }
        return account
    }

    private func name(_ text: String) throws(SessionError) -> Username {
        do { return try Username(text) } catch { throw .account(error) }
    }

    // MARK: Storing

    private func account(
        _ make: (Accounts) async throws(AccountError) -> Account
    ) async throws(SessionError) -> Account {
        do { return try await make(dependencies.accounts) } catch { throw .account(error) }
    }

    /// Carries out a request, or returns the response that it got before.
    /// - Parameter guess: the password that the request holds, if it holds one.
    private func once(
        _ idempotency: IdempotentRequest<Void>?, _ guess: PasswordGuess? = nil,
        _ makeWrites: () async throws(SessionError) -> AccountWrites
    ) async throws(SessionError) -> Answered<Void> {
        try await dependencies.once(idempotency, counting: guess) {
            () async throws(SessionError) in
            let record = idempotency?.record(of: (), dependencies)
            try await store(try await makeWrites(), record)
        }
    }

    private func store(
        _ writes: AccountWrites, _ record: IdempotencyRecord? = nil
    ) async throws(SessionError) {
        var batch = WriteBatch()
        batch.accountWrites = writes
        if let record { batch.idempotencyRecords = [record] }
        do { try await dependencies.store.commit(batch) } catch { throw SessionError(error) }
        switch (writes.revocation, writes.account) {
        case (_, .delete), (.all, _): dependencies.revocations.noteMany()
        case (.credentials(let hashes), _):
            for hash in hashes { dependencies.revocations.note(hash) }
        case (nil, _): break
        }
    }
}

private typealias AccountWrites = WriteBatch.AccountWrites
