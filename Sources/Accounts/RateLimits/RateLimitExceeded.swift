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
