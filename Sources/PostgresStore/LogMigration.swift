import Accounts
import Navigation
import SQLStore
import Sessions
import WaypostCore

/// The migration to version 5 of the schema: one log for each session, in place of its state, its
/// events and the journal of its changes. Processes that know only earlier versions cannot use it.
enum LogMigration {
    private static let pageSize = 1000

    /// Runs the migration. The caller has begun a transaction.
    static func run(on connection: Connection) throws {
        _ = try connection.execute(newTables)
        var last = "00000000-0000-0000-0000-000000000000"
        while true {
            let ids = try connection.execute(
                "SELECT id FROM session WHERE id > '\(last)' ORDER BY id LIMIT \(pageSize)"
            ).compactMap { $0[0] }
            guard let end = ids.last else { break }
            for id in ids { try migrate(id, connection) }
            last = end
        }
        _ = try connection.execute(oldTables)
    }

    private static let newTables = """
        CREATE TABLE session_5 (
          id uuid PRIMARY KEY,
          version bigint NOT NULL,
          -- A random number of the last change, by which its writer finds out whether it was made.
          writer bigint NOT NULL,
          revision bigint NOT NULL,
          created_at bigint NOT NULL,
          expires_at bigint NOT NULL,
          -- The expiry, rounded up so coarsely that few changes touch the index.
          purge_after bigint NOT NULL,
          token_hash bytea NOT NULL,
          credential bytea,
          credential_refusal text,
          name text,
          summary bytea,
          -- The newest records of the log, from revision tail_first on, one JSON object a line.
          tail_first bigint NOT NULL,
          -- The number of the first event in the tail or, if it has none, of the next event.
          tail_event bigint NOT NULL,
          -- Whether the first record is a complete state.
          tail_has_state boolean NOT NULL,
          tail bytea NOT NULL
        ) WITH (fillfactor = 60, toast_tuple_target = 8160);
        ALTER TABLE session_5 ALTER tail SET STORAGE EXTERNAL;

        -- The older records of the logs.
        CREATE TABLE log (
          session uuid REFERENCES session_5 ON DELETE CASCADE,
          first bigint,
          last bigint NOT NULL,
          first_event bigint NOT NULL,
          has_state boolean,
          records bytea NOT NULL,
          -- With first_event, so that a page of events is found in the index alone.
          PRIMARY KEY (session, first, has_state) INCLUDE (first_event)
        ) WITH (toast_tuple_target = 8160);
        """

    private static let oldTables = """
        DROP TABLE journal_part, event_group, session;
        ALTER TABLE session_5 RENAME TO session;
        ALTER INDEX session_5_pkey RENAME TO session_pkey;
        CREATE INDEX session_by_purge ON session (purge_after);
        CREATE INDEX session_of_credential ON session (credential) WHERE credential IS NOT NULL;
        """

    private static func migrate(_ id: String, _ connection: Connection) throws {
        let log = try earlierSession(id, connection).log()
        let tail = log.tail
        _ = try connection.execute(
            """
            INSERT INTO session_5
            SELECT id, version, writer, revision, created_at, expires_at, purge_after, token_hash,
              credential, credential_refusal, name, \(log.summary.map(literal) ?? "NULL"),
              \(tail.first), \(tail.firstEvent),
              \(tail.hasState), \(literal(tail.records))
            FROM session WHERE id = '\(id)'
            """)
        guard !log.rows.isEmpty else { return }
        let rows = log.rows.map { row in
            "('\(id)', \(row.first), \(row.last), \(row.firstEvent), \(row.hasState), "
                + "\(literal(row.records)))"
        }
        _ = try connection.execute(
            "INSERT INTO log (session, first, last, first_event, has_state, records) VALUES "
                + rows.joined(separator: ", "))
    }

    /// Reads a session with its history and events. Values that cannot be read are left out.
    private static func earlierSession(
        _ id: String, _ connection: Connection
    ) throws -> EarlierSession {
        let row = try connection.execute(
            """
            SELECT revision, expires_at, state, credential, credential_refusal, journal,
              tail_first, tail
            FROM session WHERE id = '\(id)'
            """)[0]
        let parts = try connection.execute(
            "SELECT changes FROM journal_part WHERE session = '\(id)' ORDER BY first")
        let groups = try connection.execute(
            "SELECT first, events FROM event_group WHERE session = '\(id)' ORDER BY first")
        let events = (groups + [[row[6], row[7]]]).flatMap { group -> [LifecycleEvent] in
            EarlierEvents.decode(bytes(group[1]), first: group[0].flatMap { Int($0) } ?? 1) ?? []
        }
        return EarlierSession(
            revision: row[0].flatMap { Int($0) } ?? 0, window: bytes(row[2]),
            expiresAt: Timestamp(milliseconds: row[1].flatMap { Int($0) } ?? 0),
            credential: row[3].flatMap { text in
                let bytes = bytes(text)
                return bytes.count == 32 ? SecretHash(bytes: bytes) : nil
            },
            credentialRefusal: row[4].flatMap(CredentialRefusal.init),
            journal: (parts.map { bytes($0[0]) } + [bytes(row[5])]).filter { !$0.isEmpty },
            events: events)
    }

    /// Decodes the text of a `bytea`: `\x` and hexadecimal digits.
    private static func bytes(_ text: String?) -> [UInt8] {
        let digits = (text ?? "").utf8.dropFirst(2).map { digit in
            digit < 58 ? digit - 48 : digit - 87
        }
        return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }

    private static func literal(_ bytes: [UInt8]) -> String { "'\\x\(hexadecimal(bytes))'::bytea" }
}
