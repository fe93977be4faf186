import Sessions
import Synchronization
import WaypostCore

/// A piece of work for a lane (a worker thread with a database connection).
enum Work {
    /// Changes of sessions and checks of session versions that share one transaction. Each session
    /// has at most one change in it.
    case set(changes: [PendingCommit], checks: [PendingCommit])
    /// A batch that runs in a separate transaction.
    case whole(PendingCommit)
    case query(Query)
}

extension Work {
    /// The parts of the work, each of which has its own result.
    var parts: [any DeadlinedWork] {
        switch self {
        case .set(let changes, let checks): changes + checks
        case .whole(let commit): [commit]
        case .query(let query): [query]
        }
    }
}

/// A read, or a write that is not a batch, such as a step of the purge. The query is repeated after
/// a lock conflict, and on another connection if a connection is lost.
///
/// The query has one result: that of its lane, or the failure by `DeadlineTimer`, whichever comes
/// first.
final class Query: DeadlinedWork {
    typealias Completion = @Sendable () -> Void

    /// Runs the query, and returns a closure that passes the result to the caller.
    let run: @Sendable (Connection) throws -> Completion
    let deadline: ContinuousClock.Instant?
    /// Passes an error to the caller.
    private let onFailure: @Sendable (StorageError) -> Void
    private let hasResult = Atomic(false)

    init(
        deadline: ContinuousClock.Instant?,
        run: @escaping @Sendable (Connection) throws -> Completion,
        onFailure: @escaping @Sendable (StorageError) -> Void
    ) {
        self.deadline = deadline
        self.run = run
        self.onFailure = onFailure
    }

    /// Whether the caller already has a result.
    var isDone: Bool { hasResult.load(ordering: .relaxed) }

    /// Passes a result to the caller, unless the caller has one.
    func complete(_ completion: Completion) {
        if !hasResult.exchange(true, ordering: .relaxed) { completion() }
    }

    func fail(_ reason: String) { complete { onFailure(StorageError(reason: reason)) } }
}

/// The batches and queries that wait for a lane (a thread with a database connection). Batches that
/// change the same session keep their order. A check of a session's version may run before earlier
/// changes of the session. At worst, the check then finds another version and fails.
struct WaitingWork {
    /// The limits for the content of one transaction.
    struct Limits: Sendable {
        var changes = 128
        var checks = 2000
        /// The size limit of a transaction, in bytes. When the changes in a transaction reach this
        /// total size, no further change is added.
        var size = 1 << 20
    }

    private let limits: Limits
    /// The waiting commits that write something. The others only check the version of a session's
    /// row; they are in `checks`.
    private(set) var changes: [PendingCommit] = []
    private(set) var checks: [PendingCommit] = []
    private(set) var queries: [Query] = []
    /// The sessions with a change that a lane (worker thread) has taken and not yet finished.
    private var busy: Set<SessionID> = []

    init(_ limits: Limits) { self.limits = limits }

    var count: Int { changes.count + checks.count + queries.count }

    mutating func append(_ query: Query) { queries.append(query) }

    mutating func append(_ commit: PendingCommit) {
        if commit.kind == .check { checks.append(commit) } else { changes.append(commit) }
    }

    /// Removes the next work for a lane (worker thread) and returns it. A waiting query comes
    /// first, because there are few queries. Otherwise the work consists of as many batches as one
    /// transaction can hold.
    /// - Parameters:
    ///   - isTakingChanges: whether the work may contain changes.
    ///   - isTakingChecks: whether the work may contain checks.
    /// - Returns: nil if there is no such work.
    mutating func take(changes isTakingChanges: Bool, checks isTakingChecks: Bool) -> Work? {
        if !queries.isEmpty { return .query(queries.removeFirst()) }
        var changes: [PendingCommit] = []
        if isTakingChanges {
            switch takeChanges() {
            case .whole(let commit): return .whole(commit)
            case .set(let commits): changes = commits
            }
        }
        var checks: [PendingCommit] = []
        if isTakingChecks {
            checks = Array(self.checks.prefix(limits.checks))
            self.checks.removeFirst(checks.count)
        }
        return changes.isEmpty && checks.isEmpty ? nil : .set(changes: changes, checks: checks)
    }

    private enum TakenChanges {
        case set([PendingCommit])
        case whole(PendingCommit)
    }

    private mutating func takeChanges() -> TakenChanges {
        var taken: [PendingCommit] = []
        var rest: [PendingCommit] = []
        var passed: Set<SessionID> = []
        var size = 0
        for (index, commit) in changes.enumerated() {
            let id = commit.sessionID
            let isBlocked = id.map { busy.contains($0) || passed.contains($0) } ?? false
            let isFull = taken.count >= limits.changes || size >= limits.size
            if isBlocked || isFull || (commit.kind == .whole && !taken.isEmpty) {
                if let id { passed.insert(id) }
                rest.append(commit)
                continue
            }
            if let id { busy.insert(id) }
            if commit.kind == .whole {
                changes = rest + changes[(index + 1)...]
                return .whole(commit)
            }
            size += commit.size
            taken.append(commit)
        }
        changes = rest
        return .set(taken)
    }

    /// Removes the work that has reached its deadline, and returns it.
    /// - Parameter time: the present time.
    mutating func removeLate(at time: ContinuousClock.Instant) -> [any DeadlinedWork] {
        Self.removeLate(&queries, time) + Self.removeLate(&changes, time)
            + Self.removeLate(&checks, time)
    }

    private static func removeLate<Item: DeadlinedWork>(
        _ work: inout [Item], _ time: ContinuousClock.Instant
    ) -> [any DeadlinedWork] {
        let late = work.filter { $0.isLate(at: time) }
        if !late.isEmpty { work.removeAll { $0.isLate(at: time) } }
        return late
    }

    /// Records that a lane (worker thread) has finished these commits or given them up. Later
    /// commits of the same sessions can then start.
    mutating func release(_ commits: [PendingCommit]) {
        for commit in commits where commit.kind != .check {
            if let id = commit.sessionID { busy.remove(id) }
        }
    }
}
