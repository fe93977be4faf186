import Foundation
import GRDB
import SQLStore
import Sessions
import WaypostCore

extension SQLiteStore {
    package func read<Value: Sendable>(
        _ subject: String, _ statement: StoreStatement,
        _ decode: @escaping @Sendable (any SQLRow) throws -> Value
    ) async throws(StorageError) -> [Value] {
        try await access { db in
            let rows = try GRDB.Row.fetchCursor(
                db.cachedStatement(sql: statement.text.sqlite),
                arguments: StatementArguments(statement.databaseValues))
            var values: [Value] = []
            while let row = try rows.next() {
                values.append(try readStored(subject) { try decode(row) })
            }
            return values
        }
    }

    /// The SQL function that returns the id of the session that a credential names as text.
    static let sessionID = DatabaseFunction("session_id", argumentCount: 1, pure: true) { values in
        String.fromDatabaseValue(values[0]).flatMap { SessionID($0) }.map { Data($0.bytes) }
    }
}

extension StoreStatement {
    /// The values of the parameters.
    var databaseValues: [DatabaseValue] { sqliteValues.map(\.databaseValue) }
}

extension SQLValue {
    fileprivate var databaseValue: DatabaseValue {
        switch self {
        case .null: .null
        case .integer(let number): number.databaseValue
        case .text(let text): text.databaseValue
        case .blob(let bytes): Data(bytes).databaseValue
        case .boolean(let flag): flag.databaseValue
        }
    }
}
