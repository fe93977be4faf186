/// The sources of time and random numbers for the service. Tests supply other sources with
/// predictable results.
public struct Environment: Sendable {
    public let now: @Sendable () -> Timestamp
    /// Returns 64 random bits from a cryptographically secure source.
    public let random: @Sendable () -> UInt64

    public init(
        now: @escaping @Sendable () -> Timestamp, random: @escaping @Sendable () -> UInt64
    ) {
        self.now = now
        self.random = random
    }
}
