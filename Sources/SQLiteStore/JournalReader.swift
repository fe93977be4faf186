import Foundation
import GRDB
import SQLStore
import Sessions

/// Reads parts of a session's journal, which is the stored history of its changes. Only the store's
/// database thread uses this type.
struct JournalReader {
    let session: SessionID
    let db: Database

    /// Reads the part of the journal from which the revisions `first` to `last` can be rebuilt. The
    /// part contains the last complete state of the session at or below revision `first`, and the
    /// changes after this state. If there is no such state, the part begins where the journal
    /// begins.
    /// - Returns: an empty part if the session does not exist.
    /// - Throws: `StorageError`, which names the session, if a row that is needed is damaged;
    ///   SQLite's errors unchanged.
    func part(from first: Int, through last: Int) throws -> JournalPart {
        try readStored("history of session \(session.prefix)") {
            let statement = try db.cachedStatement(
                sql: "SELECT journal, journal_first, journal_base FROM session WHERE id = ?")
            guard let row = try GRDB.Row.fetchOne(statement, arguments: [session.data]) else {
                return .none
            }
            let tail = try row.bytes("journal")
            let tailFirst = try row.integer("journal_first")
            let tailBase = try row.integerIfPresent("journal_base")
            var chunks: [[UInt8]] = []
            if tailBase.map({ $0 > first }) ?? true {
                chunks = try parts(from: try start(first), through: min(last, tailFirst - 1))
            }
            if !tail.isEmpty, tailFirst <= last { chunks.append(tail) }
            return JournalPart(chunks: chunks, oldest: try oldestBase() ?? tailBase)
        }
    }

    /// Finds the row of the table `journal_part` at which a read must begin. It is the newest row
    /// with a complete state of the session at or below `revision`.
    /// - Returns: the revision of the first change in this row; 0 if there is no such row. A read
    ///   from 0 begins with the oldest row.
    private func start(_ revision: Int) throws -> Int {
        let statement = try db.cachedStatement(
            sql: """
                SELECT first FROM journal_part
                WHERE session = :session AND first <= :revision + 1 AND base <= :revision
                ORDER BY first DESC LIMIT 1
                """)
        return try Int.fetchOne(
            statement,
            arguments: [
                "session": session.data,
                "revision": min(revision, StoredRange.numbers.upperBound),
            ]) ?? 0
    }

    private func oldestBase() throws -> Int? {
        let statement = try db.cachedStatement(
            sql: """
                SELECT base FROM journal_part WHERE session = ? AND base IS NOT NULL
                ORDER BY first LIMIT 1
                """)
        return try GRDB.Row.fetchOne(statement, arguments: [session.data])?
            .integerIfPresent("base")
    }

    private func parts(from first: Int, through last: Int) throws -> [[UInt8]] {
        let statement = try db.cachedStatement(
            sql: """
                SELECT changes FROM journal_part WHERE session = ? AND first BETWEEN ? AND ?
                ORDER BY first
                """)
        return try GRDB.Row.fetchAll(statement, arguments: [session.data, first, last])
            .map { try $0.bytes("changes") }
    }
}
