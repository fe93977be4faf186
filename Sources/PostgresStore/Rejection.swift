import Sessions
import WaypostCore

/// A batch that the server has rejected: the database does not have a row that the batch expects.
struct Rejection {
    let commit: PendingCommit
    /// The reason why this attempt has written nothing.
    let reason: CommitError

    /// Finds out the results of rejected batches.
    ///
    /// If a connection is lost during a commit, the batch is sent again. The second attempt is also
    /// rejected if the first one was committed. The session's row shows which of them is the case: it
    /// has the random number of the batch that has written it last, and no two batches have the same
    /// number. If the row has the number of another batch, that batch may have replaced what the first
    /// attempt wrote, so that the outcome is unknown. It is also unknown for batches that write to no
    /// session.
    /// - Returns: for each rejection the reason why nothing was written; `.outcomeUnknown` if an
    ///   earlier attempt may have been committed, and nil if one was.
    /// - Throws: `DatabaseFailure` if the server or the connection fails; `DamagedValue` if a stored
    ///   value is invalid.
    static func results(
        of rejections: [Rejection], on connection: Connection
    ) throws -> [CommitError?] {
        let ids = Set(rejections.compactMap(\.commit.sessionID))
        var writers: [SessionID: Int] = [:]
        if !ids.isEmpty {
            let rows = try connection.run([
                BoundStatement(SetStatements.writers).ids(ids),
                BoundStatement(SetStatements.standbyWait),
            ])[0]
            for row in rows {
                // Any integer is valid.
                writers[try row.id("id")] = try row.integer("writer", in: Int.min...Int.max)
            }
        }
        return rejections.map { rejection in
            let commit = rejection.commit
            let writer = commit.sessionID.flatMap { writers[$0] }
            if commit.isRepeated { return writer == commit.writer ? nil : .outcomeUnknown }
            let isMissing = commit.sessionID != nil && writer == nil
            return rejection.reason == .conflict && isMissing ? .sessionNotFound : rejection.reason
        }
    }
}

extension CommitError {
    /// The error for a change if the store cannot find out whether the change was committed.
    static let outcomeUnknown = CommitError.storage(
        StorageError(
            reason: """
                the connection was lost during a commit, and other nodes have changed the rows since \
                then: the change may or may not have been made
                """, isOutcomeUnknown: true))
}
