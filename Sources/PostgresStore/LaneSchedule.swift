/// Decides which `Lane` (a thread with a connection) takes which part of the waiting work. The
/// methods return the next step of a lane; `WorkQueue` performs the waits.
///
/// Few large transactions cost less than many small ones, so lanes are woken seldom:
/// - One lane at a time performs checks: they are cheap, and one transaction holds many of them.
/// - A further lane takes waiting changes only if they are at least as many as the changes that
///   other lanes have taken and not finished.
/// - While lanes are busy, one of the waiting lanes is the watcher: it takes work that no lane has
///   taken for a while.
struct LaneSchedule {
    /// The kind of a lane that is woken to look for work.
    enum WokenLane { case idle, watcher }

    /// The numbers of times that lanes have taken changes and checks.
    struct Takes {
        var changes = 0
        var checks = 0
    }

    /// The next action of a lane.
    enum Step {
        case perform(Work, waking: WokenLane?)
        case wait
        /// Wait as the watcher, for `WorkQueue.patience` at most.
        /// - Parameter since: the value of `takes` at the start of the wait.
        case watch(since: Takes)
        /// Wait for the signal that has been sent to the watcher.
        case waitForSignal
        case end(waking: WokenLane?)
    }

    /// Whether a lane is the watcher.
    private enum Watch {
        case off
        /// A lane has been woken to become the watcher.
        case wanted
        case on
    }

    var waiting: WaitingWork
    /// The number of lanes that wait for a signal, without the watcher.
    private var idleLanes = 0
    /// The number of changes that lanes have taken and not finished.
    private var changesUnderWay = 0
    /// The number of lanes that now perform only checks.
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

    /// Whether enough work waits to wake a lane for it.
    private var isWorthALane: Bool { areChangesDue || areChecksDue || !waiting.queries.isEmpty }

    private var areChangesDue: Bool {
        !waiting.changes.isEmpty && (isClosed || waiting.changes.count >= changesUnderWay)
    }

    private var areChecksDue: Bool {
        !waiting.checks.isEmpty && (isClosed || checkingLanes == 0)
    }

    /// Chooses a waiting lane to wake, the watcher last, and notes that it no longer waits.
    /// - Returns: nil if no lane waits.
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

    /// Returns the next step of a lane that has done its work.
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

    /// Returns the next step of a lane that was woken.
    mutating func nextOfWoken() -> Step {
        if watch == .wanted { watch = .off }
        return take(changes: areChangesDue, checks: areChecksDue) ?? watchOrIdle()
    }

    /// Returns the next step of the watcher.
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
        // While lanes are busy, a watcher stays, so that a new change need not wake a lane.
        if watch == .off, waiting.count > 0 || changesUnderWay > 0 || checkingLanes > 0 {
            watch = .on
            return .watch(since: takes)
        }
        idleLanes += 1
        return .wait
    }

    /// Makes each lane end when it finds no more work.
    /// - Returns: the lane to wake; nil if no lane waits. Each lane that ends wakes another one.
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
