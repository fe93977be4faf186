import SQLStore

/// The database schema as a list of migrations, each to the next higher version. The table `store`
/// holds the version of the schema.
///
/// Processes of two successive releases of Waypost may run at the same time, so most migrations only
/// add to the schema. A migration that removes what the previous release uses raises `oldestProgram`,
/// and processes of the previous release must be stopped before it.
enum Schema {
    private static let steps: [@Sendable (Connection) throws -> Void] =
        [version1, version2, version3, version4].map { sql in
            { @Sendable in try $0.execute(sql) }
        }
        + [{ try LogMigration.run(on: $0, decoding: EarlierEvents.decode(_:first:)) }]

    static var version: Int { steps.count }

    /// The minimum schema version of a Waypost release that can use a database with the current
    /// schema. A release whose own `Schema.version` is lower rejects the database.
    static let oldestProgram = 5

    /// The error for a migration or a reset while a service uses the tables. Nothing is changed.
    struct InUse: Error {}

    /// Returns the version of a database's schema, and the lowest version of a program that can use it;
    /// nil if the database has no tables of Waypost.
    static func versions(
        on connection: Connection
    ) throws(DatabaseFailure) -> (version: Int, oldestProgram: Int)? {
        // The query looks for the table only in the schemas of the search path.
        let exists = try connection.execute("SELECT to_regclass('store') IS NOT NULL")
        guard exists.first?.first == "t" else { return nil }
        let row = try connection.numbers("SELECT version, oldest_program FROM store")
        guard row.count == 2, let version = row[0], let oldest = row[1] else { return nil }
        return (version, oldest)
    }

    /// Migrates the database to a version of the schema; by default, to the current one. Several
    /// processes may call this method at the same time: a lock lets one after another run.
    /// - Throws: `InUse` if a process of an earlier release, which cannot use the new schema, uses the
    ///   database.
    static func migrate(_ connection: Connection, through version: Int = version) throws {
        // The lock is an advisory lock, because an empty database has no table to lock.
        try connection.execute(
            "SET lock_timeout = '10s'; SELECT pg_advisory_lock(\(migrationLock))")
        let found = try versions(on: connection)?.version ?? 0
        if found < version {
            if found > 0 { try requireUnused(connection) }
            // One transaction, so no other process sees a version between the old one and the new
            // one. If the migration fails, the connection ends, and with it the transaction.
            try connection.execute("BEGIN")
            for step in steps[found..<version] { try step(connection) }
            try connection.execute(
                "UPDATE store SET version = \(version), oldest_program = "
                    + "greatest(oldest_program, \(min(oldestProgram, version))); COMMIT")
        }
        try connection.execute("SELECT pg_advisory_unlock(\(migrationLock))")
    }

    /// Requires that no service uses the tables. The connection then keeps others from starting until
    /// it closes.
    private static func requireUnused(_ connection: Connection) throws {
        do throws(DatabaseFailure) {
            // A service that has just ended releases its lock within a moment.
            try connection.execute("SET lock_timeout = '2s'; SELECT pg_advisory_lock(\(useLock))")
        } catch {
            // SQLSTATE 55P03: the lock was not free in time.
            if case .refused(let error) = error, error.code == "55P03" { throw InUse() }
            throw error
        }
    }

    /// The key of the advisory lock that a process holds during a migration. It is an arbitrary
    /// number.
    private static let migrationLock = 7_193_026_518

    // MARK: Use

    /// The two keys of the advisory lock that a service holds while it uses the tables. The first
    /// key is an arbitrary number. The second key comes from the object identifier of the table
    /// `store`: several stores can be in different schemas of one database, and each needs a
    /// different lock.
    private static let useLock = "719302651, ('store'::regclass::oid::bigint & 2147483647)::integer"

    /// Marks the tables as in use with a shared lock, which the connection holds until it closes.
    /// Does nothing if there are no tables.
    static func markInUse(_ connection: Connection) throws(DatabaseFailure) {
        guard try versions(on: connection) != nil else { return }
        try connection.execute("SELECT pg_advisory_lock_shared(\(useLock))")
    }

    /// Deletes all rows of all tables but `store`, which holds the schema's version.
    /// - Returns: the numbers of sessions and accounts before the deletion.
    /// - Throws: `InUse` if a service uses the tables.
    static func reset(_ connection: Connection) throws -> (sessions: Int, accounts: Int) {
        try requireUnused(connection)
        let counts = try connection.numbers(
            "SELECT (SELECT count(*) FROM session), (SELECT count(*) FROM account)")
        // Several statements in one text are one transaction. The new incarnation makes the cursors
        // of change streams from before the reset invalid.
        try connection.execute(
            """
            TRUNCATE session, log, idempotency_record, session_token, credential, account,
              log_in_failures, beat;
            UPDATE store SET incarnation = (random() * 9007199254740991)::bigint
            """)
        return (counts.first.flatMap(\.self) ?? 0, counts.last.flatMap(\.self) ?? 0)
    }

