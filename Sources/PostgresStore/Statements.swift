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
    static let change = SQLStatement(
        "change",
        """
        WITH input AS MATERIALIZED (
          SELECT * FROM unnest($1::uuid[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[],
              $6::bigint[], $7::bytea[], $8::text[], $9::bytea[], $10::text[], $11::bytea[],
              $12::bigint[], $13::bigint[], $14::bigint[], $15::bigint[])
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
            tail_has_state = coalesce(i.tail_has_state <> 0, s.tail_has_state)
          FROM input AS i WHERE s.id = i.id AND s.version = i.version
          RETURNING s.id
        ), moved AS (
          INSERT INTO log (session, first, last, first_event, has_state, records)
          SELECT s.id, s.tail_first, s.revision, s.tail_event, s.tail_has_state, s.tail
          FROM input AS i JOIN done ON done.id = i.id JOIN session AS s ON s.id = i.id
          WHERE i.tail_first IS NOT NULL
        ), added AS (
          INSERT INTO log (session, first, last, first_event, has_state, records)
          SELECT r.session, r.first, r.last, r.first_event, r.has_state <> 0, r.records
          FROM unnest($16::uuid[], $17::bigint[], $18::bigint[], $19::bigint[], $20::bigint[],
              $21::bytea[]) AS r (session, first, last, first_event, has_state, records)
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
    static let check = SQLStatement(
        "check",
        """
        SELECT i.id, s.id IS NOT NULL AS exists
        FROM unnest($1::uuid[], $2::bigint[]) AS i (id, version)
        LEFT JOIN session AS s ON s.id = i.id
        WHERE s.version IS DISTINCT FROM i.version
        """)

    /// Returns, for each given session, the random number of the row's last writer
    /// (`PendingCommit.writer`). It shows whether a change that was sent twice was committed.
    static let writers = SQLStatement(
        "writers", "SELECT id, writer FROM session WHERE id = ANY ($1::uuid[])")

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
    static let standbyWait = SQLStatement(
        "standby_wait",
        """
        SELECT pg_logical_emit_message(true, 'waypost', '')
        WHERE current_setting('synchronous_standby_names') <> ''
        """)
}

/// The settings that an open store applies to its connections.
enum ConnectionSettings {
    /// Returns the SQL text that applies the settings to a connection.
    /// - Parameter isRelaxed: whether a commit may return before it is on disk.
    static func sql(isRelaxed: Bool) -> String {
        """
        SET synchronous_commit = \(isRelaxed ? "off" : "on");
        SET default_transaction_isolation = 'read committed';
        SET plan_cache_mode = force_generic_plan;
        SET enable_hashjoin = off;
        SET enable_mergejoin = off;
        SET enable_seqscan = off;
        -- The planner adds 10,000,000,000 to the cost of a statement that cannot do without a sequential
        -- scan. At that cost the server would compile the statement, which takes longer than running it.
        SET jit = off;
        -- A batch that meets a lock is tried again, and holds up no other one.
        SET lock_timeout = '200ms';
        -- A timer that fires just before a commit could end its wait for the standby.
        SET statement_timeout = 0;
        SET idle_in_transaction_session_timeout = '5s';
        SET client_min_messages = warning
        """
    }
}
