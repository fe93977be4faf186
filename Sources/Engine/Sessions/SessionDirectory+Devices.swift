import NavigationRules
import WaypostCore

// The use of one session on several devices. A device lists the sessions of its account and makes a
// token (`SessionToken`) for one of them. For these requests, the bearer token is the account's
// credential, as for `AccountDirectory`.

extension SessionDirectory {
    public typealias AuthenticatedAccount = AccountDirectory.AuthenticatedAccount

    /// Returns whether a token gives access to a session. Two kinds of tokens do: the first token,
    /// which was issued when the session was opened, and the tokens for other devices
    /// (`SessionToken`).
    /// - Parameter token: the hash of the token.
    /// - Throws: `.storage` if the store fails.
    public func accepts(
        _ token: SecretHash, for session: Session
    ) async throws(SessionError) -> Bool {
        if session.isFirstToken(token) { return true }
        return try await deviceToken(token, of: session) != nil
    }

    /// Returns the record of a session's token for another device.
    /// - Returns: nil if the session has no such token.
    func deviceToken(
        _ token: SecretHash, of session: Session
    ) async throws(SessionError) -> SessionToken? {
        let now = dependencies.environment.now()
        let found = try await dependencies.store.sessionToken(token, at: now)
        return found?.session == session.id ? found : nil
    }

    /// Returns the username of the account whose credential has made a session's token for another
    /// device.
    /// - Parameter token: the hash of the token.
    /// - Returns: nil if the session has no such token.
    /// - Throws: `.storage` if the store fails.
    public func owner(
        ofDeviceToken token: SecretHash, for session: Session
    ) async throws(SessionError) -> Username? {
        guard let found = try await deviceToken(token, of: session) else { return nil }
        return try await dependencies.store.credential(found.credential)?.username
    }

    /// Reads the versions of sessions, which other processes may have changed, and whether tokens for
    /// other devices are still valid. The store gets one call for all sessions, and one for all
    /// tokens if there are any.
    /// - Returns: the versions of the sessions that the store has, and the valid tokens.
    public func storedVersions(
        of ids: [SessionID], _ tokens: Set<SecretHash>
    ) async throws(SessionError) -> (
        sessions: [SessionID: RowVersion], tokens: Set<SecretHash>
    ) {
        let store = dependencies.store
        return (
            try await store.versions(of: ids),
            tokens.isEmpty
                ? []
                : try await store.validTokens(
                    among: Array(tokens), at: dependencies.environment.now())
        )
    }

    // MARK: Sessions of an account

    /// Returns a page of the sessions that are logged in to the client's account, the newest first.
    /// - Parameters:
    ///   - holder: the account, and the credential in the request.
    ///   - position: the position of the last session of the previous page; nil for the first page.
    ///   - limit: the maximum number of sessions on the page.
    /// - Returns: the sessions as their last changes left them. There are fewer than `limit` only if
    ///   the list ends. Sessions that end or log out during the call may be left out.
    public func sessions(
        of holder: AuthenticatedAccount, after position: SessionPosition?, limit: Int
    ) async throws(SessionError) -> [AccountSession] {
        try await sessions(of: holder.account, after: position, limit: limit)
    }

    func sessions(
        of account: Account, after position: SessionPosition?, limit: Int
    ) async throws(SessionError) -> [AccountSession] {
        let found = try await dependencies.store.sessions(
            of: account.username, at: dependencies.environment.now(), after: position,
            limit: limit)
        return found.map { AccountSession($0, in: app) }
    }

    /// Returns one of the sessions that are logged in to the client's account.
    /// - Throws: `.ended` if no session with this id is logged in to the account; the errors of
    ///   `Session.read`.
    public func accountSession(
        _ id: SessionID, of holder: AuthenticatedAccount
    ) async throws(SessionError) -> AccountSession {
        AccountSession(try await session(id, of: holder))
    }

    /// Ends a session that is logged in to the client's account.
    /// - Parameters:
    ///   - id: the id of the session.
    ///   - holder: the account, and the credential in the request.
    ///   - idempotency: the request's `Idempotency-Key`; nil if the request has none.
    /// - Throws: `.ended` if no session with this id is logged in to the account;
    ///   `.idempotencyKeyReused`; the errors of every change, such as `.storage`.
    public func end(
        _ id: SessionID, of holder: AuthenticatedAccount,
        idempotency: IdempotentRequest<ChangeResult>? = nil
    ) async throws(SessionError) -> IdempotentResult<ChangeResult> {
        try await dependencies.carryOut(idempotency) { () async throws(SessionError) in
            guard let session = try await session(id) else { throw .ended }
            let request = ChangeRequest(
                .end(ofAccount: holder.account.username), idempotency: idempotency)
            let result = try await withCompletion { session.submit(request, completion: $0) }
            forget(session)
            dependencies.metrics.countEnd(by: .client)
            return result
        }
    }

