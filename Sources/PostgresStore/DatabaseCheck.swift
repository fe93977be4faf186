import Accounts
import SQLStore
import Sessions
import WaypostCore

extension PostgresStore {
    /// Reads all sessions of a database with their logs, and all accounts, credentials, tokens and idempotency records. Reports the ones that cannot be
    /// read. Services may use the database at the same time.
    /// - Returns: the number of sessions and accounts, and the defects that were found.
    /// - Throws: `.cannotConnect` if there is no connection to the server, `.noSchema` if the
    ///   database has no tables of Waypost, `.failed` if a statement fails or the connection
    ///   breaks.
    public static func check(
        _ target: ConnectionTarget
    ) throws(PostgresStoreError) -> StoreReport {
        do {
            let connection = try connect(to: target)
            guard case .present = try Schema.state(on: connection) else {
                throw PostgresStoreError.noSchema(target.description)
            }
            var check = DatabaseCheck(connection)
            return try check.report()
        } catch let error as PostgresStoreError {
            throw error
        } catch let failure as DatabaseFailure {
            throw .failed(target.description, reason: failure.reason)
        } catch {
            throw .failed(target.description, reason: "\(error)")
        }
    }
}

/// Reads all rows of the tables whose content Waypost decodes. The check goes on after a defect.
private struct DatabaseCheck {
    private static let pageSize = 500
    private static let sessions = SQLText(
        "SELECT * FROM session WHERE id > ?uuid ORDER BY id LIMIT ?bigint")

    private let connection: Connection
    private var defects = StoreReport.Defects()

    init(_ connection: Connection) { self.connection = connection }

    mutating func report() throws -> StoreReport {
        let sessions = try readAll(Self.sessions, key: "id", after: 16) { check, row in
            do {
                try check.readSession(row)
            } catch let failure as DatabaseFailure {
                throw failure
            } catch {
                check.defects.append("session \(hexadecimal(try row.bytes("id"))): \(error)")
            }
        }
        var accounts = 0
        for table in TableCheck.all {
            let statement = SQLText(
                """
                SELECT * FROM \(table.table) WHERE \(table.key)
                  > \(table.key == "key" ? "convert_from(?bytea, 'UTF8')" : "?bytea")
                ORDER BY \(table.key) LIMIT ?bigint
                """)
            let count = try readAll(statement, key: table.key) { table.check($1, &$0.defects) }
            if table.table == "account" { accounts = count }
        }
        return StoreReport(sessions: sessions, accounts: accounts, defects: defects.texts)
    }

    /// Reads all rows of a table, page by page, in the order of their keys.
    /// - Parameters:
    ///   - statement: reads one page. Its parameters are the key before the page and the size of
    ///     the page.
    ///   - key: the name of the column with the key.
    ///   - zeros: the number of zero bytes in the value that sorts before all keys of the table: 16
    ///     for UUIDs, 0 for texts and hashes.
    ///   - read: reads one row.
    /// - Returns: the number of rows in the table.
    /// - Throws: `DatabaseFailure` if the database cannot be used.
    private mutating func readAll(
        _ statement: SQLText, key: String, after zeros: Int = 0,
        _ read: (inout Self, Row) throws -> Void
    ) throws -> Int {
        var last = [UInt8](repeating: 0, count: zeros)
        var count = 0
        while true {
            let page = try connection.run([statement(last, Self.pageSize)])[0]
            for row in page {
                last = try row.bytes(key)
                try read(&self, row)
            }
            count += page.count
            if page.count < Self.pageSize { return count }
        }
    }

    /// Checks a session's row and its log. One statement reads the whole log, because services may
    /// change the session in the meantime.
    private func readSession(_ row: Row) throws {
        try LogCheck.checkSession(row)
        let rows = try connection.run([LogCheck.rows(try row.id("id"))])[0]
        try LogCheck.check(Array(rows))
    }
}
