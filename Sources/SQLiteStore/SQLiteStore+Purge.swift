import Foundation
import GRDB
import Sessions
import WaypostCore

extension SQLiteStore {
    /// Deals with the next rows of the tables, one table after the other, each in the order of its
    /// keys, as far as `PurgeLimits` allow; then gives free pages back to the file system.
    ///
    /// Damaged rows are left alone: `check` names them.
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
            // All rows of a step go with one sync, or none does: the pass is then as before.
            try db.inTransaction(.immediate) {
                if pass.lastGroup == nil { try Self.begin(&pass, db) }
                while pass.part != .done, budget.hasRoomToLook,
                    try self.completePart(of: &pass, before: now, &budget, db)
                {
                    pass.goOn()
                }
                return .commit
            }
            pass.bytes += budget.bytes
            let isDone = pass.part == .done
            if isDone { self.sessionCounter.withLock { $0 = pass.sessions } }
            self.purgePass.withLock { $0 = isDone ? PurgePass() : pass }
            return !isDone
        }
    }

    private static func begin(_ pass: inout PurgePass, _ db: Database) throws {
        pass.lastSession = try Int.fetchOne(db, sql: "SELECT max(number) FROM session") ?? 0
        pass.lastGroup = try Int.fetchOne(db, sql: "SELECT max(number) FROM event_group") ?? 0
    }

    /// - Returns: whether there was room for all of the part.
    private func completePart(
        of pass: inout PurgePass, before now: Timestamp, _ budget: inout PurgeBudget,
        _ db: Database
    ) throws -> Bool {
        switch pass.part {
        case .expiring(let index):
            try removeExpired(ExpiringTable.all[index], now, &pass, &budget, db)
        case .events: try removeEvents(&pass, &budget, db)
        case .freePages: try giveBackPages(&budget, db)
        case .done: true
        }
    }

    // MARK: Rows

    /// A row that was looked at.
    private struct Candidate {
        let key: DatabaseValue
        let isToGo: Bool
    }

    /// - Returns: whether the table has been dealt with.
    private func removeExpired(
        _ table: ExpiringTable, _ now: Timestamp, _ pass: inout PurgePass,
        _ budget: inout PurgeBudget, _ db: Database
    ) throws -> Bool {
        let isSession = table.name == "session"
        let end = table.retention == .zero ? now : now + (.zero - table.retention)
        let rows = try GRDB.Row.fetchCursor(
            db.cachedStatement(
                sql: """
                    SELECT \(table.key) AS key,
                      \(table.isOrphan)
                        OR typeof(expires_at) = 'integer' AND expires_at BETWEEN :start AND :end
                        AS is_to_go
                    FROM \(table.name) WHERE \(table.key) > :position ORDER BY \(table.key)
                    """),
            arguments: [
                "start": StoredRange.timestamps.lowerBound,
                "end": end.milliseconds, "position": pass.position,
            ])
        let (candidates, isAtEnd) = try look(
            rows, upTo: isSession ? pass.lastSession : nil, &budget)
        let removed = try remove(
            candidates, table.name, table.key, hasIndex: table.hasIndex, &budget, db)
        pass.position = candidates.prefix(removed).last?.key ?? pass.position
        if isSession { pass.sessions += candidates.prefix(removed).count { !$0.isToGo } }
        return isAtEnd && removed == candidates.count
    }

    /// Removes the events of sessions that are gone, and those behind the newest of each that are kept.
    private func removeEvents(
        _ pass: inout PurgePass, _ budget: inout PurgeBudget, _ db: Database
    ) throws -> Bool {
        let rows = try GRDB.Row.fetchCursor(
            db.cachedStatement(
                sql: """
                    SELECT event_group.number AS key,
                      CASE WHEN session.number IS NULL
                        THEN typeof(event_group.session) = 'blob' AND length(event_group.session) = 16
                        ELSE typeof(event_group.last) = 'integer' AND typeof(newest.last) = 'integer'
                          AND newest.last BETWEEN 0 AND :maximum
                          AND event_group.last <= newest.last - :retention
                      END AS is_to_go
                    FROM event_group
                    LEFT JOIN session ON session.id = event_group.session
                    LEFT JOIN event_group AS newest ON newest.number = session.last_group
                    WHERE event_group.number > :position ORDER BY event_group.number
                    """),
            arguments: [
                "maximum": StoredRange.numbers.upperBound, "retention": eventRetention,
                "position": pass.position,
            ])
        let (candidates, isAtEnd) = try look(rows, upTo: pass.lastGroup, &budget)
        let removed = try remove(
            candidates, "event_group", "number", hasIndex: false, &budget, db)
        pass.position = candidates.prefix(removed).last?.key ?? pass.position
        return isAtEnd && removed == candidates.count
    }

    /// - Parameter last: the key of the last row that counts; nil if all do.
    /// - Returns: the rows that there was time to look at, and whether there are no more.
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

    /// - Returns: how many of the rows are dealt with: there was no room for the others.
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

    /// Gives pages that are free back to the file system, if the store was made so that it can and
    /// many are free: the last pages of the file are moved into them.
    /// - Returns: whether no more are to be given back.
    private func giveBackPages(_ budget: inout PurgeBudget, _ db: Database) throws -> Bool {
        let isIncremental = try number("auto_vacuum", db) == 2
        let limit = purgeLimits.withLock { $0.freePages }
        let pageSize = try number("page_size", db)
        var free = try number("freelist_count", db)
        while isIncremental, free > max(limit, try number("page_count", db) / 8) {
            guard budget.hasRoomToRemove else { return false }
            try db.execute(sql: "PRAGMA incremental_vacuum(16)")
            let now = try number("freelist_count", db)
            // A damaged list of free pages does not get shorter.
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
