import WaypostCore

/// Hashes and verifies passwords on dedicated threads, so that the threads that serve requests do
/// not wait for a hash.
public struct PasswordHasher: Sendable {
    private let threads: BackgroundThreads
    private let limits: WorkLimits
    private let metrics: HashingMetrics
    private let cost: PasswordHash.Cost
    /// A hash that belongs to no account. A password for an unknown account is verified against
    /// this hash, so that an unknown account costs as much time as a known one.
    private let decoy: PasswordHash
    /// The function that returns whether a password matches a hash. Tests replace it to record its
    /// calls.
    var check: @Sendable (PasswordHash, [UInt8]) -> Bool = { $0.verify($1) }

    /// The maximum numbers of passwords that wait for a thread: in total, for each client and for
    /// each account. The limit for a client is high because many users can share an address.
    static let limits = WorkLimits(total: 64, perClient: 16, perAccount: 8)

    /// The maximum number of passwords that wait for a thread, of all clients together.
    public static let waitingLimit = limits.total

    /// Makes a hasher that uses argon2id with the cost that libsodium suggests for interactive
    /// log-ins.
    /// - Throws: `.passwordsBusy` if there is not enough memory for one hash.
    public static func interactive(
        threads: Int = 2, metrics: HashingMetrics = HashingMetrics()
    ) throws(SessionError) -> PasswordHasher {
        try PasswordHasher(
            cost: .interactive, threads: threads, limits: limits, metrics: metrics)
    }

    init(
        cost: PasswordHash.Cost, threads: Int, limits: WorkLimits = Self.limits,
        metrics: HashingMetrics = HashingMetrics()
    ) throws(SessionError) {
        guard let decoy = PasswordHash.make(of: [], cost: cost) else { throw .passwordsBusy }
        self.threads = BackgroundThreads(count: threads, limits: limits)
        self.limits = limits
        self.metrics = metrics
        self.cost = cost
        self.decoy = decoy
    }

    /// Hashes a password.
    /// - Throws: `.passwordsBusy` if the queue of waiting passwords is full or there is not enough memory;
    ///   `.throttled` if the client or the account of `owner` has the maximum number of passwords
    ///   in the queue.
    func hash(
        _ password: [UInt8], for owner: WorkOwner
    ) async throws(SessionError) -> PasswordHash {
        let hash = try await run(of: owner) { [cost] in
            PasswordHash.make(of: password, cost: cost)
        }
        guard let hash else { throw .passwordsBusy }
        return hash
    }

    /// Returns whether a password matches a hash.
    /// - Parameter hash: the hash of the account; nil for an unknown account. For nil, the result
    ///   is false and takes as much time as for a known account.
    /// - Throws: `.passwordsBusy` or `.throttled` if the password cannot wait for a thread, as
    ///   `hash(_:for:)`, regardless of whether the password is right.
    func verify(
        _ password: [UInt8], against hash: PasswordHash?, for owner: WorkOwner
    ) async throws(SessionError) -> Bool {
        let isRight = try await run(of: owner) { [decoy, check] in
            check(hash ?? decoy, password)
        }
        return isRight && hash != nil
    }

    /// Returns whether the cost of a hash differs from the cost of new hashes. The password should
    /// then be hashed again.
    func isOutdated(_ hash: PasswordHash) -> Bool { hash.isOutdated(cost) }

    /// Runs `work` on one of the threads and returns its result. The queue of waiting passwords
    /// serves clients in turn.
    /// - Throws: `.passwordsBusy` if the queue is full, or if the work of another client replaces
    ///   this work in the queue; `.throttled` if the client or the account of `owner` has the
    ///   maximum number of pieces of work in the queue.
    func run<Result: Sendable>(
        of owner: WorkOwner, _ work: @escaping @Sendable () -> Result
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

/// Metrics of the hashing threads.
public struct HashingMetrics: Sendable {
    /// The number of passwords that wait for a thread.
    public let waiting = Gauge()
    /// The time to hash or verify one password, without the time that the password waits for a
    /// thread.
    public let duration = Histogram(
        Buckets(microseconds: [
            10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 2_500_000,
        ]))

    public init() {}
}
