import WaypostCore

/// The threads that hash passwords, with the metrics of their queue.
final class HashingThreads: Sendable {
    typealias Owner = BackgroundThreads.Owner
    typealias Limits = BackgroundThreads.Limits

    private let threads: BackgroundThreads
    private let limits: Limits
    private let metrics: HashingMetrics

    /// Starts the threads.
    /// - Parameter limits: the maximum numbers of passwords that may wait for a thread.
    init(count: Int, limits: Limits, metrics: HashingMetrics = HashingMetrics()) {
        self.limits = limits
        self.metrics = metrics
        threads = BackgroundThreads(count: count, limits: limits)
    }

    /// Runs `work` on one of the threads and returns its result.
    /// - Throws: `.passwordsBusy` if the queue is full, or if the work of another client replaces this work
    ///   in the queue; `.throttled` if the client or the account of `owner` has the maximum number
    ///   of pieces of work in the queue.
    func run<Result: Sendable>(
        of owner: Owner, _ work: @escaping @Sendable () -> Result
    ) async throws(SessionError) -> Result {
        metrics.waiting.add()
        do {
            return try await threads.run(of: owner) { [metrics] in
                metrics.waiting.subtract()
                let start = ContinuousClock.now
                defer { metrics.duration.record(start.duration(to: .now)) }
                return work()
            }
        } catch {
            metrics.waiting.subtract()
            switch error {
            case .full: throw .passwordsBusy
            case .clientLimit: throw .queued("passwords-address", limits.perClient)
            case .accountLimit: throw .queued("passwords-account", limits.perAccount)
            }
        }
    }
}

extension SessionError {
    /// Makes the error for a client or an account that has the maximum number of passwords in the
    /// queue. The error allows a retry after one second, because most of the waiting passwords are
    /// hashed by then.
    fileprivate static func queued(_ policy: String, _ quota: Int) -> SessionError {
        .throttled(
            RateLimitExceeded(policy: policy, quota: quota, window: nil, retryAfter: .seconds(1)))
    }
}
