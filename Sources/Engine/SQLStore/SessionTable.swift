import NavigationRules
import Sessions
import WaypostCore

/// A type of values, named as in PostgreSQL. The raw value is PostgreSQL's object identifier of the
/// type (`pg_type.dat`).
package enum SQLType: Int32 {
    case boolean = 16
    case bytea = 17
    case bigint = 20
    case text = 25
    case uuid = 2950

    fileprivate var sqlite: String {
        switch self {
        case .boolean, .bigint: "INTEGER"
        case .bytea, .uuid: "BLOB"
        case .text: "TEXT"
        }
    }
}

/// A column of a table, and the value that a row has in it.
package struct Column<Row>: Sendable {
    package let name: String
    package let type: SQLType
    private let constraint: String
    package let value: @Sendable (Row) -> SQLValue

    init<Value: SQLParameter>(
        _ name: String, _ type: SQLType, _ constraint: String = " NOT NULL",
        _ value: @escaping @Sendable (Row) -> Value
    ) {
        self.name = name
        self.type = type
        self.constraint = constraint
        self.value = { value($0).sqlValue }
    }

    fileprivate var definition: String {
        "\(name) /*sqlite \(type.sqlite)*//*postgres \(type)*/\(constraint)"
    }

    fileprivate var parameter: String { "?\(type)" }
}

extension Array {
    package func values<Row>(of row: Row) -> [SQLValue] where Element == Column<Row> {
        map { $0.value(row) }
    }
}

