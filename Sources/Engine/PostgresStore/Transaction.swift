import SQLStore
import Sessions
import WaypostCore

/// A transaction with changes of different sessions, with checks of session versions, or with one
/// commit that has other writes. If one change or check is rejected, the others can still succeed.
///
/// All statements are sent to the server at once. Waypost therefore cannot look at the result of one
/// statement before the next one runs, and the server must detect that a row of a commit with other
/// writes has changed since it was read, see `SQLText.refusal`.
struct Transaction {
    private let commits: [Commit]
    private var statements: [StoreStatement] = []

    /// - Parameter commits: the commits, all with the same `Commit.kind`; changes in the order of
    ///   `sorted`, and only one commit of the kind `other`.
    init(_ commits: [Commit], _ settings: ConnectionSettings) {
        self.commits = commits
        switch commits.first?.kind {
        case .change: statements = [SetStatements.changing(commits, at: settings.now())]
        case .check: statements = [SetStatements.checking(commits)]
        case .other, nil:
            let now = settings.now()
            for commit in commits {
                let batch = BatchStatements(commit.batch, shared: (commit.writer, now)) {
                    $2.append(SessionTable.requireVersion($0.id, $1.number))
                    $2.append(SetStatements.changing([commit], at: now))
                }
                statements += batch.all
            }
        }
    }

    /// Sorts commits in the order in which all transactions lock the rows of sessions: by the ids.
    static func sorted(_ commits: [Commit]) -> [Commit] {
        commits.sorted { one, other in
            guard let id = one.sessionID, let otherID = other.sessionID else { return false }
            return id < otherID
        }
    }

    // MARK: Results

    /// Runs the transaction, and returns the result of each commit.
    /// - Throws: `DatabaseFailure` if the transaction fails; `DamagedValue` if a stored value is
    ///   invalid.
    func run(on connection: Connection) throws -> [Result<Void, SessionError>] {
        let results: [Rows]
        do throws(DatabaseFailure) {
            results = try connection.run(statements)
        } catch {
            if !error.mayBeCommitted { for commit in commits { commit.noteUnsent() } }
            guard commits.count == 1, case .refused(let refusal) = error,
                Self.rowMissing.contains(refusal.code), statements.indices.contains(refusal.index),
                // A session that was inserted before has a duplicate key.
                let reason = statements[refusal.index].text.refusal
                    ?? (commits[0].isRepeated ? .conflict : nil)
            else { throw error }
            return try Self.results(of: commits, rejectedFor: reason, on: connection)
        }
        var refusals: [SessionID: Result<Void, SessionError>] = [:]
        switch commits.first?.kind {
        case .check:
            for row in results[0] {
                refusals[try row.id("id")] =
                    .failure(try row.flag("exists") ? .conflict : .ended)
            }
        case .change where results[0].count < commits.count:
            let written = Set(try results[0].map { try $0.id("id") })
            let rejected = commits.filter { !($0.sessionID.map(written.contains) ?? false) }
            for (commit, result) in zip(
                rejected, try Self.results(of: rejected, rejectedFor: .conflict, on: connection))
            {
                if let id = commit.sessionID { refusals[id] = result }
            }
        default: break
        }
        return commits.map { $0.sessionID.flatMap { refusals[$0] } ?? .success(()) }
    }

    /// The SQLSTATEs of the errors that reject a commit: a division by zero and a duplicate key.
    private static let rowMissing = ["22012", "23505"]

    /// Finds out the results of commits that the server has rejected.
    ///
    /// If a connection is lost during a commit, the commit is sent again. The second attempt is also
    /// rejected if the first one was committed. The session's row shows which of them is the case: it
    /// has the random number of the commit that has written it last, and no two commits have the same
    /// number. If the row has the number of another commit, that one may have replaced what the first
    /// attempt wrote, so that the outcome is unknown. It is also unknown for commits that write to no
    /// session.
    /// - Parameter reason: the reason why this attempt has written nothing.
    private static func results(
        of rejected: [Commit], rejectedFor reason: SessionError, on connection: Connection
    ) throws -> [Result<Void, SessionError>] {
        var writers: [SessionID: Int] = [:]
        let ids = rejected.compactMap(\.sessionID)
        if !ids.isEmpty {
            let rows = try connection.run([
                SetStatements.writers(SQLArray(.uuid, ids)),
                SetStatements.standbyWait(),
            ])[0]
            for row in rows {
                // Any integer is valid.
                writers[try row.id("id")] = try row.integer("writer", in: Int.min...Int.max)
            }
        }
        return rejected.map { commit in
            let writer = commit.sessionID.flatMap { writers[$0] }
            if commit.isRepeated {
                return writer == commit.writer ? .success(()) : .failure(.outcomeUnknown)
            }
            let isMissing = commit.sessionID != nil && writer == nil
            return .failure(reason == .conflict && isMissing ? .ended : reason)
        }
    }
}

extension SessionError {
    /// The error for a change if the store cannot find out whether the change was committed.
    fileprivate static let outcomeUnknown = SessionError.storage(
        StorageError(
            reason: """
                the connection was lost during a commit, and other nodes have changed the rows since \
                then: the change may or may not have been made
                """, isOutcomeUnknown: true))
}
