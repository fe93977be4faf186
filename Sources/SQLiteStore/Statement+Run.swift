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
    func run(_ values: StoredValue...) throws {
        for (index, value) in values.enumerated() { bind(value, at: Int32(index + 1)) }
        let code = sqlite3_step(sqliteStatement)
        // Also says what went wrong.
        sqlite3_reset(sqliteStatement)
        guard code == SQLITE_DONE else {
            throw DatabaseError(
                resultCode: ResultCode(rawValue: code),
                message: String(cString: sqlite3_errmsg(sqlite3_db_handle(sqliteStatement))),
                sql: sql)
        }
    }

    private func bind(_ value: StoredValue, at index: Int32) {
        // SQLite makes a copy.
        let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        switch value {
        case .null: sqlite3_bind_null(sqliteStatement, index)
        case .integer(let number): sqlite3_bind_int64(sqliteStatement, index, Int64(number))
        case .text(let text): sqlite3_bind_text(sqliteStatement, index, text, -1, transient)
        case .blob(let bytes):
            sqlite3_bind_blob(sqliteStatement, index, bytes, Int32(bytes.count), transient)
        }
    }
}
