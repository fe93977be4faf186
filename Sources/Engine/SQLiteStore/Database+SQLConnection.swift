import Foundation
import GRDB
import SQLStore
import Sessions

extension Database: SQLConnection {
    package func execute(_ script: SQLText) throws { try execute(sql: script.sqlite) }

    package func rows(_ statement: StoreStatement) throws -> [any SQLRow] {
        let prepared = try cachedStatement(sql: statement.text.sqlite)
        guard prepared.columnCount > 0 else {
            try prepared.run(statement.sqliteValues)
            return []
        }
        let values = statement.sqliteValues.map { value in
            switch value {
            case .null: DatabaseValue.null
            case .integer(let number): number.databaseValue
            case .text(let text): text.databaseValue
            case .blob(let bytes): Data(bytes).databaseValue
            case .boolean(let flag): flag.databaseValue
            }
        }
        return try GRDB.Row.fetchAll(prepared, arguments: StatementArguments(values))
    }

    package func eachRow(
        of table: String, key: String, _ read: (any SQLRow) throws -> Void
    ) throws {
        let rows = try GRDB.Row.fetchCursor(self, sql: "SELECT * FROM \(table)")
        while let row = try rows.next() { try read(row) }
    }

    package func damage(_ error: any Error) -> String? { (error as? DatabaseError)?.cause }

    /// The SQL function that returns the id of the session that a credential names as text.
    static let sessionID = DatabaseFunction("session_id", argumentCount: 1, pure: true) { values in
        String.fromDatabaseValue(values[0]).flatMap { SessionID($0) }.map { Data($0.bytes) }
    }
}

/// A damaged file may contain any value, and GRDB's own subscripts terminate the process if a value
/// is missing or has another type.
extension GRDB.Row: SQLRow {
    package func value(_ column: String, _ type: SQLType) throws(DamagedValue) -> SQLValue {
        guard hasColumn(column) else { throw DamagedValue(column: column, found: "nothing") }
        switch (self[column] as DatabaseValue).storage {
        case .null: return .null
        case .int64(let number): return .integer(Int(number))
        case .double: throw DamagedValue(column: column, found: "a real number")
        case .string(let text): return .text(text)
        case .blob(let data): return .blob(Array(data))
        }
    }
}
