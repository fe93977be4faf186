import Dispatch

/// Fails the work that has reached its deadline, `StoreStatus.timeout` after its arrival.
///
/// The failure answers the request. A worker (a thread with a database connection) that has sent
/// the work keeps waiting for the server, and handles the result: later work of the same session
/// waits for it. `PendingCommit.fail` tells the request whether its change may have been made.
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
        thread.asyncAfter(deadline: .now() + Self.interval) { [weak self] in
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
