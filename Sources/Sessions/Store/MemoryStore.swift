import Accounts
import Navigation
import Synchronization

/// Keeps everything as long as the process lives.
public final class MemoryStore: ImmediateSessionStore {
    private struct Entry {
        var session: Kept
        var events = EventLog()
    }

    /// A session as it came.
    private enum Kept {
        // Indirect, as it is large and most become records: all entries are as large as the larger one.
        indirect case stored(StoredSession)
        case record(SessionRecord)

        var expiresAt: Timestamp {
            switch self {
            case .stored(let session): session.expiresAt
            case .record(let record): record.expiresAt
            }
        }

        var stored: StoredSession {
            switch self {
            case .stored(let session): session
            case .record(let record): record.stored
            }
        }
    }

    private struct State {
        var accounts: [Username: Account] = [:]
        var credentials: [SecretHash: Credential] = [:]
        /// The hashes of an account's credentials.
        var credentialsOfAccounts: [Username: Set<SecretHash>] = [:]
        var idempotencyRecords: [SecretHash: IdempotencyRecord] = [:]
        /// The ids of the records that end with a session.
        var idempotencyRecordsOfSessions: [SessionID: Set<SecretHash>] = [:]

        func credentials(of username: Username) -> [Credential] {
            (credentialsOfAccounts[username] ?? []).compactMap { credentials[$0] }
        }

        mutating func insert(_ credential: Credential) {
            credentials[credential.hash] = credential
            credentialsOfAccounts[credential.username, default: []].insert(credential.hash)
            let refused = credentials(of: credential.username)
                .filter { $0.refusal(at: credential.createdAt) != nil }
            guard refused.count > Credential.rememberedLimit else { return }
            let byAge = refused.sorted { $1.position.isAfter($0.position) }
            for credential in byAge[Credential.rememberedLimit...] { remove(credential) }
        }

        mutating func remove(_ credential: Credential) {
            credentials[credential.hash] = nil
            credentialsOfAccounts[credential.username]?.remove(credential.hash)
            if credentialsOfAccounts[credential.username]?.isEmpty == true {
                credentialsOfAccounts[credential.username] = nil
            }
        }

        mutating func insert(_ record: IdempotencyRecord) {
            idempotencyRecords[record.id] = record
            guard let session = record.session else { return }
            idempotencyRecordsOfSessions[session, default: []].insert(record.id)
        }

        mutating func removeIdempotencyRecords(of session: SessionID) {
            for id in idempotencyRecordsOfSessions.removeValue(forKey: session) ?? [] {
                idempotencyRecords[id] = nil
            }
        }

        mutating func removeIdempotencyRecords(before now: Timestamp) {
            for (id, record) in idempotencyRecords where record.expiresAt <= now {
                idempotencyRecords[id] = nil
                guard let session = record.session else { continue }
                idempotencyRecordsOfSessions[session]?.remove(id)
                if idempotencyRecordsOfSessions[session]?.isEmpty == true {
                    idempotencyRecordsOfSessions[session] = nil
                }
            }
        }
    }

    /// All that is not of one session. Taken before a part's lock.
    private let state = Mutex(State())
    private let sessions = SessionParts(of: [SessionID: Entry]())
    private let eventRetention: Int

    /// - Parameter eventRetention: how many events are kept of each session, at least.
    public init(eventRetention: Int = 10_000) {
        self.eventRetention = eventRetention
    }

    public var failure: StorageError? { nil }

    public var sessionCount: Int? { sessions.map { $0.count }.reduce(0, +) }

    public func update(
        _ session: SessionRecord, _ events: [LifecycleEvent]
    ) throws(CommitError) {
        guard update(session.id, .record(session), events) else { throw .sessionNotFound }
    }

    /// - Returns: false, and nothing is done, if there is no such session.
    private func update(_ id: SessionID, _ session: Kept, _ events: [LifecycleEvent]) -> Bool {
        sessions.withPart(of: id) { sessions in
            guard let place = sessions.index(forKey: id) else { return false }
            sessions.values[place].session = session
            sessions.values[place].events.append(events, retention: eventRetention)
            return true
        }
    }

