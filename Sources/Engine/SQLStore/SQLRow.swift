import Sessions
import WaypostCore

/// A connection to a database, which runs one statement after another.
package protocol SQLConnection {
    /// Runs a text that may contain several statements.
    func execute(_ script: SQLText) throws

    /// Runs a statement, and returns its rows.
    func rows(_ statement: StoreStatement) throws -> [any SQLRow]

    /// Reads all rows of a table, which may be large.
    /// - Parameter key: the column with the key of the table.
    func eachRow(
        of table: String, key: String, _ read: (any SQLRow) throws -> Void
    ) throws

    /// Describes an error that a damaged database can cause; nil for any other error.
    func damage(_ error: any Error) -> String?
}

/// The error for a stored value that Waypost cannot have written. The store is damaged, or another
/// program has changed it.
package struct DamagedValue: Error, CustomStringConvertible {
    package let column: String
    /// A description of the value, such as `a number out of range`; never the value itself.
    package let found: String

    package init(column: String, found: String) {
        self.column = column
        self.found = found
    }

    package var description: String { "the column \(column) holds \(found)" }
}

/// A row that a statement has returned. Its methods throw `DamagedValue` if a column is missing, or
/// if its value has another type or is out of range.
package protocol SQLRow {
    /// - Parameter type: the type that the value should have. PostgreSQL's values do not show theirs.
    func value(_ column: String, _ type: SQLType) throws(DamagedValue) -> SQLValue
}

extension SQLRow {
    package func integerIfPresent(
        _ column: String, in range: ClosedRange<Int> = StoredRange.numbers
    ) throws(DamagedValue) -> Int? {
        switch try value(column, .bigint) {
        case .null: return nil
        case .integer(let number) where range.contains(number): return number
        case .integer: throw DamagedValue(column: column, found: "a number out of range")
        case let other: throw DamagedValue(column: column, found: other.kind)
        }
    }

    package func textIfPresent(_ column: String) throws(DamagedValue) -> String? {
        switch try value(column, .text) {
        case .null: return nil
        case .text(let text): return text
        case let other: throw DamagedValue(column: column, found: other.kind)
        }
    }

    package func bytesIfPresent(_ column: String) throws(DamagedValue) -> [UInt8]? {
        switch try value(column, .bytea) {
        case .null: return nil
        case .blob(let bytes): return bytes
        case let other: throw DamagedValue(column: column, found: other.kind)
        }
    }

    package func flag(_ column: String) throws(DamagedValue) -> Bool {
        switch try value(column, .boolean) {
        case .boolean(let flag): return flag
        case .integer(let number) where 0...1 ~= number: return number == 1
        case let other: throw DamagedValue(column: column, found: other.kind)
        }
    }

    package func integer(
        _ column: String, in range: ClosedRange<Int> = StoredRange.numbers
    ) throws(DamagedValue) -> Int {
        try require(try integerIfPresent(column, in: range), column)
    }

    package func text(_ column: String) throws(DamagedValue) -> String {
        try require(try textIfPresent(column), column)
    }

    package func bytes(_ column: String) throws(DamagedValue) -> [UInt8] {
        try require(try bytesIfPresent(column), column)
    }

    package func timestamp(_ column: String) throws(DamagedValue) -> Timestamp {
        try require(try timestampIfPresent(column), column)
    }

    package func timestampIfPresent(_ column: String) throws(DamagedValue) -> Timestamp? {
        try integerIfPresent(column, in: StoredRange.timestamps)
            .map { Timestamp(milliseconds: $0) }
    }

    package func hash(_ column: String) throws(DamagedValue) -> SecretHash {
        try require(try hashIfPresent(column), column)
    }

    package func hashIfPresent(_ column: String) throws(DamagedValue) -> SecretHash? {
        guard let bytes = try bytesIfPresent(column) else { return nil }
        guard bytes.count == 32 else {
            throw DamagedValue(column: column, found: "bytes of a wrong length")
        }
        return SecretHash(bytes: bytes)
    }

    package func id(_ column: String) throws(DamagedValue) -> SessionID {
        try require(try idIfPresent(column), column)
    }

    package func idIfPresent(_ column: String) throws(DamagedValue) -> SessionID? {
        guard let bytes = try bytesIfPresent(column) else { return nil }
        guard let id = SessionID(bytes: bytes) else {
            throw DamagedValue(column: column, found: "no id")
        }
        return id
    }

    private func require<Value>(_ value: Value?, _ column: String) throws(DamagedValue) -> Value {
        guard let value else { throw DamagedValue(column: column, found: "NULL") }
        return value
    }
}

extension SQLValue {
    fileprivate var kind: String {
        switch self {
        case .null: "NULL"
        case .integer: "an integer"
        case .text: "text"
        case .blob: "bytes"
        case .boolean: "a boolean"
        }
    }
}

// MARK: - Rows of accounts

extension Account {
    package static let columns = "key, username, password, created_at, is_disabled"

    package init(_ row: any SQLRow) throws(DamagedValue) {
        self.init(
            username: try row.username(), password: PasswordHash(text: try row.text("password")),
            createdAt: try row.timestamp("created_at"), isDisabled: try row.flag("is_disabled"))
        guard try username.key == row.text("key") else {
            throw DamagedValue(column: "key", found: "another name's key")
        }
    }
}

extension Credential {
    package static let columns =
        "hash, account, username, session, created_at, expires_at, last_used_at, is_revoked"

    package init(_ row: any SQLRow) throws(DamagedValue) {
        self.init(
            hash: try row.hash("hash"), username: try row.username(),
            session: try row.textIfPresent("session"),
            createdAt: try row.timestamp("created_at"),
            expiresAt: try row.timestamp("expires_at"),
            lastUsedAt: try row.timestampIfPresent("last_used_at"),
            isRevoked: try row.flag("is_revoked"))
    }
}

extension SessionToken {
    package static let columns = "hash, session, name, credential, created_at, expires_at"

    package init(_ row: any SQLRow) throws(DamagedValue) {
        self.init(
            hash: try row.hash("hash"), session: try row.id("session"),
            name: try row.text("name"), credential: try row.hash("credential"),
            createdAt: try row.timestamp("created_at"),
            expiresAt: try row.timestamp("expires_at"))
    }
}

extension SQLRow {
    fileprivate func username() throws(DamagedValue) -> Username {
        let text = try text("username")
        do { return try Username(text) } catch {
            throw DamagedValue(column: "username", found: "no username")
        }
    }
}
