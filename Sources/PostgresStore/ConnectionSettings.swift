import WaypostCore

/// The settings that all connections of an open store share.
struct ConnectionSettings: Sendable {
    let target: ConnectionTarget
    /// Whether a commit may return before it is on disk.
    let isRelaxed: Bool
    let metrics: PostgresMetrics
    let now: @Sendable () -> Timestamp

    /// Connects to the database and applies the settings to the connection.
    /// - Parameters:
    ///   - waitLimit: the maximum time of one wait for the server; nil for no limit.
    ///   - countsFailure: whether the metrics count a failure. That a standby accepts no writes, for
    ///     example, is no failure.
    ///   - isOutdated: returns true if the connection is no longer wanted.
    func connect(
        to hosts: ConnectionTarget.Hosts, waitLimit: Duration? = nil, countsFailure: Bool = true,
        isOutdated: @escaping () -> Bool
    ) throws(DatabaseFailure) -> Connection {
        do throws(DatabaseFailure) {
            let connection = try Connection(target, to: hosts, isOutdated: isOutdated)
            if let waitLimit { connection.limitWaits(to: waitLimit) }
            try connection.execute(Self.sql(isRelaxed: isRelaxed))
            metrics.connected.increment()
            return connection
        } catch {
            if countsFailure { metrics.connectionFailed.increment() }
            throw error
        }
    }

    static func sql(isRelaxed: Bool) -> String {
        """
        SET synchronous_commit = \(isRelaxed ? "off" : "on");
        SET default_transaction_isolation = 'read committed';
        SET plan_cache_mode = force_generic_plan;
        SET enable_hashjoin = off;
        SET enable_mergejoin = off;
        SET enable_seqscan = off;
        -- The planner adds 10,000,000,000 to the cost of a statement that cannot do without a sequential
        -- scan. At that cost the server would compile the statement, which takes longer than running it.
        SET jit = off;
        -- A batch that meets a lock is tried again, and holds up no other one.
        SET lock_timeout = '200ms';
        -- A timer that fires just before a commit could end its wait for the standby.
        SET statement_timeout = 0;
        SET idle_in_transaction_session_timeout = '5s';
        SET client_min_messages = warning
        """
    }
}
