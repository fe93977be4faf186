import Foundation
import Metrics
import Synchronization

/// A pool of threads for work that takes tens of milliseconds of CPU time. Such work would delay
/// other requests if it ran on Swift's cooperative thread pool or on a worker thread of the server.
final class HashingThreads: Sendable {
    typealias Owner = FairQueue<HashingWork>.Owner
    typealias Limits = FairQueue<HashingWork>.Limits

    private let queue: WorkQueue
    private let count: Int
    private let limits: Limits
    private let metrics: HashingMetrics

    /// Starts the threads.
    /// - Parameter limits: the maximum numbers of pieces of work that may wait for a thread.
    init(count: Int, limits: Limits, metrics: HashingMetrics = HashingMetrics()) {
        self.count = count
        self.limits = limits
        self.metrics = metrics
        queue = WorkQueue(limits)
        for _ in 0..<count {
            let thread = Thread { [queue, metrics] in
                // On Linux this call lowers the priority of this thread only, so that threads that
                // send responses come first.
                setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 19)
                while let work = queue.next() {
                    metrics.waiting.subtract()
                    metrics.duration.record(ContinuousClock().measure(work.run))
                }
            }
            thread.start()
        }
    }

    deinit {
        queue.stop(threads: count)
    }

    /// Runs `work` on one of the threads and returns its result.
    /// - Throws: `.busy` if the queue is full, or if the work of another client replaces this work
    ///   in the queue; `.throttled` if the client or the account of `owner` has the maximum number
    ///   of pieces of work in the queue.
    func run<Result: Sendable>(
        of owner: Owner, _ work: @escaping @Sendable () -> Result
    ) async throws(AccountError) -> Result {
        let result = await withCheckedContinuation { continuation in
            let work = HashingWork(
                run: { continuation.resume(returning: .success(work())) },
                refuse: { continuation.resume(returning: Swift.Result.failure($0)) })
            metrics.waiting.add()
            guard let refused = queue.append(work, of: owner, limits) else { return }
            metrics.waiting.subtract()
            refused.work.refuse(refused.reason)
        }
        return try result.get()
    }
}

/// A piece of work in the queue. Exactly one of its two closures is called, and only once: `run` on
/// a thread of the pool, or `refuse` if the queue rejects the work.
struct HashingWork: Sendable {
    let run: @Sendable () -> Void
    let refuse: @Sendable (AccountError) -> Void
}

/// The queue of work that waits for a thread.
private final class WorkQueue: Sendable {
    private let waiting: Mutex<FairQueue<HashingWork>>
    /// The semaphore on which idle threads wait. Its count is the number of waiting pieces of work,
    /// plus one for each thread that must end.
    private let wake = DispatchSemaphore(value: 0)

    init(_ limits: HashingThreads.Limits) { waiting = Mutex(FairQueue(limits)) }

    /// Adds work to the queue. In a full queue, `work` is rejected, or it replaces the work of
    /// another client, which is then rejected.
    /// - Returns: the rejected work and the reason; nil if no work was rejected.
    func append(
        _ work: HashingWork, of owner: HashingThreads.Owner, _ limits: HashingThreads.Limits
    ) -> (work: HashingWork, reason: AccountError)? {
        switch waiting.withLock({ $0.append(work, of: owner) }) {
        case .added:
            wake.signal()
            return nil
        // The number of pieces is the same as before, so no thread is woken.
        case .replaced(let other): return (other, .busy)
        case .full: return (work, .busy)
        case .clientLimit: return (work, .queued("passwords-address", limits.perClient))
        case .accountLimit: return (work, .queued("passwords-account", limits.perAccount))
        }
    }

    /// Waits until there is work in the queue. Removes the next piece of work and returns it.
    /// - Returns: nil if the calling thread must end.
    func next() -> HashingWork? {
        wake.wait()
        return waiting.withLock { $0.next() }
    }

    func stop(threads: Int) {
        for _ in 0..<threads { wake.signal() }
    }
}

extension AccountError {
    /// Makes the error for a client or an account that has the maximum number of passwords in the
    /// queue. The error allows a retry after one second, because most of the waiting passwords are
    /// hashed by then.
    fileprivate static func queued(_ policy: String, _ quota: Int) -> AccountError {
        .throttled(
            RateLimitExceeded(policy: policy, quota: quota, window: nil, retryAfter: .seconds(1)))
    }
}
