import SQLStore
import Sessions
import WaypostCore

/// A transaction with changes of different sessions and checks of session versions. If one change
/// or check is rejected, the others can still succeed.
struct SetBatch {
    typealias Results = [Result<Void, CommitError>]

    private let changes: [PendingCommit]
    private let checks: [PendingCommit]

    /// - Parameter commits: the changes, in the order of `sorted`, and the checks after them.
    init(_ commits: [PendingCommit]) {
        changes = commits.filter { $0.kind != .check }
        checks = commits.filter { $0.kind == .check }
    }

    /// Sorts changes in the order in which all transactions lock the rows of sessions: by the ids.
    static func sorted(_ changes: [PendingCommit]) -> [PendingCommit] {
        changes.sorted { one, other in
            guard let id = one.sessionID, let otherID = other.sessionID else { return false }
            return id < otherID
        }
    }

    private var commits: [PendingCommit] { changes + checks }

    /// Runs the transaction.
    /// - Parameter beat: the statement that makes a transaction wait for the standby server, see
    ///   `SetStatements.beat`.
    /// - Returns: the result of each change and check, in the order of the commits.
    /// - Throws: `DatabaseFailure` if the transaction fails; `DamagedValue` if a stored value is
    ///   invalid.
    func run(
        on connection: Connection, settings: LaneSettings, beat: BoundStatement
    ) throws -> Results {
        var statements: [BoundStatement] = []
        if !checks.isEmpty { statements.append(checkStatement) }
        if !changes.isEmpty { statements.append(changeStatement(settings)) }
        // A transaction of checks alone writes nothing, so it would not wait for the standby. A
        // server that a failover has replaced could then still accept the checks.
        if settings.confirmsReads, !checks.isEmpty { statements.append(beat) }
        let results = try connection.run(statements, of: commits)
        var refusals: [SessionID: CommitError] = [:]
        var refusalsOfChecks: [SessionID: CommitError] = [:]
        if !checks.isEmpty {
            for row in results[0] {
                refusalsOfChecks[try row.id("id")] =
                    try row.flag("exists") ? .conflict : .sessionNotFound
            }
        }
        if !changes.isEmpty {
            var lost = Set(changes.compactMap { $0.sessionID })
            for row in results[checks.isEmpty ? 0 : 1] { lost.remove(try row.id("id")) }
            if !lost.isEmpty {
                refusals = try refusalsOfChanges(lost, on: connection, beat)
            }
        }
        return commits.map { commit in
            let refusal = commit.sessionID.flatMap {
                commit.kind == .check ? refusalsOfChecks[$0] : refusals[$0]
            }
            return refusal.map { .failure($0) } ?? .success(())
        }
    }

    /// Finds out why changes did not replace the rows of their sessions. The read always waits for
    /// the standby server (`beat`): a row that only this server has is lost if the standby replaces
    /// the server.
    /// - Parameter ids: the ids of the sessions whose rows were not replaced.
    /// - Returns: the reasons, by session id. If a session has no reason, an earlier attempt has
    ///   committed its change. The reason for a repeated change is `.outcomeUnknown`, because the
    ///   first attempt may have been committed.
    private func refusalsOfChanges(
        _ ids: Set<SessionID>, on connection: Connection, _ beat: BoundStatement
    ) throws -> [SessionID: CommitError] {
        let rows = try connection.run([
            BoundStatement(SetStatements.versions).ids(ids), beat,
        ])[0]
        var found: [SessionID: (version: Int, writer: Int)] = [:]
        for row in rows {
            found[try row.id("id")] = (try row.integer("version"), try row.writer("writer"))
        }
        var refusals: [SessionID: CommitError] = [:]
        for commit in changes {
            guard let id = commit.sessionID, ids.contains(id) else { continue }
            if let row = found[id], row.writer == commit.writer,
                row.version == commit.nextVersion
            {
                // The first attempt was committed before its connection was lost.
                continue
            }
            // If the batch was sent before, its change may have been made and then replaced by
            // another writer.
            refusals[id] =
                commit.isRepeated
                ? .outcomeUnknown : found[id] == nil ? .sessionNotFound : .conflict
        }
        return refusals
    }

    private var checkStatement: BoundStatement {
        BoundStatement(SetStatements.check)
            .ids(checks.compactMap { $0.sessionID })
            .bigints(checks.map(\.expectedVersion))
    }

    private func changeStatement(_ settings: LaneSettings) -> BoundStatement {
        Self.changeStatement(changes, settings)
    }

    /// Returns the statement that replaces the rows of several sessions.
    /// - Parameter changes: the batches. Each must contain the update of one session.
    static func changeStatement(
        _ changes: [PendingCommit], _ settings: LaneSettings
    ) -> BoundStatement {
        let rows = changes.compactMap(\.row)
        let now = settings.now()
        return BoundStatement(SetStatements.change)
            .ids(rows.map(\.session.id))
            .bigints(changes.map(\.expectedVersion))
            .bigints(changes.map(\.nextVersion))
            .bigints(changes.map { .some($0.writer) })
            .bigints(rows.map { .some($0.session.window.revision) })
            .bigints(changes.map(\.batch.events.first?.seq))
            .bigints(changes.map(\.batch.events.last?.seq))
            .bigints(rows.map { .some($0.session.expiresAt.milliseconds) })
            .bigints(rows.map { $0.purgeAfter(at: now) })
            .byteArrays(rows.map { $0.session.credential?.bytes })
            .texts(rows.map { $0.session.credentialRefusal?.rawValue })
            .byteArrays(rows.map { .some($0.state) })
            .byteArrays(rows.map { .some($0.events) })
            .bigint(settings.eventRetention)
            .byteArrays(changes.map(\.batch.journal?.bytes))
            .bigints(changes.map(\.batch.journal?.first))
            .bigints(changes.map(\.batch.journal?.last))
            .bigints(changes.map { $0.batch.journal?.base })
            .bigints(changes.map(\.batch.journal?.digest))
            .bigints(changes.map(\.batch.journal?.keptFrom))
            .byteArrays(rows.map(\.summary))
            .texts(rows.map(\.session.name))
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

extension Row {
    /// Reads the random number of the batch that last wrote a session's row
    /// (`PendingCommit.writer`). Any integer is valid.
    func writer(_ column: String) throws(DamagedValue) -> Int {
        try integer(column, in: Int.min...Int.max)
    }
}