    private static let version1 = """
        CREATE TABLE store (one boolean PRIMARY KEY DEFAULT true CHECK (one),
          version integer NOT NULL,
          -- Programs that know less must not use the database.
          oldest_program integer NOT NULL, incarnation bigint NOT NULL);
        INSERT INTO store VALUES (true, 0, 1, (random() * 9007199254740991)::bigint);

        CREATE TABLE session (id uuid PRIMARY KEY, version bigint NOT NULL,
          writer bigint NOT NULL, revision bigint NOT NULL, last_event bigint NOT NULL,
          created_at bigint NOT NULL, expires_at bigint NOT NULL, purge_after bigint NOT NULL,
          token_hash bytea NOT NULL, credential bytea, credential_refusal text, name text,
          state bytea NOT NULL, tail_first bigint NOT NULL, tail bytea NOT NULL) WITH (fillfactor = 60, toast_tuple_target = 8160);
        ALTER TABLE session ALTER tail SET STORAGE EXTERNAL;
        CREATE INDEX session_by_purge ON session (purge_after);
        CREATE INDEX session_of_credential ON session (credential) WHERE credential IS NOT NULL;

        CREATE TABLE event_group (session uuid, first bigint, last bigint NOT NULL,
          events bytea NOT NULL, PRIMARY KEY (session, first));

        CREATE TABLE idempotency_record (id bytea PRIMARY KEY, session uuid,
          fingerprint bytea NOT NULL, request_size bigint NOT NULL, expires_at bigint NOT NULL,
          response bytea NOT NULL) WITH (toast_tuple_target = 8160);
        ALTER TABLE idempotency_record ALTER response SET STORAGE EXTERNAL;
        CREATE INDEX idempotency_record_of_session ON idempotency_record (session)
          WHERE session IS NOT NULL;
        CREATE INDEX idempotency_record_by_expiry ON idempotency_record (expires_at);

        CREATE TABLE account (key text COLLATE "C" PRIMARY KEY, username text NOT NULL,
          password text NOT NULL, created_at bigint NOT NULL, is_disabled boolean NOT NULL);

        CREATE TABLE credential (hash bytea PRIMARY KEY, account text COLLATE "C" NOT NULL,
          username text NOT NULL, session text, created_at bigint NOT NULL,
          expires_at bigint NOT NULL, last_used_at bigint, is_revoked boolean NOT NULL);
        CREATE INDEX credential_of_account ON credential (account, created_at, hash);
        CREATE INDEX credential_by_expiry ON credential (expires_at);

        CREATE TABLE session_token (hash bytea PRIMARY KEY, session uuid NOT NULL,
          name text NOT NULL, credential bytea NOT NULL, created_at bigint NOT NULL,
          expires_at bigint NOT NULL);
        CREATE INDEX session_token_of_session ON session_token (session, created_at, hash);
        CREATE INDEX session_token_of_credential ON session_token (credential);
        CREATE INDEX session_token_by_expiry ON session_token (expires_at);

        CREATE TABLE log_in_failures (key bytea PRIMARY KEY, count bigint NOT NULL,
          last_failure bigint NOT NULL, next_attempt bigint NOT NULL) WITH (fillfactor = 80);

        -- Only nodes of earlier releases write to this table.
        CREATE TABLE beat (lane text PRIMARY KEY, count bigint NOT NULL,
          beaten_at timestamptz NOT NULL) WITH (fillfactor = 10)
        """

    /// Adds the journal of each session, which is the history of its changes.
    private static let version2 = """
        ALTER TABLE session
          ADD COLUMN journal bytea NOT NULL DEFAULT '',
          ADD COLUMN journal_first bigint NOT NULL DEFAULT 0,
          ADD COLUMN journal_last bigint NOT NULL DEFAULT 0,
          ADD COLUMN journal_base bigint,
          ADD COLUMN journal_digest bigint NOT NULL DEFAULT 0;
        ALTER TABLE session ALTER journal SET STORAGE EXTERNAL;

        CREATE TABLE journal_part (session uuid REFERENCES session ON DELETE CASCADE,
          first bigint, last bigint NOT NULL, base bigint, changes bytea NOT NULL,
          PRIMARY KEY (session, first))
        """

    /// Adds a summary of the visible view controller, which a row gets with its next change.
    private static let version3 = "ALTER TABLE session ADD COLUMN summary bytea"

    /// Numbers idempotency records in the order of their insertion, so that a session can delete its
    /// oldest ones. Existing records have no numbers, so the migration writes no rows.
    private static let version4 = """
        CREATE SEQUENCE idempotency_record_number;
        ALTER TABLE idempotency_record ADD COLUMN number bigint;
        ALTER TABLE idempotency_record
          ALTER COLUMN number SET DEFAULT nextval('idempotency_record_number');
        ALTER SEQUENCE idempotency_record_number OWNED BY idempotency_record.number
        """
}
