import Sessions
import WaypostCore

/// Work for a `Lane`, a thread with a connection.
enum Work {
    /// Changes and checks that share a transaction. No session has two changes.
    case set(changes: [PendingCommit], checks: [PendingCommit])
    /// A batch with a transaction of its own.
    case whole(PendingCommit)
    case query(Query)
}

/// A read, or a write outside of batches, such as a step of the purge. It may run more than once, on
/// several connections.
struct Query: Sendable {
    /// Runs the query, and returns the closure that calls back with the result. `confirmation` is a
    /// statement that confirms the read in the same transaction; nil if reads are not confirmed.
    let run: @Sendable (Connection, _ confirmation: BoundStatement?) throws -> Completion
    /// Calls back with an error.
    let fail: @Sendable (StorageError) -> Void

    typealias Completion = @Sendable () -> Void
}

/// Batches and queries that no lane has taken yet. The batches that change the same session keep
/// their order. A check may overtake the changes of its session: at worst, it then finds another
/// version and fails.
struct WaitingWork {
    /// The limits of one transaction.
    struct Limits: Sendable {
        var changes = 128
        var checks = 2000
        /// The size in bytes from which on no further change is added to the transaction.
        var size = 1 << 20
    }

    private let limits: Limits
    /// The waiting batches that are not checks.
    private(set) var changes: [PendingCommit] = []
    private(set) var checks: [PendingCommit] = []
    private(set) var queries: [Query] = []
    /// The sessions of the changes that lanes have taken and not finished.
    private var busy: Set<SessionID> = []

    init(_ limits: Limits) { self.limits = limits }

    var count: Int { changes.count + checks.count + queries.count }

    mutating func append(_ query: Query) { queries.append(query) }

    mutating func append(_ commit: PendingCommit) {
        if commit.kind == .check { checks.append(commit) } else { changes.append(commit) }
    }

    /// Removes and returns the next work for a lane: a query if one waits, because there are few,
    /// and otherwise the batches of the given kinds that fit into one transaction.
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

    /// Notes that a lane has finished or given up these commits, so that later commits of the same
    /// sessions can begin.
    mutating func release(_ commits: [PendingCommit]) {
        for commit in commits where commit.kind != .check {
            if let id = commit.sessionID { busy.remove(id) }
        }
    }
}
