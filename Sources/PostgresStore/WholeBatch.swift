import SQLStore
import Sessions

/// A batch that runs in a separate transaction. All its statements are sent to the server at once.
///
/// Waypost therefore cannot look at the result of one statement before the next one runs, and the
/// server must detect that a row has changed since it was read, see `SQLText.refusal`. The index of
/// the failed statement shows the reason.
struct WholeBatch {
    private let commit: PendingCommit
    private var statements: [BoundStatement] = []
    /// For each statement, the reason for a rejection of the batch if this statement fails; nil if
    /// only a server error can make it fail.
    private var reasons: [CommitError?] = []

    init(_ commit: PendingCommit, _ settings: LaneSettings) {
        self.commit = commit
        let others = BatchStatements(
            commit.batch, shared: (writer: commit.writer, now: settings.now()))
        for statement in others.records + others.beforeSession { add(statement) }
        addSessionChange(settings)
        for statement in others.afterSession { add(statement) }
    }

    /// Runs the batch.
    /// - Returns: nil if the batch was written; `.outcomeUnknown` if an earlier attempt may have
    ///   written it; otherwise the reason why nothing was written.
    /// - Throws: `DatabaseFailure` if the server or the connection fails; `DamagedValue` if a
    ///   stored value is invalid.
    func run(on connection: Connection) throws -> CommitError? {
        do throws(DatabaseFailure) {
            _ = try connection.run(statements, of: [commit])
            return nil
        } catch {
            guard case .refused(let error) = error, Self.rowMissing.contains(error.code),
                reasons.indices.contains(error.index),
                // A session that was inserted before has a duplicate key.
                let reason = reasons[error.index] ?? (commit.isRepeated ? .conflict : nil)
            else { throw error }
            return try Rejection.results(
                of: [Rejection(commit: commit, reason: reason)], on: connection)[0]
        }
    }

    /// The SQLSTATEs of the errors that reject a batch: a division by zero and a duplicate key.
    private static let rowMissing = ["22012", "23505"]

    private mutating func add(_ statement: StoreStatement) {
        add(BoundStatement(statement), orRefuse: statement.text.refusal)
    }

    private mutating func add(_ statement: BoundStatement, orRefuse reason: CommitError? = nil) {
        statements.append(statement)
        reasons.append(reason)
    }

    private mutating func addSessionChange(_ settings: LaneSettings) {
        switch commit.batch.session {
        case .insert:
            guard let row = commit.row, let tail = commit.batch.log?.tail else { return }
            add(
                WholeStatements.insertSession(
                    row.id, commit.writer, row.revision, row.createdAt, row.expiresAt,
                    row.purgeAfter(at: settings.now()), row.tokenHash, row.credential,
                    row.credentialRefusal?.rawValue, row.summary, row.name, tail.first,
                    tail.firstEvent, tail.hasState, tail.records))
        case .update(let session, _):
            add(SetBatch.changeStatement([commit], settings))
            add(
                WholeStatements.requireWritten(session.id, commit.writer))
        case .delete(let id, let version):
            add(WholeStatements.deleteSession(id, version.number))
            add(WholeStatements.deleteRecords(id))
            add(AccountWrites.deleteTokensOfSession(id))
        case .check(let id, let version):
            add(WholeStatements.requireVersion(id, version.number))
        case nil: break
        }
    }
}
