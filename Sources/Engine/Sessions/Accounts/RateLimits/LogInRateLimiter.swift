import Synchronization
import WaypostCore

/// Limits the number of wrong passwords for each username, from any client, and for each client,
/// with any username. Right passwords do not count, so that concurrent log-ins with the right
/// password do not delay each other.
///
/// The first failures cause no delay. When their number reaches `Policy.freeFailures`, the next
/// attempt must wait for `Policy.firstDelay`. From then on, each failure doubles the delay, up to
/// `Policy.longestDelay`, and only one attempt may be in progress at a time. Any thread may call
/// the methods.
public final class LogInRateLimiter: Sendable {
    /// The time after which all failures are forgotten, counted from the last failure.
    static let memory = Duration.seconds(3600)

    struct Policy: Sendable {
        let name: String
        let freeFailures: Int
        let firstDelay = Duration.seconds(1)
        let longestDelay: Duration
        let memory = LogInRateLimiter.memory

        /// The limit on failures for one username, from all clients together.
        static let username = Policy(
            name: "log-in-username", freeFailures: 5, longestDelay: .seconds(300))
        /// Makes the limit on failures for one client, with all usernames together.
        /// - Parameter freeFailures: the number of failures at which delays begin. It can be higher
        ///   than for a username, because many users can share an address.
        static func client(freeFailures: Int) -> Policy {
            Policy(
                name: "log-in-address", freeFailures: freeFailures, longestDelay: .seconds(900))
        }

        /// Returns the delay before the next attempt, after this number of failures; zero if the
        /// number is below `freeFailures`.
        func delay(after failures: Int) -> Duration {
            guard failures >= freeFailures else { return .zero }
            // The cap prevents an overflow of the shift. 2^20 seconds exceed each `longestDelay`.
            return min(firstDelay * (1 << min(failures - freeFailures, 20)), longestDelay)
        }
    }

    private struct Record {
        var failures = 0
        var inFlight = 0
        var lastFailure = Timestamp(milliseconds: 0)
    }

    /// A log-in attempt in progress: a guess at the password of a username.
    struct Attempt: Sendable {
        fileprivate let username: SecretHash
        fileprivate let client: SecretHash?
        /// The keys for which this attempt was claimed in a store, see
        /// `LogInFailureStore.claimLogIn`; empty if it was not claimed.
        var claimed: [SecretHash] = []

        /// The hash of the username and, if the client is known and its failures are limited, the
        /// hash of the client.
        var keys: [SecretHash] { [username] + [client].compactMap(\.self) }
    }

    let environment: Environment
    /// The failures that this process has counted or read from a store, for each username and
    /// client. The keys are hashes, which have a fixed size, because a name may have any length.
    private let records = Mutex(TwoGenerationCache<SecretHash, Record>(limit: 200_000))

    /// The limit on failures for each client; nil if there is no such limit.
    private let clientPolicy: Policy?

    /// Creates a limiter.
    /// - Parameter clientLimit: the number of failures at which the attempts of a client are
    ///   delayed; 0 for no limit.
    public init(environment: Environment, clientLimit: Int = 20) {
        self.environment = environment
        clientPolicy = clientLimit > 0 ? .client(freeFailures: clientLimit) : nil
    }

    /// Begins a log-in attempt. The caller must end it with `end(_:_:)`.
    /// - Parameters:
    ///   - username: a name that the caller has normalized to one case. The account need not exist.
    ///   - client: the network address of the client; nil if unknown.
    /// - Throws: `RateLimitExceeded` if the delay after earlier failures is not over, or if the
    ///   failures have reached `freeFailures` and another attempt is in progress.
    func begin(_ username: String, from client: String?) throws(RateLimitExceeded) -> Attempt {
        let attempt = attempt(username, client)
        let now = environment.now()
        let refusal = records.withLock { records -> RateLimitExceeded? in
            for (key, policy) in entries(of: attempt) {
                // If the clock was set back, the delay starts again now, so that it does not last
                // longer than usual.
                if let last = records[key]?.lastFailure, last > now {
                    records[key, default: Record()].lastFailure = now
                }
                if let refusal = Self.refusal(records[key], policy, now) { return refusal }
            }
            for (key, _) in entries(of: attempt) {
                records[key, default: Record()].inFlight += 1
            }
            return nil
        }
        if let refusal { throw refusal }
        return attempt
    }

