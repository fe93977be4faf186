import GRDB
import SQLStore
import Sessions

/// Inserts, updates and deletes sessions and their logs in one transaction. The newest records of a
/// log, its tail, are in the session's row, which each change writes anyway. Older records are in the
/// table `log`.
struct SessionWriter {
    private let db: Database
    /// The most frequent statement is looked up only once per transaction, because the lookup is
    /// slow: GRDB finds a prepared statement by its whole text.
    private let appendToTail: Statement

    init(_ db: Database) throws {
        self.db = db
        appendToTail = try db.cachedStatement(sql: UpdateStatements.appending.keepingCredential)
    }

    func insert(_ row: SessionRow, _ log: LogWrite?) throws {
        // The purge may not have removed the log of an ended session with the same id yet.
        try db.cachedStatement(sql: "DELETE FROM log WHERE session = ?").run(.blob(row.id.bytes))
        let tail = log?.tail
        try db.cachedStatement(
            sql: """
                INSERT INTO session (id, token_hash, created_at, expires_at, revision, credential,
                  credential_refusal, summary, name, tail, tail_first, tail_event, tail_has_state)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """
        ).run(
            .blob(row.id.bytes), .blob(row.tokenHash.bytes),
            .integer(row.createdAt.milliseconds), .integer(row.expiresAt.milliseconds),
            .integer(row.revision), StoredValue(row.credential?.bytes),
            StoredValue(row.credentialRefusal?.rawValue), StoredValue(row.summary),
            StoredValue(row.name), .blob(tail?.records ?? []),
            .integer(tail?.first ?? row.revision), .integer(tail?.firstEvent ?? 1),
            .integer(tail?.hasState == true ? 1 : 0))
    }

    /// Replaces a session's row, and adds to its log, if the row has the expected version.
    /// - Parameter version: the expected version.
    /// - Returns: nil if the row was replaced; otherwise the reason why not.
    func update(
        _ row: SessionRow, _ log: LogWrite?, replacing version: RowVersion
    ) throws -> CommitError? {
        if let log, log.movesTail {
            guard try moveTail(of: row.id, version) else {
                return try refusal(of: row.id, version) ?? .sessionNotFound
            }
            for part in log.rows { try insert(part, of: row.id) }
        }
        var values: [StoredValue] = []
        values.reserveCapacity(16)
        values += [
            .integer(row.expiresAt.milliseconds), .integer(row.revision),
            StoredValue(row.credentialRefusal?.rawValue), .integer(version.next.number),
            StoredValue(row.summary), StoredValue(row.name), .blob(log?.tail.records ?? []),
        ]
        if let log, log.movesTail { values += Self.places(of: log.tail) }
        let count = values.count
        values += [
            .blob(row.id.bytes), .integer(version.number), StoredValue(row.credential?.bytes),
        ]
        let statements = log?.movesTail == true ? UpdateStatements.replacing : .appending
        let statement =
            log?.movesTail == true
            ? try db.cachedStatement(sql: statements.keepingCredential) : appendToTail
        try statement.run(values)
        if db.changesCount == 0 {
            // No row has this version and this credential. A log-in or log-out changes the
            // credential.
            values.insert(values.removeLast(), at: count)
            try db.cachedStatement(sql: statements.changingCredential).run(values)
        }
        guard db.changesCount > 0 else {
            return try refusal(of: row.id, version) ?? .sessionNotFound
        }
        if let log, log.movesTail { try removeOld(of: row.id, keptFrom: log.keptFrom) }
        return nil
    }

    /// The SQL texts that update a session's row.
    private struct UpdateStatements {
        /// Updates the row only if its credential stays the same. The statement does not assign the
        /// credential, because SQLite would write a page of the credential's index even for the
        /// same value.
        let keepingCredential: String
        let changingCredential: String

