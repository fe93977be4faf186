import Metrics

/// Hashes and verifies passwords on threads of its own, so that threads that serve requests do not
/// wait.
public struct PasswordHasher: Sendable {
    private let threads: HashingThreads
    private let cost: PasswordHash.Cost
    /// The hash that is checked for an unknown account, at the same cost as for a known one.
    private let decoy: PasswordHash
    /// Returns whether a password matches a hash, or nil if there is not enough memory. Tests replace
    /// the closure to record its calls or to simulate a lack of memory.
    var check: @Sendable (PasswordHash, [UInt8]) -> Bool? = { $0.verify($1) }

    /// The client and the account that a password belongs to. The queue divides its places fairly
    /// among the clients, and limits the places of each account.
    typealias Owner = HashingThreads.Owner

    /// The maximum numbers of waiting passwords. The limit per client is high, as many users can share
    /// an address.
    static let limits = HashingThreads.Limits(total: 64, perClient: 16, perAccount: 8)

    /// The maximum number of passwords that wait for a thread.
    public static let waitingLimit = limits.total

    /// Makes a hasher that uses argon2id with libsodium's interactive limits.
    /// - Throws: `.busy` if there is not enough memory for one hash.
    public static func interactive(
        threads: Int = 2, metrics: HashingMetrics = HashingMetrics()
    ) throws(AccountError) -> PasswordHasher {
        try PasswordHasher(
            cost: .interactive, threads: threads, limits: limits, metrics: metrics)
    }

    init(
        cost: PasswordHash.Cost, threads: Int, limits: HashingThreads.Limits = Self.limits,
        metrics: HashingMetrics = HashingMetrics()
    ) throws(AccountError) {
        guard let decoy = PasswordHash.make(of: [], cost: cost) else { throw .busy }
        self.threads = HashingThreads(count: threads, limits: limits, metrics: metrics)
        self.cost = cost
        self.decoy = decoy
    }

    /// Hashes a password.
    /// - Throws: `.busy` if the queue is full or there is not enough memory; `.throttled` if the
    ///   client or the account of `owner` has the maximum number of passwords in the queue.
    func hash(
        _ password: [UInt8], for owner: Owner
    ) async throws(AccountError) -> PasswordHash {
        let hash = try await threads.run(of: owner) { [cost] in
            PasswordHash.make(of: password, cost: cost)
        }
        guard let hash else { throw .busy }
        return hash
    }

    /// Returns whether a password matches a hash.
    /// - Parameter hash: nil for an unknown account; the result is then false, at the same cost.
    /// - Throws: the errors of `hash(_:for:)`. They say nothing about the password.
    func verify(
        _ password: [UInt8], against hash: PasswordHash?, for owner: Owner
    ) async throws(AccountError) -> Bool {
        let isRight = try await threads.run(of: owner) { [decoy, check] in
            check(hash ?? decoy, password)
        }
        guard let isRight else { throw .busy }
        return isRight && hash != nil
    }

    /// Returns whether the cost of a hash differs from that of new hashes.
    func isOutdated(_ hash: PasswordHash) -> Bool { hash.isOutdated(cost) }
}

/// Metrics of the hashing threads.
public struct HashingMetrics: Sendable {
    /// The number of passwords that wait for a thread.
    public let waiting = Gauge()
    /// The time to hash or verify one password, without the wait.
    public let duration = Histogram(
        Buckets(microseconds: [
            10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 2_500_000,
        ]))

    public init() {}
}