    public func commit(_ commit: Commit) throws(CommitError) {
        let refusal = state.withLock { state -> CommitError? in
            // Sessions are only removed under this lock: what is here now is here below.
            if case .update(let session) = commit.session, !hasSession(session.id) {
                return .sessionNotFound
            }
            if let refusal = Self.write(commit.account, to: &state) { return refusal }
            Self.write(commit.revocation, to: &state)
            if let credential = commit.newCredential { state.insert(credential) }
            if let use = commit.credentialUse { state.credentials[use.hash]?.lastUsedAt = use.time }
            if case .delete(let id) = commit.session { state.removeIdempotencyRecords(of: id) }
            if let record = commit.idempotencyRecord { state.insert(record) }
            write(commit)
            return nil
        }
        if let refusal { throw refusal }
    }

    private func hasSession(_ id: SessionID) -> Bool {
        sessions.withPart(of: id) { $0[id] != nil }
    }

    /// - Returns: why nothing of the commit can be done.
    private static func write(
        _ change: Commit.AccountChange?, to state: inout State
    ) -> CommitError? {
        switch change {
        case .insert(let account):
            guard state.accounts[account.username] == nil else { return .usernameTaken }
            state.accounts[account.username] = account
        case .update(let account, from: let found):
            guard state.accounts[found.username] == found else { return .accountChanged }
            state.accounts[found.username] = account
        case .delete(let found):
            guard state.accounts[found.username] == found else { return .accountChanged }
            state.accounts[found.username] = nil
            for credential in state.credentials(of: found.username) { state.remove(credential) }
        case nil: break
        }
        return nil
    }

    private static func write(_ revocation: Commit.Revocation?, to state: inout State) {
        switch revocation {
        case .credentials(let hashes):
            for hash in hashes { state.credentials[hash]?.isRevoked = true }
        case .all(of: let username, except: let exception):
            for credential in state.credentials(of: username) where credential.hash != exception {
                state.credentials[credential.hash]?.isRevoked = true
            }
        case nil: break
        }
    }

    private func write(_ commit: Commit) {
        switch commit.session {
        case .insert(let session):
            var entry = Entry(session: .stored(session))
            entry.events.append(commit.events, retention: eventRetention)
            sessions.withPart(of: session.id) { $0[session.id] = entry }
        case .update(let session): _ = update(session.id, .stored(session), commit.events)
        case .delete(let id): sessions.withPart(of: id) { $0[id] = nil }
        case nil: break
        }
    }

    public func session(_ id: SessionID) -> StoredSession? {
        sessions.withPart(of: id) { $0[id]?.session.stored }
    }

    public func events(of id: SessionID, after: Int, limit: Int) -> EventPage {
        sessions.withPart(of: id) { sessions in
            guard let log = sessions[id]?.events else { return EventPage(events: [], oldest: 1) }
            return EventPage(events: log.events(after: after, limit: limit), oldest: log.oldest)
        }
    }

    public func idempotencyRecord(_ id: SecretHash) -> IdempotencyRecord? {
        state.withLock { $0.idempotencyRecords[id] }
    }

    public func idempotencyUsage(of session: SessionID, at now: Timestamp) -> IdempotencyUsage {
        state.withLock { state in
            let ids = state.idempotencyRecordsOfSessions[session] ?? []
            return ids.reduce(into: IdempotencyUsage()) { usage, id in
                guard let record = state.idempotencyRecords[id], now < record.expiresAt else {
                    return
                }
                usage.add(record)
            }
        }
    }

    public func account(_ username: Username) -> Account? {
        state.withLock { $0.accounts[username] }
    }

    public func credential(_ hash: SecretHash) -> Credential? {
        state.withLock { $0.credentials[hash] }
    }

    public func credential(_ id: CredentialID) -> Credential? {
        state.withLock { $0.credentials.values.first { $0.id == id } }
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
            for id in expired.joined() { state.removeIdempotencyRecords(of: id) }
            for credential in state.credentials.values
            where credential.expiresAt + Credential.retention <= now {
                state.remove(credential)
            }
            state.removeIdempotencyRecords(before: now)
        }
        return false
    }
}
