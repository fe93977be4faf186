import Synchronization
import WaypostCore

/// Limits the number of requests of each client in a window of time. A client may use its whole
/// quota at once. The quota then becomes available again evenly over the window. This is a token
/// bucket, implemented as the generic cell rate algorithm.
public final class RequestRateLimiter: Sendable {
    private let policy: String
    public let quota: Int
    private let window: Duration
    private let environment: Environment
    /// The time, counted from 1970, at which the whole quota of each client is available again. A
    /// `Duration` is exact, so that no rounding reduces the quota, and it cannot overflow.
    private let fullAt: Mutex<TwoGenerationCache<String, Duration>>

    /// Creates a limiter.
    /// - Parameters:
    ///   - policy: the name of the limit in the `RateLimit` header field.
    ///   - quota: the number of requests per window; 0 for no limit.
    ///   - window: the time in which a client gets its whole quota back.
    public init(policy: String, quota: Int, window: Duration, environment: Environment) {
        self.policy = policy
        self.quota = quota
        self.window = window
        self.environment = environment
        fullAt = Mutex(TwoGenerationCache(limit: 100_000))
    }

    /// Counts a request of a client.
    /// - Parameters:
    ///   - client: the network address of the client; nil if unknown. An unknown client has no
    ///     limit.
    ///   - weight: the number of requests for which this one counts. A request that counts for more
    ///     than the quota needs the whole quota.
    ///   - counted: the number of requests for which this one was counted before, and for which a
    ///     repetition is counted again.
    /// - Throws: `RateLimitExceeded` if the client has used up its quota.
    public func admit(
        _ client: String?, weight: Int = 1, counted: Int = 0
    ) throws(RateLimitExceeded) {
        guard let client, quota > 0, weight > 0 else { return }
        let now = Duration.milliseconds(environment.now().milliseconds)
        let wait = fullAt.withLock { [window, quota] fullAt -> Duration in
            // The time is at most one window ahead, even if the clock was set back.
            let last = min(max(fullAt[client] ?? now, now), now + window)
            let next = last + window / quota * min(weight, quota)
            let isAdmitted = next - now <= window
            fullAt[client] = isAdmitted ? next : last
            return isAdmitted ? .zero : next - now - window + window / quota * counted
        }
        guard wait == .zero else {
            throw RateLimitExceeded(policy: policy, quota: quota, window: window, retryAfter: wait)
        }
    }
}