/// The tables of sessions and their logs. The newest records of a log, its tail, are in the session's
/// row, which each change writes anyway. Older records are in the table `log`. Each write of a row adds
/// 1 to its `version`.
///
/// In PostgreSQL, a session's row has two more columns: `writer` is a random number of the last
/// change, by which its writer finds out whether the change was made; `purge_after` is the expiry
/// time, rounded up so coarsely that few changes touch its index.
package enum SessionTable {
    /// The columns that never change.
    static let first: [Column<StorableSession>] = [
        Column("token_hash", .bytea) { $0.tokenHash },
        Column("created_at", .bigint) { $0.createdAt },
    ]

    /// The columns that each change writes.
    package static let changed: [Column<StorableSession>] = [
        Column("expires_at", .bigint) { $0.expiresAt },
        Column("revision", .bigint) { $0.revision },
        Column("credential", .bytea, "") { $0.credential },
        Column("credential_refusal", .text, "") { $0.credentialRefusal?.rawValue },
        Column("name", .text, "") { $0.name },
        // The visible view controller; NULL if the session is not logged in to an account.
        Column("summary", .bytea, "") { $0.summary?.encodedSummary(revision: $0.revision) },
    ]

    package static let tail: [Column<LogRow>] = [
        Column("tail_first", .bigint) { $0.first },
        // The number of the first event in the tail or, if it has none, of the next event.
        Column("tail_event", .bigint) { $0.firstEvent },
        // Whether the first record is a complete state.
        Column("tail_has_state", .boolean) { $0.hasState },
        // One JSON object a line.
        Column("tail", .bytea) { $0.records },
    ]

    package static let log: [Column<LogRow>] = [
        Column("first", .bigint) { $0.first }, Column("last", .bigint) { $0.last },
        Column("first_event", .bigint) { $0.firstEvent },
        Column("has_state", .boolean) { $0.hasState },
        Column("records", .bytea) { $0.records },
    ]

    /// The columns of a session's row that hold what `log` has of a row.
    package static let logOfTail = [
        "tail_first", "revision", "tail_event", "tail_has_state", "tail",
    ]

    /// Creates both tables. Rows of the log are appended in the order of the commits.
    static let creation = SQLText(
        """
        CREATE TABLE session (
          /*sqlite number INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE,*/
          /*postgres id uuid PRIMARY KEY, writer bigint NOT NULL, purge_after bigint NOT NULL,*/
          \(list(first.map(\.definition) + changed.prefix(4).map(\.definition))),
          version /*sqlite INTEGER*//*postgres bigint*/ NOT NULL DEFAULT 1,
          \(list(changed.dropFirst(4).map(\.definition) + tail.map(\.definition)))
        ) /*sqlite STRICT*//*postgres WITH (fillfactor = 60, toast_tuple_target = 8160);
        ALTER TABLE session ALTER tail SET STORAGE EXTERNAL;
        CREATE INDEX session_by_purge ON session (purge_after)*/;
        CREATE INDEX session_of_credential ON session (credential) WHERE credential IS NOT NULL;

        CREATE TABLE log (
          /*sqlite number INTEGER PRIMARY KEY, session BLOB NOT NULL,*/
          /*postgres session uuid REFERENCES session ON DELETE CASCADE,*/
          \(list(log.map(\.definition)))
          /*postgres , PRIMARY KEY (session, first, has_state) INCLUDE (first_event)*/
        ) /*sqlite STRICT*//*postgres WITH (toast_tuple_target = 8160)*/;
        -- With first_event, so that a page of events is found in the index alone.
        /*sqlite CREATE UNIQUE INDEX log_of_session ON log (session, first, has_state, first_event);*/
        """)

    // MARK: Statements

    /// Inserts a session with the given values of `first`, `changed` and `tail`.
    private static let insertion = SQLText(
        """
        INSERT INTO session (id, \(list(first.map(\.name) + changed.map(\.name) + tail.map(\.name)))
          /*postgres , version, writer, purge_after*/)
        VALUES (?uuid, \(list(first.map(\.parameter) + changed.map(\.parameter)
            + tail.map(\.parameter)))
          /*postgres , 1, ?bigint, ?bigint*/)
        """)

    /// - Parameter shared: the random number of the batch and the current time, see `BatchStatements`.
    static func inserting(
        _ session: StorableSession, _ log: LogWrite?, shared: (writer: Int, now: Timestamp)?
    ) -> StoreStatement {
        let row =
            log?.tail
            ?? LogRow(
                first: session.revision, last: session.revision, firstEvent: 1, hasState: false,
                records: [])
        let purgeAfter = shared.map { Self.purgeAfter(session.expiresAt, at: $0.now) }
        var values = [session.id.sqlValue]
        values += first.values(of: session) + changed.values(of: session) + tail.values(of: row)
        values += [(shared?.writer).sqlValue, purgeAfter.sqlValue]
        return StoreStatement(text: insertion, values: values)
    }

    /// Returns the time, in milliseconds, from which the purge examines a session: the expiry time,
    /// rounded up by at most a sixteenth of the time that is left until the expiry.
    package static func purgeAfter(_ expiry: Timestamp, at now: Timestamp) -> Int {
        let rest = expiry.milliseconds - now.milliseconds
        let unit = 1 << (Int.bitWidth - 1 - max(rest / 16, 1).leadingZeroBitCount)
        let (sum, isOver) = expiry.milliseconds.addingReportingOverflow(unit - 1)
        return isOver ? .max : sum & ~(unit - 1)
    }

    private static let logInsertion = SQLText(
        """
        INSERT INTO log (session, \(list(log.map(\.name))))
        VALUES (?uuid, \(list(log.map(\.parameter))))
        """)

    package static func inserting(_ row: LogRow, of id: [UInt8]) -> StoreStatement {
        StoreStatement(text: logInsertion, values: [.blob(id)] + log.values(of: row))
    }

    package static let deletion = SQLText(
        "DELETE FROM session WHERE id = ?uuid AND version = ?bigint", orRefuse: .conflict)

    /// Deletes a session; if there is a time, only if the session has expired by then.
    package static let deletionOfAnyVersion = SQLText(
        "DELETE FROM session WHERE id = ?uuid AND expires_at <= coalesce(?bigint, expires_at)",
        orRefuse: .conflict)

    /// Requires the version of a row. In PostgreSQL, the statement locks the row until the end of the
    /// transaction.
    package static let requireVersion = SQLText(
        """
        SELECT 1 FROM session WHERE id = ?uuid AND version = ?bigint
        /*postgres FOR NO KEY UPDATE*/
        """, orRefuse: .conflict)

    package static func list(_ items: [String]) -> String { items.joined(separator: ", ") }
}
