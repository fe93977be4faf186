import Foundation
import GRDB
import SQLStore
import Sessions

extension SQLiteStore {
    /// Checks a copy of a store. The check may change the copy.
    /// - Parameter path: the path of the copy. Nothing else may use the copy.
    /// - Returns: the number of sessions and accounts, and the defects that were found.
    /// - Throws: `StoreError` if the file is not a store, if a later version of Waypost wrote it, or
    ///   if its schema is not Waypost's; SQLite's errors if the file cannot be opened or the schema
    ///   cannot be migrated.
    static func report(onCopy path: String) throws -> StoreReport {
        let database = try open(copy: path)
        let report = try database.inDatabase { db in
            // The migration accepts an empty database.
            try Schema.checkVersion(db, path: path)
            try Schema.migrate(db, path: path)
            return try Self.report(db)
        }
        try database.close()
        return report
    }

    static func open(copy path: String) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.prepareDatabase { try $0.execute(sql: Schema.settings) }
        return try DatabaseQueue(path: path, configuration: configuration)
    }

    private static func report(_ db: Database) throws -> StoreReport {
        var check = StoreCheck(db)
        try check.part("the file") { check in
            for line in try String?.fetchAll(db, sql: "PRAGMA integrity_check") {
                if let line, line != "ok" { check.report.add(line) }
            }
        }
        try check.part("the incarnation") { check in
            let count = try Int.fetchOne(db, sql: "SELECT count(*) FROM store") ?? 0
            if count != 1 { check.report.add("the table store has \(count) rows instead of 1") }
        }
        // The rows of the logs that no session's check reads.
        try check.part("the logs") { check in
            let rows = try Int.fetchCursor(
                db,
                sql: """
                    SELECT number FROM log WHERE typeof(session) <> 'blob' OR length(session) <> 16
                    """)
            while let number = try rows.next() {
                check.report.add("row \(number) of the logs: the column session holds no id")
            }
        }
        return try check.run()
    }
}

extension Database: SQLConnection {
    package func execute(_ script: SQLText) throws { try execute(sql: script.sqlite) }

    package func rows(_ statement: StoreStatement) throws -> [any SQLRow] {
        let prepared = try cachedStatement(sql: statement.text.sqlite)
        guard prepared.columnCount > 0 else {
            try prepared.run(statement.sqliteValues)
            return []
        }
        return try GRDB.Row.fetchAll(
            prepared, arguments: StatementArguments(statement.databaseValues))
    }

    package func eachRow(
        of table: String, key: String, _ read: (any SQLRow) throws -> Void
    ) throws {
        let rows = try GRDB.Row.fetchCursor(self, sql: "SELECT * FROM \(table)")
        while let row = try rows.next() { try read(row) }
    }

    package func damage(_ error: any Error) -> String? { (error as? DatabaseError)?.cause }
}
