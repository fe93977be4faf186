import GRDB
import SQLStore

extension SQLiteStore {
    /// Checks a copy of a store, and may change the copy.
    /// - Parameter path: the path of the store, for errors.
    /// - Throws: `StoreError` if the file is not a store, if a later version of Waypost wrote it, or
    ///   if its schema is not Waypost's; SQLite's errors if the file cannot be opened or the schema
    ///   cannot be migrated.
    static func report(onCopy copy: String, of path: String) throws -> StoreReport {
        let database = try open(copy: copy)
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
                check.report.add(
                    damagedRow: "row \(number) of the logs: the column session holds no id")
            }
        }
        return try check.run()
    }
}
