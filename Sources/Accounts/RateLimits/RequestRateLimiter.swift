import Synchronization
import WaypostCore

/// Limits the number of requests of each client in a window of time. A client may use its quota at
/// once, and then gets it back evenly over the window (a token bucket, implemented as the generic cell
/// rate algorithm).
public final class RequestRateLimiter: Sendable {
    private let policy: String
    private let quota: Int
    private let window: Duration
    private let environment: Environment
    /// The time since 1970 when each client's whole quota is available again. A `Duration` is exact,
    /// so that no rounding reduces the quota, and it cannot overflow for any clock.
    private let fullAt: Mutex<TwoGenerationCache<String, Duration>>

    /// - Parameters:
    ///   - policy: the name of the limit in the `RateLimit` field.
    ///   - quota: the number of requests per window; 0 for no limit.
    public init(policy: String, quota: Int, window: Duration, environment: Environment) {
        self.policy = policy
        self.quota = quota
        self.window = window
        self.environment = environment
        fullAt = Mutex(TwoGenerationCache(limit: 100_000))
    }

    /// Counts a request.
    /// - Parameter client: the client's network address; nil if unknown. An unknown client has no
    ///   limit.
    /// - Throws: `RateLimitExceeded` if the client's quota is used up.
    public func admit(_ client: String?) throws(RateLimitExceeded) {
        guard let client, quota > 0 else { return }
        let now = Duration.milliseconds(environment.now().milliseconds)
        let wait = fullAt.withLock { [window, quota] fullAt -> Duration in
            // The time is at most one window ahead, even if the clock was set back.
            let last = min(max(fullAt[client] ?? now, now), now + window)
            let next = last + window / quota
            let isAdmitted = next - now <= window
            fullAt[client] = isAdmitted ? next : last
            return isAdmitted ? .zero : next - now - window
        }
        guard wait == .zero else {
            throw RateLimitExceeded(policy: policy, quota: quota, window: window, retryAfter: wait)
        }
    }
}
