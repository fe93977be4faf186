/// Decides which lane takes which part of the waiting work. A lane (`Lane`) is a worker thread with
/// a database connection. The methods only decide whether a lane performs work, waits or ends;
/// `WorkQueue` performs the waits.
///
/// A few large transactions cost less than many small ones, so the schedule wakes as few lanes as
/// possible:
/// - While one lane performs only checks of session versions, further checks wait. Checks are
///   cheap, and one transaction can hold many of them.
/// - A lane that has finished changes takes the waiting changes. A further lane takes them only if
///   they are at least as many as the changes in progress, or if no other lane is free.
/// - While some lanes are busy, one waiting lane is the watcher. If no lane has taken changes for a
///   few milliseconds, the watcher takes the waiting changes. The same applies to checks.
struct LaneSchedule {
    /// The kind of a waiting lane (worker thread) that must be woken: an idle lane, or the watcher,
    /// which is the lane that takes work if no other lane does.
    enum WokenLane { case idle, watcher }

    /// Counts how many times lanes (worker threads) have taken changes of sessions, and how many
    /// times they have taken checks of session versions.
    struct Takes {
        var changes = 0
        var checks = 0
    }

    /// What a lane (a worker thread with a database connection) does next: it performs work, waits
    /// or ends.
    enum Step {
        case perform(Work, waking: WokenLane?)
        case wait
        /// The lane waits as the watcher, for `WorkQueue.patience` at most. The watcher takes work
        /// if no other lane (worker thread) has taken it in this time.
        /// - Parameter since: the value of `takes` at the start of the wait.
        case watch(since: Takes)
        /// The lane (worker thread) waits for a signal that was sent to it just as its wait as the
        /// watcher timed out.
        case waitForSignal
        case end(waking: WokenLane?)
    }

    /// Whether one of the lanes (worker threads) is the watcher, which takes work if no other lane
    /// does.
    private enum Watch {
        case off
        /// An idle lane (worker thread) was woken to become the watcher, and has not started to
        /// watch yet.
        case wanted
        case on
    }

    var waiting: WaitingWork
    /// The number of lanes (worker threads) that wait for a signal, not counting the watcher.
    private var idleLanes = 0
    /// The number of changes that lanes (worker threads) have taken and not yet finished.
    private var changesUnderWay = 0
    /// The number of lanes (worker threads) whose current work consists only of checks of session
    /// versions.
    private var checkingLanes = 0
    private var takes = Takes()
    private var watch = Watch.off
    private var isClosed = false

    init(_ waiting: WaitingWork) { self.waiting = waiting }

    // MARK: Work arrives

    mutating func append(_ query: Query) -> WokenLane? {
        waiting.append(query)
        return claimLane()
    }

    mutating func append(_ commit: PendingCommit) -> WokenLane? {
        waiting.append(commit)
        if isWorthALane { return claimLane() }
        guard watch == .off, idleLanes > 0 else { return nil }
        watch = .wanted
        return claimLane()
    }

    /// Whether so much work waits that a lane (worker thread) must be woken.
    private var isWorthALane: Bool { areChangesDue || areChecksDue || !waiting.queries.isEmpty }

    private var areChangesDue: Bool {
        !waiting.changes.isEmpty && (isClosed || waiting.changes.count >= changesUnderWay)
    }

    private var areChecksDue: Bool {
        !waiting.checks.isEmpty && (isClosed || checkingLanes == 0)
    }

    /// Chooses a waiting lane (worker thread) to wake, and no longer counts it as waiting. The
    /// watcher is chosen only if no idle lane is left.
    /// - Returns: the kind of the lane; nil if no lane waits.
    private mutating func claimLane() -> WokenLane? {
        if idleLanes > 0 {
            idleLanes -= 1
            return .idle
        }
        guard watch == .on else { return nil }
        watch = .off
        return .watcher
    }

    // MARK: A lane looks for work

    /// Returns what a lane (worker thread) does when it starts or has finished its work: it
    /// performs other work, waits or ends.
    /// - Parameter finished: the work that the lane has finished; nil if the lane starts.
    mutating func next(after finished: Work?) -> Step {
        var hadChanges = false
        if let finished {
            changesUnderWay -= finished.changeCount
            if finished.isOnlyChecks { checkingLanes -= 1 }
            hadChanges = finished.changeCount > 0
        }
        // If all other lanes are busy, this lane takes the waiting changes even if they are few:
        // the other lanes may be stuck.
        let isAlone = idleLanes == 0 && watch != .on
        return take(changes: hadChanges || isAlone || areChangesDue, checks: areChecksDue)
            ?? watchOrIdle()
    }

    /// Returns what a lane (worker thread) does after a signal has woken it: it performs work,
    /// waits again or ends.
    mutating func nextOfWoken() -> Step {
        if watch == .wanted { watch = .off }
        return take(changes: areChangesDue, checks: areChecksDue) ?? watchOrIdle()
    }

    /// Returns what the watcher does after its wait: it performs work, waits again or ends. The
    /// watcher is the lane (worker thread) that takes work if no other lane does.
    /// - Parameters:
    ///   - since: the value of `takes` at the start of the wait.
    ///   - isTimedOut: whether the wait ended without a signal.
    mutating func nextOfWatcher(since: Takes, isTimedOut: Bool) -> Step {
        guard isTimedOut else { return nextOfWoken() }
        guard watch == .on else { return .waitForSignal }
        watch = .off
        return take(
            changes: areChangesDue || since.changes == takes.changes,
            checks: areChecksDue || since.checks == takes.checks) ?? watchOrIdle()
    }

    private mutating func take(changes: Bool, checks: Bool) -> Step? {
        guard let work = waiting.take(changes: changes, checks: checks) else { return nil }
        if work.changeCount > 0 { takes.changes += 1 }
        if work.hasChecks { takes.checks += 1 }
        changesUnderWay += work.changeCount
        if work.isOnlyChecks { checkingLanes += 1 }
        // Another lane is woken if enough work is left for it.
        return .perform(work, waking: isWorthALane ? claimLane() : nil)
    }

    private mutating func watchOrIdle() -> Step {
        if waiting.count == 0, isClosed { return .end(waking: claimLane()) }
        // While lanes are busy, one lane waits as the watcher, with a time limit, so that a new
        // change need not wake a lane.
        if watch == .off, waiting.count > 0 || changesUnderWay > 0 || checkingLanes > 0 {
            watch = .on
            return .watch(since: takes)
        }
        idleLanes += 1
        return .wait
    }

    /// Closes the schedule. From now on, a lane (worker thread) ends when no work is left.
    /// - Returns: the first lane to wake; nil if no lane waits. Each lane that ends wakes the next
    ///   one.
    mutating func close() -> WokenLane? {
        isClosed = true
        return claimLane()
    }
}

extension Work {
    fileprivate var changeCount: Int {
        switch self {
        case .set(let changes, _): changes.count
        case .whole: 1
        case .query: 0
        }
    }

    fileprivate var hasChecks: Bool {
        if case .set(_, let checks) = self { !checks.isEmpty } else { false }
    }

    fileprivate var isOnlyChecks: Bool { hasChecks && changeCount == 0 }
}
