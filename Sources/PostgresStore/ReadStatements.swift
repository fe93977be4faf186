/// The SQL statements of reads. Each statement lists its columns by name, because a prepared
/// statement with `*` fails after a migration that adds a column.
enum ReadStatements {
    private static let accountColumns = "key, username, password, created_at, is_disabled"
    private static let credentialColumns =
        "hash, account, username, session, created_at, expires_at, last_used_at, is_revoked"
    private static let tokenColumns = "hash, session, name, credential, created_at, expires_at"

    static let session = SQLStatement(
        "session",
        """
        SELECT id, version, revision, created_at, expires_at, token_hash, credential,
          credential_refusal, state, journal_last, journal_digest, name
        FROM session WHERE id = $1::uuid
        """)

    /// Reads a session's newest events, which are in the session's row, and its older events, which
    /// are in the table `event_group`. Events can move from the row to the table at any time. One
    /// statement reads both places, so that no event is missed.
    static let events = SQLStatement(
        "events",
        """
        SELECT s.last_event, s.tail_first, s.tail, g.first, g.last, g.events
        FROM session AS s LEFT JOIN LATERAL (
          SELECT first, last, events FROM event_group
          WHERE session = s.id AND last > $2::bigint ORDER BY first LIMIT $3::bigint
        ) AS g ON true
        WHERE s.id = $1::uuid ORDER BY g.first
        """)

    /// Reads the part of a session's journal, the history of its changes, from which the revisions
    /// `$2` to `$3` can be rebuilt. The newest changes are in the session's row, which the
    /// statement always reads. If this row contains a complete state of the session at or below
    /// revision `$2`, the statement reads no other rows. Otherwise it also reads rows of the table
    /// `journal_part`. It begins with the row that holds the last complete state at or below
    /// revision `$2`, or with the oldest row if there is no such state. It ends with the last row
    /// that begins at or below revision `$3`.
    static let journal = SQLStatement(
        "journal",
        """
        SELECT s.journal, s.journal_first, s.journal_base, p.changes, (
            SELECT base FROM journal_part WHERE session = s.id AND base IS NOT NULL
            ORDER BY first LIMIT 1) AS oldest
        FROM session AS s LEFT JOIN LATERAL (
          SELECT first, changes FROM journal_part
          WHERE session = s.id AND first <= $3::bigint
            AND (s.journal_base IS NULL OR s.journal_base > $2::bigint)
            AND first >= coalesce((
              SELECT first FROM journal_part
              WHERE session = s.id AND first <= $2::bigint + 1 AND base <= $2::bigint
              ORDER BY first DESC LIMIT 1), 0)
          ORDER BY first
        ) AS p ON true
        WHERE s.id = $1::uuid ORDER BY p.first
        """)

    static let record = SQLStatement(
        "record",
        """
        SELECT session, fingerprint, request_size, expires_at, response
        FROM idempotency_record AS r WHERE id = $1::bytea
          AND (session IS NULL OR EXISTS (SELECT FROM session WHERE id = r.session))
        """)

    static let idempotencyUsage = SQLStatement(
        "idempotency_usage",
        """
        SELECT octet_length(response)::bigint AS size, request_size, expires_at
        FROM idempotency_record WHERE session = $1::uuid AND expires_at > $2::bigint
        ORDER BY number NULLS FIRST, expires_at
        """)

    static let account = SQLStatement(
        "account", "SELECT \(accountColumns) FROM account WHERE key = $1::text")

    static let accounts = SQLStatement(
        "accounts",
        """
        SELECT \(accountColumns) FROM account
        WHERE key > $1::text COLLATE "C" ORDER BY key LIMIT $2::bigint
        """)

    static let credential = SQLStatement(
        "credential", "SELECT \(credentialColumns) FROM credential WHERE hash = $1::bytea")

    static let credentialByID = SQLStatement(
        "credential_by_id",
        """
        SELECT \(credentialColumns) FROM credential
        WHERE hash BETWEEN $1::bytea AND $2::bytea LIMIT 1
        """)

    static let credentials = SQLStatement(
        "credentials",
        """
        SELECT \(credentialColumns) FROM credential
        WHERE account = $1::text AND (created_at, hash) < ($2::bigint, $3::bytea)
          AND NOT is_revoked AND expires_at > $4::bigint
        ORDER BY created_at DESC, hash DESC LIMIT $5::bigint
        """)

    static let sessionsOfAccount = SQLStatement(
        "sessions_of_account",
        """
        SELECT id, created_at, expires_at, revision, name, summary FROM session
        WHERE credential IN (SELECT hash FROM credential
            WHERE account = $1::text AND NOT is_revoked AND expires_at > $2::bigint)
          AND expires_at > $2::bigint
          AND ($3::bigint IS NULL OR (created_at, id) < ($3::bigint, $4::uuid))
        ORDER BY created_at DESC, id DESC LIMIT $5::bigint
        """)

    static let token = SQLStatement(
        "token",
        """
        SELECT \(tokenColumns) FROM session_token
        WHERE hash = $1::bytea AND expires_at > $2::bigint
        """)

    static let tokens = SQLStatement(
        "tokens",
        """
        SELECT \(tokenColumns) FROM session_token
        WHERE session = $1::uuid AND (created_at, hash) < ($2::bigint, $3::bytea)
          AND expires_at > $4::bigint
        ORDER BY created_at DESC, hash DESC LIMIT $5::bigint
        """)
}
