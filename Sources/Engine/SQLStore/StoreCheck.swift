import Sessions
import WaypostCore

/// The result of a check of a whole store.
public struct StoreReport: Sendable, Equatable {
    public internal(set) var sessions: Int
    public internal(set) var accounts: Int
    /// Descriptions of the first 1,000 defects, and after them the number of the others; empty if
    /// there are none.
    public private(set) var defects: [String]
    private var others = 0
    /// The number of defects that are rows with a value that Waypost cannot have written. Such a row
    /// affects no other row.
    public private(set) var damagedRows = 0
    /// Whether there are defects of the file itself, such as damaged pages.
    package var isFileDamaged: Bool { damagedRows < min(defects.count, 1000) + others }

    package init(sessions: Int = 0, accounts: Int = 0, defects: [String] = []) {
        self.sessions = sessions
        self.accounts = accounts
        self.defects = defects
    }

    package mutating func add(_ defect: String) {
        guard others > 0 || defects.count == 1000 else { return defects.append(defect) }
        if others > 0 { defects.removeLast() }
        others += 1
        defects.append("and \(others) more")
    }

    package mutating func add(damagedRow: String) {
        damagedRows += 1
        add(damagedRow)
    }
}

/// Reads everything in a store and reports the defects, such as rows that cannot be read. The check
/// goes on after a defect.
package struct StoreCheck<Connection: SQLConnection> {
    private let connection: Connection
    package var report = StoreReport()

    package init(_ connection: Connection) { self.connection = connection }

    /// Checks the tables.
    /// - Returns: the report of these and of all earlier parts of the check.
    /// - Throws: the connection's errors that no damage can cause.
    package mutating func run() throws -> StoreReport {
        try rows(of: "session", "id", "session") { check, row in
            check.report.sessions += 1
            _ = try (row.hash("token_hash"), row.integer("version"), row.bytesIfPresent("summary"))
            _ = try (row.timestamp("created_at"), row.timestamp("expires_at"))
            _ = try (row.hashIfPresent("credential"), row.textIfPresent("credential_refusal"))
            _ = try row.textIfPresent("name")
            try LogCheck.check(check.connection.rows(LogCheck.rows(try row.id("id"))))
        }
        try rows(of: "account", "key", "account") { check, row in
            check.report.accounts += 1
            _ = try Account(row)
        }
        try rows(of: "credential", "hash", "credential") {
            _ = try (Credential($1), $1.text("account"))
        }
        try rows(of: "session_token", "hash", "token") { _ = try SessionToken($1) }
        try rows(of: "idempotency_record", "id", "idempotency record") {
            _ = try ($1.hash("fingerprint"), $1.integer("request_size"), $1.timestamp("expires_at"))
        }
        return report
    }

    /// Reads the rows of a table, and adds a defect for each row that cannot be read.
    /// - Parameters:
    ///   - key: the column with the key, which names a row in the report.
    ///   - kind: the name of a row's kind in the report.
    private mutating func rows(
        of table: String, _ key: String, _ kind: String,
        _ read: (inout Self, any SQLRow) throws -> Void
    ) throws {
        try part("the table \(table)") { check in
            let connection = check.connection
            try connection.eachRow(of: table, key: key) { row in
                do {
                    try read(&check, row)
                } catch let error as DamagedValue {
                    // A session has its whole id, as clients know it.
                    let length = table == "session" ? Int.max : 16
                    let name =
                        key == "key"
                        ? try? row.text(key)
                        : (try? row.bytes(key)).map { hexadecimal($0.prefix(length)) }
                    check.report.add(damagedRow: "\(kind) \(name ?? "without a key"): \(error)")
                }
            }
        }
    }

    /// Runs one part of the check. A part of the database that cannot be read, such as a damaged page,
    /// thus ends only one part and not the whole check.
    package mutating func part(_ name: String, _ read: (inout Self) throws -> Void) throws {
        do {
            try read(&self)
        } catch {
            guard let damage = connection.damage(error) else { throw error }
            report.add("\(name) cannot be read to the end: \(damage)")
        }
    }
}
