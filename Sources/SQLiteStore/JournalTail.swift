import GRDB
import Sessions

/// The newest changes in a session's journal, which its row holds. A change then writes no further row
/// for the journal. Full ones become a row of their own.
struct JournalTail {
    /// The size from which the journal in a session's row is moved out, in bytes. Each change writes all
    /// of them again.
    private static let limit = 512

    private let batch: JournalBatch
    /// Whether the journal of the row begins anew with this change.
    let isFull: Bool
    /// Whether the journal that is now in the row moves to a row of its own first.
    let movesOut: Bool
    /// The size of the journal in the row afterwards.
    let size: Int

    /// - Parameter present: the size of the journal in the row now.
    init(_ batch: JournalBatch, behind present: Int) {
        self.batch = batch
        // A part with a complete state begins with it, or with the changes of the same commit.
        isFull = present == 0 || batch.base != nil || present + batch.bytes.count > Self.limit
        movesOut = isFull && present > 0
        size = isFull ? batch.bytes.count : present + batch.bytes.count
    }

    /// The assignment that adds to the journal. The operator makes a text of two blobs.
    private static let append = """
        , journal = CAST(journal || ? AS BLOB), journal_last = ?, journal_digest = ?
        """
    private static let replace = """
        , journal = ?, journal_last = ?, journal_digest = ?, journal_first = ?, journal_base = ?
        """

    /// The statements with and without a change of the credential, see `SessionWriter`.
    var statements: SessionWriter.UpdateStatements { isFull ? Self.replacing : Self.appending }

    static let appending = SessionWriter.UpdateStatements(append)
    private static let replacing = SessionWriter.UpdateStatements(replace)

    /// The values of the assignment.
    var values: [StoredValue] {
        let values: [StoredValue] = [
            .blob(batch.bytes), .integer(batch.last), .integer(batch.digest),
        ]
        return isFull ? values + [.integer(batch.first), StoredValue(batch.base)] : values
    }

    /// Copies the journal of a row to a row of its own.
    /// - Parameter number: the number of the session's row.
    static func moveOut(of number: Int, _ db: Database) throws {
        // Changes that another file of the same session had, such as one of a backup, are replaced.
        try db.cachedStatement(
            sql: """
                INSERT OR REPLACE INTO journal_part (session, first, last, base, changes)
                SELECT id, journal_first, journal_last, journal_base, journal FROM session
                WHERE number = ? AND length(journal) > 0
                """
        ).run(.integer(number))
    }

    /// Removes parts beyond the retention: more than are added, but so few that no change waits for a
    /// long cleanup.
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