    enum Result {
        case right, wrong
        /// The password was not checked, or it was right only in comparison with an earlier
        /// request. The count of failures stays the same.
        case unknown
    }

    func end(_ attempt: Attempt, _ result: Result) {
        let now = environment.now()
        records.withLock { records in
            for (key, policy) in entries(of: attempt) {
                var record = records[key, default: Record()]
                record.inFlight = max(record.inFlight - 1, 0)
                if now.duration(since: record.lastFailure) >= policy.memory { record.failures = 0 }
                switch result {
                case .wrong:
                    record.failures += 1
                    record.lastFailure = now
                // A right password does not reset the failures of the client. Otherwise,
                // attackers could log in to their own accounts to get new attempts.
                case .right where key == attempt.username: record.failures = 0
                case .right, .unknown: break
                }
                let isIdle = record.failures == 0 && record.inFlight == 0
                records[key] = isIdle ? nil : record
            }
        }
    }

    func forgetFailures() { records.withLock { $0.removeAll() } }

    private func attempt(_ username: String, _ client: String?) -> Attempt {
        Attempt(
            username: SecretHash(of: "username \(username)"),
            client: clientPolicy == nil ? nil : client.map { SecretHash(of: "client \($0)") })
    }

    // MARK: Failures that other processes have counted

    /// Returns the keys of an attempt in a `LogInFailureStore`. These are the key of the username
    /// and, if the client is known and its failures are limited, the key of the client.
    func keys(_ username: String, _ client: String?) -> [SecretHash] {
        attempt(username, client).keys
    }

    /// Replaces the counts of this process for `keys` by the counts from the store. A key without
    /// an entry in `failures` has no failures.
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

    /// Returns those keys of the attempt whose failures have reached `Policy.freeFailures`, so that
    /// only one attempt may be in progress at a time. Also returns the error for a second attempt.
    /// The result is nil if no key has so many failures.
    func limits(of attempt: Attempt) -> (keys: [SecretHash], refusal: RateLimitExceeded)? {
        let limited = records.withLock { records in
            entries(of: attempt).filter { (records[$0.0]?.failures ?? 0) >= $0.1.freeFailures }
        }
        guard let policy = limited.first?.1 else { return nil }
        return (
            limited.map(\.0),
            RateLimitExceeded(
                policy: policy.name, quota: policy.freeFailures, window: nil,
                retryAfter: policy.firstDelay)
        )
    }

    private func entries(of attempt: Attempt) -> [(SecretHash, Policy)] {
        guard let client = attempt.client, let clientPolicy else {
            return [(attempt.username, .username)]
        }
        return [(attempt.username, .username), (client, clientPolicy)]
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

/// The username and the client of a request that contains a password, for the rate limit. A
/// repeated request with an `Idempotency-Key` also counts as a guess, because its response reveals
/// whether it contains the password of the first request.
public struct PasswordAttempt: Sendable {
    /// The username as the client sent it. The account need not exist.
    public let username: String
    /// The network address of the client; nil if unknown.
    public let client: String?
}

/// The error for a request that exceeds a rate limit.
public struct RateLimitExceeded: Error, Sendable, Equatable {
    /// The name of the limit that the request exceeds.
    public let policy: String
    /// The number of requests, failures or waiting passwords that the limit allows at once.
    public let quota: Int
    /// The time in which a client gets its whole quota back. It is nil for the limits on failed
    /// log-ins and on waiting passwords, which have no fixed time window.
    public let window: Duration?
    /// The time until the next request is allowed.
    public let retryAfter: Duration
}

/// A cache of limited size with two generations of entries. A write puts an entry into the young
/// generation. When the young generation is full, it becomes the old generation, and the entries of
/// the previous old generation are dropped.
struct TwoGenerationCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private let generationLimit: Int
    private var young: [Key: Value] = [:]
    private var old: [Key: Value] = [:]

    /// Creates an empty cache.
    /// - Parameter limit: the maximum number of entries.
    init(limit: Int) { generationLimit = max(limit / 2, 1) }

    mutating func removeAll() { (young, old) = ([:], [:]) }

    /// The value for a key; nil if the key is not in the cache. Setting nil removes the entry.
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
