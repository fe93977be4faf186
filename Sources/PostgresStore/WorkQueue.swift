import Dispatch
import Synchronization

/// The work that waits for a worker (a thread with a database connection). A free worker takes the
/// work that waits at that moment, up to the limits of a transaction, so that transactions get
/// larger as the load grows. `WaitingWork` decides which worker takes which work.
final class WorkQueue: Sendable {
    private let state: Mutex<WaitingWork>
    private let wake = DispatchSemaphore(value: 0)

    init(workers: Int) { state = Mutex(WaitingWork(workers: workers)) }

    /// The number of commits and queries that wait.
    var count: Int { state.withLock(\.count) }

    func append(_ commit: PendingCommit) { signal(state.withLock { $0.append(commit) }) }
    func append(_ query: Query) { signal(state.withLock { $0.append(query) }) }

    private func signal(_ isNeeded: Bool) { if isNeeded { wake.signal() } }

    /// Waits until there is work for a worker, which has finished its previous work.
    /// - Parameter worker: the number of the worker.
    /// - Returns: nil if the queue is closed and no work is left.
    func next(for worker: Int) -> Work? {
        while true {
            let (finished, step) = state.withLock { ($0.work(of: worker), $0.next(for: worker)) }
            // The finished work may hold the last reference to the store, whose end closes the queue.
            // It must therefore not be released while the queue is locked.
            withExtendedLifetime(finished) {}
            switch step {
            case .perform(let work, let wakesAnother):
                signal(wakesAnother)
                return work
            case .wait: wake.wait()
            case .end(let wakesAnother):
                signal(wakesAnother)
                return nil
            }
        }
    }

    /// Lets a worker take the checks that have waited since the previous call, and removes the waiting
    /// work that has reached its deadline.
    /// - Parameter time: the present time.
    /// - Returns: the work that has reached its deadline, also that which workers perform.
    func tick(at time: ContinuousClock.Instant) -> [any DeadlinedWork] {
        let (late, wakesWorker) = state.withLock { $0.tick(at: time) }
        signal(wakesWorker)
        return late
    }

    /// Closes the queue. From now on, `next` returns nil when no work is left.
    func close() { signal(state.withLock { $0.close() }) }
}
