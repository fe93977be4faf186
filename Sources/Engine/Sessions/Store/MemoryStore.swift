import NavigationRules
import Synchronization
import WaypostCore

/// A store in memory. Its content is lost when the process ends.
public final class MemoryStore: SessionStore {
    private struct Entry {
        var session: StorableSession
        var version = RowVersion.first
        var log: MemoryLog

        var stored: StoredSession { session.stored(version, log.end) }
    }

    /// All content except the sessions. A thread that needs both locks takes this one before the
    /// lock of a shard of `sessions`.
    private let state = Mutex(MemoryTables())
    private let sessions = Sharded(of: [SessionID: Entry]())

    public init() {}

    /// Removes all content, for tests that share a service.
    public func removeAll() {
        state.withLock { state in
            state = MemoryTables()
            _ = sessions.map { $0.removeAll() }
        }
    }

    public var failure: StorageError? { nil }

    /// A session's state is in memory, so that its log need not begin with it.
    public var restoresSessions: Bool { false }

    public let expiredSessions = Counter()

    public var sessionCount: Int? { sessions.map { $0.count }.reduce(0, +) }

    /// Writes a batch, all of it or nothing. Calls `completion` before the method returns.
    public func commit(
        _ batch: consuming WriteBatch, completion: (Result<Void, SessionError>) -> Void
    ) {
        completion(write(batch).map { .failure($0) } ?? .success(()))
    }

    /// Writes a batch.
    /// - Returns: nil if the batch was written; otherwise the reason why nothing of it was written.
    private func write(_ batch: WriteBatch) -> SessionError? {
        if case .update = batch.session, batch.accountWrites == nil,
            batch.idempotencyRecords.isEmpty
        {
            // Most batches are of this kind and need only the lock of the session's shard.
            return sessions(of: batch.session) { write(batch, to: &$0) }
        }
        return state.withLock { state in
            sessions(of: batch.session) { sessions in
                if let refusal = Self.refusal(of: batch.session, sessions) { return refusal }
                if let writes = batch.accountWrites {
                    if let refusal = refusal(of: writes, state) { return refusal }
                    var removed: [Credential] = []
                    if case .delete(let account, let histories) = writes.account {
                        removed = state.credentials(of: account.username)
                        if let refusal = refusal(of: histories, removed) { return refusal }
                    }
                    if let refusal = Self.write(writes.account, to: &state) { return refusal }
                    if case .delete(_, let histories) = writes.account {
                        removeSessions(of: removed, from: &state)
                        let found = sessionsWithHistory(of: removed)
                        for id in found.union(histories.map(\.session)) {
                            removeHistory(of: id)
                            state.removeIdempotencyRecords(of: id)
                        }
                    }
                    Self.write(writes.revocation, to: &state)
                    if let credential = writes.newCredential { state.insert(credential) }
                    if let use = writes.credentialUse {
                        state.credentials[use.hash]?.lastUsedAt = use.time
                    }
                    Self.write(writes.token, to: &state)
                }
                switch batch.session {
                case .delete(let id, _), .deleteUnread(let id, _):
                    state.removeIdempotencyRecords(of: id)
                    state.removeTokens(of: id)
                case .insert, .update, .check, nil: break
                }
                for record in batch.idempotencyRecords { state.insert(record) }
                if let outdated = batch.outdatedRecords { state.remove(outdated) }
                return write(batch, to: &sessions)
            }
        }
    }

    /// Removes the sessions that are logged in with one of the credentials. The caller must not hold
    /// the lock of a shard: a batch that removes an account changes no session.
    private func removeSessions(of credentials: [Credential], from state: inout MemoryTables) {
        let hashes = Set(credentials.map(\.hash))
        let ended = sessions.map { part in
            let ended = part.filter { entry in
                entry.value.session.credential.map { hashes.contains($0) } ?? false
            }.map(\.key)
            for id in ended { part[id] = nil }
            return ended
        }
        for id in ended.joined() {
            state.removeIdempotencyRecords(of: id)
            state.removeTokens(of: id)
        }
    }

    /// Checks whether histories are those that the removal of an account with these credentials
    /// removes, and whether none has changed.
    private func refusal(
        of histories: [WriteBatch.HistoryRemoval], _ credentials: [Credential]
    ) -> SessionError? {
        let isOutdated = histories.contains { history in
            entry(history.session)?.version != history.version
        }
        let isComplete = sessionsWithHistory(of: credentials)
            .isSubset(of: histories.map(\.session))
        return isOutdated || !isComplete ? .conflict : nil
    }

    private func removeHistory(of id: SessionID) {
        sessions.withShard(for: id) { sessions in
            guard let entry = sessions[id] else { return }
            sessions[id]?.log = MemoryLog(LogWrite(replacementFor: entry.stored))
            sessions[id]?.version = entry.version.next
        }
    }