        /// The cast is needed because `||` returns text in SQLite even if both operands are blobs.
        static let appending = UpdateStatements("tail = CAST(tail || ? AS BLOB)")
        static let replacing = UpdateStatements(
            "tail = ?, tail_first = ?, tail_event = ?, tail_has_state = ?")

        /// - Parameter tail: the assignments of the tail's columns.
        private init(_ tail: String) {
            let columns = """
                expires_at = ?, revision = ?, credential_refusal = ?, version = ?, summary = ?,
                  name = ?, \(tail)
                """
            keepingCredential = """
                UPDATE session SET \(columns) WHERE id = ? AND version = ? AND credential IS ?
                """
            changingCredential = """
                UPDATE session SET \(columns), credential = ? WHERE id = ? AND version = ?
                """
        }
    }

    /// The values of the columns `tail_first`, `tail_event` and `tail_has_state`.
    private static func places(of tail: LogRow) -> [StoredValue] {
        [.integer(tail.first), .integer(tail.firstEvent), .integer(tail.hasState ? 1 : 0)]
    }

    // MARK: Versions

    /// Checks that a session's row has the expected version.
    /// - Returns: nil if it has; otherwise the reason why the session cannot be changed.
    func refusal(of id: SessionID, _ version: RowVersion) throws -> CommitError? {
        let statement = try db.cachedStatement(sql: "SELECT version FROM session WHERE id = ?")
        guard let found = try Int.fetchOne(statement, arguments: [id.data]) else {
            return .sessionNotFound
        }
        return found == version.number ? nil : .conflict
    }

    /// Deletes a session's row if the row has the expected version.
    /// - Parameter version: the expected version.
    /// - Returns: nil if the row was deleted; otherwise the reason why not.
    func delete(_ id: SessionID, replacing version: RowVersion) throws -> CommitError? {
        // The rest of the session's log, its idempotency records and its tokens are no longer used;
        // `purge` removes them.
        try db.cachedStatement(sql: "DELETE FROM session WHERE id = ? AND version = ?")
            .run(.blob(id.bytes), .integer(version.number))
        return db.changesCount > 0 ? nil : try refusal(of: id, version) ?? .sessionNotFound
    }

    // MARK: The table `log`

    /// Copies the tail of a session's log to a row of the table.
    /// - Returns: false if the session's row does not have the version.
    private func moveTail(of id: SessionID, _ version: RowVersion) throws -> Bool {
        try db.cachedStatement(
            sql: """
                INSERT INTO log (session, first, last, first_event, has_state, records)
                SELECT id, tail_first, revision, tail_event, tail_has_state, tail FROM session
                WHERE id = ? AND version = ?
                """
        ).run(.blob(id.bytes), .integer(version.number))
        return db.changesCount > 0
    }

    private func insert(_ row: LogRow, of id: SessionID) throws {
        try db.cachedStatement(
            sql: """
                INSERT INTO log (session, first, last, first_event, has_state, records)
                VALUES (?, ?, ?, ?, ?, ?)
                """
        ).run(
            .blob(id.bytes), .integer(row.first), .integer(row.last), .integer(row.firstEvent),
            .integer(row.hasState ? 1 : 0), .blob(row.records))
    }

    /// Removes up to 8 rows that are needed only for revisions before `keptFrom`. A change rarely
    /// adds more than two rows, so that the removals keep up with the additions, and no change waits
    /// for a long cleanup.
    private func removeOld(of id: SessionID, keptFrom: Int) throws {
        guard keptFrom > 0 else { return }
        try db.cachedStatement(
            sql: """
                DELETE FROM log WHERE number IN (
                  SELECT number FROM log WHERE session = ? AND first < (
                    SELECT first FROM log WHERE session = ? AND first <= ? AND has_state
                    ORDER BY first DESC LIMIT 1)
                  ORDER BY first LIMIT 8)
                """
        ).run(.blob(id.bytes), .blob(id.bytes), .integer(keptFrom))
    }
}
