import Synchronization
import WaypostCore

/// Limits wrong passwords per username, from any client, and per client, for any username. Right
/// passwords do not count, so that concurrent log-ins with the right password do not delay each other.
///
/// The first failures cause no delay. When their number reaches `Policy.freeFailures`, the next
/// attempt has to wait for `Policy.firstDelay`, and each further failure doubles the delay. Only
/// one attempt may then be in progress at a time. Any thread may call the methods.
public final class LogInRateLimiter: Sendable {
    /// The time after the last failure at which all failures are forgotten.
    static let memory = Duration.seconds(3600)

    struct Policy: Sendable {
        let name: String
        let freeFailures: Int
        let firstDelay = Duration.seconds(1)
        let longestDelay: Duration
        let memory = LogInRateLimiter.memory

        /// The limit of failures per username, from any client.
        static let username = Policy(
            name: "log-in-username", freeFailures: 5, longestDelay: .seconds(300))
        /// Makes the limit of failures per client. It allows more free failures, as many users can
        /// share an address.
        static func client(freeFailures: Int) -> Policy {
            Policy(
                name: "log-in-address", freeFailures: freeFailures, longestDelay: .seconds(900))
        }

        /// Returns the delay after a number of failures.
        func delay(after failures: Int) -> Duration {
            guard failures >= freeFailures else { return .zero }
            // The cap keeps the shift from overflowing: 2^20 seconds are more than any longest delay.
            return min(firstDelay * (1 << min(failures - freeFailures, 20)), longestDelay)
        }
    }

    private struct Record {
        var failures = 0
        var inFlight = 0
        var lastFailure = Timestamp(milliseconds: 0)
    }

    /// An attempt in progress.
    struct Guess: Sendable {
        fileprivate let username: SecretHash
        fileprivate let client: SecretHash?
        /// The keys for which the attempt was claimed in a store, see `LogInFailureStore`.
        var claimed: [SecretHash] = []

        /// The hash of the username and, if the client is known, the hash of the client.
        var keys: [SecretHash] { [username] + [client].compactMap(\.self) }
    }

    let environment: Environment
    /// The failures by a hash of the username or client. A hash has a fixed size; a name may have any
    /// length.
    private let records = Mutex(TwoGenerationCache<SecretHash, Record>(limit: 200_000))

    /// The limit of failures per client; nil if there is none.
    private let clientPolicy: Policy?

    /// - Parameter clientLimit: the number of failures after which a client's attempts are delayed;
    ///   0 for no limit.
    public init(environment: Environment, clientLimit: Int = 20) {
        self.environment = environment
        clientPolicy = clientLimit > 0 ? .client(freeFailures: clientLimit) : nil
    }

    /// Begins an attempt; the caller ends it with `end(_:_:)`.
    /// - Parameters:
    ///   - username: a name that the caller has normalized to one case. The account need not exist.
    ///   - client: the client's network address; nil if unknown.
    /// - Throws: `RateLimitExceeded` if the attempt comes before the delay is over; also while
    ///   another attempt is in progress, if no free failures are left.
    func begin(_ username: String, from client: String?) throws(RateLimitExceeded) -> Guess {
        let guess = Self.guess(username, client)
        let now = environment.now()
        let refusal = records.withLock { records -> RateLimitExceeded? in
            for (key, policy) in entries(of: guess) {
                // If the clock was set back, the delay starts again at the present time and does not
                // last longer.
                if let last = records[key]?.lastFailure, last > now {
                    records[key, default: Record()].lastFailure = now
                }
                if let refusal = Self.refusal(records[key], policy, now) { return refusal }
            }
            for (key, _) in entries(of: guess) {
                records[key, default: Record()].inFlight += 1
            }
            return nil
        }
        if let refusal { throw refusal }
        return guess
    }

    enum Result {
        case right, wrong
        /// The password was not checked, or the attempt is to change no count of failures although
        /// the password was right.
        case unknown
    }

    func end(_ guess: Guess, _ result: Result) {
        let now = environment.now()
        records.withLock { records in
            for (key, policy) in entries(of: guess) {
                var record = records[key, default: Record()]
                record.inFlight = max(record.inFlight - 1, 0)
                if now.duration(since: record.lastFailure) >= policy.memory { record.failures = 0 }
                switch result {
                case .wrong:
                    record.failures += 1
                    record.lastFailure = now
                // A right password does not reset the failures of the client. Otherwise an attacker
                // could log in to an account of their own to get new attempts.
                case .right where key == guess.username: record.failures = 0
                case .right, .unknown: break
                }
                let isIdle = record.failures == 0 && record.inFlight == 0
                records[key] = isIdle ? nil : record
            }
        }
    }

