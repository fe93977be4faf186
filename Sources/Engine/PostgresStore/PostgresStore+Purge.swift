import SQLStore
import Sessions
import WaypostCore

extension PostgresStore {
    /// The maximum number of expired rows of each kind that one call of `purge` removes.
    private static let stepSize = 500

    /// Removes at most `stepSize` expired rows of each kind, such as sessions or tokens, and all
    /// data of the removed sessions. Several processes of the service may do so at the same time,
    /// because each process skips the rows that another one has locked.
    /// - Parameter now: the current time. A row whose expiry time is `now` or earlier has expired.
    /// - Returns: true if there may be more rows to remove.
    package func purge(before now: Timestamp) async throws(SessionError) -> Bool {
        let sessions = PurgeStatements.sessions(now, now, Self.stepSize)
        let ended = try await runInBackground(sessions)
        expiredSessions.increment(by: ended)
        var isDone = ended < Self.stepSize
        for (statement, retention) in PurgeStatements.others {
            let removal = statement(now + (.zero - retention), Self.stepSize)
            if try await runInBackground(removal) >= Self.stepSize { isDone = false }
        }
        return !isDone
    }
}

/// The statements that remove expired rows. Their parameters are a time, that of `sessions` twice, and
/// the maximum number of rows to remove. Each returns one row for each removed row.
private enum PurgeStatements {
    /// Removes expired sessions with their idempotency records and tokens. A foreign key removes
    /// their logs. The index that finds the sessions is on `purge_after`, which is at or after the
    /// expiry time.
    static let sessions = SQLText(
        """
        WITH ended AS (
          DELETE FROM session WHERE id IN (
            SELECT id FROM session WHERE purge_after <= ?bigint AND expires_at <= ?bigint
            ORDER BY purge_after LIMIT ?bigint FOR UPDATE SKIP LOCKED)
          RETURNING id
        ), records AS (
          DELETE FROM idempotency_record WHERE session IN (SELECT id FROM ended)
        ), tokens AS (
          DELETE FROM session_token WHERE session IN (SELECT id FROM ended)
        )
        SELECT id FROM ended
        """)

    /// Each other table's statement, and for how long after the expiry its rows stay. The counts of
    /// failed log-ins expire an hour after the last failure.
    static let others: [(SQLText, retention: Duration)] = [
        ("idempotency_record", "id", "expires_at", .zero),
        ("session_token", "hash", "expires_at", .zero),
        ("credential", "hash", "expires_at", Credential.retention),
        ("log_in_failures", "key", "last_failure + 3600000", .zero),
    ].map { (table: String, key: String, expiry: String, retention: Duration) in
        let statement = SQLText(
            """
            DELETE FROM \(table) WHERE \(key) IN (
              SELECT \(key) FROM \(table) WHERE \(expiry) <= ?bigint
              ORDER BY \(expiry) LIMIT ?bigint FOR UPDATE SKIP LOCKED)
            RETURNING 1
            """)
        return (statement, retention)
    }
}
