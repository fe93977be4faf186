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
    /// - Returns: the result of each change and check, in the order of the commits.
    /// - Throws: `DatabaseFailure` if the transaction fails; `DamagedValue` if a stored value is
    ///   invalid.
    func run(on connection: Connection, settings: LaneSettings) throws -> Results {
        var statements: [BoundStatement] = []
        if !checks.isEmpty { statements.append(checkStatement) }
        if !changes.isEmpty { statements.append(changeStatement(settings)) }
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
            var rejected = Set(changes.compactMap { $0.sessionID })
            for row in results[checks.isEmpty ? 0 : 1] { rejected.remove(try row.id("id")) }
            if !rejected.isEmpty { refusals = try refusalsOfChanges(rejected, on: connection) }
        }
        return commits.map { commit in
            let refusal = commit.sessionID.flatMap {
                commit.kind == .check ? refusalsOfChecks[$0] : refusals[$0]
            }
            return refusal.map { .failure($0) } ?? .success(())
        }
    }

    /// Finds out why changes did not replace the rows of their sessions.
    /// - Parameter ids: the ids of the sessions whose rows were not replaced.
    /// - Returns: the reasons, by session id. If a session has no reason, an earlier attempt has
    ///   committed its change.
    private func refusalsOfChanges(
        _ ids: Set<SessionID>, on connection: Connection
    ) throws -> [SessionID: CommitError] {
        let rejections = changes.filter { $0.sessionID.map(ids.contains) ?? false }
            .map { Rejection(commit: $0, reason: .conflict) }
        var refusals: [SessionID: CommitError] = [:]
        for (rejection, refusal) in zip(
            rejections, try Rejection.results(of: rejections, on: connection))
        {
            if let id = rejection.commit.sessionID { refusals[id] = refusal }
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
        let logs = changes.map(\.batch.log)
        // The places of the new tails; nil for the changes that append to a tail.
        let tails = logs.map { $0?.movesTail == true ? $0?.tail : nil }
        let added = changes.flatMap { change in
            (change.batch.log?.rows ?? []).map { (change.sessionID, $0) }
        }
        return BoundStatement(SetStatements.change)
            .ids(rows.map(\.id))
            .bigints(changes.map(\.expectedVersion))
            .bigints(changes.map { .some($0.writer) })
            .bigints(rows.map { .some($0.revision) })
            .bigints(rows.map { .some($0.expiresAt.milliseconds) })
            .bigints(rows.map { $0.purgeAfter(at: now) })
            .byteArrays(rows.map { $0.credential?.bytes })
            .texts(rows.map { $0.credentialRefusal?.rawValue })
            .byteArrays(rows.map(\.summary))
            .texts(rows.map(\.name))
            .byteArrays(logs.map { $0?.tail.records ?? [] })
            .bigints(tails.map { $0?.first })
            .bigints(tails.map { $0?.firstEvent })
            .bigints(tails.map { $0.map { $0.hasState ? 1 : 0 } })
            .bigints(logs.map { $0?.keptFrom })
            .ids(added.compactMap(\.0))
            .bigints(added.map { .some($0.1.first) })
            .bigints(added.map { .some($0.1.last) })
            .bigints(added.map { .some($0.1.firstEvent) })
            .bigints(added.map { .some($0.1.hasState ? 1 : 0) })
            .byteArrays(added.map { .some($0.1.records) })
    }
}
