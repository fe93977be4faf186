import Synchronization

/// Lets each client make so many requests in a window of time: at once, if it likes, and then again
/// as the window passes (a token bucket, as the generic cell rate algorithm keeps it).
public final class RequestThrottle: Sendable {
    private let policy: String
    private let quota: Int
    private let window: Duration
    private let environment: Environment
    /// Of each client the time at which its whole quota is there again, in milliseconds.
    private let fullAt: Mutex<RecentTable<String, Double>>

    /// - Parameters:
    ///   - policy: what the limit is called in `RateLimit`.
    ///   - quota: 0 for no limit.
    public init(policy: String, quota: Int, window: Duration, environment: Environment) {
        self.policy = policy
        self.quota = quota
        self.window = window
        self.environment = environment
        fullAt = Mutex(RecentTable(limit: 100_000))
    }

    /// Counts a request.
    /// - Parameter client: nil where it is not known; it is then let through.
    /// - Throws: if the client's quota is used up.
    public func admit(_ client: String?) throws(Throttled) {
        guard let client, quota > 0 else { return }
        let now = Double(environment.now().milliseconds)
        let windowLength = window / .milliseconds(1)
        let wait = fullAt.withLock { fullAt -> Double in
            let next = max(fullAt[client] ?? now, now) + windowLength / Double(quota)
            guard next - now <= windowLength else { return next - now - windowLength }
            fullAt[client] = next
            return 0
        }
        guard wait == 0 else {
            throw Throttled(
                policy: policy, quota: quota, window: window, retryAfter: .milliseconds(wait))
        }
    }
}
