import Accounts
import Foundation
import GRDB
import Sessions

/// How far one look at the whole store has come.
struct PurgePass {
    /// The key of the last row that was looked at, by table.
    var positions: [String: DatabaseValue] = [:]
    var eventGroup = 0
    /// The numbers of the last rows when it began, by table: what comes later is the next pass's, or
    /// there might be no end.
    var ends: [String: Int] = [:]
    /// The tables that have been looked at to their end.
    var finished: Set<String> = []
}

extension SQLiteStore {
    /// Rows that one step looks at in each table: a few milliseconds.
    private static let step = 500
    /// Those of the events are looked at in the order in which they lie.
    private static let eventStep = 2000

    private static let keys = [
        "session": "number", "credential": "hash", "idempotency_record": "number",
    ]
    private static let events = "event_group"
    /// Less than each key: numbers count from 1, and bytes come behind all numbers.
    private static let beforeAll = 0.databaseValue

    /// Looks at the next rows of each table, in the order of their keys: no index on the expiry, which
    /// every change would have to move.
    public func purge(before now: Timestamp) async throws(StorageError) -> Bool {
        try await access { db in
            var pass = self.purgePass.withLock { $0 }
            if pass.ends.isEmpty {
                for table in ["session", Self.events] {
                    pass.ends[table] =
                        try Int.fetchOne(db, sql: "SELECT max(number) FROM \(table)") ?? 0
                }
            }
            for (table, key) in Self.keys where !pass.finished.contains(table) {
                let kept: Duration = table == "credential" ? Credential.retention : .zero
                try self.purge(table, key, before: now + (.zero - kept), &pass, db)
            }
            if !pass.finished.contains(Self.events) { try self.dropEvents(&pass, db) }
            let isDone = pass.finished.count == Self.keys.count + 1
            self.purgePass.withLock { $0 = isDone ? PurgePass() : pass }
            return !isDone
        }
    }

    private func purge(
        _ table: String, _ key: String, before now: Timestamp, _ pass: inout PurgePass,
        _ db: Database
    ) throws {
        // Sessions that end leave their records for the purge, however many there are.
        let isOrphan =
            table == "idempotency_record"
            ? "session IS NOT NULL AND session NOT IN (SELECT id FROM session)" : "0"
        let rows = try GRDB.Row.fetchAll(
            db,
            sql: """
                SELECT \(key) AS key, expires_at, \(isOrphan) AS is_orphan
                FROM \(table) WHERE \(key) > ?
                ORDER BY \(key) LIMIT \(Self.step)
                """, arguments: [pass.positions[table] ?? Self.beforeAll])
        let expired: [DatabaseValue] = rows.filter {
            $0["expires_at"] <= now.milliseconds || $0["is_orphan"]
        }
        .map { $0["key"] }
        if !expired.isEmpty {
            try db.inTransaction {
                for value in expired {
                    try db.execute(
                        sql: "DELETE FROM \(table) WHERE \(key) = ?", arguments: [value])
                }
                return .commit
            }
        }
        var isAtEnd = rows.count < Self.step
        if let end = pass.ends[table], let last = rows.last?["key"] as Int?, last >= end {
            isAtEnd = true
        }
        if table == "session" {
            sessionTally.withLock { $0.add(rows.count - expired.count, isLast: isAtEnd) }
        }
        pass.positions[table] = rows.last?["key"]
        if isAtEnd { pass.finished.insert(table) }
    }

    /// Removes the events of sessions that are gone, and those behind the newest of each that are kept.
    private func dropEvents(_ pass: inout PurgePass, _ db: Database) throws {
        let numbers = try Int.fetchAll(
            db,
            sql: """
                SELECT number FROM event_group WHERE number > ?
                ORDER BY number LIMIT \(Self.eventStep)
                """, arguments: [pass.eventGroup])
        if let last = numbers.last {
            try db.execute(
                sql: """
                    DELETE FROM event_group WHERE number > ? AND number <= ? AND last <= coalesce(
                      (SELECT newest.last - ? FROM session
                       JOIN event_group AS newest ON newest.number = session.last_group
                       WHERE session.id = event_group.session), last)
                    """, arguments: [pass.eventGroup, last, eventRetention])
            pass.eventGroup = last
        }
        if numbers.count < Self.eventStep || pass.eventGroup >= pass.ends[Self.events] ?? 0 {
            pass.finished.insert(Self.events)
        }
    }
}
