import GRDB
import Sessions

/// The way in which a change is added to a session's journal, the history of the session's changes.
/// The newest changes of the journal are in a column of the session's row, so that a change writes
/// no second row. The content of this column moves to a row of the table `journal_part` when the
/// column gets too large, or when a complete state of the session begins a new part of the journal.
struct JournalTail {
    /// The size up to which changes are appended to the journal column of a session's row, in
    /// bytes. A change that would exceed this size replaces the old content, which moves to the
    /// table `journal_part`. The limit is small because each change writes the session's row again.
    private static let limit = 512

    private let batch: JournalBatch
    /// Whether this change replaces the content of the journal column instead of appending to it.
    let isFull: Bool
    /// Whether the old content of the journal column must first move to the table `journal_part`.
    let movesOut: Bool
    /// The size of the journal column after this change, in bytes.
    let size: Int

    /// - Parameters:
    ///   - batch: the part of the journal that the change adds.
    ///   - present: the size of the journal column before the change, in bytes.
    init(_ batch: JournalBatch, behind present: Int) {
        self.batch = batch
        // A batch with a complete state of the session begins a new part of the journal. Only
        // changes of the same commit can then come before the state in this part.
        isFull = present == 0 || batch.base != nil || present + batch.bytes.count > Self.limit
        movesOut = isFull && present > 0
        size = isFull ? batch.bytes.count : present + batch.bytes.count
    }

    /// The SQL assignments that append to the journal column. The cast is needed because `||`
    /// returns text in SQLite even if both operands are blobs.
    private static let append = """
        , journal = CAST(journal || ? AS BLOB), journal_last = ?, journal_digest = ?
        """
    private static let replace = """
        , journal = ?, journal_last = ?, journal_digest = ?, journal_first = ?, journal_base = ?
        """

    /// The SQL texts that update a session's row together with its journal column.
    var statements: SessionWriter.UpdateStatements { isFull ? Self.replacing : Self.appending }

    static let appending = SessionWriter.UpdateStatements(append)
    private static let replacing = SessionWriter.UpdateStatements(replace)

    /// The values for the journal parameters of `statements`, in the order of the parameters.
    var values: [StoredValue] {
        let values: [StoredValue] = [
            .blob(batch.bytes), .integer(batch.last), .integer(batch.digest),
        ]
        return isFull ? values + [.integer(batch.first), StoredValue(batch.base)] : values
    }

    /// Copies the content of the journal column to a row of the table `journal_part`. Does nothing
    /// if the column is empty.
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

    /// Removes up to 4 rows of `journal_part` whose changes are all below `JournalBatch.keptFrom`,
    /// the lowest revision that the session's history keeps. A change adds at most one row, so the
    /// removals keep up with the additions, and no change waits for a long cleanup.
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
