import Foundation
import GRDB
import SQLStore
import Sessions
import WaypostCore

extension SQLiteStore {
    /// Runs one step of the purge, which removes expired data. The step stays within `PurgeLimits`.
    /// Many steps form a pass. A pass examines the tables one after another, each in the order of
    /// its keys, and then returns free pages to the file system.
    ///
    /// The purge skips damaged rows; `check` reports them.
    /// - Parameter now: the current time. A row whose expiry time is `now` or earlier has expired.
    /// - Returns: false if this step completed a pass; true if the pass needs more steps.
    public func purge(before now: Timestamp) async throws(StorageError) -> Bool {
        try await access { db in
            if let failure = self.failure { throw failure }
            var pass = self.purgePass.withLock { $0 }
            let limits = self.purgeLimits.withLock { $0 }
            if pass.bytes >= limits.checkpointBytes {
                _ = try GRDB.Row.fetchOne(db, sql: "PRAGMA wal_checkpoint(PASSIVE)")
                self.purgePass.withLock { $0.bytes = 0 }
                return true
            }
            var budget = PurgeBudget(limits)
            // One transaction holds all removals of a step. If it fails, the pass does not advance.
            try db.inTransaction(.immediate) {
                if pass.lastRows == nil { try Self.begin(&pass, db) }
                while pass.part != .done, budget.hasRoomToLook,
                    try self.completePart(of: &pass, before: now, &budget, db)
                {
                    pass.goOn()
                }
                return .commit
            }
            pass.bytes += budget.bytes
            self.expiredSessions.increment(by: pass.expiredSessions)
            pass.expiredSessions = 0
            let isDone = pass.part == .done
            if isDone { self.sessionCounter.withLock { $0 = pass.sessions } }
            self.purgePass.withLock { $0 = isDone ? PurgePass() : pass }
            return !isDone
        }
    }

    private static func begin(_ pass: inout PurgePass, _ db: Database) throws {
        pass.lastRows = (
            session: try Int.fetchOne(db, sql: "SELECT max(number) FROM session") ?? 0,
            log: try Int.fetchOne(db, sql: "SELECT max(number) FROM log") ?? 0
        )
    }

    /// Works on the current part of the pass until the part is complete or the budget is used up.
    /// - Returns: true if the part is complete.
    private func completePart(
        of pass: inout PurgePass, before now: Timestamp, _ budget: inout PurgeBudget,
        _ db: Database
    ) throws -> Bool {
        switch pass.part {
        case .expiring(let index):
            try removeExpired(ExpiringTable.all[index], now, &pass, &budget, db)
        case .freePages: try giveBackPages(&budget, db)
        case .done: true
        }
    }

    // MARK: Rows

    /// A row that was examined, and whether the purge must remove it.
    private struct Candidate {
        let key: DatabaseValue
        let isToGo: Bool
    }

    /// Removes expired rows of a table, and rows that meet the table's condition `isOrphan`.
    /// - Returns: true if the pass has processed all its rows of this table; false if the budget is
    ///   used up.
    private func removeExpired(
        _ table: ExpiringTable, _ now: Timestamp, _ pass: inout PurgePass,
        _ budget: inout PurgeBudget, _ db: Database
    ) throws -> Bool {
        let isSession = table.name == "session"
        let isLog = table.name == "log"
        let end = table.retention == .zero ? now : now + (.zero - table.retention)
        let expiry = table.expires ? "expires_at" : "NULL"
        let rows = try GRDB.Row.fetchCursor(
            db.cachedStatement(
                sql: """
                    SELECT \(table.key) AS key,
                      \(table.isOrphan)
                        OR typeof(\(expiry)) = 'integer' AND \(expiry) BETWEEN :start AND :end
                        AS is_to_go
                    FROM \(table.name) WHERE \(table.key) > :position ORDER BY \(table.key)
                    """),
            arguments: [
                "start": StoredRange.timestamps.lowerBound,
                "end": end.milliseconds, "position": pass.position,
            ])
        let (candidates, isAtEnd) = try look(
            rows, upTo: isSession ? pass.lastRows?.session : isLog ? pass.lastRows?.log : nil,
            &budget)
        let removed = try remove(
            candidates, table.name, table.key, hasIndex: table.hasIndex, &budget, db)
        pass.position = candidates.prefix(removed).last?.key ?? pass.position
        if isSession {
            let live = candidates.prefix(removed).count { !$0.isToGo }
            pass.sessions += live
            pass.expiredSessions += removed - live
        }
        return isAtEnd && removed == candidates.count
    }

    /// Examines rows until the budget for examining is used up.
    /// - Parameter last: the key of the last row to examine; nil for all rows.
    /// - Returns: the examined rows, and whether all rows up to `last` were examined.
    private func look(
        _ rows: RowCursor, upTo last: Int?, _ budget: inout PurgeBudget
    ) throws -> (candidates: [Candidate], isAtEnd: Bool) {
        var candidates: [Candidate] = []
        while budget.hasRoomToLook {
            guard let row = try rows.next() else { return (candidates, true) }
            let key: DatabaseValue = row["key"]
            if let last, let number = Int.fromDatabaseValue(key), number > last {
                return (candidates, true)
            }
            let isToGo = try row.integerIfPresent("is_to_go") == 1
            candidates.append(Candidate(key: key, isToGo: isToGo))
            budget.noteRow()
        }
        return (candidates, false)
    }

    /// Removes those candidates that must go, until the budget is used up.
    /// - Returns: the number of candidates that were processed, including those that stay in the
    ///   table.
    private func remove(
        _ candidates: [Candidate], _ table: String, _ key: String, hasIndex: Bool,
        _ budget: inout PurgeBudget, _ db: Database
    ) throws -> Int {
        let delete = try db.cachedStatement(sql: "DELETE FROM \(table) WHERE \(key) = ?")
        let pageSize = try number("page_size", db)
        var free = try number("freelist_count", db)
        for (index, candidate) in candidates.enumerated() where candidate.isToGo {
            guard budget.hasRoomToRemove else { return index }
            try delete.execute(arguments: [candidate.key])
            let now = try number("freelist_count", db)
            budget.noteRemoval(changing: (max(now - free, 0) + (hasIndex ? 1 : 0)) * pageSize)
            free = now
        }
        return candidates.count
    }

    // MARK: Pages

    /// Returns free pages to the file system until only as many are left as `PurgeLimits.freePages`
    /// allows. SQLite moves the content of the file's last pages into free pages and truncates the
    /// file. A file that an old version of Waypost created does not support this, and stays
    /// unchanged.
    /// - Returns: true if there is no more to do; false if the budget is used up.
    private func giveBackPages(_ budget: inout PurgeBudget, _ db: Database) throws -> Bool {
        let isIncremental = try number("auto_vacuum", db) == 2
        let limit = purgeLimits.withLock { $0.freePages }
        let pageSize = try number("page_size", db)
        var free = try number("freelist_count", db)
        while isIncremental, free > max(limit, try number("page_count", db) / 8) {
            guard budget.hasRoomToRemove else { return false }
            try db.execute(sql: "PRAGMA incremental_vacuum(16)")
            let now = try number("freelist_count", db)
            // If the list of free pages is damaged, its length does not decrease.
            guard now < free else { return true }
            budget.noteRemoval(changing: (free - now) * pageSize)
            free = now
        }
        return true
    }

    private func number(_ pragma: String, _ db: Database) throws -> Int {
        try Int.fetchOne(db.cachedStatement(sql: "PRAGMA \(pragma)")) ?? 0
    }
}
