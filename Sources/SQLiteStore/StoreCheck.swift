import Accounts
import Foundation
import GRDB
import SQLStore
import Sessions
import WaypostCore

/// Reads everything in a store and reports the defects, such as rows that cannot be read. The check
/// goes on after a defect.
struct StoreCheck {
    private let db: Database
    private var sessions = 0
    private var accounts = 0
    private var defects = StoreReport.Defects()

    private init(_ db: Database) { self.db = db }

    /// Checks a copy of a store. The check may change the copy.
    /// - Parameter path: the path of the copy. Nothing else may use the copy.
    /// - Returns: the number of sessions and accounts, and the defects that were found.
    /// - Throws: `StoreError` if the file is not a store, if a later version of Waypost wrote it, or
    ///   if its schema is not Waypost's; SQLite's errors if the file cannot be opened or the schema
    ///   cannot be migrated.
    static func report(onCopy path: String) throws -> StoreReport {
        let database = try open(path)
        let report = try database.inDatabase { db in
            // The migration accepts an empty database.
            try Schema.checkVersion(db, path: path)
            try Schema.migrate(db, path: path)
            return try Self.report(db)
        }
        try database.close()
        return report
    }

    static func open(_ path: String) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.prepareDatabase { try $0.execute(sql: Schema.settings) }
        return try DatabaseQueue(path: path, configuration: configuration)
    }

    static func report(_ db: Database) throws -> StoreReport {
        var check = StoreCheck(db)
        try check.part("the file") { try $0.checkFile() }
        try check.part("the incarnation") { try $0.checkIncarnation() }
        try check.part("the sessions") { try $0.checkSessions() }
        try check.part("the logs") { try $0.checkLogs() }
        for table in TableCheck.all {
            try check.part("the table \(table.table)") { try $0.check(table) }
        }
        return StoreReport(
            sessions: check.sessions, accounts: check.accounts, defects: check.defects.texts)
    }

    /// Runs one part of the check and reports an error of SQLite as a defect. A damaged page thus
    /// ends only one part and not the whole check.
    private mutating func part(_ name: String, _ read: (inout StoreCheck) throws -> Void) throws {
        do {
            try read(&self)
        } catch let error as DatabaseError {
            defects.append("\(name) cannot be read to the end: \(error.cause)")
        }
    }

    /// Decodes a row with `read`, and reports a defect if the row cannot be decoded.
    /// - Parameter name: the name of the row in the report.
    /// - Throws: SQLite's errors.
    private mutating func row(_ name: @autoclosure () -> String, _ read: () throws -> Void) throws {
        do {
            try read()
        } catch let error as DatabaseError {
            throw error
        } catch {
            defects.append("\(name()): \(error)")
        }
    }

    private mutating func checkFile() throws {
        for line in try String?.fetchAll(db, sql: "PRAGMA integrity_check") {
            if let line, line != "ok" { defects.append(line) }
        }
    }

    // MARK: Tables

    private mutating func checkSessions() throws {
        let rows = try GRDB.Row.fetchCursor(db, sql: "SELECT * FROM session ORDER BY number")
        while let row = try rows.next() {
            sessions += 1
            let db = db
            try self.row("session \(Self.digits(of: "id", in: row))") {
                try LogCheck.checkSession(row)
                let statement = LogCheck.rows(try row.id("id"))
                try LogCheck.check(
                    GRDB.Row.fetchAll(
                        db.cachedStatement(sql: statement.text.sqlite),
                        arguments: StatementArguments(statement.databaseValues)))
            }
        }
    }

    private mutating func checkIncarnation() throws {
        let rows = try GRDB.Row.fetchAll(db, sql: "SELECT * FROM store")
        if rows.count != 1 { defects.append("the table store has \(rows.count) rows instead of 1") }
        for row in rows {
            try self.row("the store's incarnation") {
                _ = try row.integer("incarnation", in: .min ... .max)
            }
        }
    }

    /// Checks the rows of the logs that no session's check has read.
    private mutating func checkLogs() throws {
        let rows = try GRDB.Row.fetchCursor(
            db,
            sql: """
                SELECT number FROM log WHERE typeof(session) <> 'blob' OR length(session) <> 16
                ORDER BY number
                """)
        while let row = try rows.next() {
            defects.append(
                "row \((try? row.integer("number")) ?? 0) of the logs: the column session holds no id"
            )
        }
    }

    private mutating func check(_ table: TableCheck) throws {
        let rows = try GRDB.Row.fetchCursor(db, sql: "SELECT * FROM \(table.table)")
        while let row = try rows.next() {
            if table.table == "account" { accounts += 1 }
            table.check(row, &defects)
        }
    }

    private static func digits(of column: String, in row: GRDB.Row) -> String {
        (try? row.bytes(column)).map { hexadecimal($0) } ?? "without an id"
    }
}
