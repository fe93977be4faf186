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

    func append(_ commit: Commit) { signal(state.withLock { $0.append(commit) }) }
    func append(_ query: Query) { signal(state.withLock { $0.append(query) }) }

    private func signal(_ isNeeded: Bool) { if isNeeded { wake.signal() } }

    /// Waits until there is work for a worker, which has finished its previous work.
    /// - Parameter worker: the number of the worker.
    /// - Returns: nil if the queue is closed and no work is left.
    func next(for worker: Int) -> Work? {
        while true {
            switch step(of: worker) {
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

    /// Releases the finished work of a worker, and returns the worker's next step.
    ///
    /// The finished work may hold the last reference to the store, whose end closes the queue. It must
    /// therefore not be released while the queue is locked, nor be kept while the worker waits, which
    /// a local variable of `next` would do without optimization.
    private func step(of worker: Int) -> WaitingWork.Step {
        let (finished, step) = state.withLock { ($0.work(of: worker), $0.next(for: worker)) }
        withExtendedLifetime(finished) {}
        return step
    }

    /// Lets the work of a worker that lost its connection wait again, before all other work.
    func putBack(workOf worker: Int) { signal(state.withLock { $0.putBack(workOf: worker) }) }

    /// Whether the queue is closed and no work waits.
    var isFinished: Bool { state.withLock(\.isFinished) }

    /// See `WaitingWork.tick`.
    /// - Returns: the work that has reached its deadline, also that which workers perform.
    func tick(at time: ContinuousClock.Instant) -> [any DeadlinedWork] {
        let (late, wakesWorker) = state.withLock { $0.tick(at: time) }
        signal(wakesWorker)
        return late
    }

    /// Closes the queue. From now on, `next` returns nil when no work is left.
    func close() { signal(state.withLock { $0.close() }) }
}

/// Fails the work that has reached its deadline, `StoreStatus.timeout` after its arrival.
///
/// The failure answers the request. A worker (a thread with a database connection) that has sent
/// the work keeps waiting for the server, and handles the result: later work of the same session
/// waits for it. `Commit.fail` tells the request whether its change may have been made.
final class DeadlineTimer: Sendable {
    private static let interval = Duration.milliseconds(100)

    private let queue: WorkQueue
    private let status: StoreStatus
    private let thread = DispatchQueue(label: "waypost.store.deadlines", qos: .userInitiated)

    init(_ queue: WorkQueue, _ status: StoreStatus) {
        self.queue = queue
        self.status = status
    }

    /// Checks the work at regular times, as long as this object exists.
    func start(after last: ContinuousClock.Instant = .now) {
        thread.asyncAfter(deadline: .now() + Self.interval / .seconds(1)) { [weak self] in
            guard let self else { return }
            let now = ContinuousClock.now
            check(at: now, after: last.duration(to: now))
            start(after: now)
        }
    }

    /// Fails the late work.
    /// - Parameter elapsed: the time since the last check. If it is long, the process did not run,
    ///   for example because the machine was suspended. The responses of the server may have come
    ///   in the meantime, so the workers get one interval to read them.
    func check(at now: ContinuousClock.Instant, after elapsed: Duration) {
        if elapsed > Self.interval * 10 { return }
        let late = queue.tick(at: now)
        if late.isEmpty { return }
        let reason = status.lateReason
        for work in late { work.fail(reason) }
    }
}
