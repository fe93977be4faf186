import GRDB
import GRDBSQLite
import SQLStore

typealias StoredValue = SQLValue

extension SQLValue {
    init(_ number: Int?) { self = number.map(Self.integer) ?? .null }
    init(_ text: String?) { self = text.map(Self.text) ?? .null }
    init(_ blob: [UInt8]?) { self = blob.map(Self.blob) ?? .null }
}

extension GRDB.Statement {
    /// Runs a statement up to its first row. Batches use this method instead of GRDB's `execute`.
    /// GRDB's method allocates memory for the arguments and looks for database observers, which
    /// takes longer than the work of SQLite.
    /// - Returns: whether the statement has returned a row.
    @discardableResult
    func run(_ values: SQLValue...) throws -> Bool { try run(values, from: 0) }

    @discardableResult
    func run(_ values: [SQLValue]) throws -> Bool { try run(values, from: 0) }

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
        return try runBound()
    }

    /// The number of the row that was inserted last. GRDB's own property is slower, because each
    /// call checks that it runs on the connection's queue.
    var lastInsertedRow: Int {
        Int(sqlite3_last_insert_rowid(sqlite3_db_handle(sqliteStatement)))
    }

    private func runBound() throws -> Bool {
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
