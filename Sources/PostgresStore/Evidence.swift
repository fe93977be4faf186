import Accounts
import Sessions

/// Finds out whether a batch was committed although the connection was lost during the commit. The
/// evidence is a value in the database that the batch has written. Such a value depends on a random
/// number, so that no other batch writes the same value.
struct Evidence {
    private let commit: PendingCommit
    private let beat: BoundStatement

    /// - Parameters:
    ///   - commit: the batch.
    ///   - beat: the statement `SetStatements.beat`, which makes a transaction wait for the
    ///     synchronous standby (a replica). A value counts as evidence only if the standby has it,
    ///     too. Otherwise the value is lost if the standby replaces the server.
    init(of commit: PendingCommit, _ beat: BoundStatement) {
        self.commit = commit
        self.beat = beat
    }

    /// Searches the database for a value that the batch has written.
    /// - Returns: true if such a value exists, so that the batch was committed. False if the
    ///   outcome is unknown: the batch was not committed, or a later batch has replaced the values.
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

    /// The account for which the batch stores a new password; nil if there is none. The hash of the
    /// password contains a random salt, so that no other batch stores the same hash.
    private var newAccount: Account? {
        switch commit.batch.accountWrites?.account {
        case .insert(let account): account
        case .update(let account, from: let found) where account.password != found.password: account
        case .update, .delete, nil: nil
        }
    }
}
