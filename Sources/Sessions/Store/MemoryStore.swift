import Accounts
import Navigation
import Synchronization

/// Keeps everything as long as the process lives.
public final class MemoryStore: ImmediateSessionStore {
    private struct Entry {
        var session: StoredSession
        /// The newest ones, without gaps.
        var events: [LifecycleEvent]
    }

    private struct State {
        var sessions: [SessionID: Entry] = [:]
        var accounts: [Username: Account] = [:]
        var credentials: [SecretHash: Credential] = [:]
        var receipts: [SecretHash: Receipt] = [:]
    }

    private let state = Mutex(State())
    private let eventRetention: Int

    /// - Parameter eventRetention: how many events are kept of each session, at least.
    public init(eventRetention: Int = 10_000) {
        self.eventRetention = eventRetention
    }

    public var failure: StorageError? { nil }

    public var sessionCount: Int? { state.withLock { $0.sessions.count } }

    public func commit(_ commit: Commit) throws(CommitError) {
        let refusal = state.withLock { state -> CommitError? in
            if let refusal = Self.write(commit.account, to: &state) { return refusal }
            Self.write(commit.revocation, to: &state)
            if let credential = commit.newCredential {
                state.credentials[credential.hash] = credential
            }
            if let use = commit.credentialUse { state.credentials[use.hash]?.lastUsedAt = use.time }
            if let receipt = commit.receipt { state.receipts[receipt.id] = receipt }
            write(commit, to: &state.sessions)
            return nil
        }
        if let refusal { throw refusal }
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
            state.credentials = state.credentials.filter { $0.value.username != found.username }
        case nil: break
        }
        return nil
    }

    private static func write(_ revocation: Commit.Revocation?, to state: inout State) {
        switch revocation {
        case .credential(let hash): state.credentials[hash]?.isRevoked = true
        case .all(of: let username, except: let exception):
            for (hash, credential) in state.credentials
            where credential.username == username && hash != exception {
                state.credentials[hash]?.isRevoked = true
            }
        case nil: break
        }
    }

    private func write(_ commit: Commit, to sessions: inout [SessionID: Entry]) {
        switch commit.session {
        case .insert(let session):
            sessions[session.id] = Entry(session: session, events: commit.events)
        case .update(let session):
            guard let place = sessions.index(forKey: session.id) else { break }
            sessions.values[place].session = session
            sessions.values[place].events += commit.events
            // A tenth more than is promised, so that not each change moves the whole array.
            let count = sessions.values[place].events.count
            if count > eventRetention + eventRetention / 10 {
                sessions.values[place].events.removeFirst(count - eventRetention)
            }
        case .delete(let id): sessions[id] = nil
        case nil: break
        }
    }

    public func session(_ id: SessionID) -> StoredSession? {
        state.withLock { $0.sessions[id]?.session }
    }

    public func events(of id: SessionID, after: Int, limit: Int) -> EventPage {
        state.withLock { state in
            guard let events = state.sessions[id]?.events, let first = events.first else {
                return EventPage(events: [], oldest: 1)
            }
            let skipped = min(max(after - first.seq + 1, 0), events.count)
            return EventPage(
                events: Array(events[skipped...].prefix(limit)), oldest: first.seq)
        }
    }

    public func receipt(_ id: SecretHash) -> Receipt? {
        state.withLock { $0.receipts[id] }
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
            let credentials = state.credentials.values.filter { credential in
                credential.username == username && !credential.isRevoked
                    && now < credential.expiresAt
                    && after.map { credential.position.isAfter($0) } ?? true
            }
            return Array(credentials.sorted { $1.position.isAfter($0.position) }.prefix(limit))
        }
    }

    public func purge(before now: Timestamp) -> Bool {
        state.withLock { state in
            state.sessions = state.sessions.filter { now < $0.value.session.expiresAt }
            state.credentials = state.credentials.filter {
                now < $0.value.expiresAt + Credential.retention
            }
            state.receipts = state.receipts.filter { now < $0.value.expiresAt }
        }
        return false
    }
}
