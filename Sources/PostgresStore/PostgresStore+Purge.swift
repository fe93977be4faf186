import Accounts
import Sessions
import WaypostCore

extension PostgresStore {
    /// The maximum number of rows of each table that one step removes.
    private static let stepSize = 500

    /// Removes some of the rows whose time is over. Any number of nodes may do it at the same time, as
    /// each node skips the rows that another node has locked.
    /// - Returns: whether more may be left to remove.
    public func purge(before now: Timestamp) async throws(StorageError) -> Bool {
        var isDone = true
        for statement in PurgeStatements.all {
            let end = now + (.zero - statement.retention)
            let removed = try await run([
                BoundStatement(statement.sql).time(end).bigint(Self.stepSize)
            ])
            if statement.isOfSessions { expiredSessions.increment(by: removed[0]) }
            if removed[0] >= Self.stepSize { isDone = false }
        }
        return !isDone
    }
}

/// The statements that remove rows whose time is over. Each has the maximum number of rows to remove as
/// its second parameter, and returns one row for each removed row.
enum PurgeStatements {
    struct Purge {
        let sql: SQLStatement
        /// The time that a row is kept after its expiry.
        var retention = Duration.zero
        var isOfSessions = false
    }

    static let all = [
        Purge(sql: sessions, isOfSessions: true), Purge(sql: records), Purge(sql: tokens),
        Purge(sql: credentials, retention: Credential.retention), Purge(sql: failures),
        Purge(sql: beats),
    ]

    /// Removes expired sessions with their events, idempotency records and tokens; a foreign key
    /// removes their journals. The index is on `purge_after`, the expiry rounded up, so that
    /// changes seldom update the index. The statement checks the exact expiry, too.
    private static let sessions = SQLStatement(
        "purge_sessions",
        """
        WITH ended AS (
          DELETE FROM session WHERE id IN (
            SELECT id FROM session WHERE purge_after <= $1::bigint AND expires_at <= $1::bigint
            ORDER BY purge_after LIMIT $2::bigint FOR UPDATE SKIP LOCKED)
          RETURNING id
        ), events AS (
          DELETE FROM event_group WHERE session IN (SELECT id FROM ended)
        ), records AS (
          DELETE FROM idempotency_record WHERE session IN (SELECT id FROM ended)
        ), tokens AS (
          DELETE FROM session_token WHERE session IN (SELECT id FROM ended)
        )
        SELECT id FROM ended
        """)

    private static let records = expired("idempotency_record", "id")
    private static let tokens = expired("session_token", "hash")
    private static let credentials = expired("credential", "hash")

    private static func expired(_ table: String, _ key: String) -> SQLStatement {
        SQLStatement(
            "purge_\(table)",
            """
            DELETE FROM \(table) WHERE \(key) IN (
              SELECT \(key) FROM \(table) WHERE expires_at <= $1::bigint
              ORDER BY expires_at LIMIT $2::bigint FOR UPDATE SKIP LOCKED)
            RETURNING 1
            """)
    }

    /// Removes the count of a key's log-in failures an hour after the key's last failure.
    private static let failures = SQLStatement(
        "purge_failures",
        """
        DELETE FROM log_in_failures WHERE key IN (
          SELECT key FROM log_in_failures WHERE last_failure + 3600000 <= $1::bigint
          LIMIT $2::bigint FOR UPDATE SKIP LOCKED)
        RETURNING 1
        """)

    /// Removes the rows of `beat` that no lane has written for a day.
    private static let beats = SQLStatement(
        "purge_beats",
        """
        DELETE FROM beat WHERE lane IN (
          SELECT lane FROM beat WHERE beaten_at < now() - interval '1 day'
            AND $1::bigint IS NOT NULL
          LIMIT $2::bigint FOR UPDATE SKIP LOCKED)
        RETURNING 1
        """)
}
