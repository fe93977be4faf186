import GRDB
import Sessions

/// The newest changes in a session's journal. The session's row holds them, so that a change writes no
/// second row for the journal. They move to a row of `journal_part` when they are too large, or when a
/// complete state begins a new part.
struct JournalTail {
    /// The size above which the journal in a session's row moves to a row of its own, in bytes. It is
    /// small because each change writes the session's row again.
    private static let limit = 512

    private let batch: JournalBatch
    /// Whether this change replaces the journal in the session's row instead of appending to it.
    let isFull: Bool
    /// Whether the journal in the session's row first moves to a row of its own.
    let movesOut: Bool
    /// The size of the journal in the session's row after this change, in bytes.
    let size: Int

    /// - Parameter present: the size of the journal in the session's row before this change, in bytes.
    init(_ batch: JournalBatch, behind present: Int) {
        self.batch = batch
        // A batch with a complete state begins a new part, so that only changes of the same commit
        // can come before the state in the part.
        isFull = present == 0 || batch.base != nil || present + batch.bytes.count > Self.limit
        movesOut = isFull && present > 0
        size = isFull ? batch.bytes.count : present + batch.bytes.count
    }

    /// The SQL assignments that append to the journal. The cast is needed because the result of
    /// `||` is a text even for two blobs.
    private static let append = """
        , journal = CAST(journal || ? AS BLOB), journal_last = ?, journal_digest = ?
        """
    private static let replace = """
        , journal = ?, journal_last = ?, journal_digest = ?, journal_first = ?, journal_base = ?
        """

    /// The statements that write the session's row with the journal, see `SessionWriter`.
    var statements: SessionWriter.UpdateStatements { isFull ? Self.replacing : Self.appending }

    static let appending = SessionWriter.UpdateStatements(append)
    private static let replacing = SessionWriter.UpdateStatements(replace)

    /// The values of the journal's columns, in the order of the statement's parameters.
    var values: [StoredValue] {
        let values: [StoredValue] = [
            .blob(batch.bytes), .integer(batch.last), .integer(batch.digest),
        ]
        return isFull ? values + [.integer(batch.first), StoredValue(batch.base)] : values
    }

    /// Copies the journal in a session's row to a row of `journal_part`.
    /// - Parameter number: the number of the session's row.
    static func moveOut(of number: Int, _ db: Database) throws {
        // A row for the same first revision is replaced, so that a leftover row cannot make the
        // change fail.
        try db.cachedStatement(
            sql: """
                INSERT OR REPLACE INTO journal_part (session, first, last, base, changes)
                SELECT id, journal_first, journal_last, journal_base, journal FROM session
                WHERE number = ? AND length(journal) > 0
                """
        ).run(.integer(number))
    }

    /// Removes up to 4 parts of a session's journal that are older than the retention. A change
    /// adds at most one part, so the removal keeps up, and no change waits for a long cleanup.
    func removeOld(of id: SessionID, _ db: Database) throws {
        guard batch.keptFrom > 0 else { return }
        try db.cachedStatement(
            sql: """
                DELETE FROM journal_part WHERE number IN (
                  SELECT number FROM journal_part WHERE session = ? AND first < ? AND last < ?
                  ORDER BY first LIMIT 4)
                """
        ).run(.blob(id.bytes), .integer(batch.keptFrom), .integer(batch.keptFrom))
    }
}
