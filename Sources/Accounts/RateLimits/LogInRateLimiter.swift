import Synchronization
import WaypostCore

/// Slows whoever guesses passwords: by username, whoever asks, and by client, whatever it asks for.
/// Nobody who logs in with the right password is held up by their own log-ins, however many come at
/// once: only failures count.
///
/// After the free failures, each one doubles the time until the next try, and tries come one at a
/// time.
public final class LogInRateLimiter: Sendable {
    struct Policy: Sendable {
        let name: String
        let freeFailures: Int
        let firstDelay = Duration.seconds(1)
        let longestDelay: Duration
        /// Failures are forgotten when none has come for so long.
        let memory = Duration.seconds(3600)

        /// How wrong passwords are counted, whoever sends them.
        static let username = Policy(
            name: "log-in-username", freeFailures: 5, longestDelay: .seconds(300))
        /// Many users can share an address.
        static func client(freeFailures: Int) -> Policy {
            Policy(
                name: "log-in-address", freeFailures: freeFailures, longestDelay: .seconds(900))
        }

        /// How long to wait after so many failures.
        func delay(after failures: Int) -> Duration {
            guard failures >= freeFailures else { return .zero }
            // Beyond 2^20 seconds the longest delay has long been reached.
            return min(firstDelay * (1 << min(failures - freeFailures, 20)), longestDelay)
        }
    }

    private struct Record {
        var failures = 0
        var inFlight = 0
        var lastFailure = Timestamp(milliseconds: 0)
    }

    /// A try that is under way.
    struct Guess: Sendable {
        fileprivate let username: SecretHash
        fileprivate let client: SecretHash?
    }

    private let environment: Environment
    /// The failures by a hash of the name, as a name may be of any length.
    private let records = Mutex(TwoGenerationCache<SecretHash, Record>(limit: 200_000))

    /// Nil where the failures of an address are not counted.
    private let clientPolicy: Policy?

    /// - Parameter clientLimit: How many wrong passwords one client may send before it has to wait; 0
    ///   for no limit.
    public init(environment: Environment, clientLimit: Int = 20) {
        self.environment = environment
        clientPolicy = clientLimit > 0 ? .client(freeFailures: clientLimit) : nil
    }

    /// - Parameters:
    ///   - username: also one that nobody has; the same name in the same letters' case.
    ///   - client: nil where it is not known.
    /// - Throws: if a try now would come too early.
    func begin(_ username: String, from client: String?) throws(RateLimitExceeded) -> Guess {
        let guess = Guess(
            username: SecretHash(of: "username \(username)"),
            client: client.map { SecretHash(of: "client \($0)") })
        let now = environment.now()
        let refusal = records.withLock { records -> RateLimitExceeded? in
            for (key, policy) in entries(of: guess) {
                // A clock that was set back makes nobody wait until the time that it showed before.
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
        /// Nobody looked.
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
                // A client with an account of its own does not get new tries by logging in there.
                case .right where key == guess.username: record.failures = 0
                case .right, .unknown: break
                }
                let isIdle = record.failures == 0 && record.inFlight == 0
                records[key] = isIdle ? nil : record
            }
        }
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

/// The account whose password a request holds, and the client that sent it. A request that is sent again with an
/// `Idempotency-Key` tells whether it holds the password of the first time: so it counts as a guess.
public struct PasswordGuess: Sendable {
    /// The name as it was received; nobody need have it.
    public let username: String
    /// Nil where it is not known.
    public let client: String?

    public init(username: String, client: String?) {
        self.username = username
        self.client = client
    }
}

/// A request came too early.
public struct RateLimitExceeded: Error, Sendable, Equatable {
    /// Which limit it met.
    public let policy: String
    /// How many requests the limit allows at once.
    public let quota: Int
    /// The time in which the quota is filled again; nil where it depends on the failures.
    public let window: Duration?
    /// When the next request is let through.
    public let retryAfter: Duration

    public init(policy: String, quota: Int, window: Duration?, retryAfter: Duration) {
        self.policy = policy
        self.quota = quota
        self.window = window
        self.retryAfter = retryAfter
    }
}

/// A table that forgets what has not been used for long, in two generations: what is used moves into
/// the young one, and when that is full, it becomes the old one and what was left there is gone.
struct TwoGenerationCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private let generationLimit: Int
    private var young: [Key: Value] = [:]
    private var old: [Key: Value] = [:]

    /// - Parameter limit: how many entries there are at most.
    init(limit: Int) { generationLimit = max(limit / 2, 1) }

    /// Setting nil forgets the entry.
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
