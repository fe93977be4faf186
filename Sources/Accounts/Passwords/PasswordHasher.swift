import Metrics

/// Hashes and checks passwords, off the threads that answer requests.
public struct PasswordHasher: Sendable {
    private let threads: HashingThreads
    private let cost: PasswordHash.Cost
    /// Checked where there is no account, so that an unknown name costs what a wrong password does.
    private let decoy: PasswordHash
    /// Checks a password against a hash: nil if there is no memory for it. Tests replace it, to
    /// compare the work or to go without memory.
    var check: @Sendable (PasswordHash, [UInt8]) -> Bool? = { $0.verify($1) }

    /// For whom a password is hashed or checked: the places of the queue are shared fairly.
    typealias Owner = HashingThreads.Owner

    /// How many passwords may wait. Many users can share an address.
    static let limits = HashingThreads.Limits(total: 64, perClient: 16, perAccount: 8)

    /// argon2id at libsodium's interactive limits.
    /// - Throws: `.busy` if there is no memory for even one hash.
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

    /// - Throws: `.busy` if there is no place in the queue, or no memory; `.throttled` if the owner has
    ///   as many in the queue as it may have.
    func hash(
        _ password: [UInt8], for owner: Owner
    ) async throws(AccountError) -> PasswordHash {
        let hash = try await threads.run(of: owner) { [cost] in
            PasswordHash.make(of: password, cost: cost)
        }
        guard let hash else { throw .busy }
        return hash
    }

    /// - Parameter hash: nil where there is no account; the answer is then false, at the same cost.
    /// - Throws: as `hash` does: the password may be right.
    func verify(
        _ password: [UInt8], against hash: PasswordHash?, for owner: Owner
    ) async throws(AccountError) -> Bool {
        let isRight = try await threads.run(of: owner) { [decoy, check] in
            check(hash ?? decoy, password)
        }
        guard let isRight else { throw .busy }
        return isRight && hash != nil
    }

    /// Whether the hash was made at another cost than new ones are.
    func isOutdated(_ hash: PasswordHash) -> Bool { hash.isOutdated(cost) }
}

/// How busy the hashing threads are.
public struct HashingMetrics: Sendable {
    /// Passwords that wait for a thread.
    public let waiting = Gauge()
    /// The duration of hashing or checking one password, without the wait.
    public let duration = Histogram(
        Buckets(microseconds: [
            10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 2_500_000,
        ]))

    public init() {}
}
