import Accounts
import Sessions

/// Finds out whether a batch was committed when its connection was lost, by the traces that the
/// batch leaves in the database. Each trace depends on a random number that no other batch has.
struct Evidence {
    private let commit: PendingCommit
    private let beat: BoundStatement

    /// - Parameter beat: the statement that makes the transaction wait for the standby, see
    ///   `SetStatements.beat`. A row that only this server has is no evidence, as it can be lost with
    ///   the server.
    init(of commit: PendingCommit, _ beat: BoundStatement) {
        self.commit = commit
        self.beat = beat
    }

    /// Returns true if a trace shows that the batch was committed. False leaves the outcome unknown: a
    /// later batch may have replaced the traces.
    func isFound(on connection: Connection) throws -> Bool {
        let batch = commit.batch
        for record in batch.idempotencyRecords {
            let rows = try connection.run([
                BoundStatement(ReadStatements.record).hash(record.id), beat,
            ])[0]
            // The response is sealed with a random number.
            if let row = rows.first, try row.bytes("response") == record.sealedResponse {
                return true
            }
        }
        if let id = batch.session?.id {
            let rows = try connection.run([
                BoundStatement(SetStatements.versions).ids([id]), beat,
            ])[0]
            if let row = rows.first, try row.writer("writer") == commit.writer { return true }
        }
        if let credential = batch.accountWrites?.newCredential {
            let rows = try connection.run([
                BoundStatement(ReadStatements.credential).hash(credential.hash), beat,
            ])[0]
            if !rows.isEmpty { return true }
        }
        guard let account = newAccount else { return false }
        let rows = try connection.run([
            BoundStatement(ReadStatements.account).text(account.username.key), beat,
        ])[0]
        return try rows.first?.text("password") == account.password.text
    }

    /// The account to which the batch gives a new password; nil if there is none. The password's hash
    /// contains a random salt.
    private var newAccount: Account? {
        switch commit.batch.accountWrites?.account {
        case .insert(let account): account
        case .update(let account, from: let found) where account.password != found.password: account
        case .update, .delete, nil: nil
        }
    }
}
