import GRDB
import GRDBSQLite
import SQLStore
import Sessions

/// Runs the statements of the batches of one transaction.
struct BatchRunner {
    private let db: Database
    /// The statements that have run in this transaction. GRDB finds a prepared statement by its whole
    /// text, which takes longer than the search in this short list.
    private var prepared: [(text: SQLText, statement: GRDB.Statement)] = []

    init(_ db: Database) { self.db = db }

    /// Runs statements until one rejects the batch.
    /// - Parameter session: the session that the batch writes; nil if it writes none.
    /// - Returns: the reason of the rejection; nil if all statements were run.
    mutating func run(
        _ statements: [StoreStatement], of session: SessionID?
    ) throws -> SessionError? {
        for statement in statements {
            let values = statement.sqliteValues
            var isMet = try run(statement.text, values)
            if !isMet, let alternative = statement.text.alternative {
                isMet = try run(alternative, values)
            }
            guard !isMet, let refusal = statement.text.refusal else { continue }
            guard refusal == .conflict, let session else { return refusal }
            let find = try db.cachedStatement(sql: "SELECT 1 FROM session WHERE id = ?")
            return try find.run([session.sqlValue]) ? .conflict : .ended
        }
        return nil
    }

    /// - Returns: whether the statement has met a row.
    private mutating func run(_ text: SQLText, _ values: [SQLValue]) throws -> Bool {
        let statement: GRDB.Statement
        if let known = prepared.first(where: { $0.text === text }) {
            statement = known.statement
        } else {
            statement = try db.cachedStatement(sql: text.sqlite)
            prepared.append((text, statement))
        }
        let hasRow = try statement.run(values)
        return statement.columnCount > 0 ? hasRow : db.changesCount > 0
    }
}

/// The statements that update a session.
enum SessionUpdate {
    static func add(
        _ session: StorableSession, _ version: RowVersion, _ log: LogWrite?,
        to statements: inout [StoreStatement]
    ) {
        var values: [SQLValue] = []
        values.reserveCapacity(12)
        for column in SessionTable.changed { values.append(column.value(session)) }
        if let log, log.movesTail {
            statements.append(movingTail(session.id, version.number))
            statements += log.rows.map { SessionTable.inserting($0, of: session.id.bytes) }
            values += SessionTable.tail.values(of: log.tail)
        } else {
            values.append(.blob(log?.tail.records ?? []))
        }
        values.append(session.id.sqlValue)
        values.append(version.number.sqlValue)
        statements.append(
            StoreStatement(text: log?.movesTail == true ? replacing : appending, values: values))
        if let log, log.movesTail, log.keptFrom > 0 {
            statements.append(removingOld(session.id, session.id, log.keptFrom))
        }
    }

    /// The cast is needed because `||` returns text in SQLite even if both operands are blobs.
    private static let appending = updating("tail = CAST(tail || ? AS BLOB)")
    private static let replacing = updating(
        SessionTable.list(SessionTable.tail.map { "\($0.name) = ?" }))

    /// Returns a statement that updates the row only if its credential stays the same, as nearly
    /// always. It does not assign the credential, because SQLite would write a page of the
    /// credential's index even for the same value.
    /// - Parameter tail: the assignments of the tail's columns.
    private static func updating(_ tail: String) -> SQLText {
        var assignments = SessionTable.changed.enumerated().map { "\($1.name) = ?\($0 + 1)" }
        let number = SessionTable.changed.firstIndex { $0.name == "credential" } ?? 0
        let credential = assignments.remove(at: number)
        let update = """
            UPDATE session SET version = version + 1, \(SessionTable.list(assignments)), \(tail)
            """
        let key = "WHERE id = ? AND version = ?"
        return SQLText(
            "\(update) \(key) AND credential IS ?\(number + 1)", orRefuse: .conflict,
            orElse: SQLText("\(update), \(credential) \(key)", orRefuse: .conflict))
    }

    private static let movingTail = SQLText(
        """
        INSERT INTO log (session, \(SessionTable.list(SessionTable.log.map(\.name))))
        SELECT id, \(SessionTable.list(SessionTable.logOfTail)) FROM session WHERE id = ? AND version = ?
        """, orRefuse: .conflict)

    /// Removes up to 8 rows that are needed only for earlier revisions than the session keeps. A
    /// change rarely adds more than two rows, so that the removals keep up with the additions, and no
    /// change waits for a long cleanup.
    private static let removingOld = SQLText(
        """
        DELETE FROM log WHERE number IN (
          SELECT number FROM log WHERE session = ? AND first < (
            SELECT first FROM log WHERE session = ? AND first <= ? AND has_state
            ORDER BY first DESC LIMIT 1)
          ORDER BY first LIMIT 8)
        """)
}

extension GRDB.Statement {
    /// Runs a statement up to its first row. Batches use this method instead of GRDB's `execute`.
    /// GRDB's method allocates memory for the arguments and looks for database observers, which
    /// takes longer than the work of SQLite.
    /// - Returns: whether the statement has returned a row.
    @discardableResult
    func run(_ values: [SQLValue] = []) throws -> Bool { try run(values, from: 0) }

    /// Binds the values from index `first` on, and then runs the statement. SQLite does not copy
    /// the texts and blobs, because they stay in memory until the statement has run.
    private func run(_ values: [SQLValue], from first: Int) throws -> Bool {
        for index in first..<values.count {
            let place = Int32(index + 1)
            switch values[index] {
            case .null: sqlite3_bind_null(sqliteStatement, place)
            case .integer(let number): sqlite3_bind_int64(sqliteStatement, place, Int64(number))
            case .boolean(let flag): sqlite3_bind_int64(sqliteStatement, place, flag ? 1 : 0)
            case .text(let text):
                return try text.withCString { text in
                    try check(sqlite3_bind_text(sqliteStatement, place, text, -1, nil))
                    return try run(values, from: index + 1)
                }
            case .blob(let bytes):
                return try bytes.withUnsafeBytes { bytes in
                    // SQLite's length type cannot hold the size of a larger value. Such a value
                    // fails with SQLite's own error for large values.
                    guard let count = Int32(exactly: bytes.count) else {
                        throw DatabaseError(resultCode: .SQLITE_TOOBIG, sql: sql)
                    }
                    try check(
                        sqlite3_bind_blob(sqliteStatement, place, bytes.baseAddress, count, nil))
                    return try run(values, from: index + 1)
                }
            }
        }
        let code = sqlite3_step(sqliteStatement)
        // The result of the reset is also the error of the failed step.
        sqlite3_reset(sqliteStatement)
        if code == SQLITE_ROW { return true }
        try check(code == SQLITE_DONE ? SQLITE_OK : code)
        return false
    }

    private func check(_ code: Int32) throws {
        guard code == SQLITE_OK else {
            throw DatabaseError(
                resultCode: ResultCode(rawValue: code),
                message: String(cString: sqlite3_errmsg(sqlite3_db_handle(sqliteStatement))),
                sql: sql)
        }
    }
}