    private static func guess(_ username: String, _ client: String?) -> Guess {
        Guess(
            username: SecretHash(of: "username \(username)"),
            client: client.map { SecretHash(of: "client \($0)") })
    }

    // MARK: Failures that other processes have counted

    /// Returns the keys in a `LogInFailureStore`: that of the username, and that of the client if its
    /// address is known and failures per client are limited.
    func keys(_ username: String, _ client: String?) -> [SecretHash] {
        entries(of: Self.guess(username, client)).map(\.0)
    }

    /// Replaces this process's counts for the keys with the counts of the store.
    func adopt(_ failures: [SecretHash: LogInFailures], for keys: [SecretHash]) {
        records.withLock { records in
            for key in keys {
                var record = records[key, default: Record()]
                record.failures = failures[key]?.count ?? 0
                record.lastFailure = failures[key]?.lastFailure ?? Timestamp(milliseconds: 0)
                let isIdle = record.failures == 0 && record.inFlight == 0
                records[key] = isIdle ? nil : record
            }
        }
    }

    /// Returns the keys that have no free failures left, and the error for a second attempt at the
    /// same time; nil if all keys have free failures left.
    func limits(of guess: Guess) -> (keys: [SecretHash], refusal: RateLimitExceeded)? {
        let limited = records.withLock { records in
            entries(of: guess).filter { (records[$0.0]?.failures ?? 0) >= $0.1.freeFailures }
        }
        guard let policy = limited.first?.1 else { return nil }
        return (
            limited.map(\.0),
            RateLimitExceeded(
                policy: policy.name, quota: policy.freeFailures, window: nil,
                retryAfter: policy.firstDelay)
        )
    }

    private func entries(of guess: Guess) -> [(SecretHash, Policy)] {
        guard let client = guess.client, let clientPolicy else {
            return [(guess.username, .username)]
        }
        return [(guess.username, .username), (client, clientPolicy)]
    }

    private static func refusal(
        _ record: Record?, _ policy: Policy, _ now: Timestamp
    ) -> RateLimitExceeded? {
        guard let record, record.failures >= policy.freeFailures else { return nil }
        let elapsed = now.duration(since: record.lastFailure)
        guard elapsed < policy.memory else { return nil }
        var wait = policy.delay(after: record.failures) - elapsed
        if wait <= .zero, record.inFlight > 0 { wait = policy.firstDelay }
        guard wait > .zero else { return nil }
        return RateLimitExceeded(
            policy: policy.name, quota: policy.freeFailures, window: nil, retryAfter: wait)
    }
}

extension TwoGenerationCache {
    fileprivate subscript(key: Key, default value: Value) -> Value {
        get { self[key] ?? value }
        set { self[key] = newValue }
    }
}

/// The username and the client of a request that holds a password. A repeated request with an
/// `Idempotency-Key` reveals whether it holds the first request's password, so it counts as a guess.
public struct PasswordGuess: Sendable {
    /// The username as received; the account need not exist.
    public let username: String
    /// The client's network address; nil if unknown.
    public let client: String?

    public init(username: String, client: String?) {
        self.username = username
        self.client = client
    }
}

/// The error for a request that exceeds a rate limit.
public struct RateLimitExceeded: Error, Sendable, Equatable {
    /// The name of the limit.
    public let policy: String
    /// The number of requests that the limit allows at once.
    public let quota: Int
    /// The time in which the quota is restored; nil if it depends on the failures, or on the queue of
    /// passwords to hash.
    public let window: Duration?
    /// The time until the next request is allowed.
    public let retryAfter: Duration

    public init(policy: String, quota: Int, window: Duration?, retryAfter: Duration) {
        self.policy = policy
        self.quota = quota
        self.window = window
        self.retryAfter = retryAfter
    }
}

/// A cache with two generations. A write puts an entry into the young generation. When that is full,
/// it becomes the old generation, and the previous old one is dropped.
struct TwoGenerationCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private let generationLimit: Int
    private var young: [Key: Value] = [:]
    private var old: [Key: Value] = [:]

    /// - Parameter limit: the maximum number of entries.
    init(limit: Int) { generationLimit = max(limit / 2, 1) }

    /// The value of a key; nil if it is not in the cache. Setting nil removes the entry.
    subscript(key: Key) -> Value? {
        get { young[key] ?? old[key] }
        set {
            old[key] = nil
            young[key] = newValue
            guard young.count >= generationLimit else { return }
            old = young
            young = [:]
        }
    }
}
