import GRDB
import SQLStore
import Sessions
import WaypostCore

/// The limits of one step of the purge, which removes expired data from the store. A step is short
/// because changes wait while it runs.
struct PurgeLimits {
    var time = Duration.milliseconds(4)
    /// The maximum number of rows that a step examines.
    var rows = 4000
    /// The maximum size of the pages that a step changes, in bytes. SQLite writes each changed page
    /// to the write-ahead log, and fills each freed page with zeros first.
    var bytes = 1 << 19
    /// The number of changed bytes after which the next step only makes a checkpoint: SQLite copies
    /// the write-ahead log into the database file. Without such checkpoints, SQLite would copy the
    /// pages of many steps during a client's commit.
    var checkpointBytes = 1 << 22
    /// The number of free pages that the purge leaves in the file for new rows. If an eighth of the
    /// file's pages is more than this number, the purge leaves an eighth of the pages free instead.
    var freePages = 1024
    /// Returns the time since a fixed moment.
    var clock: @Sendable () -> Duration = { PurgeLimits.start.duration(to: .now) }

    private static let start = ContinuousClock.now
}

/// The progress of one pass of the purge. A pass goes through the tables one after another, each in the
/// order of its keys, and then returns free pages to the file system, in many short steps.
struct PurgePass {
    /// The index of the present table in `tables`; their number if the free pages are next.
    var table = 0
    /// The key of the last row that was examined. The initial value 0 sorts before every key: integer
    /// keys start at 1, and SQLite sorts blobs after integers.
    var position = 0.databaseValue
    /// The highest key of the table when the pass came to it; nil before that. Later rows are left to
    /// the next pass, so that a pass always ends.
    var end: DatabaseValue?
    /// The number of live sessions that the pass has counted so far.
    var sessions = 0
    /// The number of bytes that the purge has changed since its last checkpoint.
    var bytes = 0

    /// A table with expired rows, its key, and the SQL condition for the rows to remove. The purge does
    /// not use an index on the expiry time, because each change would have to update such an index.
    typealias Table = (name: String, key: String, isToGo: String, retention: Duration)

    /// The rows of ended sessions in the other tables stay when a session ends: there may be many.
    static let tables: [Table] = [
        ("session", "number", hasExpired, .zero),
        ("credential", "hash", hasExpired, Credential.retention),
        (
            "idempotency_record", "number",
            "\(hasExpired) OR session IS NOT NULL AND session NOT IN (SELECT id FROM session)",
            .zero
        ),
        ("session_token", "hash", "\(hasExpired) OR \(isOfEndedSession)", .zero),
        ("log", "number", isOfEndedSession, .zero),
    ]

    private static let hasExpired =
        "typeof(expires_at) = 'integer' AND expires_at BETWEEN :oldest AND :newest"
    private static let isOfEndedSession = """
        typeof(session) = 'blob' AND length(session) = 16
          AND session NOT IN (SELECT id FROM session)
        """
}

/// Counts how much of its limits one step of the purge has used.
private struct PurgeBudget {
    let limits: PurgeLimits
    let start: Duration
    var rows = 0
    var bytes = 0

    init(_ limits: PurgeLimits) {
        self.limits = limits
        start = limits.clock()
    }

    /// Whether the step may examine another row or free another page. Each step may do so at least
    /// once, so that the purge makes progress.
    var hasRoom: Bool {
        rows == 0
            || rows < limits.rows && bytes < limits.bytes && limits.clock() - start < limits.time
    }
}

extension SQLiteStore {
    /// Runs one step of the purge, which removes expired data. The step stays within `PurgeLimits`. The
    /// purge skips damaged rows; `check` reports them.
    /// - Parameter now: the current time. A row whose expiry time is `now` or earlier has expired.
    /// - Returns: false if this step completed a pass; true if the pass needs more steps.
    public func purge(before now: Timestamp) async throws(SessionError) -> Bool {
        do { return try await access { try self.purgeStep(before: now, $0) } } catch {
            throw .storage(error)
        }
    }

