import GRDB
import GRDBSQLite

/// A value in a row.
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
    /// Runs a statement that returns no rows: for the rows of each change. GRDB's own `execute` makes
    /// objects of the arguments and looks for observers, which takes longer than SQLite does.
    func run(_ values: StoredValue...) throws { try run(values, from: 0) }

    /// Values stay where they are until all is done: SQLite needs no copies.
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
                    // More than SQLite takes in any case is refused as it would refuse it.
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

    /// The number of the row that was written last: GRDB's own looks where it runs each time.
    var lastInsertedRow: Int {
        Int(sqlite3_last_insert_rowid(sqlite3_db_handle(sqliteStatement)))
    }

    private func runBound() throws {
        let code = sqlite3_step(sqliteStatement)
        // Also says what went wrong.
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
