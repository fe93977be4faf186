import Accounts
import Dispatch
import Navigation
import Sessions
import Synchronization
import TestSupport
import WaypostCore

/// A memory store that fails or delays calls when a test says so.
public final class ScriptedStore: SessionStore {
    /// The kinds of calls. Commits differ by their change of the session, reads by the value read.
    public enum Call: Hashable, Sendable {
        case insert, update, delete
        /// A commit that changes no session.
        case other
        case session, events, idempotencyRecord, account, credential

        init(_ batch: WriteBatch) {
            self =
                switch batch.session {
                case .insert: .insert
                case .update: .update
                case .delete: .delete
                case nil: .other
                }
        }

        var isCommit: Bool { [.insert, .update, .delete, .other].contains(self) }
    }

    private struct State {
        var failing: Set<Call> = []
        var commitFailure: StorageError?
        var conflicts = 0
        var held: [Call: Gate] = [:]
        var heldAfterwards: [Call: Gate] = [:]
        var counts: [Call: Int] = [:]
    }

    public static let failure = StorageError(reason: "the disk is full")

    /// The memory store that holds the data. Tests read and change it directly, without the script.
    public let memory: MemoryStore
    private let queue: DispatchQueue?
    private let state = Mutex(State())

    /// - Parameter queue: the queue on which commits call back. If nil, commits call back before
    ///   `commit` returns, unless a gate holds them.
    public init(callingBackOn queue: DispatchQueue? = nil, eventRetention: Int = 10_000) {
        memory = MemoryStore(eventRetention: eventRetention)
        self.queue = queue
    }

    /// The error of all commits, see `failCommits`.
    public var failure: StorageError? { state.withLock(\.commitFailure) }

    // MARK: The script

    /// Makes these calls fail from now on, and no others.
    public func fail(_ calls: Call...) { state.withLock { $0.failing = Set(calls) } }

    /// Makes all commits fail with this error and the store report it in `failure`; nil ends that.
    public func failCommits(_ error: StorageError?) {
        state.withLock { $0.commitFailure = error }
    }

    /// Makes the next commits fail because another writer has changed the session.
    public func conflict(count: Int) { state.withLock { $0.conflicts = count } }

    /// Makes calls of this kind wait at the gate before they do anything; nil ends that.
    public func hold(_ call: Call, at gate: Gate?) { state.withLock { $0.held[call] = gate } }

    /// Makes calls of this kind wait at the gate after their work, before they return; nil ends that.
    public func holdResult(of call: Call, at gate: Gate?) {
        state.withLock { $0.heldAfterwards[call] = gate }
    }

    /// Returns the number of calls of this kind, including failed ones.
    public func count(_ call: Call) -> Int { state.withLock { $0.counts[call] ?? 0 } }

    private func note(_ call: Call) -> Gate? {
        state.withLock { state in
            state.counts[call, default: 0] += 1
            return state.held[call]
        }
    }

    private func begin(_ call: Call) async throws(StorageError) {
        await note(call)?.pass()
        if state.withLock({ $0.failing.contains(call) }) { throw Self.failure }
    }

    private func end(_ call: Call) async {
        await state.withLock { $0.heldAfterwards[call] }?.pass()
    }

    // MARK: The store

    public func commit(
        _ batch: consuming WriteBatch,
        completion: @escaping @Sendable (Result<Void, CommitError>) -> Void
    ) {
        let batch = batch
        let call = Call(batch)
        if let gate = note(call) {
            Task {
                await gate.pass()
                write(batch, call, completion)
            }
        } else if let queue {
            queue.async { self.write(batch, call, completion) }
        } else {
            write(batch, call, completion)
        }
    }

    private func write(
        _ batch: WriteBatch, _ call: Call, _ completion: (Result<Void, CommitError>) -> Void
    ) {
        let refusal = state.withLock { state -> CommitError? in
            if state.failing.contains(call) { return .storage(Self.failure) }
            if let failure = state.commitFailure { return .storage(failure) }
            guard state.conflicts > 0, call == .update else { return nil }
            state.conflicts -= 1
            return .conflict
        }
        if let refusal { return completion(.failure(refusal)) }
        memory.commit(batch, completion: completion)
    }

    public func session(_ id: SessionID) async throws(StorageError) -> StoredSession? {
        try await begin(.session)
        let session = memory.session(id)
        await end(.session)
        return session
    }

    public func events(
        of id: SessionID, after: Int, limit: Int
    ) async throws(StorageError) -> EventPage {
        try await begin(.events)
        return memory.events(of: id, after: after, limit: limit)
    }

    public func idempotencyRecord(_ id: SecretHash) async throws(StorageError) -> IdempotencyRecord?
    {
        try await begin(.idempotencyRecord)
        return memory.idempotencyRecord(id)
    }

    public func idempotencyUsage(
        of session: SessionID, at now: Timestamp
    ) async throws(StorageError) -> IdempotencyUsage {
        try await begin(.idempotencyRecord)
        return memory.idempotencyUsage(of: session, at: now)
    }

    public func account(_ username: Username) async throws(StorageError) -> Account? {
        try await begin(.account)
        let account = memory.account(username)
        await end(.account)
        return account
    }

    public func credential(_ hash: SecretHash) async throws(StorageError) -> Credential? {
        try await begin(.credential)
        return memory.credential(hash)
    }

    public func credential(_ id: CredentialID) async throws(StorageError) -> Credential? {
        try await begin(.credential)
        return memory.credential(id)
    }

    public func accounts(
        after: Username?, limit: Int
    ) async throws(StorageError) -> [Account] {
        try await begin(.account)
        return memory.accounts(after: after, limit: limit)
    }

    public func credentials(
        of username: Username, at now: Timestamp, after: CredentialPosition?, limit: Int
    ) async throws(StorageError) -> [Credential] {
        try await begin(.credential)
        return memory.credentials(of: username, at: now, after: after, limit: limit)
    }

    public func purge(before now: Timestamp) -> Bool { memory.purge(before: now) }
}
