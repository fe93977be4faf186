/// The sources of time and randomness. Tests supply their own.
public struct Environment: Sendable {
    public let now: @Sendable () -> Timestamp
    /// A source of 64 random bits that are cryptographically unpredictable.
    public let random: @Sendable () -> UInt64

    public init(
        now: @escaping @Sendable () -> Timestamp, random: @escaping @Sendable () -> UInt64
    ) {
        self.now = now
        self.random = random
    }
}
