/// The SQL statements of reads. Each statement lists its columns by name, because a prepared
/// statement with `*` fails after a migration that adds a column.
enum ReadStatements {
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
}
