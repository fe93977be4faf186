import Metrics

/// Histograms of the duration and the size of a store's transactions.
public struct CommitMetrics: Sendable {
    /// The time from the start of a transaction until the transaction is as durable as the store
    /// promises.
    public let duration = Histogram(
        Buckets(microseconds: [
            100, 250, 500, 1000, 2500, 5000, 10_000, 25_000, 50_000, 100_000, 250_000, 1_000_000,
        ]))
    /// The number of `WriteBatch` values that share one transaction.
    public let size = Histogram(Buckets(counts: [1, 2, 4, 8, 16, 32, 64, 128, 256]))

    public init() {}
}
