import SQLStore

/// The statements of batches that write the row of a session in a separate transaction, see
/// `WholeBatch`.
enum WholeStatements {
    static let insertSession = SQLText(
        """
        INSERT INTO session (id, version, writer, revision, last_event, created_at, expires_at,
          purge_after, token_hash, credential, credential_refusal, state, tail_first, tail, summary,
          name)
        VALUES (?uuid, 1, ?bigint, ?bigint, ?bigint, ?bigint, ?bigint, ?bigint, ?bytea, ?bytea,
          ?text, ?bytea, ?bigint, ?bytea, ?bytea, ?text)
        """)

    static let requireWritten = SQLText(
        "SELECT 1 FROM session WHERE id = ?uuid AND writer = ?bigint",
        orRefuse: .conflict)

    static let requireVersion = SQLText(
        "SELECT 1 FROM session WHERE id = ?uuid AND version = ?bigint FOR SHARE",
        orRefuse: .conflict)

    static let deleteSession = SQLText(
        "DELETE FROM session WHERE id = ?uuid AND version = ?bigint", orRefuse: .conflict)

    static let deleteEvents = SQLText("DELETE FROM event_group WHERE session = ?uuid")

    static let deleteRecords = SQLText("DELETE FROM idempotency_record WHERE session = ?uuid")
}
