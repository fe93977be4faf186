import GRDB
import SQLStore

/// The database schema as a list of migrations, each to the next higher version. `PRAGMA
/// user_version` of a database is the version of its schema.
enum Schema {
    /// The migrations. The one at index n changes the schema from version n to n + 1.
    private static let steps: [@Sendable (Database) throws -> Void] =
        [
            version1, version2, version3, version4, version5, version6, version7,
            version8, version9, version10, version11,
        ].map { sql in { try $0.execute(sql: sql) } }
        + [{ try LogMigration.run(on: $0, decoding: EarlierEvents.decode(json:first:)) }]

    static var version: Int { steps.count }

    /// The first settings of each connection to a store or a backup.
    static let settings = """
        -- Nothing in the schema of a file that others may have written gets to call functions.
        PRAGMA trusted_schema = OFF;
        -- SQLite 3.40 can lose pages when two connections use one WAL file. In exclusive mode it
        -- needs no shared-memory file.
        PRAGMA locking_mode = EXCLUSIVE;
        """

    /// Migrates a database to a version of the schema; by default, to the current one.
    /// - Throws: `StoreError` if `checkVersion` rejects the database, and SQLite's errors.
    static func migrate(
        _ db: Database, path: String, through version: Int = version
    ) throws {
        let found = try checkVersion(db, path: path, mayBeEmpty: true)
        for (number, step) in steps.prefix(version).enumerated() where number >= found {
            try db.inTransaction {
                try step(db)
                try db.execute(sql: "PRAGMA user_version = \(number + 1)")
                return .commit
            }
        }
    }

    /// Checks that this version of Waypost can use a database, and that the database has the objects
    /// (tables, indexes, views and triggers) of its version of the schema and no others.
    /// - Parameter mayBeEmpty: whether an empty database is accepted.
    /// - Returns: the version of the schema; 0 if the database is empty.
    /// - Throws: `.newerVersion` if a later version of Waypost wrote the database, `.notAStore` if
    ///   the database does not have the tables of Waypost, `.foreignObject` if it has other objects
    ///   as well, and `.corrupt` if an object is missing or changed.
    @discardableResult
    static func checkVersion(
        _ db: Database, path: String, mayBeEmpty: Bool = false
    ) throws -> Int {
        let found = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
        let objects = try SchemaObjects(of: db)
        if mayBeEmpty, found == 0, objects.isEmpty { return 0 }
        guard found > 0, objects.hasTable("session"), objects.hasTable("account") else {
            throw StoreError.notAStore(path, reason: "an SQLite database without Waypost's tables")
        }
        guard found <= version else {
            throw StoreError.newerVersion(path, found: found, known: version)
        }
        let known = try found == version ? present.get() : Self.objects(ofVersion: found)
        try objects.check(against: known, path: path)
        return found
    }

    /// The objects of the present version, which are made once.
    private static let present = Result { try objects(ofVersion: version) }

    /// Returns the objects of a version of the schema. The migrations make them in an empty
    /// database, so that they cannot differ from the migrations.
    private static func objects(ofVersion version: Int) throws -> SchemaObjects {
        try DatabaseQueue().inDatabase { db in
            for step in steps.prefix(version) { try step(db) }
            return try SchemaObjects(of: db)
        }
    }

    private static let version1 = """
        CREATE TABLE session (id BLOB PRIMARY KEY, token_hash BLOB NOT NULL,
          created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL, revision INTEGER NOT NULL,
          window BLOB NOT NULL, credential BLOB, credential_refusal TEXT) STRICT, WITHOUT ROWID;

        -- One row for the events of one change, numbered from first to last.
        CREATE TABLE event_group (session BLOB NOT NULL, first INTEGER NOT NULL,
          last INTEGER NOT NULL, events BLOB NOT NULL, PRIMARY KEY (session, first)) STRICT, WITHOUT ROWID;

        CREATE TABLE account (key TEXT PRIMARY KEY, username TEXT NOT NULL,
          password TEXT NOT NULL, created_at INTEGER NOT NULL) STRICT, WITHOUT ROWID;

        CREATE TABLE credential (hash BLOB PRIMARY KEY, account TEXT NOT NULL,
          username TEXT NOT NULL, created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL) STRICT, WITHOUT ROWID;

        CREATE TABLE receipt (id BLOB PRIMARY KEY, fingerprint BLOB NOT NULL,
          answer BLOB NOT NULL, expires_at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
        """

    private static let version2 = """
        ALTER TABLE account ADD COLUMN is_disabled INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE credential ADD COLUMN session TEXT;
        ALTER TABLE credential ADD COLUMN last_used_at INTEGER;
        ALTER TABLE credential ADD COLUMN is_revoked INTEGER NOT NULL DEFAULT 0;
        CREATE INDEX credential_of_account ON credential (account, created_at, hash);
        """

