/// The statements that nearly every request needs. Each takes arrays as parameters and works on
/// many sessions at once.
///
/// A statement with arrays takes the server 12 to 16 µs per change. A separate statement for each
/// change would take over 100 µs. All transactions must lock rows in the same order, which prevents
/// deadlocks. The arrays are therefore sorted by session id, and `ConnectionSettings` makes the
/// query planner use nested-loop joins, which keep this order.
enum SetStatements {
    /// The size up to which events are appended to the newest events in a session's row, in bytes.
    /// If a change would exceed this size, its events replace the old ones, which move to the table
    /// `event_group`.
    static let tailLimit = 512

    private static let spills =
        "octet_length(s.tail) + octet_length(i.events) > \(tailLimit)"

    /// The size up to which changes are appended to the journal column (the newest history of
    /// changes) in a session's row, in bytes. A change that would exceed this size replaces the old
    /// content, which moves to the table `journal_part`.
    static let journalLimit = 512

    /// The SQL condition for a change that replaces the journal column in a session's row instead
    /// of appending to it. The column holds the newest history of the session's changes. Its old
    /// content moves to the table `journal_part`, unless the column is empty. A complete state of
    /// the session begins a new part of the journal; only changes of the same commit can come
    /// before the state in this part.
    private static let movesJournal = """
        i.journal IS NOT NULL AND (i.journal_base IS NOT NULL OR s.journal = ''
          OR octet_length(s.journal) + octet_length(i.journal) > \(journalLimit))
        """

    /// Replaces the rows of the sessions that have the expected versions, and returns the ids of
    /// these sessions.
    ///
    /// All parts of the statement see the rows as they were before the statement ran. If another
    /// transaction has changed a row in the meantime, its version differs, and the statement leaves
    /// the row unchanged. The statement thus never overwrites newer events in the column `tail`,
    /// which holds the newest events of the session.
    static let change = SQLStatement(
        "change",
        """
        WITH input AS MATERIALIZED (
          SELECT * FROM unnest($1::uuid[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[],
              $6::bigint[], $7::bigint[], $8::bigint[], $9::bytea[], $10::text[], $11::bytea[],
              $12::bytea[], $14::bytea[], $15::bigint[], $16::bigint[], $17::bigint[],
              $18::bigint[], $19::bigint[], $20::bytea[], $21::text[])
            AS t (id, version, writer, revision, first_event, last_event, expires_at, purge_after,
              credential, credential_refusal, state, events, journal, journal_first,
              journal_last, journal_base, journal_digest, kept_from, summary, name)
        ), done AS (
          UPDATE session AS s SET
            version = s.version + 1, writer = i.writer, revision = i.revision,
            last_event = coalesce(i.last_event, s.last_event), expires_at = i.expires_at,
            purge_after = i.purge_after,
            credential = i.credential, credential_refusal = i.credential_refusal, state = i.state,
            summary = i.summary, name = i.name,
            tail = CASE WHEN \(spills) THEN i.events ELSE s.tail || i.events END,
            tail_first = CASE WHEN \(spills) OR s.tail = ''
              THEN coalesce(i.first_event, s.last_event + 1) ELSE s.tail_first END,
            journal = CASE WHEN i.journal IS NULL THEN s.journal
              WHEN \(movesJournal) THEN i.journal ELSE s.journal || i.journal END,
            journal_first = CASE WHEN \(movesJournal) THEN i.journal_first
              ELSE s.journal_first END,
            journal_last = coalesce(i.journal_last, s.journal_last),
            journal_base = CASE WHEN \(movesJournal) THEN i.journal_base
              ELSE s.journal_base END,
            journal_digest = coalesce(i.journal_digest, s.journal_digest)
          FROM input AS i WHERE s.id = i.id AND s.version = i.version
          RETURNING s.id
        ), spilled AS (
          INSERT INTO event_group (session, first, last, events)
          SELECT s.id, s.tail_first, s.last_event, s.tail
          FROM input AS i JOIN done ON done.id = i.id JOIN session AS s ON s.id = i.id
          WHERE \(spills) AND s.tail <> ''
        ), dropped AS (
          DELETE FROM event_group AS g
          USING input AS i JOIN done ON done.id = i.id JOIN session AS s ON s.id = i.id
          WHERE \(spills) AND g.session = i.id AND g.first <= s.last_event - $13::bigint
            AND g.last <= s.last_event - $13::bigint
        ), moved AS (
          INSERT INTO journal_part (session, first, last, base, changes)
          SELECT s.id, s.journal_first, s.journal_last, s.journal_base, s.journal
          FROM input AS i JOIN done ON done.id = i.id JOIN session AS s ON s.id = i.id
          WHERE \(movesJournal) AND s.journal <> ''
          ON CONFLICT (session, first) DO UPDATE
            SET last = excluded.last, base = excluded.base, changes = excluded.changes
        ), outdated AS (
          DELETE FROM journal_part AS p
          USING input AS i JOIN done ON done.id = i.id JOIN session AS s ON s.id = i.id
          WHERE \(movesJournal) AND p.session = i.id AND p.first < i.kept_from
            AND p.last < i.kept_from
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
