import Accounts

/// Finds, changes and removes accounts, for their users and for the operator.
///
/// Whoever is logged in with a credential that is revoked here falls back to the login root.
public final class AccountDirectory: Sendable {
    private let service: SessionService
    /// Requests that bear one `Idempotency-Key` come one after another.
    private let attempts = KeyedTurns<SecretHash>()

    /// A credential is marked as used once in this time, so that not each request writes.
    private static let useInterval = Duration.seconds(60)

    public init(_ service: SessionService) { self.service = service }

    /// Who asks: a good credential, and its account.
    public struct Holder: Sendable {
        public let account: Account
        public let credential: Credential
    }

    /// - Parameter text: the credential as the client sent it.
    /// - Returns: nil if it is no good, whatever the reason.
    public func holder(of text: String) async throws(SessionError) -> Holder? {
        let found: Credential
        let account: Account?
        do {
            guard case .success(let credential) = try await service.accounts.credential(text)
            else { return nil }
            found = credential
            account = try await service.store.account(found.username)
        } catch {
            throw .storage(error)
        }
        guard let account, !account.isDisabled else { return nil }
        let now = service.environment.now()
        if found.lastUsedAt.map({ $0 + Self.useInterval <= now }) ?? true {
            var commit = Commit()
            commit.credentialUse = Commit.CredentialUse(hash: found.hash, time: now)
            try await store(commit)
        }
        return Holder(account: account, credential: found)
    }

    // MARK: For the user

    /// Sets another password, and revokes all credentials but the holder's own.
    /// - Throws: `.account` with `.wrongPassword`, `.invalidPassword`, `.weakPassword`, `.throttled`,
    ///   `.busy`; `.storage`.
    public func changePassword(
        of holder: Holder, from old: String, to new: String, client: String?,
        attempt: Attempt<Void>? = nil
    ) async throws(SessionError) -> Answered<Void> {
        try await once(attempt, guess(of: holder, client)) { () async throws(SessionError) in
            // Before the old one is hashed: what is refused anyway costs nothing.
            do throws(AccountError) {
                try self.service.accounts.checkNewPassword(new, of: holder.account.username)
            } catch {
                throw .account(error)
            }
            let found = try await self.account(of: holder, password: old, client)
            let account = try await self.account { accounts async throws(AccountError) in
                try await accounts.replacePassword(of: found, with: new, from: client)
            }
            var commit = Commit()
            commit.account = .update(account, from: found)
            commit.revocation = .all(of: account.username, except: holder.credential.hash)
            return commit
        }
    }

    /// The holder's good credentials, the newest first.
    public func credentials(
        of holder: Holder, after position: CredentialPosition?, limit: Int
    ) async throws(SessionError) -> [Credential] {
        do {
            return try await service.store.credentials(
                of: holder.account.username, at: service.environment.now(), after: position,
                limit: limit)
        } catch {
            throw .storage(error)
        }
    }

    /// Revokes one of the holder's credentials; it may be the one that is shown.
    /// - Throws: `.account(.credentialNotFound)` if the holder has no good one of this id.
    public func revoke(
        _ id: CredentialID, of holder: Holder, attempt: Attempt<Void>? = nil
    ) async throws(SessionError) -> Answered<Void> {
        try await once(attempt) { () async throws(SessionError) in
            let found: Credential?
            do throws(StorageError) {
                found = try await self.service.store.credential(id)
            } catch {
                throw .storage(error)
            }
            guard let found, found.username == holder.account.username,
                found.refusal(at: self.service.environment.now()) == nil
            else { throw .account(.credentialNotFound) }
            var commit = Commit()
            commit.revocation = .credentials([found.hash])
            return commit
        }
    }

    /// Removes the holder's account and its credentials. Its sessions fall back to the login root.
    /// - Throws: `.account` with `.wrongPassword`, `.throttled`, `.busy`; `.storage`.
    public func remove(
        _ holder: Holder, password: String, client: String?, attempt: Attempt<Void>? = nil
    ) async throws(SessionError) -> Answered<Void> {
        try await once(attempt, guess(of: holder, client)) { () async throws(SessionError) in
            var commit = Commit()
            commit.account = .delete(try await self.account(of: holder, password: password, client))
            return commit
        }
    }

