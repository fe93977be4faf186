import Foundation
import Metrics
import Synchronization

/// A few threads of their own for work that takes tens of milliseconds of a core: on the
/// cooperative pool or a server's worker it would hold up everybody else.
final class HashingThreads: Sendable {
    typealias Owner = FairQueue<HashingWork>.Owner
    typealias Limits = FairQueue<HashingWork>.Limits

    private let queue: WorkQueue
    private let count: Int
    private let limits: Limits
    private let metrics: HashingMetrics

    /// - Parameter limits: how many may wait for a thread.
    init(count: Int, limits: Limits, metrics: HashingMetrics = HashingMetrics()) {
        self.count = count
        self.limits = limits
        self.metrics = metrics
        queue = WorkQueue(limits)
        for _ in 0..<count {
            let thread = Thread { [queue, metrics] in
                // The priority of this thread alone, on Linux: threads that send responses come
                // first.
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

    /// - Throws: `.busy` if too many wait already, also later, if work of a client with less in the
    ///   queue takes the place; `.throttled` if the owner has as many waiting as it may have.
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

/// One piece of work in the queue: it is either run or refused, once.
struct HashingWork: Sendable {
    let run: @Sendable () -> Void
    let refuse: @Sendable (AccountError) -> Void
}

/// Work that waits for a thread.
private final class WorkQueue: Sendable {
    private let waiting: Mutex<FairQueue<HashingWork>>
    /// Counts what waits, and one for each thread that is to end.
    private let wake = DispatchSemaphore(value: 0)

    init(_ limits: HashingThreads.Limits) { waiting = Mutex(FairQueue(limits)) }

    /// - Returns: the work that has no place, if there is one too many, and why: this or another.
    func append(
        _ work: HashingWork, of owner: HashingThreads.Owner, _ limits: HashingThreads.Limits
    ) -> (work: HashingWork, reason: AccountError)? {
        switch waiting.withLock({ $0.append(work, of: owner) }) {
        case .added:
            wake.signal()
            return nil
        // There is as much to do as before.
        case .replaced(let other): return (other, .busy)
        case .full: return (work, .busy)
        case .clientLimit: return (work, .queued("passwords-address", limits.perClient))
        case .accountLimit: return (work, .queued("passwords-account", limits.perAccount))
        }
    }

    /// Blocks until there is work.
    /// - Returns: nil when the thread is to end.
    func next() -> HashingWork? {
        wake.wait()
        return waiting.withLock { $0.next() }
    }

    func stop(threads: Int) {
        for _ in 0..<threads { wake.signal() }
    }
}

extension AccountError {
    /// The error of a client or account that has all of its places in the queue. Most of the work that
    /// waits is done after a second.
    fileprivate static func queued(_ policy: String, _ quota: Int) -> AccountError {
        .throttled(
            RateLimitExceeded(policy: policy, quota: quota, window: nil, retryAfter: .seconds(1)))
    }
}
