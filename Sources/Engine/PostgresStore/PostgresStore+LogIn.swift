import SQLStore
import Sessions
import WaypostCore

// The counts of failed log-ins. All nodes of a service share them.

extension PostgresStore: LogInFailureStore {
    package var logInFailures: (any LogInFailureStore)? { self }

    package func logInFailures(
        of keys: [SecretHash]
    ) async throws(SessionError) -> [SecretHash: LogInFailures] {
        let statement = StoreStatement(
            "SELECT key, count, last_failure FROM log_in_failures WHERE key = ANY (?bytea[])",
            SQLArray(.bytea, keys))
        let rows = try await read("log-in failures", statement) { row in
            (
                try row.hash("key"),
                LogInFailures(
                    count: try row.integer("count"), lastFailure: try row.timestamp("last_failure"))
            )
        }
        return Dictionary(uniqueKeysWithValues: rows)
    }

    package func noteLogInFailure(
        of keys: [SecretHash], at now: Timestamp, memory: Duration
    ) async throws(SessionError) {
        let statement = StoreStatement(
            """
            INSERT INTO log_in_failures AS f (key, count, last_failure, next_attempt)
            SELECT key, 1, ?bigint, 0 FROM unnest(?bytea[]) AS keys (key) ORDER BY key
            ON CONFLICT (key) DO UPDATE SET last_failure = excluded.last_failure,
              count = CASE WHEN f.last_failure <= ?bigint THEN 1 ELSE f.count + 1 END,
              next_attempt = 0
            """, now, SQLArray(.bytea, keys), now + (.zero - memory))
        _ = try await run([statement])
    }

    package func forgetLogInFailures(of key: SecretHash) async throws(SessionError) {
        _ = try await run([StoreStatement("DELETE FROM log_in_failures WHERE key = ?bytea", key)])
    }

    package func releaseLogIn(of keys: [SecretHash]) async throws(SessionError) {
        let statement = StoreStatement(
            "UPDATE log_in_failures SET next_attempt = 0 WHERE key = ANY (?bytea[])",
            SQLArray(.bytea, keys))
        _ = try await run([statement])
    }

    package func claimLogIn(
        of keys: [SecretHash], at now: Timestamp, for interval: Duration
    ) async throws(SessionError) -> Bool {
        let statement = StoreStatement(
            """
            UPDATE log_in_failures SET next_attempt = ?bigint
            WHERE key = ANY (?bytea[]) AND next_attempt <= ?bigint RETURNING key
            """, now + interval, SQLArray(.bytea, keys), now)
        let claimed = try await read("log-in failures", statement) { try $0.hash("key") }
        if claimed.count == keys.count { return true }
        if !claimed.isEmpty { try await releaseLogIn(of: claimed) }
        return false
    }
}
