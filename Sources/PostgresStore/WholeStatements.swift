import SQLStore

/// The statements of batches that write the row of a session in a separate transaction, see
/// `WholeBatch`.
enum WholeStatements {
    static let insertSession = SQLText(
        """
        INSERT INTO session (id, version, writer, revision, created_at, expires_at, purge_after,
          token_hash, credential, credential_refusal, summary, name, tail_first, tail_event,
          tail_has_state, tail)
        VALUES (?uuid, 1, ?bigint, ?bigint, ?bigint, ?bigint, ?bigint, ?bytea, ?bytea, ?text,
          ?bytea, ?text, ?bigint, ?bigint, ?boolean, ?bytea)
        """)

    static let requireWritten = SQLText(
        "SELECT 1 FROM session WHERE id = ?uuid AND writer = ?bigint",
        orRefuse: .conflict)

    static let requireVersion = SQLText(
        "SELECT 1 FROM session WHERE id = ?uuid AND version = ?bigint FOR SHARE",
        orRefuse: .conflict)

    static let deleteSession = SQLText(
        "DELETE FROM session WHERE id = ?uuid AND version = ?bigint", orRefuse: .conflict)

    static let deleteRecords = SQLText("DELETE FROM idempotency_record WHERE session = ?uuid")
}
