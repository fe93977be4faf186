import Accounts
import Navigation
import Synchronization
import TestSupport

@testable import Sessions

/// Keeps sessions in memory; fails, or makes its callers wait, where a test tells it to.
final class TestStore: SessionStore {
    /// Commits are told by what they do to a session, looks by what they are for.
    enum Call: Hashable {
        case insert, update, delete
        /// A commit that changes no session.
        case other
        case session, events, idempotencyRecord, account, credential

        init(_ commit: Commit) {
            self =
                switch commit.session {
                case .insert: .insert
                case .update: .update
                case .delete: .delete
                case nil: .other
                }
        }
    }

    private struct State {
        var failing: Set<Call> = []
        var held: [Call: Gate] = [:]
        var heldAfterwards: [Call: Gate] = [:]
        var counts: [Call: Int] = [:]
    }

    static let failure = StorageError(reason: "the disk is full")

    /// What is kept, for a test to look at and to change past all gates.
    let memory = MemoryStore()
    private let state = Mutex(State())

    var failure: StorageError? { nil }

    func fail(_ calls: Call...) {
        state.withLock { $0.failing = Set(calls) }
    }

    /// From now on these calls wait at the gate, before they do anything.
    func hold(_ call: Call, at gate: Gate?) {
        state.withLock { $0.held[call] = gate }
    }

    /// From now on these calls wait at the gate with their result in hand.
    func holdResult(of call: Call, at gate: Gate?) {
        state.withLock { $0.heldAfterwards[call] = gate }
    }

    /// How many calls there were, also failed ones.
    func count(_ call: Call) -> Int {
        state.withLock { $0.counts[call] ?? 0 }
    }

    private func begin(_ call: Call) async throws(StorageError) {
        let gate = state.withLock { state in
            state.counts[call, default: 0] += 1
            return state.held[call]
        }
        await gate?.pass()
        if state.withLock({ $0.failing.contains(call) }) { throw Self.failure }
    }

    private func end(_ call: Call) async {
        await state.withLock { $0.heldAfterwards[call] }?.pass()
    }

    func commit(_ commit: Commit) async throws(CommitError) {
        do { try await begin(Call(commit)) } catch { throw .storage(error) }
        try memory.commit(commit)
    }

    func session(_ id: SessionID) async throws(StorageError) -> StoredSession? {
        try await begin(.session)
        let session = memory.session(id)
        await end(.session)
        return session
    }

    func events(of id: SessionID, after: Int, limit: Int) async throws(StorageError) -> EventPage {
        try await begin(.events)
        return memory.events(of: id, after: after, limit: limit)
    }

    func idempotencyRecord(_ id: SecretHash) async throws(StorageError) -> IdempotencyRecord? {
        try await begin(.idempotencyRecord)
        return memory.idempotencyRecord(id)
    }

    func idempotencyUsage(
        of session: SessionID, at now: Timestamp
    ) async throws(StorageError) -> IdempotencyUsage {
        try await begin(.idempotencyRecord)
        return memory.idempotencyUsage(of: session, at: now)
    }

    func account(_ username: Username) async throws(StorageError) -> Account? {
        try await begin(.account)
        let account = memory.account(username)
        await end(.account)
        return account
    }

    func credential(_ hash: SecretHash) async throws(StorageError) -> Credential? {
        try await begin(.credential)
        return memory.credential(hash)
    }

    func credential(_ id: CredentialID) async throws(StorageError) -> Credential? {
        try await begin(.credential)
        return memory.credential(id)
    }

    func accounts(after: Username?, limit: Int) async throws(StorageError) -> [Account] {
        try await begin(.account)
        return memory.accounts(after: after, limit: limit)
    }

    func credentials(
        of username: Username, at now: Timestamp, after: CredentialPosition?, limit: Int
    ) async throws(StorageError) -> [Credential] {
        try await begin(.credential)
        return memory.credentials(of: username, at: now, after: after, limit: limit)
    }

    func purge(before now: Timestamp) -> Bool { memory.purge(before: now) }
}