    private func purgeStep(before now: Timestamp, _ db: Database) throws -> Bool {
        if let refusal = self.health.refusal { throw refusal }
        var pass = self.purgePass.withLock { $0 }
        let limits = self.purgeLimits.withLock { $0 }
        if pass.bytes >= limits.checkpointBytes {
            _ = try GRDB.Row.fetchOne(db, sql: "PRAGMA wal_checkpoint(PASSIVE)")
            self.purgePass.withLock { $0.bytes = 0 }
            return true
        }
        var budget = PurgeBudget(limits)
        var expiredSessions = 0
        var isDone = false
        // One transaction holds all removals of a step. If it fails, the pass does not advance.
        try db.inTransaction(.immediate) {
            while !isDone, budget.hasRoom {
                if pass.table == PurgePass.tables.count {
                    isDone = try giveBackPages(&budget, db)
                    break
                }
                let (isAtEnd, removed) = try removeExpired(now, &pass, &budget, db)
                if pass.table == 0 { expiredSessions += removed }
                if isAtEnd {
                    (pass.table, pass.position, pass.end) = (
                        pass.table + 1, 0.databaseValue, nil
                    )
                }
            }
            return .commit
        }
        pass.bytes += budget.bytes
        self.expiredSessions.increment(by: expiredSessions)
        if isDone { self.sessionCounter.withLock { $0 = pass.sessions } }
        self.purgePass.withLock { $0 = isDone ? PurgePass() : pass }
        return !isDone
    }
}

/// Removes rows of the pass's present table until the budget is used up.
/// - Returns: whether the pass has processed all rows of the table, and the number of removed rows.
private func removeExpired(
    _ now: Timestamp, _ pass: inout PurgePass, _ budget: inout PurgeBudget, _ db: Database
) throws -> (isAtEnd: Bool, removed: Int) {
    let table = PurgePass.tables[pass.table]
    let end =
        try pass.end
        ?? DatabaseValue.fetchOne(db, sql: "SELECT max(\(table.key)) FROM \(table.name)") ?? .null
    pass.end = end
    let rows = try GRDB.Row.fetchCursor(
        db.cachedStatement(
            sql: """
                SELECT \(table.key) AS key, \(table.isToGo) AS is_to_go FROM \(table.name)
                WHERE \(table.key) > :position AND \(table.key) <= :end ORDER BY \(table.key)
                """),
        arguments: [
            "oldest": StoredRange.timestamps.lowerBound,
            "newest": (now + (.zero - table.retention)).milliseconds,
            "position": pass.position, "end": end,
        ])
    let delete = try db.cachedStatement(sql: "DELETE FROM \(table.name) WHERE \(table.key) = ?")
    let pageSize = try number("page_size", db)
    var free = try number("freelist_count", db)
    var removed = 0
    while budget.hasRoom {
        guard let row = try rows.next() else { return (true, removed) }
        let key: DatabaseValue = row["key"]
        budget.rows += 1
        pass.position = key
        if try row.integerIfPresent("is_to_go") == 1 {
            try delete.execute(arguments: [key])
            removed += 1
            // Each removal changes a page of an index, too.
            let now = try number("freelist_count", db)
            budget.bytes += (max(now - free, 0) + 1) * pageSize
            free = now
        } else if pass.table == 0 {
            pass.sessions += 1
        }
    }
    return (false, removed)
}

/// Returns free pages to the file system until only as many are left as `PurgeLimits.freePages`
/// allows. SQLite moves the content of the file's last pages into free pages and truncates the
/// file. A file that an old version of Waypost created does not support this, and stays unchanged.
/// - Returns: true if there is no more to do; false if the budget is used up.
private func giveBackPages(_ budget: inout PurgeBudget, _ db: Database) throws -> Bool {
    let isIncremental = try number("auto_vacuum", db) == 2
    let pageSize = try number("page_size", db)
    var free = try number("freelist_count", db)
    while isIncremental, try free > max(budget.limits.freePages, number("page_count", db) / 8) {
        guard budget.hasRoom else { return false }
        try db.execute(sql: "PRAGMA incremental_vacuum(16)")
        let now = try number("freelist_count", db)
        // If the list of free pages is damaged, its length does not decrease.
        guard now < free else { return true }
        budget.rows += 1
        budget.bytes += (free - now) * pageSize
        free = now
    }
    return true
}

private func number(_ pragma: String, _ db: Database) throws -> Int {
    try Int.fetchOne(db.cachedStatement(sql: "PRAGMA \(pragma)")) ?? 0
}
