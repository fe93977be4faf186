import Metrics

/// How busy the hashing threads are.
public struct HashingMetrics: Sendable {
    /// Passwords that wait for a thread.
    public let waiting = Gauge()
    /// Of hashing or checking one password, without the wait.
    public let duration = Histogram(
        Buckets(microseconds: [
            10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 2_500_000,
        ]))

    public init() {}
}
