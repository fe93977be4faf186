import SQLStore
import Sessions
import WaypostCore

/// The statements that nearly every request needs. Each takes arrays as parameters and works on
/// many sessions at once.
///
/// A statement with arrays takes the server 12 to 16 µs per change. A separate statement for each
/// change would take over 100 µs. All transactions must lock rows in the same order, which prevents
/// deadlocks. The arrays are therefore sorted by session id, and `ConnectionSettings` makes the
/// query planner use nested-loop joins, which keep this order.
enum SetStatements {
    /// Replaces the rows of the sessions that have the expected versions, adds to their logs, and
    /// returns the ids of these sessions. If `tail_first` is not NULL, the old tail of the log becomes
    /// a row of the table `log`, and a new tail begins.
    ///
    /// All parts of the statement see the rows as they were before the statement ran. If another
    /// transaction has changed a row in the meantime, its version differs, and the statement leaves
    /// the row unchanged.
    static let change = SQLText(
        """
        WITH input AS MATERIALIZED (
          SELECT * FROM unnest(?uuid[], ?bigint[], ?bigint[], ?bigint[], ?bigint[], ?bigint[],
              ?bytea[], ?text[], ?bytea[], ?text[], ?bytea[], ?bigint[], ?bigint[], ?boolean[],
              ?bigint[])
            AS t (id, version, writer, revision, expires_at, purge_after, credential,
              credential_refusal, summary, name, tail, tail_first, tail_event, tail_has_state,
              kept_from)
        ), done AS (
          UPDATE session AS s SET
            version = s.version + 1, writer = i.writer, revision = i.revision,
            expires_at = i.expires_at, purge_after = i.purge_after, credential = i.credential,
            credential_refusal = i.credential_refusal, summary = i.summary, name = i.name,
            tail = CASE WHEN i.tail_first IS NULL THEN s.tail || i.tail ELSE i.tail END,
            tail_first = coalesce(i.tail_first, s.tail_first),
            tail_event = coalesce(i.tail_event, s.tail_event),
            tail_has_state = coalesce(i.tail_has_state, s.tail_has_state)
          FROM input AS i WHERE s.id = i.id AND s.version = i.version
          RETURNING s.id
        ), moved AS (
          INSERT INTO log (session, first, last, first_event, has_state, records)
          SELECT s.id, s.tail_first, s.revision, s.tail_event, s.tail_has_state, s.tail
          FROM input AS i JOIN done ON done.id = i.id JOIN session AS s ON s.id = i.id
          WHERE i.tail_first IS NOT NULL
        ), added AS (
          INSERT INTO log (session, first, last, first_event, has_state, records)
          SELECT r.session, r.first, r.last, r.first_event, r.has_state, r.records
          FROM unnest(?uuid[], ?bigint[], ?bigint[], ?bigint[], ?boolean[], ?bytea[]) AS r (session, first, last, first_event, has_state, records)
            JOIN done ON done.id = r.session
        ), dropped AS (
          DELETE FROM log AS l USING input AS i JOIN done ON done.id = i.id
          WHERE i.tail_first IS NOT NULL AND i.kept_from > 0 AND l.session = i.id
            AND l.first < (
              SELECT first FROM log WHERE session = i.id AND first <= i.kept_from AND has_state
              ORDER BY first DESC LIMIT 1)
        )
        SELECT id FROM done
        """)

    /// Returns the id of each given session whose row does not have the expected version, and
    /// whether the row exists.
    static let check = SQLText(
        """
        SELECT i.id, s.id IS NOT NULL AS exists
        FROM unnest(?uuid[], ?bigint[]) AS i (id, version)
        LEFT JOIN session AS s ON s.id = i.id
        WHERE s.version IS DISTINCT FROM i.version
        """)

    /// Returns, for each given session, the random number of the row's last writer
    /// (`PendingCommit.writer`). It shows whether a change that was sent twice was committed.
    static let writers = SQLText("SELECT id, writer FROM session WHERE id = ANY (?uuid[])")

