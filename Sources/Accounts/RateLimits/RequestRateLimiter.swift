import Synchronization
import WaypostCore

/// Lets each client make so many requests in a window of time: at once, if it likes, and then again
/// as the window passes (a token bucket, as the generic cell rate algorithm keeps it).
public final class RequestRateLimiter: Sendable {
    private let policy: String
    private let quota: Int
    private let window: Duration
    private let environment: Environment
    /// The time at which each client's whole quota is there again, counted from 1970. A `Duration` is
    /// exact, so that no rounding takes a request from the quota, and has room for any clock.
    private let fullAt: Mutex<TwoGenerationCache<String, Duration>>

    /// - Parameters:
    ///   - policy: what the limit is called in `RateLimit`.
    ///   - quota: 0 for no limit.
    public init(policy: String, quota: Int, window: Duration, environment: Environment) {
        self.policy = policy
        self.quota = quota
        self.window = window
        self.environment = environment
        fullAt = Mutex(TwoGenerationCache(limit: 100_000))
    }

    /// Counts a request.
    /// - Parameter client: nil where it is not known; it is then let through.
    /// - Throws: if the client's quota is used up.
    public func admit(_ client: String?) throws(RateLimitExceeded) {
        guard let client, quota > 0 else { return }
        let now = Duration.milliseconds(environment.now().milliseconds)
        let wait = fullAt.withLock { [window, quota] fullAt -> Duration in
            // Never further away than a window, also when the clock was set back.
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
