import NavigationRules
import Sessions
import WaypostCore

/// The migration to the present tables of sessions: one log for each session, in place of its window,
/// its events and the journal of its changes.
package enum LogMigration {
    /// Runs the migration. The caller has begun a transaction.
    /// - Parameter decode: decodes a group of events, and gets the number of its first event.
    package static func run(
        on connection: some SQLConnection, decoding decode: ([UInt8], Int) -> [LifecycleEvent]?
    ) throws {
        try connection.execute(preparation)
        try connection.execute(SessionTable.creation)
        try connection.eachRow(of: "earlier_session", key: "id") { row in
            let id = try row.bytes("id")
            let log = try log(of: row, id, connection, decode)
            let tail = SessionTable.tail.values(of: log.tail)
            _ = try connection.rows(
                StoreStatement(
                    text: insertion, values: [log.summary.sqlValue] + tail + [.blob(id)]))
            for row in log.rows { _ = try connection.rows(SessionTable.inserting(row, of: id)) }
        }
        try connection.execute(removal)
    }

    private static let preparation = SQLText(
        """
        ALTER TABLE session RENAME TO earlier_session;
        DROP INDEX session_of_credential;
        /*sqlite CREATE INDEX event_group_by_session ON event_group (session, first);*/
        /*postgres DROP INDEX session_by_purge;
        ALTER INDEX session_pkey RENAME TO earlier_session_pkey;*/
        """)

    private static let removal = SQLText(
        """
        DROP TABLE event_group;
        DROP TABLE journal_part;
        DROP TABLE earlier_session;
        """)

    private static let parts = SQLText(
        "SELECT changes FROM journal_part WHERE session = ?uuid ORDER BY first")

    /// In PostgreSQL, the newest events are in the session's row.
    private static let groups = SQLText(
        """
        SELECT first, events FROM event_group WHERE session = ?uuid
        /*postgres UNION ALL SELECT tail_first, tail FROM earlier_session WHERE id = ?uuid*/
        ORDER BY first
        """)

    private static let kept = SessionTable.list([
        "/*sqlite number*//*postgres writer, purge_after*/", "id", "token_hash", "created_at",
        "expires_at", "revision", "credential", "credential_refusal", "version", "name",
    ])
    private static let insertion = SQLText(
        """
        INSERT INTO session (\(kept), summary, tail_first, tail_event, tail_has_state, tail)
        SELECT \(kept), ?bytea, ?bigint, ?bigint, ?boolean, ?bytea
        FROM earlier_session WHERE id = ?uuid
        """)

    /// Reads a session with its history and events, and converts it. Values that cannot be read are
    /// left out.
    private static func log(
        of row: any SQLRow, _ id: [UInt8], _ connection: some SQLConnection,
        _ decode: ([UInt8], Int) -> [LifecycleEvent]?
    ) throws -> (rows: [LogRow], tail: LogRow, summary: [UInt8]?) {
        // SQLite and PostgreSQL had different names for it.
        let window = (try? row.bytes("window")) ?? (try? row.bytes("state"))
        let newest = try? row.bytes("journal")
        return EarlierSession.log(
            revision: (try? row.integer("revision")) ?? 0,
            window: window ?? [],
            expiresAt: (try? row.timestamp("expires_at")) ?? Timestamp(milliseconds: 0),
            credential: try? row.hashIfPresent("credential"),
            credentialRefusal: (try? row.textIfPresent("credential_refusal"))?
                .flatMap(CredentialRefusal.init),
            journal: try connection.rows(parts(id)).compactMap { try? $0.bytes("changes") }
                + [newest ?? []],
            events: try connection.rows(groups(id, id)).flatMap { group -> [LifecycleEvent] in
                guard let first = try? group.integer("first"),
                    let bytes = try? group.bytes("events")
                else { return [] }
                return decode(bytes, first) ?? []
            })
    }
}
