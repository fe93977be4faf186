import Accounts
import SQLStore
import Sessions
import WaypostCore

extension PostgresStore {
    /// The maximum number of expired rows of each kind, such as sessions or tokens, that one call
    /// of `purge` removes.
    private static let stepSize = 500

    /// Removes at most `stepSize` expired rows of each kind, such as sessions or tokens, and all
    /// data of the removed sessions. Several processes of the service may do so at the same time,
    /// because each process skips the rows that another one has locked.
    /// - Parameter now: the current time. A row whose expiry time is `now` or earlier has expired.
    /// - Returns: true if there may be more rows to remove.
    public func purge(before now: Timestamp) async throws(StorageError) -> Bool {
        var isDone = true
        for statement in PurgeStatements.all {
            let end = now + (.zero - statement.retention)
            // No request waits for the purge.
            let removed = try await run(
                [
                    statement.isOfSessions
                        ? PurgeStatements.sessions(end, end, Self.stepSize)
                        : statement.sql(end, Self.stepSize)
                ], hasDeadline: false)
            if statement.isOfSessions { expiredSessions.increment(by: removed[0]) }
            if removed[0] >= Self.stepSize { isDone = false }
        }
        return !isDone
    }
}

/// The statements that remove expired rows. The first parameter of each statement is the current
/// time minus the time for which expired rows are kept (`Purge.retention`), in milliseconds; that for
/// sessions has it twice. The last parameter is the maximum number of rows to remove. Each statement returns one row for
/// each removed row.
enum PurgeStatements {
    struct Purge {
        let sql: SQLText
        /// The time for which the purge keeps a row after its expiry.
        var retention = Duration.zero
        var isOfSessions = false
    }

    static let all = [
        Purge(sql: sessions, isOfSessions: true), Purge(sql: records), Purge(sql: tokens),
        Purge(sql: credentials, retention: Credential.retention), Purge(sql: failures),
    ]

    /// Removes expired sessions with their idempotency records and tokens. A foreign key removes
    /// their logs. The index that finds the sessions is on
    /// `purge_after`, which is the expiry time rounded up so that changes seldom update the index.
    /// The statement also compares the exact expiry time.
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

    private static let records = expired("idempotency_record", "id")
    private static let tokens = expired("session_token", "hash")
    private static let credentials = expired("credential", "hash")

    private static func expired(_ table: String, _ key: String) -> SQLText {
        SQLText(
            """
            DELETE FROM \(table) WHERE \(key) IN (
              SELECT \(key) FROM \(table) WHERE expires_at <= ?bigint
              ORDER BY expires_at LIMIT ?bigint FOR UPDATE SKIP LOCKED)
            RETURNING 1
            """)
    }

    /// Removes the counts of failed log-ins whose last failure is at least an hour ago.
    private static let failures = SQLText(
        """
        DELETE FROM log_in_failures WHERE key IN (
          SELECT key FROM log_in_failures WHERE last_failure + 3600000 <= ?bigint
          LIMIT ?bigint FOR UPDATE SKIP LOCKED)
        RETURNING 1
        """)
}
