import GRDB
import GRDBSQLite

/// A value for a parameter of a statement.
enum StoredValue {
    case null
    case integer(Int)
    case text(String)
    case blob([UInt8])

    init(_ number: Int?) { self = number.map(Self.integer) ?? .null }
    init(_ text: String?) { self = text.map(Self.text) ?? .null }
    init(_ blob: [UInt8]?) { self = blob.map(Self.blob) ?? .null }
}

extension GRDB.Statement {
    /// Runs a statement that returns no rows. Changes of sessions use this method instead of GRDB's
    /// `execute`. GRDB's method allocates memory for the arguments and looks for database
    /// observers, which takes longer than the work of SQLite.
    func run(_ values: StoredValue...) throws { try run(values, from: 0) }

    func run(_ values: [StoredValue]) throws { try run(values, from: 0) }

    /// Binds the values from index `first` on, and then runs the statement. SQLite does not copy
    /// the texts and blobs, because they stay in memory until the statement has run.
    private func run(_ values: [StoredValue], from first: Int) throws {
        for index in first..<values.count {
            let place = Int32(index + 1)
            switch values[index] {
            case .null: sqlite3_bind_null(sqliteStatement, place)
            case .integer(let number): sqlite3_bind_int64(sqliteStatement, place, Int64(number))
            case .text(let text):
                return try text.withCString { text in
                    try check(sqlite3_bind_text(sqliteStatement, place, text, -1, nil))
                    try run(values, from: index + 1)
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
                    try run(values, from: index + 1)
                }
            }
        }
        try runBound()
    }

    /// The number of the row that was inserted last. GRDB's own property is slower, because each
    /// call checks that it runs on the connection's queue.
    var lastInsertedRow: Int {
        Int(sqlite3_last_insert_rowid(sqlite3_db_handle(sqliteStatement)))
    }

    private func runBound() throws {
        let code = sqlite3_step(sqliteStatement)
        // The result of the reset is also the error of the failed step.
        sqlite3_reset(sqliteStatement)
        try check(code == SQLITE_DONE ? SQLITE_OK : code)
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