    /// Calls `body` with the sessions in the shard of the session to change, under the shard's
    /// lock. If the batch changes no session, calls `body` with an empty dictionary.
    private func sessions(
        of change: WriteBatch.SessionChange?, _ body: (inout [SessionID: Entry]) -> SessionError?
    ) -> SessionError? {
        guard let change else {
            var none: [SessionID: Entry] = [:]
            return body(&none)
        }
        return sessions.withShard(for: change.id, body)
    }

    /// Checks whether a session change is possible, without making it.
    /// - Returns: the reason why the session cannot be changed; nil if it can.
    private static func refusal(
        of change: WriteBatch.SessionChange?, _ sessions: [SessionID: Entry]
    ) -> SessionError? {
        switch change {
        case .update(_, let version), .delete(_, let version), .check(_, let version):
            guard let entry = change.flatMap({ sessions[$0.id] }) else { return .ended }
            return entry.version == version ? nil : .conflict
        case .deleteUnread(let id, let time):
            guard let expiry = sessions[id]?.session.expiresAt else { return .ended }
            return expiry <= time ?? expiry ? nil : .conflict
        case .insert, nil: return nil
        }
    }

    /// Writes an account change.
    /// - Returns: the reason why the change was rejected; nil if it was written.
    private static func write(
        _ change: WriteBatch.AccountChange?, to state: inout MemoryTables
    ) -> SessionError? {
        switch change {
        case .insert(let account):
            guard state.accounts[account.username] == nil else { return .usernameTaken }
            state.accounts[account.username] = account
        case .update(let account, from: let found):
            guard state.accounts[found.username] == found else { return .accountChanged }
            state.accounts[found.username] = account
        case .delete(let found, _):
            guard state.accounts[found.username] == found else { return .accountChanged }
            state.accounts[found.username] = nil
            for credential in state.credentials(of: found.username) {
                state.revoke(credential.hash)
                state.remove(credential)
            }
        case nil: break
        }
        return nil
    }

    private static func write(_ revocation: WriteBatch.Revocation?, to state: inout MemoryTables) {
        switch revocation {
        case .credentials(let hashes):
            for hash in hashes { state.revoke(hash) }
        case .all(of: let username, except: let exception):
            for credential in state.credentials(of: username) where credential.hash != exception {
                state.revoke(credential.hash)
            }
        case nil: break
        }
    }

    // MARK: Tokens

    /// Checks whether the writes to tokens and credential uses are possible, without making them.
    /// If a session gets a token, the method takes the lock of the session's shard in `sessions`.
    /// The caller must not hold this lock already. A batch with a new token changes no session's
    /// row, so its caller does not need the lock.
    /// - Returns: the reason why the writes cannot be made; nil if they can.
    private func refusal(of writes: WriteBatch.AccountWrites, _ state: MemoryTables)
        -> SessionError?
    {
        if let use = writes.credentialUse,
            state.credentials[use.hash].map({ $0.refusal(at: use.time) == nil }) != true
        {
            return .accountChanged
        }
        guard case .insert(let token, let credential) = writes.token else { return nil }
        guard let entry = entry(token.session) else { return .ended }
        guard entry.session.credential == credential else { return .conflict }
        guard let found = state.credentials[token.credential],
            found.refusal(at: token.createdAt) == nil
        else { return .accountChanged }
        let count = state.tokens(of: token.session).count { token.createdAt < $0.expiresAt }
        return count < SessionToken.limit ? nil : .tooManyTokens
    }

    private func entry(_ id: SessionID) -> Entry? { sessions.withShard(for: id) { $0[id] } }

    private static func write(_ change: WriteBatch.TokenChange?, to state: inout MemoryTables) {
        switch change {
        case .insert(let token, _): state.insert(token)
        case .delete(let hash): state.removeToken(hash)
        case .deleteAll(let session): state.removeTokens(of: session)
        case nil: break
        }
    }

    public func sessions(
        of username: Username, at now: Timestamp, after: SessionPosition?, limit: Int
    ) -> [ListedSession] {
        let credentials = state.withLock { state in
            Set(state.credentials(of: username).filter { $0.refusal(at: now) == nil }.map(\.hash))
        }
        let found = sessions.map { part in
            part.values.compactMap { entry -> StorableSession? in
                let session = entry.session
                guard let credential = session.credential, credentials.contains(credential),
                    now < session.expiresAt, after.map(session.position.isAfter) ?? true
                else { return nil }
                return session
            }
        }
        return found.joined().sorted { $1.position.isAfter($0.position) }.prefix(limit)
            .map { ListedSession($0) }
    }

    public func sessionToken(_ hash: SecretHash, at now: Timestamp) -> SessionToken? {
        state.withLock { state in
            state.tokens[hash].flatMap { now < $0.expiresAt ? $0 : nil }
        }
    }

    public func sessionTokens(
        of session: SessionID, at now: Timestamp, after: CredentialPosition?, limit: Int
    ) -> [SessionToken] {
        state.withLock { state in
            let tokens = state.tokens(of: session).filter { token in
                now < token.expiresAt && after.map { token.position.isAfter($0) } ?? true
            }
            return Array(tokens.sorted { $1.position.isAfter($0.position) }.prefix(limit))
        }
    }

