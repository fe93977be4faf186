import Sessions
import Synchronization
import WaypostCore

/// Work that must be answered by a deadline.
protocol DeadlinedWork: Sendable {
    /// The time at which the work fails if it has no result; nil for no limit.
    var deadline: ContinuousClock.Instant? { get }
    /// Fails the work, unless it has a result.
    func fail(_ reason: String)
}

extension DeadlinedWork {
    /// - Parameter time: the present time.
    func isLate(at time: ContinuousClock.Instant) -> Bool {
        deadline.map { $0 <= time } ?? false
    }
}

/// A piece of work for a worker (a thread with a database connection).
enum Work {
    /// Commits that share a transaction: changes of different sessions, or one commit with other
    /// writes.
    case changes([Commit])
    /// Checks of session versions, which share a transaction.
    case checks([Commit])
    case query(Query)

    var changes: [Commit] {
        if case .changes(let commits) = self { commits } else { [] }
    }

    /// The parts of the work, each of which has its own result.
    var parts: [any DeadlinedWork] {
        switch self {
        case .changes(let commits), .checks(let commits): commits
        case .query(let query): [query]
        }
    }
}

/// A read, or a write that is not a batch, such as a step of the purge. The query is repeated after
/// a lock conflict, and on another connection if a connection is lost. It has one result: that of its
/// worker, or the failure by `DeadlineTimer`, whichever comes first.
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
