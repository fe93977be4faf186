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
        try check.part("the events") { try $0.checkEvents() }
        try check.part("the links of the events") { try $0.checkLinks() }
        try check.part("the journals") { try $0.checkJournals() }
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
            try self.row("session \(Self.digits(of: "id", in: row))") {
                _ = try StoredSession(id: try row.id("id"), row)
                _ = try row.integerIfPresent("last_group")
                _ = try row.textIfPresent("name")
                _ = try row.bytesIfPresent("summary")
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

    private mutating func checkEvents() throws {
        let rows = try GRDB.Row.fetchCursor(
            db,
            sql: """
                SELECT number, session, previous, jump, first, last, events FROM event_group
                ORDER BY number
                """)
        while let row = try rows.next() {
            let name = "events \((try? row.integer("number")) ?? 0)"
            try self.row("\(name) of session \(Self.digits(of: "session", in: row))") {
                _ = try EventBatch.events(row)
                _ = try row.integerIfPresent("previous")
                _ = try row.integerIfPresent("jump")
                _ = try row.id("session")
            }
        }
    }

    private mutating func checkJournals() throws {
        let rows = try GRDB.Row.fetchCursor(
            db,
            sql: """
                SELECT session, first, last, base, changes FROM journal_part
                UNION ALL
                SELECT id, journal_first, journal_last, journal_base, journal FROM session
                WHERE length(journal) > 0
                """)
        while let row = try rows.next() {
            let first = (try? row.integer("first")) ?? 0
            try self.row(
                "changes \(first) of session \(Self.digits(of: "session", in: row))"
            ) {
                _ = try row.integerIfPresent("base")
                let found = JournalPart.revisions(in: try row.bytes("changes"))
                guard let found, found.lowerBound == first,
                    try row.integer("last") == found.upperBound
                else { throw DamagedValue(column: "changes", found: "no changes") }
            }
        }
    }

    private mutating func check(_ table: TableCheck) throws {
        let rows = try GRDB.Row.fetchCursor(db, sql: "SELECT * FROM \(table.table)")
        while let row = try rows.next() {
            if table.table == "account" { accounts += 1 }
            table.check(row, &defects)
        }
    }

    // MARK: Links

    /// Reports the sessions whose stored events have a gap, and the sessions whose last event group
    /// is not the one that the column `last_group` of the session's row names. An event group is a
    /// row with the events of one change.
    private mutating func checkLinks() throws {
        let rows = try GRDB.Row.fetchCursor(
            db,
            sql: """
                SELECT session, first,
                  older_number IS NOT NULL
                    AND (older_last IS NOT first - 1 OR previous IS NOT older_number) AS has_gap,
                  newer_number IS NULL AND newest IS NOT NULL AND number IS NOT newest
                    AS is_not_newest
                FROM (
                  SELECT session, first, number, previous,
                    lag(number) OVER log AS older_number, lag(last) OVER log AS older_last,
                    lead(number) OVER log AS newer_number,
                    (SELECT newest.number
                     FROM session AS owner JOIN event_group AS newest
                       ON newest.number = owner.last_group AND newest.session = owner.id
                     WHERE owner.id = event_group.session) AS newest
                  FROM event_group WINDOW log AS (PARTITION BY session ORDER BY first))
                WHERE has_gap OR is_not_newest
                """)
        while let row = try rows.next() {
            let session = Self.digits(of: "session", in: row)
            let first = (try? row.integer("first")) ?? 0
            // The oldest stored group may name a previous group that was removed; that is no gap.
            if try row.flag("has_gap") {
                defects.append("the log of session \(session) has a gap at \(first)")
            }
            if try row.flag("is_not_newest") {
                defects.append(
                    "the log of session \(session) ends at \(first), but later events are missing")
            }
        }
        try checkEnds()
    }

    /// Reports the sessions whose newest event group is missing: the column `last_group` of the
    /// session's row names a group that does not exist.
    private mutating func checkEnds() throws {
        let rows = try GRDB.Row.fetchCursor(
            db,
            sql: """
                SELECT id FROM session LEFT JOIN event_group AS newest
                  ON newest.number = session.last_group AND newest.session = session.id
                WHERE last_group IS NOT NULL AND newest.number IS NULL
                """)
        while let row = try rows.next() {
            defects.append(
                "the log of session \(Self.digits(of: "id", in: row)) does not end where it should")
        }
    }

    private static func digits(of column: String, in row: GRDB.Row) -> String {
        (try? row.bytes(column)).map { hexadecimal($0) } ?? "without an id"
    }
}