    /// Writes a session change and its part of the log.
    /// - Returns: the reason why the change was rejected; nil if it was written.
    private func write(
        _ batch: WriteBatch, to sessions: inout [SessionID: Entry]
    ) -> SessionError? {
        switch batch.session {
        case .insert(let session):
            sessions[session.id] = Entry(session: session, log: MemoryLog(batch.log))
        case .update(let session, let version):
            guard let index = sessions.index(forKey: session.id) else { return .ended }
            return update(&sessions.values[index], to: session, from: version, batch)
        case .delete(let id, _), .deleteUnread(let id, _): sessions[id] = nil
        case .check, nil: break
        }
        return nil
    }

    /// Updates an entry in place, without copying its log.
    /// - Parameter version: the version that the entry must have.
    /// - Returns: `.conflict` if the entry has another version; nil if it was updated.
    private func update(
        _ entry: inout Entry, to session: StorableSession, from version: RowVersion,
        _ batch: WriteBatch
    ) -> SessionError? {
        guard entry.version == version else { return .conflict }
        entry.session = session
        entry.version = version.next
        if let log = batch.log { entry.log.append(log) }
        return nil
    }

    public func session(_ id: SessionID) -> StoredSession? {
        sessions.withShard(for: id) { $0[id]?.stored }
    }

    public func events(
        of id: SessionID, after: Int, limit: Int
    ) throws(SessionError) -> EventPage {
        let log = sessions.withShard(for: id) { $0[id]?.log }
        guard let log else { return EventPage(events: [], oldest: 1) }
        do { return try log.events(after: after, limit: limit) } catch {
            throw .storage(StorageError(reason: "the log of the session is damaged"))
        }
    }

    public func log(of id: SessionID, from first: Int, through last: Int) -> LogSlice {
        let log = sessions.withShard(for: id) { $0[id]?.log }
        return log?.slice(from: first, through: last) ?? .none
    }

    public func sessionsWithHistory(of username: Username) -> [SessionID] {
        Array(sessionsWithHistory(of: state.withLock { $0.credentials(of: username) }))
    }

    private func sessionsWithHistory(of credentials: [Credential]) -> Set<SessionID> {
        let hashes = Set(credentials.map(\.hash))
        return Set(credentials.compactMap { $0.session.flatMap { SessionID($0) } }).filter { id in
            guard let entry = entry(id) else { return false }
            return entry.session.credential.map { !hashes.contains($0) } ?? true
        }
    }

    public func idempotencyRecord(_ id: SecretHash) -> IdempotencyRecord? {
        state.withLock { $0.idempotencyRecords[id] }
    }

    public func idempotencyRecordSizes(of session: SessionID, at now: Timestamp)
        -> IdempotencyRecordSizes
    {
        state.withLock { state in
            let ids = state.idempotencyRecordsOfSessions[session] ?? []
            return ids.reduce(into: IdempotencyRecordSizes()) { sizes, id in
                guard let record = state.idempotencyRecords[id], now < record.expiresAt else {
                    return
                }
                sizes.add(record)
            }
        }
    }

    public func account(_ username: Username) -> Account? {
        state.withLock { $0.accounts[username] }
    }

    public func credential(_ hash: SecretHash) -> Credential? {
        state.withLock { $0.credentials[hash] }
    }

    public func accounts(after: Username?, limit: Int) -> [Account] {
        state.withLock { state in
            let accounts = state.accounts.values.sorted { $0.username.key < $1.username.key }
            return Array(
                accounts.drop { account in after.map { account.username.key <= $0.key } ?? false }
                    .prefix(limit))
        }
    }

    public func credentials(
        of username: Username, at now: Timestamp, after: CredentialPosition?, limit: Int
    ) -> [Credential] {
        state.withLock { state in
            let credentials = state.credentials(of: username).filter { credential in
                credential.refusal(at: now) == nil
                    && after.map { credential.position.isAfter($0) } ?? true
            }
            return Array(credentials.sorted { $1.position.isAfter($0.position) }.prefix(limit))
        }
    }

    public func purge(before now: Timestamp) -> Bool {
        state.withLock { state in
            let expired = sessions.map { part in
                let expired = part.filter { $0.value.session.expiresAt <= now }.map(\.key)
                for id in expired { part[id] = nil }
                return expired
            }
            for id in expired.joined() {
                state.removeIdempotencyRecords(of: id)
                state.removeTokens(of: id)
                expiredSessions.increment()
            }
            for token in state.tokens.values where token.expiresAt <= now {
                state.removeToken(token.hash)
            }
            for credential in state.credentials.values
            where credential.expiresAt + Credential.retention <= now {
                state.remove(credential)
            }
            state.removeIdempotencyRecords(before: now)
        }
        return false
    }
}
