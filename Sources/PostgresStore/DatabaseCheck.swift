import Accounts
import SQLStore
import Sessions
import WaypostCore

extension PostgresStore {
    /// Reads all sessions of a database with their events and journals (histories of changes), and
    /// all accounts, credentials, tokens and idempotency records. Reports the ones that cannot be
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

    private let connection: Connection
    private var defects = StoreReport.Defects()

    init(_ connection: Connection) { self.connection = connection }

    mutating func report() throws -> StoreReport {
        let sessions = try readAll("session", CheckStatements.sessions, key: "id", after: 16) {
            try $0.readSession($1)
        }
        let accounts = try readAll("account", CheckStatements.accounts, key: "key") {
            _ = try Account($1)
        }
        _ = try readAll("credential", CheckStatements.credentials, key: "hash") {
            _ = try Credential($1)
        }
        _ = try readAll("token", CheckStatements.tokens, key: "hash") {
            _ = try SessionToken($1)
        }
        _ = try readAll("idempotency record", CheckStatements.records, key: "id") {
            _ = try ($1.hash("fingerprint"), $1.integer("request_size"), $1.time("expires_at"))
        }
        return StoreReport(sessions: sessions, accounts: accounts, defects: defects.texts)
    }

    /// Reads all rows of a table, page by page, in the order of their keys, and notes a defect for
    /// each row that cannot be read.
    /// - Parameters:
    ///   - subject: the name of a row in the description of a defect.
    ///   - statement: reads one page. Its parameters are the key before the page and the size of
    ///     the page.
    ///   - key: the name of the column with the key.
    ///   - zeros: the number of zero bytes in the value that sorts before all keys of the table: 16
    ///     for UUIDs, 0 for texts and hashes.
    ///   - read: reads one row.
    /// - Returns: the number of rows in the table.
    /// - Throws: `DatabaseFailure` if the database cannot be used.
    private mutating func readAll(
        _ subject: String, _ statement: SQLStatement, key: String, after zeros: Int = 0,
        _ read: (Self, Row) throws -> Void
    ) throws -> Int {
        var last = [UInt8](repeating: 0, count: zeros)
        var count = 0
        while true {
            let page = try connection.run([
                BoundStatement(statement).bytes(last).bigint(Self.pageSize)
            ])[0]
            for row in page {
                last = try row.bytes(key)
                do {
                    try read(self, row)
                } catch let failure as DatabaseFailure {
                    throw failure
                } catch {
                    let name = key == "key" ? try row.text(key) : hexadecimal(last)
                    defects.append("\(subject) \(name.prefix(32)): \(error)")
                }
            }
            count += page.count
            if page.count < Self.pageSize { return count }
        }
    }

    /// Decodes a session's row, and then reads the session's events and its journal, the history of
    /// its changes. One statement reads all events, and one reads the whole journal, because
    /// services may change the session in the meantime.
    private func readSession(_ row: Row) throws {
        let session = try StoredSession(row)
        let rows = try connection.run([
            BoundStatement(ReadStatements.events).id(session.id).bigint(0).bigint(.max)
        ])[0]
        guard let events = try StoredEvents(rows, retention: .max) else { return }
        let numbers = events.page(after: 0, limit: .max).events.map(\.seq)
        guard zip(numbers, numbers.dropFirst()).allSatisfy({ $0 + 1 == $1 }) else {
            throw DamagedValue(column: "events", found: "a log with a gap")
        }
        // A database that has not been migrated has no journals.
        guard (try? row.bytes("journal")) != nil else { return }
        let parts = try connection.run([
            BoundStatement(ReadStatements.journal).id(session.id).bigint(0)
                .bigint(StoredRange.numbers.upperBound)
        ])[0]
        var changes = try parts.compactMap { try $0.bytesIfPresent("changes") }
        changes += [try parts.first?.bytes("journal") ?? []].filter { !$0.isEmpty }
        guard changes.allSatisfy({ JournalPart.revisions(in: $0) != nil }) else {
            throw DamagedValue(column: "journal", found: "no changes")
        }
    }
}

private enum CheckStatements {
    static let sessions = SQLStatement(
        "check_sessions", "SELECT * FROM session WHERE id > $1::uuid ORDER BY id LIMIT $2::bigint")
    static let accounts = SQLStatement(
        "check_accounts",
        """
        SELECT * FROM account WHERE key > convert_from($1::bytea, 'UTF8') COLLATE "C"
        ORDER BY key LIMIT $2::bigint
        """)
    static let credentials = byHash("check_credentials", "credential", "hash")
    static let tokens = byHash("check_tokens", "session_token", "hash")
    static let records = byHash("check_records", "idempotency_record", "id")

    private static func byHash(_ name: String, _ table: String, _ key: String) -> SQLStatement {
        SQLStatement(
            name,
            "SELECT * FROM \(table) WHERE \(key) > $1::bytea ORDER BY \(key) LIMIT $2::bigint")
    }
}
