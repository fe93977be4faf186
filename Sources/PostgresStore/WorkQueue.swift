import Dispatch
import Synchronization

/// The work that waits for a lane (a worker thread with a database connection). A free lane takes
/// the work that waits at that moment, up to the limits of a transaction, so that transactions get
/// larger as the load grows. `LaneSchedule` decides which lane takes which work.
final class WorkQueue: Sendable {
    /// The time for which the watcher waits before it takes work. The watcher is the worker thread
    /// that takes work if no other one does (see `LaneSchedule`). A fast server finishes a
    /// transaction in less time. A slow server, or one that waits for a lock, can run a second
    /// transaction in the meantime.
    private static let patience = DispatchTimeInterval.milliseconds(3)

    private let state: Mutex<LaneSchedule>
    private let wake = DispatchSemaphore(value: 0)
    private let watcherWake = DispatchSemaphore(value: 0)

    init(_ limits: WaitingWork.Limits = WaitingWork.Limits()) {
        state = Mutex(LaneSchedule(WaitingWork(limits)))
    }

    /// The number of batches and queries that wait.
    var count: Int { state.withLock { $0.waiting.count } }

    func append(_ commit: PendingCommit) { signal(state.withLock { $0.append(commit) }) }
    func append(_ query: Query) { signal(state.withLock { $0.append(query) }) }

    private func signal(_ lane: LaneSchedule.WokenLane?) {
        switch lane {
        case .idle: wake.signal()
        case .watcher: watcherWake.signal()
        case nil: break
        }
    }

    /// Waits until there is work for a lane (worker thread), and returns the work.
    /// - Parameter finished: the work that the lane has finished since its previous call; nil in
    ///   the first call.
    /// - Returns: nil if the queue is closed and no work is left.
    func next(after finished: Work?) -> Work? {
        var step = state.withLock { $0.next(after: finished) }
        while true {
            switch step {
            case .perform(let work, let other):
                signal(other)
                return work
            case .end(let other):
                signal(other)
                return nil
            case .wait:
                wake.wait()
                step = state.withLock { $0.nextOfWoken() }
            case .watch(let takes):
                let isTimedOut = watcherWake.wait(timeout: .now() + Self.patience) == .timedOut
                step = state.withLock { $0.nextOfWatcher(since: takes, isTimedOut: isTimedOut) }
            case .waitForSignal:
                watcherWake.wait()
                step = state.withLock { $0.nextOfWoken() }
            }
        }
    }

    /// Removes the waiting work that has reached its deadline, and returns it.
    /// - Parameter time: the present time.
    func removeLate(at time: ContinuousClock.Instant) -> [any DeadlinedWork] {
        state.withLock { $0.waiting.removeLate(at: time) }
    }

    /// Records that a lane (worker thread) has finished these commits or given them up. Later
    /// commits of the same sessions can then start. The lane must call `next` afterwards.
    func release(_ commits: [PendingCommit]) {
        state.withLock { $0.waiting.release(commits) }
    }

    /// Closes the queue. From now on, `next` returns nil when no work is left.
    func close() { signal(state.withLock { $0.close() }) }
}
