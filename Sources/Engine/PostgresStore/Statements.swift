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
    /// The columns of the first arrays of `change`. `kept_from` is the lowest revision to keep.
    private static let changeColumns: [(name: String, type: SQLType)] =
        [("id", .uuid), ("version", .bigint), ("writer", .bigint), ("purge_after", .bigint)]
        + SessionTable.changed.map { ($0.name, $0.type) }
        + SessionTable.tail.map { ($0.name, $0.type) } + [("kept_from", .bigint)]
    private static let logColumns =
        [("session", SQLType.uuid)] + SessionTable.log.map { ($0.name, $0.type) }

    private static func names(_ columns: [(name: String, type: SQLType)]) -> String {
        SessionTable.list(columns.map(\.name))
    }

    private static func arrays(_ columns: [(name: String, type: SQLType)]) -> String {
        "unnest(\(SessionTable.list(columns.map { "?\($0.type)[]" })))"
    }

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
          SELECT * FROM \(arrays(changeColumns)) AS t (\(names(changeColumns)))
        ), done AS (
          UPDATE session AS s SET
            version = s.version + 1, writer = i.writer, purge_after = i.purge_after,
            \(SessionTable.list(SessionTable.changed.map { "\($0.name) = i.\($0.name)" })),
            tail = CASE WHEN i.tail_first IS NULL THEN s.tail || i.tail ELSE i.tail END,
            tail_first = coalesce(i.tail_first, s.tail_first),
            tail_event = coalesce(i.tail_event, s.tail_event),
            tail_has_state = coalesce(i.tail_has_state, s.tail_has_state)
          FROM input AS i WHERE s.id = i.id AND s.version = i.version
          RETURNING s.id
        ), moved AS (
          INSERT INTO log (\(names(logColumns)))
          SELECT s.id, \(SessionTable.list(SessionTable.logOfTail.map { "s.\($0)" }))
          FROM input AS i JOIN done ON done.id = i.id JOIN session AS s ON s.id = i.id
          WHERE i.tail_first IS NOT NULL
        ), added AS (
          INSERT INTO log (\(names(logColumns)))
          SELECT r.* FROM \(arrays(logColumns)) AS r (\(names(logColumns)))
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
    /// (`Commit.writer`). It shows whether a change that was sent twice was committed.
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
    static func changing(_ changes: [Commit], at now: Timestamp) -> StoreStatement {
        let logs = changes.map(\.batch.log)
        // The places of the new tails; nil for the changes that append to a tail.
        let tails = logs.map { $0?.movesTail == true ? $0?.tail : nil }
        let added = changes.flatMap { change in
            (change.batch.log?.rows ?? []).map { (id: change.sessionID, row: $0) }
        }
        var values: [[SQLValue]] = [
            changes.map(\.sessionID.sqlValue), changes.map(\.expectedVersion.sqlValue),
            changes.map(\.writer.sqlValue), changes.map { ($0.purgeAfter(at: now)).sqlValue },
        ]
        values += SessionTable.changed.indices.map { index in changes.map { $0.row[index] } }
        values += SessionTable.tail.dropLast().map { column in
            tails.map { $0.map(column.value) ?? .null }
        }
        values += [
            logs.map { .blob($0?.tail.records ?? []) }, logs.map { ($0?.keptFrom).sqlValue },
            added.map(\.id.sqlValue),
        ]
        values += SessionTable.log.map { column in added.map { column.value($0.row) } }
        return StoreStatement(
            text: change,
            values: zip(changeColumns + logColumns, values).map { SQLArray($0.type, $1).sqlValue })
    }

    static func checking(_ checks: [Commit]) -> StoreStatement {
        check(
            SQLArray(.uuid, checks.map(\.sessionID)),
            SQLArray(.bigint, checks.map(\.expectedVersion)))
    }
}
