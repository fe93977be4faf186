import Metrics

/// How long the disk takes, and how many changes share its work.
public struct CommitMetrics: Sendable {
    /// Of one transaction, from its beginning until it is as safe as `Durability` says.
    public let duration = Histogram(
        Buckets(microseconds: [
            100, 250, 500, 1000, 2500, 5000, 10_000, 25_000, 50_000, 100_000, 250_000, 1_000_000,
        ]))
    /// Changes in one transaction.
    public let size = Histogram(Buckets(counts: [1, 2, 4, 8, 16, 32, 64, 128, 256]))

    public init() {}
}
