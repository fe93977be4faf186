import Foundation
import GRDB
import SQLStore
import Sessions
import WaypostCore

// The account writes of batches, and the reads of accounts, on the store's thread only.

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

    /// Runs statements of a batch until one rejects the batch.
    /// - Returns: the reason of the rejection; nil if all statements were run.
    func run(_ statements: [StoreStatement], _ db: Database) throws -> CommitError? {
        for statement in statements {
            let prepared = try db.cachedStatement(sql: statement.text.sqlite)
            let hasRow = try prepared.run(statement.sqliteValues)
            let isMet = prepared.columnCount > 0 ? hasRow : db.changesCount > 0
            if !isMet, let refusal = statement.text.refusal { return refusal }
        }
        return nil
    }

    /// Runs a part of a transaction. If the part is rejected, its writes are undone, and those of
    /// the other parts stay.
    func undoingIfRejected(
        _ db: Database, _ part: () throws -> CommitError?
    ) throws -> CommitError? {
        try db.cachedStatement(sql: "SAVEPOINT batch").run()
        let refusal = try part()
        if refusal != nil { try db.cachedStatement(sql: "ROLLBACK TO batch").run() }
        try db.cachedStatement(sql: "RELEASE batch").run()
        return refusal
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