    /// The holder's account, if the password is right.
    private func account(
        of holder: Holder, password: String, _ client: String?
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

    private func guess(of holder: Holder, _ client: String?) -> PasswordGuess {
        PasswordGuess(username: holder.account.username.text, client: client)
    }

    /// The answer to a request that came before, whose credential may be gone since.
    public func answer(to attempt: Attempt<Void>) async throws(SessionError) -> [UInt8]? {
        try await service.answer(to: attempt)
    }

    /// The answer to a request that came before and holds a password. One that is not the same as the
    /// first time counts as a wrong password.
    /// - Parameter credential: what the request shows; also one that is no good any more.
    /// - Throws: `.idempotencyKeyReused`; `.account(.throttled)`; `.storage`.
    public func answer(
        to attempt: Attempt<Void>, withPasswordFor credential: Secret, client: String?
    ) async throws(SessionError) -> [UInt8]? {
        let found: Credential?
        do { found = try await service.store.credential(credential.hash) } catch {
            throw .storage(error)
        }
        // No username has a blank. Where the account is gone, the guesses count by its credential.
        let username =
            found?.username.text ?? "credential \(CredentialID(of: credential.hash))"
        return try await service.answer(
            to: attempt, counting: PasswordGuess(username: username, client: client))
    }

    // MARK: For the operator

    /// Makes an account, also where sign-up is closed.
    public func add(_ username: String, _ password: String) async throws(SessionError) {
        let account = try await account { accounts async throws(AccountError) in
            try await accounts.signUp(username, password)
        }
        var commit = Commit()
        commit.account = .insert(account)
        try await store(commit)
    }

    /// By name.
    /// - Parameter after: the name before the first that is wanted.
    public func list(
        after username: String?, limit: Int
    ) async throws(SessionError) -> [Account] {
        var position: Username?
        if let username { position = try name(username) }
        do {
            return try await service.store.accounts(after: position, limit: limit)
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
        var commit = Commit()
        commit.account = .delete(try await find(username))
        try await store(commit)
    }

    private func change(
        _ username: String, revokesCredentials: Bool, _ change: (inout Account) -> Void
    ) async throws(SessionError) {
        let found = try await find(username)
        var account = found
        change(&account)
        var commit = Commit()
        commit.account = .update(account, from: found)
        if revokesCredentials { commit.revocation = .all(of: account.username, except: nil) }
        try await store(commit)
    }

    private func find(_ username: String) async throws(SessionError) -> Account {
        let name = try name(username)
        let account: Account?
        do { account = try await service.store.account(name) } catch { throw .storage(error) }
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
        do { return try await make(service.accounts) } catch { throw .account(error) }
    }

    /// Stores what is to be done, unless it was done before.
    /// - Parameter guess: the password that the request holds, if it holds one.
    private func once(
        _ attempt: Attempt<Void>?, _ guess: PasswordGuess? = nil,
        _ makeCommit: () async throws(SessionError) -> Commit
    ) async throws(SessionError) -> Answered<Void> {
        if let attempt { await attempts.take(attempt.id) }
        defer { if let attempt { attempts.end(attempt.id) } }
        if let attempt, let answer = try await service.answer(to: attempt, counting: guess) {
            return .before(answer)
        }
        var commit = try await makeCommit()
        commit.idempotencyRecord = attempt?.record(of: (), service)
        try await store(commit)
        return .now(())
    }

    private func store(_ commit: Commit) async throws(SessionError) {
        do { try await service.store.commit(commit) } catch { throw SessionError(error) }
        switch (commit.revocation, commit.account) {
        case (_, .delete), (.all, _): service.revocations.noteMany()
        case (.credentials(let hashes), _):
            for hash in hashes { service.revocations.note(hash) }
        case (nil, _): break
        }
    }
}
