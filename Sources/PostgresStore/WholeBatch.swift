import Accounts
import Sessions
import WaypostCore

/// A batch that runs in a separate transaction. All its statements are sent to the server at once.
///
/// Waypost therefore cannot look at the result of one statement before the next one runs, and the
/// server must detect that a row has changed since it was read. For this purpose, a statement
/// computes `1 / count(*)` and fails with a division by zero if the expected row does not exist.
/// The index of the failed statement shows the reason.
///
/// All batches lock rows in the same order: idempotency records, the account, credentials,
/// sessions. Only the insertion of a new credential, and the removal of the account's old
/// credentials, comes after the session.
struct WholeBatch {
    private let commit: PendingCommit
    private var statements: [BoundStatement] = []
    /// For each statement, the reason for a rejection of the batch if this statement fails; nil if
    /// only a server error can make it fail.
    private var reasons: [CommitError?] = []

    init(_ commit: PendingCommit, _ settings: LaneSettings) {
        self.commit = commit
        for record in commit.batch.idempotencyRecords { insert(record, at: settings.now()) }
        if let outdated = commit.batch.outdatedRecords {
            add(
                BoundStatement(WholeStatements.deleteOutdatedRecords)
                    .id(outdated.session).time(outdated.now).bigint(outdated.count))
        }
        if let writes = commit.batch.accountWrites { add(writes) }
        addSessionChange(settings)
        if let credential = commit.batch.accountWrites?.newCredential { insert(credential) }
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

    private mutating func add(_ statement: BoundStatement, orFail reason: CommitError? = nil) {
        statements.append(statement)
        reasons.append(reason)
    }

    // MARK: Parts

    private mutating func insert(_ record: IdempotencyRecord, at now: Timestamp) {
        add(
            BoundStatement(WholeStatements.insertRecord)
                .hash(record.id).id(record.session).hash(record.fingerprint)
                .bigint(record.requestSize).time(record.expiresAt).bytes(record.sealedResponse)
                .time(now),
            orFail: .alreadyAnswered)
    }

    private mutating func add(_ writes: WriteBatch.AccountWrites) {
        if let account = writes.account { add(account) }
        if let use = writes.credentialUse {
            // The update comes before `requireCredential`, which takes a shared lock: two
            // transactions that both held this lock would wait for each other at the update.
            add(BoundStatement(WholeStatements.noteUse).hash(use.hash).time(use.time))
            add(
                BoundStatement(WholeStatements.requireCredential).hash(use.hash).time(use.time),
                orFail: .accountChanged)
        }
        if case .insert(let token, _) = writes.token {
            add(
                BoundStatement(WholeStatements.requireCredential)
                    .hash(token.credential).time(token.createdAt),
                orFail: .accountChanged)
        }
        if let revocation = writes.revocation { add(revocation) }
        if let token = writes.token { add(token) }
    }

    private mutating func add(_ change: WriteBatch.AccountChange) {
        switch change {
        case .insert(let account):
            add(
                BoundStatement(WholeStatements.insertAccount)
                    .text(account.username.key).text(account.username.text)
                    .text(account.password.text).time(account.createdAt)
                    .boolean(account.isDisabled),
                orFail: .usernameTaken)
        case .update(let account, from: let found) where account == found:
            // A log-in changes nothing in the account, and must not wait for another log-in.
            add(
                expect(found, BoundStatement(WholeStatements.requireAccount)),
                orFail: .accountChanged)
        case .update(let account, from: let found):
            add(
                expect(found, BoundStatement(WholeStatements.updateAccount))
                    .text(account.password.text).boolean(account.isDisabled),
                orFail: .accountChanged)
        case .delete(let found):
            add(
                expect(found, BoundStatement(WholeStatements.deleteAccount)),
                orFail: .accountChanged)
            let key = found.username.key
            // The update of the credentials waits for batches that use one of them, so that the
            // sessions of these batches are found, too.
            add(BoundStatement(WholeStatements.revokeAll).text(key).hash(nil))
            add(BoundStatement(WholeStatements.deleteTokensOfAccount).text(key).hash(nil))
            add(BoundStatement(WholeStatements.deleteSessionsOfAccount).text(key))
            add(
                BoundStatement(WholeStatements.deleteHistoriesOfLogIns).text(key)
                    .bigint(commit.writer))
            add(BoundStatement(WholeStatements.deleteCredentials).text(key))
        }
    }

    private func expect(_ account: Account, _ statement: BoundStatement) -> BoundStatement {
        statement.text(account.username.key).text(account.password.text)
            .boolean(account.isDisabled)
    }

    private mutating func add(_ revocation: WriteBatch.Revocation) {
        switch revocation {
        case .credentials(let hashes):
            let sorted = hashes.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
            add(BoundStatement(WholeStatements.revoke).hashes(sorted))
            add(BoundStatement(WholeStatements.deleteTokensOfCredentials).hashes(sorted))
            add(
                BoundStatement(WholeStatements.touchSessions).hashes(sorted)
                    .bigint(commit.writer).id(commit.batch.session?.id))
        case .all(of: let username, except: let exception):
            let key = username.key
            add(BoundStatement(WholeStatements.revokeAll).text(key).hash(exception))
            add(BoundStatement(WholeStatements.deleteTokensOfAccount).text(key).hash(exception))
            noteSessions { $0.text(key) }
        }
    }

    /// Adds a statement that gives a new version to each session with a revoked credential of an
    /// account. Every process of the service then reads these sessions again. The batch's own
    /// session is left out, because the batch gives it a new version anyway.
    /// - Parameter account: adds the account's key to the parameters of a statement.
    private mutating func noteSessions(_ account: (BoundStatement) -> BoundStatement) {
        add(
            account(BoundStatement(WholeStatements.touchSessionsOfAccount))
                .bigint(commit.writer).id(commit.batch.session?.id))
    }

    private mutating func add(_ change: WriteBatch.TokenChange) {
        switch change {
        case .insert(let token, let credential):
            add(
                BoundStatement(WholeStatements.requireLogIn).id(token.session).hash(credential),
                orFail: .conflict)
            add(
                BoundStatement(WholeStatements.requireRoomForToken)
                    .id(token.session).time(token.createdAt).bigint(SessionToken.limit),
                orFail: .tooManyTokens)
            add(
                BoundStatement(WholeStatements.insertToken)
                    .hash(token.hash).id(token.session).text(token.name).hash(token.credential)
                    .time(token.createdAt).time(token.expiresAt))
        case .delete(let hash):
            add(BoundStatement(WholeStatements.deleteToken).hash(hash))
        case .deleteAll(let session):
            add(BoundStatement(WholeStatements.deleteTokensOfSession).id(session))
        }
    }

    private mutating func addSessionChange(_ settings: LaneSettings) {
        switch commit.batch.session {
        case .insert:
            guard let row = commit.row else { return }
            let session = row.session
            add(
                BoundStatement(WholeStatements.insertSession)
                    .id(session.id).bigint(commit.writer).bigint(session.window.revision)
                    .bigint(commit.batch.events.last?.seq ?? 0).time(session.createdAt)
                    .time(session.expiresAt).bigint(row.purgeAfter(at: settings.now()))
                    .hash(session.tokenHash).hash(session.credential)
                    .text(session.credentialRefusal?.rawValue).bytes(row.state)
                    .bigint(commit.batch.events.first?.seq ?? 1)
                    .bytes(row.events).bytes(row.summary).text(session.name))
        case .update(let session, _):
            add(SetBatch.changeStatement([commit], settings))
            add(
                BoundStatement(WholeStatements.requireWritten)
                    .id(session.id).bigint(commit.writer),
                orFail: .conflict)
        case .delete(let id, let version):
            add(
                BoundStatement(WholeStatements.deleteSession).id(id).bigint(version.number),
                orFail: .conflict)
            add(BoundStatement(WholeStatements.deleteEvents).id(id))
            add(BoundStatement(WholeStatements.deleteRecords).id(id))
            add(BoundStatement(WholeStatements.deleteTokensOfSession).id(id))
        case .check(let id, let version):
            add(
                BoundStatement(WholeStatements.requireVersion).id(id).bigint(version.number),
                orFail: .conflict)
        case nil: break
        }
    }

    private mutating func insert(_ credential: Credential) {
        add(
            BoundStatement(WholeStatements.insertCredential)
                .hash(credential.hash).text(credential.username.key)
                .text(credential.username.text).text(credential.session)
                .time(credential.createdAt).time(credential.expiresAt)
                .time(credential.lastUsedAt).boolean(credential.isRevoked))
        add(
            BoundStatement(WholeStatements.dropOldCredentials)
                .text(credential.username.key).time(credential.createdAt)
                .bigint(Credential.rememberedLimit))
    }
}
