import Accounts
import SQLStore
import WaypostCore

// The counts of failed log-ins. All nodes of a service share them.

extension PostgresStore: LogInFailureStore {
    public var logInFailures: (any LogInFailureStore)? { self }

    public func logInFailures(
        of keys: [SecretHash]
    ) async throws(StorageError) -> [SecretHash: LogInFailures] {
        try await read(
            "log-in failures", BoundStatement(FailureStatements.read).hashes(keys)
        ) { rows in
            var failures: [SecretHash: LogInFailures] = [:]
            for row in rows {
                failures[try row.hash("key")] = LogInFailures(
                    count: try row.integer("count"), lastFailure: try row.timestamp("last_failure"))
            }
            return failures
        }
    }

    public func noteLogInFailure(
        of keys: [SecretHash], at now: Timestamp, memory: Duration
    ) async throws(StorageError) {
        _ = try await run([
            BoundStatement(FailureStatements.note).hashes(keys).time(now)
                .time(now + (.zero - memory))
        ])
    }

    public func forgetLogInFailures(of key: SecretHash) async throws(StorageError) {
        _ = try await run([BoundStatement(FailureStatements.forget).hash(key)])
    }

    public func releaseLogIn(of keys: [SecretHash]) async throws(StorageError) {
        _ = try await run([BoundStatement(FailureStatements.release).hashes(keys)])
    }

    public func claimLogIn(
        of keys: [SecretHash], at now: Timestamp, for interval: Duration
    ) async throws(StorageError) -> Bool {
        let claimed = try await read(
            "log-in failures",
            BoundStatement(FailureStatements.claim).hashes(keys).time(now).time(now + interval)
        ) { rows in try rows.map { try $0.hash("key") } }
        if claimed.count == keys.count { return true }
        if !claimed.isEmpty { try await releaseLogIn(of: claimed) }
        return false
    }
}

private enum FailureStatements {
    static let read = SQLStatement(
        "failures",
        "SELECT key, count, last_failure FROM log_in_failures WHERE key = ANY ($1::bytea[])")

    static let note = SQLStatement(
        "note_failure",
        """
        INSERT INTO log_in_failures AS f (key, count, last_failure, next_attempt)
        SELECT key, 1, $2::bigint, 0 FROM unnest($1::bytea[]) AS keys (key) ORDER BY key
        ON CONFLICT (key) DO UPDATE SET last_failure = excluded.last_failure,
          count = CASE WHEN f.last_failure <= $3::bigint THEN 1 ELSE f.count + 1 END,
          next_attempt = 0
        """)

    static let forget = SQLStatement(
        "forget_failures", "DELETE FROM log_in_failures WHERE key = $1::bytea")

    static let release = SQLStatement(
        "release_attempt",
        "UPDATE log_in_failures SET next_attempt = 0 WHERE key = ANY ($1::bytea[])")

    static let claim = SQLStatement(
        "claim_attempt",
        """
        UPDATE log_in_failures SET next_attempt = $3::bigint
        WHERE key = ANY ($1::bytea[]) AND next_attempt <= $2::bigint RETURNING key
        """)
}
