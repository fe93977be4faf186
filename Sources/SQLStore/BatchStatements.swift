import Accounts
import Sessions
import WaypostCore

/// The statements of a batch.
///
/// All batches lock rows in the same order: idempotency records, the account, credentials, sessions.
/// Only the insertion of a new credential, and the removal of the account's old credentials, comes
/// after the session. None of these two rejects the batch.
package struct BatchStatements {
    private var records: [StoreStatement] = []
    private var beforeSession: [StoreStatement] = []
    private var session: [StoreStatement] = []
    private var afterSession: [StoreStatement] = []
    private let isShared: Bool

    /// The statements in the order in which they run. A database that only one process uses writes the
    /// idempotency records last: if such a batch has no account writes, it is rejected before its first
    /// write, and needs no savepoint.
    package var all: [StoreStatement] {
        isShared
            ? records + beforeSession + session + afterSession
            : beforeSession + session + afterSession + records
    }

    /// - Parameters:
    ///   - shared: the random number by which a database that several processes use knows the
    ///     batch, and the current time; nil if only one process uses the database.
    ///   - update: returns the statements that update a session, and that reject the batch if the
    ///     session's row does not have the version.
    package init(
        _ batch: WriteBatch, shared: (writer: Int, now: Timestamp)?,
        update: (SessionContent, RowVersion) -> [StoreStatement]
    ) {
        isShared = shared != nil
        switch batch.session {
        case .insert(let content):
            // The purge of SQLite may not have removed the log of an ended session with this id yet.
            session = isShared ? [] : [AccountWrites.deleteLog(content.id)]
            session.append(SessionTable.inserting(content, batch.log, shared: shared))
        case .update(let content, let version): session = update(content, version)
        case .delete(let id, let version):
            session = [SessionTable.deletion(id, version.number)]
            // In SQLite, the purge removes the rest.
            guard isShared else { break }
            session += [
                AccountWrites.deleteRecords(id), AccountWrites.deleteTokensOfSession(id),
            ]
        case .check(let id, let version):
            session = [SessionTable.requireVersion(id, version.number)]
        case nil: break
        }
        let writer = shared?.writer
        records = batch.idempotencyRecords.map { record in
            AccountWrites.insertRecord(
                record.id, record.session, record.fingerprint, record.requestSize,
                record.expiresAt, record.sealedResponse, shared?.now)
        }
        if let outdated = batch.outdatedRecords {
            records.append(
                AccountWrites.deleteOutdatedRecords(
                    outdated.session, outdated.now, outdated.count))
        }
        guard let writes = batch.accountWrites else { return }
        if let account = writes.account { add(account, writer) }
        if let use = writes.credentialUse {
            // The update comes before `requireCredential`, which takes a shared lock: two
            // transactions that both held this lock would wait for each other at the update.
            beforeSession += [
                AccountWrites.noteUse(use.time, use.hash, use.time),
                AccountWrites.requireCredential(use.hash, use.time),
            ]
        }
        if case .insert(let token, _) = writes.token {
            beforeSession.append(
                AccountWrites.requireCredential(token.credential, token.createdAt))
        }
        if let revocation = writes.revocation { add(revocation, batch.session?.id, writer) }
        if let token = writes.token { add(token) }
        guard let credential = writes.newCredential else { return }
        afterSession = [
            AccountWrites.insertCredential(
                credential.hash, credential.username.key, credential.username.text,
                credential.session, credential.createdAt, credential.expiresAt,
                credential.lastUsedAt, credential.isRevoked),
            AccountWrites.dropOldCredentials(
                credential.username.key, credential.createdAt, Credential.rememberedLimit),
        ]
    }

    private mutating func add(_ change: WriteBatch.AccountChange, _ writer: Int?) {
        switch change {
        case .insert(let account):
            beforeSession.append(
                AccountWrites.insertAccount(
                    account.username.key, account.username.text, account.password.text,
                    account.createdAt, account.isDisabled))
        case .update(let account, from: let found) where account == found:
            // A log-in changes nothing in the account, and must not wait for another log-in.
            beforeSession.append(
                AccountWrites.requireAccount(
                    found.username.key, found.password.text, found.isDisabled))
        case .update(let account, from: let found):
            beforeSession.append(
                AccountWrites.updateAccount(
                    account.password.text, account.isDisabled, found.username.key,
                    found.password.text, found.isDisabled))
        case .delete(let found, let histories):
            let key = found.username.key
            beforeSession += [
                AccountWrites.deleteAccount(key, found.password.text, found.isDisabled),
                // This update waits for batches that use one of the credentials, so that the
                // sessions of these batches are found, too.
                AccountWrites.revokeAll(key, SecretHash?.none),
                AccountWrites.deleteTokensOfAccount(key, SecretHash?.none),
                AccountWrites.deleteSessions(key),
                AccountWrites.deleteCredentials(key),
            ]
            let sorted = histories.sorted { $0.session < $1.session }
            for history in sorted { remove(history, writer) }
        }
    }

    private mutating func remove(_ history: WriteBatch.HistoryRemoval, _ writer: Int?) {
        let (id, tail) = (history.session, history.log.tail)
        beforeSession += [
            AccountWrites.replaceLog(
                history.version.next.number, tail.records, tail.first, tail.firstEvent,
                tail.hasState, writer, id, history.version.number),
            AccountWrites.deleteLog(id),
        ]
    }

    private mutating func add(
        _ revocation: WriteBatch.Revocation, _ session: SessionID?, _ writer: Int?
    ) {
        switch revocation {
        case .credentials(let hashes):
            let sorted = hashes.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
            beforeSession += sorted.map { AccountWrites.revoke($0) }
            beforeSession += sorted.map { AccountWrites.deleteTokensOfCredential($0) }
            if let writer {
                beforeSession += sorted.map { AccountWrites.touchSessions(writer, $0, session) }
            }
        case .all(of: let username, except: let exception):
            beforeSession += [
                AccountWrites.revokeAll(username.key, exception),
                AccountWrites.deleteTokensOfAccount(username.key, exception),
            ]
            if let writer {
                beforeSession.append(
                    AccountWrites.touchSessionsOfAccount(writer, username.key, session))
            }
        }
    }

    private mutating func add(_ change: WriteBatch.TokenChange) {
        switch change {
        case .insert(let token, let credential):
            beforeSession += [
                AccountWrites.requireSession(token.session),
                AccountWrites.requireLogIn(token.session, credential),
                AccountWrites.requireRoomForToken(
                    token.session, token.createdAt, SessionToken.limit),
                AccountWrites.insertToken(
                    token.hash, token.session, token.name, token.credential, token.createdAt,
                    token.expiresAt),
            ]
        case .delete(let hash): beforeSession.append(AccountWrites.deleteToken(hash))
        case .deleteAll(let session):
            beforeSession.append(AccountWrites.deleteTokensOfSession(session))
        }
    }
}
