import Accounts
import Sessions

/// The traces of a committed batch in the database, by which it is recognized after its connection
/// was lost. All of it holds random numbers that no other batch has.
struct Evidence {
    private let commit: PendingCommit
    private let beat: BoundStatement

    /// - Parameter beat: the statement that confirms what its transaction has read. What only this
    ///   server has is no evidence, as it can be lost with the server.
    init(of commit: PendingCommit, _ beat: BoundStatement) {
        self.commit = commit
        self.beat = beat
    }

    /// Returns whether the batch was committed. False says nothing: what it left may have been replaced
    /// since.
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

    /// The account that the batch gives a new password, whose hash holds a random salt.
    private var newAccount: Account? {
        switch commit.batch.accountWrites?.account {
        case .insert(let account): account
        case .update(let account, from: let found) where account.password != found.password: account
        case .update, .delete, nil: nil
        }
    }
}