    /// Stores the events of all sessions in the order of the commits. Each row names the previous row
    /// of its session.
    private static let version3 = """
        ALTER TABLE event_group RENAME TO event_group_2;

        CREATE TABLE event_group (number INTEGER PRIMARY KEY, session BLOB NOT NULL,
          previous INTEGER, first INTEGER NOT NULL, last INTEGER NOT NULL, events BLOB NOT NULL) STRICT;

        INSERT INTO event_group
        SELECT number, session, lag(number) OVER (PARTITION BY session ORDER BY first),
          first, last, events
        FROM (SELECT row_number() OVER (ORDER BY session, first) AS number, *
          FROM event_group_2)
        ORDER BY number;

        DROP TABLE event_group_2;

        ALTER TABLE session ADD COLUMN last_group INTEGER;

        UPDATE session SET last_group = newest.number
        FROM (SELECT session, max(number) AS number FROM event_group GROUP BY session) AS newest
        WHERE newest.session = session.id;
        """

    /// Stores sessions in the order of their creation, so that sessions that are in use at the same time
    /// often share pages.
    private static let version4 = """
        ALTER TABLE session RENAME TO session_3;

        -- So that times are sorted in memory, and not all that there is of each session.
        CREATE INDEX session_3_by_time ON session_3 (created_at);

        CREATE TABLE session (number INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE,
          token_hash BLOB NOT NULL, created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL,
          revision INTEGER NOT NULL, window BLOB NOT NULL, credential BLOB,
          credential_refusal TEXT, last_group INTEGER) STRICT;

        INSERT INTO session
        SELECT NULL, id, token_hash, created_at, expires_at, revision, window, credential,
          credential_refusal, last_group
        FROM session_3 INDEXED BY session_3_by_time ORDER BY created_at;

        DROP TABLE session_3;
        """

    /// Links idempotency records to their sessions, and stores them in the order of their creation.
    /// The response is the last column, so that the purge can read the other columns without it.
    private static let version5 = """
        CREATE TABLE idempotency_record (number INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE,
          session BLOB, fingerprint BLOB NOT NULL, request_size INTEGER NOT NULL,
          expires_at INTEGER NOT NULL, response BLOB NOT NULL) STRICT;

        INSERT INTO idempotency_record
        SELECT NULL, id, NULL, fingerprint, 0, expires_at, answer FROM receipt;

        CREATE INDEX idempotency_record_of_session ON idempotency_record (session)
        WHERE session IS NOT NULL;

        DROP TABLE receipt;
        """

    /// Adds links from rows with events to much earlier rows.
    private static let version6 = "ALTER TABLE event_group ADD COLUMN jump INTEGER;"

    /// A write that replaces a session's row must name the row's version.
    private static let version7 =
        "ALTER TABLE session ADD COLUMN version INTEGER NOT NULL DEFAULT 1;"

    /// Adds the incarnation of the store, a random number. A restore from a backup gives the store
    /// another incarnation. Clients of change streams then know that a revision may now have
    /// another content than before the restore.
    private static let version8 = """
        CREATE TABLE store (incarnation INTEGER NOT NULL) STRICT;
        INSERT INTO store VALUES (random());
        """

    /// Adds the names of sessions, their further tokens (`SessionToken`), and an index for finding the
    /// sessions of an account. Most changes of a session do not update it, see `SessionUpdate`.
    private static let version9 = """
        ALTER TABLE session ADD COLUMN name TEXT;

        CREATE INDEX session_of_credential ON session (credential) WHERE credential IS NOT NULL;

        CREATE TABLE session_token (hash BLOB PRIMARY KEY, session BLOB NOT NULL,
          name TEXT NOT NULL, credential BLOB NOT NULL, created_at INTEGER NOT NULL,
          expires_at INTEGER NOT NULL) STRICT, WITHOUT ROWID;

        CREATE INDEX session_token_of_session ON session_token (session, created_at, hash);
        CREATE INDEX session_token_of_credential ON session_token (credential);
        """

    /// Adds the journal of each session: the newest changes in its row, older ones in `journal_part`.
    private static let version10 = """
        ALTER TABLE session ADD COLUMN journal BLOB NOT NULL DEFAULT x'';
        ALTER TABLE session ADD COLUMN journal_first INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE session ADD COLUMN journal_last INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE session ADD COLUMN journal_base INTEGER;
        ALTER TABLE session ADD COLUMN journal_digest INTEGER NOT NULL DEFAULT 0;

        CREATE TABLE journal_part (number INTEGER PRIMARY KEY, session BLOB NOT NULL,
          first INTEGER NOT NULL, last INTEGER NOT NULL, base INTEGER, changes BLOB NOT NULL) STRICT;

        CREATE UNIQUE INDEX journal_part_of_session ON journal_part (session, first);
        """

    /// Adds a summary of the visible view controller, which a row gets with its next change.
    private static let version11 = "ALTER TABLE session ADD COLUMN summary BLOB;"

    /// Gives a copy of a store a new incarnation.
    static func renewIncarnation(_ db: Database) throws {
        // A copy with an older schema has no incarnation; the migration gives it a new one.
        guard try db.tableExists("store") else { return }
        try db.execute(sql: "UPDATE store SET incarnation = random()")
    }
}
