import Dispatch
import Synchronization

/// The work that waits for a `Lane`, a thread with a connection. A lane that is free takes what
/// waits at that moment, so that the transactions grow with the load. `LaneSchedule` decides which
/// lane takes what.
final class WorkQueue: Sendable {
    /// The time that the watcher (see `LaneSchedule`) waits before it takes work. A fast server
    /// finishes a transaction sooner. A server that is slow, or waits for a lock, can do another
    /// transaction meanwhile.
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

    /// Waits for work.
    /// - Parameter finished: the work that the lane has done since its last call.
    /// - Returns: nil when the queue is closed and empty.
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

    /// Notes that a lane has finished or given up these commits, so that later commits of the same
    /// sessions can begin. The lane then calls `next`.
    func release(_ commits: [PendingCommit]) {
        state.withLock { $0.waiting.release(commits) }
    }

    /// Makes `next` return nil when no work is left.
    func close() { signal(state.withLock { $0.close() }) }
}
