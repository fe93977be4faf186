import Foundation
import GRDB
import Sessions
import StoreCoding

/// Reads parts of a session's journal. It is used on the store's thread only.
struct JournalReader {
    let session: SessionID
    let db: Database

    /// Reads a part that begins at a complete state, see `SessionStore.journal(of:from:through:)`.
    /// - Throws: `StorageError`, which names the session, if a needed row is damaged.
    func part(from first: Int, through last: Int) throws -> JournalPart {
        try readStored("history of session \(session.prefix)") {
            let statement = try db.cachedStatement(
                sql: "SELECT journal, journal_first, journal_base FROM session WHERE id = ?")
            guard let row = try GRDB.Row.fetchOne(statement, arguments: [session.data]) else {
                return .none
            }
            let tail = Array(try row.blob("journal"))
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

    /// Finds the row of `journal_part` at which a read must begin: the newest one that contains
    /// a complete state at or below `revision`.
    /// - Returns: the revision of the first change in this row. If there is no such row, 0, so that
    ///   the read begins with the oldest row.
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
            .map { Array(try $0.blob("changes")) }
    }
}