    // MARK: Tokens for other devices

    /// A new token for another device, and the record that the service stores for it. The record
    /// contains the token's hash instead of the token.
    public struct NewToken: Sendable {
        public let token: Secret
        public let record: SessionToken
    }

    /// Makes a token with which another device can use a session.
    /// - Parameters:
    ///   - name: the name of the device.
    ///   - session: the session's present state, as `session(_:of:)` returns it.
    ///   - holder: the account, and the credential in the request.
    ///   - idempotency: the request's `Idempotency-Key`; nil if the request has none.
    /// - Throws: `.ended` if the session ends during the call; `.tooManyTokens` if it already has
    ///   the maximum number of tokens; `.accountChanged` if the credential in the request is
    ///   revoked during the call; `.conflict` if the session logs out or in again during the call;
    ///   `.idempotencyKeyReused`; `.storage`.
    public func makeToken(
        named name: String, for session: SessionState, of holder: AuthenticatedAccount,
        idempotency: IdempotentRequest<NewToken>? = nil
    ) async throws(SessionError) -> IdempotentResult<NewToken> {
        try await dependencies.carryOut(idempotency) { () async throws(SessionError) in
            let token = Secret.make(for: .session, dependencies.environment)
            let made = NewToken(
                token: token,
                record: SessionToken(
                    hash: token.hash, session: session.id, name: name,
                    credential: holder.credential.hash,
                    createdAt: dependencies.environment.now(),
                    expiresAt: holder.credential.expiresAt))
            try await dependencies.commit(
                WriteBatch.AccountWrites(
                    token: .insert(made.record, loggedInWith: session.credential)),
                idempotency?.record(of: made, endingWith: session.id, dependencies))
            return made
        }
    }

    /// Returns a page of a session's tokens for other devices, the newest first. The session must
    /// be logged in to the client's account.
    /// - Parameters:
    ///   - holder: the account, and the credential in the request.
    ///   - position: the position of the last token of the previous page; nil for the first page.
    /// - Returns: at most `limit` tokens that are still valid.
    /// - Throws: `.ended` if no session with this id is logged in to the account; the errors of
    ///   `Session.read`.
    public func tokens(
        for id: SessionID, of holder: AuthenticatedAccount, after position: CredentialPosition?,
        limit: Int
    ) async throws(SessionError) -> [SessionToken] {
        _ = try await session(id, of: holder)
        return try await dependencies.store.sessionTokens(
            of: id, at: dependencies.environment.now(), after: position, limit: limit)
    }

    /// Revokes a session's token for another device. The session must be logged in to the client's
    /// account.
    /// - Parameters:
    ///   - token: the id of the token.
    ///   - id: the id of the session.
    ///   - holder: the account, and the credential in the request.
    ///   - idempotency: the request's `Idempotency-Key`; nil if the request has none.
    /// - Throws: `.ended` if no session with this id is logged in to the account; `.tokenNotFound`
    ///   if the session has no such token; `.idempotencyKeyReused`; the errors of `Session.read`.
    public func revokeToken(
        _ token: CredentialID, for id: SessionID, of holder: AuthenticatedAccount,
        idempotency: IdempotentRequest<Void>? = nil
    ) async throws(SessionError) -> IdempotentResult<Void> {
        try await dependencies.carryOut(idempotency) { () async throws(SessionError) in
            let tokens = try await tokens(
                for: id, of: holder, after: nil, limit: SessionToken.limit)
            guard let found = tokens.first(where: { $0.id == token }) else {
                throw .tokenNotFound
            }
            try await dependencies.commit(
                WriteBatch.AccountWrites(token: .delete(found.hash)),
                idempotency?.record(of: (), dependencies))
            dependencies.revocations.note(.token(found.hash, of: holder.account.username))
        }
    }

    /// Returns a session's present state.
    /// - Throws: `.ended` if no session with this id is logged in to the account; the errors of
    ///   `Session.read`.
    public func session(
        _ id: SessionID, of holder: AuthenticatedAccount
    ) async throws(SessionError) -> SessionState {
        guard let session = try await session(id) else { throw .ended }
        let state = try await withCompletion(session.read)
        guard state.username == holder.account.username else { throw .ended }
        return state
    }
}
