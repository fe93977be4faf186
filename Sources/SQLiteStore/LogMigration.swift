import Accounts
import Foundation
import GRDB
import Navigation
import SQLStore
import Sessions
import WaypostCore

/// The migration to version 12 of the schema: one log for each session, in place of its window, its
/// events and the journal of its changes.
enum LogMigration {
    static func run(_ db: Database) throws {
        try db.execute(sql: newTables)
        let sessions = try GRDB.Row.fetchCursor(db, sql: "SELECT * FROM session_11 ORDER BY number")
        while let row = try sessions.next() {
            let id = try row.bytes("id")
            let log = try earlierSession(row, id, db).log()
            try insertSession(row, log.tail, log.summary, db)
            for row in log.rows { try insert(row, id, db) }
        }
        try db.execute(
            sql: "DROP TABLE session_11; DROP TABLE event_group; DROP TABLE journal_part;")
    }

    private static let newTables = """
        ALTER TABLE session RENAME TO session_11;
        DROP INDEX session_of_credential;
        CREATE INDEX event_group_by_session ON event_group (session, first);

        CREATE TABLE session (
          number INTEGER PRIMARY KEY,
          id BLOB NOT NULL UNIQUE,
          token_hash BLOB NOT NULL,
          created_at INTEGER NOT NULL,
          expires_at INTEGER NOT NULL,
          revision INTEGER NOT NULL,
          credential BLOB,
          credential_refusal TEXT,
          version INTEGER NOT NULL DEFAULT 1,
          name TEXT,
          summary BLOB,
          -- The newest records of the log, from revision tail_first on, one JSON object a line.
          tail_first INTEGER NOT NULL,
          -- The number of the first event in the tail or, if it has none, of the next event.
          tail_event INTEGER NOT NULL,
          -- Whether the first record is a complete state.
          tail_has_state INTEGER NOT NULL,
          tail BLOB NOT NULL
        ) STRICT;
        CREATE INDEX session_of_credential ON session (credential) WHERE credential IS NOT NULL;

        -- The older records of the logs. Rows are appended in the order of the commits.
        CREATE TABLE log (
          number INTEGER PRIMARY KEY,
          session BLOB NOT NULL,
          first INTEGER NOT NULL,
          last INTEGER NOT NULL,
          first_event INTEGER NOT NULL,
          has_state INTEGER NOT NULL,
          records BLOB NOT NULL
        ) STRICT;
        -- With first_event, so that a page of events is found in the index alone.
        CREATE UNIQUE INDEX log_of_session ON log (session, first, has_state, first_event);
        """

    /// Reads a session with its history and events. Values that cannot be read are left out.
    private static func earlierSession(
        _ row: GRDB.Row, _ id: [UInt8], _ db: Database
    ) throws -> EarlierSession {
        let parts = try GRDB.Row.fetchAll(
            db.cachedStatement(
                sql: "SELECT changes FROM journal_part WHERE session = ? ORDER BY first"),
            arguments: [Data(id)])
        var journal = parts.compactMap { try? $0.bytes("changes") }
        if let newest = try? row.bytes("journal"), !newest.isEmpty { journal.append(newest) }
        let groups = try GRDB.Row.fetchAll(
            db.cachedStatement(
                sql: "SELECT first, events FROM event_group WHERE session = ? ORDER BY first"),
            arguments: [Data(id)])
        let events = groups.flatMap { group -> [LifecycleEvent] in
            guard let first = try? group.integer("first"),
                let bytes = try? group.bytes("events")
            else { return [] }
            return EarlierEvents.decode(json: bytes, first: first) ?? []
        }
        return EarlierSession(
            revision: (try? row.integer("revision")) ?? 0,
            window: (try? row.bytes("window")) ?? [],
            expiresAt: (try? row.timestamp("expires_at")) ?? Timestamp(milliseconds: 0),
            credential: try? row.hashIfPresent("credential"),
            credentialRefusal: (try? row.textIfPresent("credential_refusal"))
                .flatMap { $0.flatMap(CredentialRefusal.init) },
            journal: journal, events: events)
    }

    private static func insertSession(
        _ row: GRDB.Row, _ tail: LogRow, _ summary: [UInt8]?, _ db: Database
    ) throws {
        try db.cachedStatement(
            sql: """
                INSERT INTO session
                SELECT number, id, token_hash, created_at, expires_at, revision, credential,
                  credential_refusal, version, name, ?, ?, ?, ?, ?
                FROM session_11 WHERE number = ?
                """
        ).run(
            summary.map { .blob($0) } ?? .null, .integer(tail.first), .integer(tail.firstEvent),
            .integer(tail.hasState ? 1 : 0), .blob(tail.records),
            .integer(try row.integer("number")))
    }

    private static func insert(_ row: LogRow, _ id: [UInt8], _ db: Database) throws {
        try db.cachedStatement(
            sql: """
                INSERT INTO log (session, first, last, first_event, has_state, records)
                VALUES (?, ?, ?, ?, ?, ?)
                """
        ).run(
            .blob(id), .integer(row.first), .integer(row.last), .integer(row.firstEvent),
            .integer(row.hasState ? 1 : 0), .blob(row.records))
    }
}
