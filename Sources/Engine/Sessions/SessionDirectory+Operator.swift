// Methods for the operator. They check no token, so no client may reach them.

extension SessionDirectory {
    /// Returns a page of the sessions that are logged in to an account, the newest first.
    /// - Parameters:
    ///   - position: the position of the last session of the previous page; nil for the first page.
    ///   - limit: the maximum number of sessions on the page.
    /// - Throws: `.accountNotFound` or `.invalidUsername`; `.storage`.
    public func sessions(
        ofAccount username: String, after position: SessionPosition?, limit: Int
    ) async throws(SessionError) -> [AccountSession] {
        let name = try Username(username)
        let account = try await dependencies.store.account(name)
        guard let account else { throw .accountNotFound }
        return try await sessions(of: account, after: position, limit: limit)
    }

    /// Returns the session with an id, and its tokens for other devices. No credential is checked.
    /// - Throws: `.ended` if no session has this id; `.storage`.
    public func sessionAndTokens(
        _ id: SessionID
    ) async throws(SessionError) -> (session: Session, tokens: [SessionToken]) {
        guard let session = try await session(id) else { throw .ended }
        let tokens = try await dependencies.store.sessionTokens(
            of: id, at: dependencies.environment.now(), after: nil, limit: SessionToken.limit)
        return (session, tokens)
    }

    /// Ends a session. A session that cannot be read, because its row or its log is damaged, is
    /// deleted unread. No credential is checked.
    /// - Throws: `.ended` if no session has this id; the errors of every change, such as `.storage`.
    public func end(_ id: SessionID) async throws(SessionError) {
        let found: Session?
        do throws(SessionError) { found = try await session(id) } catch {
            guard case .storage = error else { throw error }
            try await removeUnread(id)
            return dependencies.metrics.countEnd(by: .operator)
        }
        guard let found else { throw .ended }
        _ = try await end(found, by: .operator)
    }

    /// Deletes a session without reading it.
    /// - Throws: `.ended` if no session has this id; `.storage`.
    private func removeUnread(_ id: SessionID) async throws(SessionError) {
        try await dependencies.commit(WriteBatch(session: .deleteUnread(id)))
        if let session = cachedSession(id) { forget(session) }
    }
}
