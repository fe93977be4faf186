/// The clock and the random numbers. Tests bring their own.
public struct Environment: Sendable {
    public let now: @Sendable () -> Timestamp
    /// 64 bits that nobody can guess.
    public let random: @Sendable () -> UInt64

    public init(
        now: @escaping @Sendable () -> Timestamp, random: @escaping @Sendable () -> UInt64
    ) {
        self.now = now
        self.random = random
    }
}
