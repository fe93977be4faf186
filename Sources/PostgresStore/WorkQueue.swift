import Foundation
import Sessions
import Synchronization
import WaypostCore

/// Work for a lane.
enum Work {
    /// Changes and checks that share a transaction. No session has two changes.
    case set([PendingCommit])
    /// A batch with a transaction of its own.
    case whole(PendingCommit)
    case query(Query)
}

/// A read. It may run more than once, on several connections.
struct Query: Sendable {
    /// Runs the query, with a statement that confirms it in the same transaction, and returns the
    /// closure that calls back with the result.
    let run: @Sendable (Connection, _ confirmation: BoundStatement?) throws -> Completion
    /// Calls back with an error.
    let fail: @Sendable (StorageError) -> Void

    typealias Completion = @Sendable () -> Void
}

/// The work that waits for a lane. A lane takes all changes and checks that wait at that moment, so
/// that the batches grow with the load. The batches of one session keep their order.
final class WorkQueue: Sendable {
    /// The maximum numbers in one transaction.
    struct Limits: Sendable {
        var changes = 128
        var checks = 2000
        /// The size of what is sent, in bytes.
        var size = 1 << 20
    }

    private struct State {
        var commits: [PendingCommit] = []
        var queries: [Query] = []
        /// The sessions of the batches that lanes have now.
        var busy: Set<SessionID> = []
        var idleLanes = 0
        var isClosed = false
    }

    private let limits: Limits
    private let state = Mutex(State())
    private let wake = DispatchSemaphore(value: 0)

    init(_ limits: Limits = Limits()) { self.limits = limits }

    /// The number of batches and queries that wait.
    var count: Int { state.withLock { $0.commits.count + $0.queries.count } }

    func append(_ commit: PendingCommit) { add { $0.commits.append(commit) } }
    func append(_ query: Query) { add { $0.queries.append(query) } }

    private func add(_ body: (inout State) -> Void) {
        let isWaking = state.withLock { state in
            body(&state)
            return Self.claimLane(&state)
        }
        if isWaking { wake.signal() }
    }

    private static func claimLane(_ state: inout State) -> Bool {
        guard state.idleLanes > 0 else { return false }
        state.idleLanes -= 1
        return true
    }

    /// Waits for work.
    /// - Returns: nil when the queue is closed and empty.
    func next() -> Work? {
        while true {
            var isWaking = false
            let (work, isClosed) = state.withLock { state -> (Work?, Bool) in
                let work = take(&state)
                let isEmpty = state.commits.isEmpty && state.queries.isEmpty
                if work == nil, !(state.isClosed && isEmpty) { state.idleLanes += 1 }
                // More is left than one lane takes.
                if work != nil, !isEmpty { isWaking = Self.claimLane(&state) }
                return (work, state.isClosed && isEmpty)
            }
            if isWaking { wake.signal() }
            if let work { return work }
            if isClosed { return nil }
            wake.wait()
        }
    }

    /// Removes and returns what a lane does next: queries first, because there are few, and then all
    /// batches that fit into one transaction, or one that has its own.
    private func take(_ state: inout State) -> Work? {
        if !state.queries.isEmpty { return .query(state.queries.removeFirst()) }
        var taken: [PendingCommit] = []
        var rest: [PendingCommit] = []
        var passed: Set<SessionID> = []
        var (changes, checks, size) = (0, 0, 0)
        var whole: PendingCommit?
        for (index, commit) in state.commits.enumerated() {
            // A check may overtake the changes of its session: it then finds another version, at worst.
            let id = commit.kind == .check ? nil : commit.batch.session?.id
            let isBlocked = id.map { state.busy.contains($0) || passed.contains($0) } ?? false
            let isFull =
                changes >= limits.changes || checks >= limits.checks || size >= limits.size
            if isBlocked || isFull || (commit.kind == .whole && !taken.isEmpty) {
                if let id { passed.insert(id) }
                rest.append(commit)
                continue
            }
            if let id { state.busy.insert(id) }
            if commit.kind == .whole {
                whole = commit
                rest += state.commits[(index + 1)...]
                break
            }
            if commit.kind == .change { changes += 1 } else { checks += 1 }
            size += commit.size
            taken.append(commit)
        }
        state.commits = rest
        if let whole { return .whole(whole) }
        return taken.isEmpty ? nil : .set(taken)
    }

    /// Notes that a lane no longer has these batches. The lane then calls `next`, and takes what has
    /// waited for them.
    func release(_ commits: [PendingCommit]) {
        state.withLock { state in
            for commit in commits where commit.kind != .check {
                if let id = commit.batch.session?.id { state.busy.remove(id) }
            }
        }
    }

    /// Removes all that waits, to fail it.
    func takeAll() -> (commits: [PendingCommit], queries: [Query]) {
        state.withLock { state in
            defer { (state.commits, state.queries) = ([], []) }
            return (state.commits, state.queries)
        }
    }

    /// Has `next` return nil when all work is done.
    func close() {
        let idle = state.withLock { state in
            state.isClosed = true
            defer { state.idleLanes = 0 }
            return state.idleLanes
        }
        for _ in 0..<idle { wake.signal() }
    }
}
