import Dispatch
import NavigationRules
import Sessions
import Synchronization
import TestSupport
import WaypostCore

/// A store that fails or delays calls when a test says so, in front of a real store.
package final class ScriptedStore: SessionStore {
    /// The kinds of calls. Commits differ by their change of the session, reads by the value read.
    package enum Call: Hashable, Sendable, CaseIterable {
        case insert, update, delete, check
        /// A commit that changes no session.
        case other
        case session, sessions, versions, sessionToken, events, log, idempotencyRecord, account,
            credential

        init(_ batch: WriteBatch) {
            self =
                switch batch.session {
                case .insert: .insert
                case .update: .update
                case .delete, .deleteUnread: .delete
                case .check: .check
                case nil: .other
                }
        }

        var isCommit: Bool { [.insert, .update, .delete, .check, .other].contains(self) }
    }

    private struct State {
        var failing: [Call: StorageError] = [:]
        var commitFailure: StorageError?
        var refusals: [Call: (error: SessionError, count: Int)] = [:]
        var held: [Call: Gate] = [:]
        var heldAfterwards: [Call: Gate] = [:]
        var counts: [Call: Int] = [:]
        var requestStart: ContinuousClock.Instant?
    }

    package static let failure = StorageError(reason: "the disk is full")

    /// The store that holds the data. Tests read and change it directly, without the script.
    package let base: any SessionStore
    /// The folder of a store in a file.
    private let folder: TemporaryFolder
    private let queue: DispatchQueue?
    private let isSaidToBeShared: Bool
    private let state = Mutex(State())

    /// - Parameters:
    ///   - kind: the kind of store that holds the data; the current one if nil.
    ///   - queue: the queue that commits of a store in memory call back on; nil calls back before
    ///     `commit` returns, unless a gate holds the commit.
    ///   - isShared: whether the store says that other processes may write to it.
    package init(
        _ kind: StoreKind? = nil, callingBackOn queue: DispatchQueue? = nil, isShared: Bool = false
    ) throws {
        isSaidToBeShared = isShared
        folder = try TemporaryFolder()
        base = try (kind ?? .current).makeStore(in: folder)
        self.queue = queue
    }

    /// - Parameter base: the store that holds the data.
    package init(before base: any SessionStore) throws {
        folder = try TemporaryFolder()
        self.base = base
        queue = nil
        isSaidToBeShared = false
    }

    package var expiredSessions: Counter { base.expiredSessions }
    /// The failure of all commits and purges, see `failCommits`.
    package var failure: StorageError? { state.withLock(\.commitFailure) ?? base.failure }

    package var isShared: Bool { isSaidToBeShared || base.isShared }
    package var restoresSessions: Bool { base.restoresSessions }

    // MARK: The script

    /// Makes these calls fail from now on, and no others.
    package func fail(_ calls: Call..., with error: StorageError = ScriptedStore.failure) {
        state.withLock { state in
            state.failing = Dictionary(calls.map { ($0, error) }, uniquingKeysWith: { $1 })
        }
    }

    /// Makes all commits and purges fail with this error and the store report it in `failure`; nil
    /// ends that.
    package func failCommits(_ error: StorageError?) {
        state.withLock { $0.commitFailure = error }
    }

    /// Makes the next commits fail because another writer has changed the session.
    package func conflict(count: Int) { refuse(.update, .conflict, count: count) }

    /// Makes the next commits of this kind fail with an error.
    package func refuse(_ call: Call, _ error: SessionError, count: Int) {
        state.withLock { $0.refusals[call] = (error, count) }
    }

    /// Makes calls of this kind wait at the gate before they do anything; nil ends that.
    package func hold(_ call: Call, at gate: Gate?) { state.withLock { $0.held[call] = gate } }

    /// Makes calls of this kind wait at the gate after their work, before they return; nil ends that.
    package func holdResult(of call: Call, at gate: Gate?) {
        state.withLock { $0.heldAfterwards[call] = gate }
    }

    /// Returns the number of calls of this kind, including failed ones.
    package func count(_ call: Call) -> Int { state.withLock { $0.counts[call] ?? 0 } }

    /// The arrival of the first request of the last commit, see `WriteBatch`.
    package var lastRequestStart: ContinuousClock.Instant? { state.withLock(\.requestStart) }

    /// The number of all calls.
    package var callCount: Int { Call.allCases.map(count).reduce(0, +) }

    private func note(_ call: Call) -> Gate? {
        state.withLock { state in
            state.counts[call, default: 0] += 1
            return state.held[call]
        }
    }

    private func begin(_ call: Call) async throws(SessionError) {
        await note(call)?.pass()
        if let error = state.withLock({ $0.failing[call] }) { throw .storage(error) }
    }

    private func end(_ call: Call) async {
        await state.withLock { $0.heldAfterwards[call] }?.pass()
    }

    // MARK: The store

    package func commit(
        _ batch: consuming WriteBatch,
        completion: @escaping @Sendable (Result<Void, SessionError>) -> Void
    ) {
        let batch = batch
        let call = Call(batch)
        state.withLock { $0.requestStart = batch.requestStart }
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
        _ batch: WriteBatch, _ call: Call,
        _ completion: @escaping @Sendable (Result<Void, SessionError>) -> Void
    ) {
        let refusal = state.withLock { state -> SessionError? in
            if let error = state.failing[call] ?? state.commitFailure { return .storage(error) }
            guard let refusal = state.refusals[call], refusal.count > 0 else { return nil }
            state.refusals[call]?.count -= 1
            return refusal.error
        }
        if let refusal { return completion(.failure(refusal)) }
        base.commit(batch, completion: completion)
    }

    package func session(_ id: SessionID) async throws(SessionError) -> StoredSession? {
        try await begin(.session)
        let session = try await base.session(id)
        await end(.session)
        return session
    }

    package func versions(
        of ids: [SessionID]
    ) async throws(SessionError) -> [SessionID: RowVersion] {
        try await begin(.versions)
        return try await base.versions(of: ids)
    }

    package func events(
        of id: SessionID, after: Int, limit: Int
    ) async throws(SessionError) -> EventPage {
        try await begin(.events)
        return try await base.events(of: id, after: after, limit: limit)
    }

    package func log(
        of id: SessionID, from first: Int, through last: Int
    ) async throws(SessionError) -> LogSlice {
        try await begin(.log)
        return try await base.log(of: id, from: first, through: last)
    }

    package func sessionsWithHistory(
        of username: Username
    ) async throws(SessionError) -> [SessionID] {
        try await begin(.sessions)
        return try await base.sessionsWithHistory(of: username)
    }

    package func sessions(
        of username: Username, at now: Timestamp, after: SessionPosition?, limit: Int
    ) async throws(SessionError) -> [ListedSession] {
        try await begin(.sessions)
        return try await base.sessions(of: username, at: now, after: after, limit: limit)
    }

    package func sessionToken(
        _ hash: SecretHash, at now: Timestamp
    ) async throws(SessionError) -> SessionToken? {
        try await begin(.sessionToken)
        return try await base.sessionToken(hash, at: now)
    }

    package func sessionTokens(
        of session: SessionID, at now: Timestamp, after: CredentialPosition?, limit: Int
    ) async throws(SessionError) -> [SessionToken] {
        try await begin(.sessionToken)
        return try await base.sessionTokens(of: session, at: now, after: after, limit: limit)
    }

    package func idempotencyRecord(_ id: SecretHash) async throws(SessionError)
        -> IdempotencyRecord?
    {
        try await begin(.idempotencyRecord)
        let record = try await base.idempotencyRecord(id)
        await end(.idempotencyRecord)
        return record
    }

    package func idempotencyRecordSizes(
        of session: SessionID, at now: Timestamp
    ) async throws(SessionError) -> IdempotencyRecordSizes {
        try await begin(.idempotencyRecord)
        return try await base.idempotencyRecordSizes(of: session, at: now)
    }

    package func account(_ username: Username) async throws(SessionError) -> Account? {
        try await begin(.account)
        let account = try await base.account(username)
        await end(.account)
        return account
    }

    package func credential(_ hash: SecretHash) async throws(SessionError) -> Credential? {
        try await begin(.credential)
        return try await base.credential(hash)
    }

    package func accounts(
        after: Username?, limit: Int
    ) async throws(SessionError) -> [Account] {
        try await begin(.account)
        return try await base.accounts(after: after, limit: limit)
    }

    package func credentials(
        of username: Username, at now: Timestamp, after: CredentialPosition?, limit: Int
    ) async throws(SessionError) -> [Credential] {
        try await begin(.credential)
        return try await base.credentials(of: username, at: now, after: after, limit: limit)
    }

    package func purge(before now: Timestamp) async throws(SessionError) -> Bool {
        if let failure { throw .storage(failure) }
        return try await base.purge(before: now)
    }
}
