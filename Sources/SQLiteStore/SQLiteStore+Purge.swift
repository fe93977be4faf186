import Accounts
import Foundation
import GRDB
import Sessions

extension SQLiteStore {
    /// Rows that one step looks at in each table: a few milliseconds.
    private static let step = 500

    /// Looks at the next rows of each table, in the order of their keys, and begins again at the end:
    /// no index on the expiry, which every change would have to move.
    public func purge(before now: Timestamp) async throws(StorageError) -> Bool {
        try await access { db in
            var isDone = true
            for table in ["session", "credential", "receipt"] {
                let kept: Duration = table == "credential" ? Credential.retention : .zero
                isDone = try self.purge(table, before: now + (.zero - kept), db) && isDone
            }
            return !isDone
        }
    }

    /// - Returns: whether the end of the table was reached.
    private func purge(_ table: String, before now: Timestamp, _ db: Database) throws -> Bool {
        let key = Self.keys[table] ?? "id"
        let start = purgePositions.withLock { $0[table] ?? Data() }
        let rows = try GRDB.Row.fetchAll(
            db,
            sql: """
                SELECT \(key) AS key, expires_at FROM \(table) WHERE \(key) > ?
                ORDER BY \(key) LIMIT \(Self.step)
                """, arguments: [start])
        let expired: [Data] = rows.filter { $0["expires_at"] <= now.milliseconds }
            .map { $0["key"] }
        if !expired.isEmpty {
            try db.inTransaction {
                for key in expired { try remove(table, key, db) }
                return .commit
            }
        }
        let isAtEnd = rows.count < Self.step
        if table == "session" {
            sessionTally.withLock { $0.add(rows.count - expired.count, isLast: isAtEnd) }
        }
        let next: Data = isAtEnd ? Data() : rows.last?["key"] ?? Data()
        purgePositions.withLock { $0[table] = next }
        return isAtEnd
    }

    private static let keys = ["session": "id", "credential": "hash", "receipt": "id"]

    private func remove(_ table: String, _ key: Data, _ db: Database) throws {
        try db.execute(
            sql: "DELETE FROM \(table) WHERE \(Self.keys[table] ?? "id") = ?", arguments: [key])
        if table == "session" {
            try db.execute(sql: "DELETE FROM event_group WHERE session = ?", arguments: [key])
        }
    }
}
