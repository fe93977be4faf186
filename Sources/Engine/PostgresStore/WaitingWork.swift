import Sessions

/// The work that waits for a worker (a thread with a database connection), and the work of each
/// worker. The methods decide which worker performs what; `WorkQueue` performs the waits.
///
/// A free worker takes all that waits and can share a transaction. Checks of session versions are
/// cheap, and one transaction can hold many of them, so only one worker at a time performs checks.
/// This rule does not hold for a check that has waited since the last call but one of `tick`, because
/// that worker may be stuck.
struct WaitingWork {
    /// The maximum numbers of changes and of checks in one transaction.
    private static let (changeLimit, checkLimit) = (128, 2000)
    /// When the changes in a transaction reach this total size, in bytes, no further one is added.
    private static let sizeLimit = 1 << 20

    /// The next step of a worker.
    enum Step {
        /// - Parameter wakesAnother: whether a waiting worker must be woken for the rest of the work.
        case perform(Work, wakesAnother: Bool)
        case wait
        case end(wakesAnother: Bool)
    }

    private var queries: [Query] = []
    private var checks: [Commit] = []
    private var changes: [Commit] = []
    /// The work of each worker; nil if the worker has none.
    private var workInProgress: [Work?]
    private var idleWorkers = 0
    /// Whether a worker was woken that has not begun yet. It wakes another one if work is left.
    private var isWaking = false
    /// Whether checks that waited at the last call of `tick` have not been taken since.
    private var haveChecksWaited = false
    private var areChecksOverdue = false
    private var isClosed = false

    init(workers: Int) { workInProgress = Array(repeating: nil, count: workers) }

    /// The number of commits and queries that wait.
    var count: Int { queries.count + checks.count + changes.count }

    /// - Returns: whether a waiting worker must be woken.
    mutating func append(_ query: Query) -> Bool {
        queries.append(query)
        return claimWorker()
    }

    /// - Returns: whether a waiting worker must be woken.
    mutating func append(_ commit: Commit) -> Bool {
        if commit.kind == .check { checks.append(commit) } else { changes.append(commit) }
        return claimWorker()
    }

    /// Ends the work: a worker that finds nothing to do ends from now on, and wakes the next one.
    /// - Returns: whether a waiting worker must be woken.
    mutating func close() -> Bool {
        isClosed = true
        return claimWorker()
    }

    /// Whether the work was ended and none waits.
    var isFinished: Bool { isClosed && count == 0 }

    /// Chooses a waiting worker to wake if there is work for it, and no longer counts it as waiting.
    private mutating func claimWorker() -> Bool {
        let isNeeded = !queries.isEmpty || areChecksDue || !changes.isEmpty || isFinished
        guard isNeeded, !isWaking, idleWorkers > 0 else { return false }
        idleWorkers -= 1
        isWaking = true
        return true
    }

    private var areChecksDue: Bool {
        if checks.isEmpty || areChecksOverdue || isClosed { return !checks.isEmpty }
        return !workInProgress.contains { if case .checks? = $0 { true } else { false } }
    }

    /// Returns the work of a worker; nil if it has none.
    func work(of worker: Int) -> Work? { workInProgress[worker] }

    /// Returns what a worker does that starts, was woken or has finished its work.
    mutating func next(for worker: Int) -> Step {
        let finished = workInProgress[worker]
        workInProgress[worker] = nil
        isWaking = false
        guard let work = take(after: finished) else {
            if isFinished { return .end(wakesAnother: claimWorker()) }
            idleWorkers += 1
            return .wait
        }
        workInProgress[worker] = work
        return .perform(work, wakesAnother: claimWorker())
    }

    /// Lets the work of a worker that lost its connection wait again. It comes before all other work, so
    /// that the changes of a session keep their order.
    /// - Returns: whether a waiting worker must be woken.
    mutating func putBack(workOf worker: Int) -> Bool {
        switch workInProgress[worker] {
        case .changes(let commits)?: changes.insert(contentsOf: commits, at: 0)
        case .checks(let commits)?: checks.insert(contentsOf: commits, at: 0)
        case .query(let query)?: queries.insert(query, at: 0)
        case nil: break
        }
        workInProgress[worker] = nil
        return claimWorker()
    }

    /// Removes the next work from what waits. Queries come first, because there are few, and then
    /// checks, which do not wait for the disk. Only if no other worker is free do changes and checks
    /// take turns.
    private mutating func take(after finished: Work?) -> Work? {
        if !queries.isEmpty { return .query(queries.removeFirst()) }
        if case .checks? = finished, idleWorkers == 0, let changes = takeChanges() {
            return changes
        }
        guard areChecksDue else { return takeChanges() }
        defer { checks.removeFirst(min(checks.count, Self.checkLimit)) }
        (haveChecksWaited, areChecksOverdue) = (false, false)
        return .checks(Array(checks.prefix(Self.checkLimit)))
    }

    /// Removes changes that can share a transaction: at most one of each session, and none of a
    /// session that another worker writes, so that the changes of a session keep their order. A commit
    /// with other writes has a transaction of its own.
    private mutating func takeChanges() -> Work? {
        var taken: [Commit] = []
        var rest: [Commit] = []
        var passed = Set(workInProgress.flatMap { $0?.changes ?? [] }.compactMap(\.sessionID))
        var size = 0
        for commit in changes {
            let isPassed = commit.sessionID.map { !passed.insert($0).inserted } ?? false
            let isFull =
                taken.count >= Self.changeLimit || size >= Self.sizeLimit
                || taken.first?.kind == .other || (commit.kind == .other && !taken.isEmpty)
            if isPassed || isFull {
                rest.append(commit)
            } else {
                size += commit.size
                taken.append(commit)
            }
        }
        changes = rest
        return taken.isEmpty ? nil : .changes(taken)
    }

    /// Lets a worker take the checks that have waited since the previous call, and removes the waiting
    /// work that has reached its deadline.
    /// - Returns: the late work, also that of workers, and whether a waiting worker must be woken.
    mutating func tick(
        at time: ContinuousClock.Instant
    ) -> (late: [any DeadlinedWork], wakesWorker: Bool) {
        let late =
            Self.removeLate(&queries, time) + Self.removeLate(&changes, time)
            + Self.removeLate(&checks, time)
            + workInProgress.flatMap { $0?.parts.filter { $0.isLate(at: time) } ?? [] }
        areChecksOverdue = haveChecksWaited && !checks.isEmpty
        haveChecksWaited = !checks.isEmpty
        return (late, claimWorker())
    }

    private static func removeLate<Item: DeadlinedWork>(
        _ work: inout [Item], _ time: ContinuousClock.Instant
    ) -> [any DeadlinedWork] {
        let late = work.filter { $0.isLate(at: time) }
        if !late.isEmpty { work.removeAll { $0.isLate(at: time) } }
        return late
    }
}
