import Metrics
import SQLStore
import Sessions

/// The metrics of a store on a PostgreSQL server.
public struct PostgresMetrics: Sendable {
    /// The histograms that every kind of store has: the duration and the size of transactions.
    public let commits: CommitMetrics
    let connected = Counter()
    let connectionFailed = Counter()
    let conflicts = Counter()

    public init(commits: CommitMetrics) { self.commits = commits }

    func count(_ results: [Result<Void, CommitError>]) {
        for case .failure(.conflict) in results { conflicts.increment() }
    }

    /// Returns the metrics of the store, with their names and descriptions.
    /// - Parameter waiting: returns the number of batches and queries that wait for a connection;
    ///   nil if the number is unknown, so that its metric has no value.
    public func families(waiting: @escaping @Sendable () -> Int?) -> [Family] {
        [
            .counter(
                "waypost_store_conflicts_total",
                "Changes and reads of a session that another node had changed.", conflicts),
            .counters(
                "waypost_store_connections_total", "Attempts to connect to the database.",
                label: "result", [("failed", connectionFailed), ("opened", connected)]),
            .gauge("waypost_store_waiting", "Changes and reads that wait for a connection.") {
                waiting()
            },
        ]
    }
}