    /// Makes the commit of its transaction wait until the synchronous standby (a replica) has all
    /// that the transaction has read. If the server has no synchronous standby, the statement does
    /// nothing.
    ///
    /// PostgreSQL shows a change only when its commit has ended, and thus when the standby has it. In
    /// two cases it shows changes that the standby does not have: after the server has crashed and
    /// started again, and after an operator has ended the wait of a commit. Such a change is lost if
    /// the standby is promoted, so a node must not report it as made, and must not keep it in memory.
    /// All reads have this statement but the check of a session's version: a row has the version of
    /// the session in memory only if the standby has that state.
    static let standbyWait = SQLText(
        """
        SELECT pg_logical_emit_message(true, 'waypost', '')
        WHERE current_setting('synchronous_standby_names') <> ''
        """)
}

extension SetStatements {
    /// Returns the statement that replaces the rows of several sessions.
    /// - Parameter changes: the commits. Each must contain the update of one session.
    static func changing(_ changes: [PendingCommit], at now: Timestamp) -> StoreStatement {
        let rows = changes.compactMap(\.row)
        let logs = changes.map(\.batch.log)
        // The places of the new tails; nil for the changes that append to a tail.
        let tails = logs.map { $0?.movesTail == true ? $0?.tail : nil }
        let added = changes.flatMap { change in
            (change.batch.log?.rows ?? []).map { (change.sessionID, $0) }
        }
        return change(
            SQLArray(.uuid, rows.map(\.id)), SQLArray(.bigint, changes.map(\.expectedVersion)),
            SQLArray(.bigint, changes.map(\.writer)), SQLArray(.bigint, rows.map(\.revision)),
            SQLArray(.bigint, rows.map(\.expiresAt)),
            SQLArray(.bigint, rows.map { $0.purgeAfter(at: now) }),
            SQLArray(.bytea, rows.map(\.credential)),
            SQLArray(.text, rows.map { $0.credentialRefusal?.rawValue }),
            SQLArray(.bytea, rows.map(\.summary)), SQLArray(.text, rows.map(\.name)),
            SQLArray(.bytea, logs.map { $0?.tail.records ?? [] }),
            SQLArray(.bigint, tails.map { $0?.first }),
            SQLArray(.bigint, tails.map { $0?.firstEvent }),
            SQLArray(.boolean, tails.map { $0?.hasState }),
            SQLArray(.bigint, logs.map { $0?.keptFrom }), SQLArray(.uuid, added.map(\.0)),
            SQLArray(.bigint, added.map(\.1.first)), SQLArray(.bigint, added.map(\.1.last)),
            SQLArray(.bigint, added.map(\.1.firstEvent)),
            SQLArray(.boolean, added.map(\.1.hasState)),
            SQLArray(.bytea, added.map(\.1.records)))
    }

    static func checking(_ checks: [PendingCommit]) -> StoreStatement {
        check(
            SQLArray(.uuid, checks.map(\.sessionID)),
            SQLArray(.bigint, checks.map(\.expectedVersion)))
    }
}

/// The statements for the row of one session.
enum RowStatements {
    static let insertSession = SQLText(
        """
        INSERT INTO session (id, version, writer, revision, created_at, expires_at, purge_after,
          token_hash, credential, credential_refusal, summary, name, tail_first, tail_event,
          tail_has_state, tail)
        VALUES (?uuid, 1, ?bigint, ?bigint, ?bigint, ?bigint, ?bigint, ?bytea, ?bytea, ?text,
          ?bytea, ?text, ?bigint, ?bigint, ?boolean, ?bytea)
        """)

    /// Requires the version of a row, and locks the row until the end of the transaction.
    static let requireVersion = SQLText(
        "SELECT 1 FROM session WHERE id = ?uuid AND version = ?bigint FOR NO KEY UPDATE",
        orRefuse: .conflict)

    static let deleteSession = SQLText(
        "DELETE FROM session WHERE id = ?uuid AND version = ?bigint", orRefuse: .conflict)

    static let deleteRecords = SQLText("DELETE FROM idempotency_record WHERE session = ?uuid")
}
