import Accounts
import Foundation
import GRDB
import SQLStore
import Sessions
import WaypostCore

// Reading and writing of accounts and credentials, on the store's thread only.

extension SQLiteStore {
    // MARK: Accounts

    /// Writes a change of an account.
    /// - Returns: nil if the change was written; otherwise the reason why it was rejected.
    func write(_ change: WriteBatch.AccountChange, _ db: Database) throws -> CommitError? {
        switch change {
        case .insert(let account):
            try db.cachedStatement(
                sql: """
                    INSERT OR IGNORE INTO account (key, username, password, created_at, is_disabled)
                    VALUES (?, ?, ?, ?, ?)
                    """
            ).execute(arguments: [
                account.username.key, account.username.text, account.password.text,
                account.createdAt.milliseconds, account.isDisabled,
            ])
            return db.changesCount > 0 ? nil : .usernameTaken
        case .update(let account, from: let found):
            try db.cachedStatement(
                sql: """
                    UPDATE account SET password = ?, is_disabled = ?
                    WHERE key = ? AND password = ? AND is_disabled = ?
                    """
            ).execute(arguments: [
                account.password.text, account.isDisabled, found.username.key, found.password.text,
                found.isDisabled,
            ])
            return db.changesCount > 0 ? nil : .accountChanged
        case .delete(let found):
            try db.cachedStatement(
                sql: "DELETE FROM account WHERE key = ? AND password = ? AND is_disabled = ?"
            ).execute(arguments: [
                found.username.key, found.password.text, found.isDisabled,
            ])
            guard db.changesCount > 0 else { return .accountChanged }
            try deleteTokens(of: found.username, except: nil, db)
            for session in try sessionsOfLogIns(to: found.username, db) {
                try deleteHistory(of: session, db)
            }
            // The purge removes the events, idempotency records and older history of the sessions.
            try db.cachedStatement(
                sql: """
                    DELETE FROM session
                    WHERE credential IN (SELECT hash FROM credential WHERE account = ?)
                    """
            ).execute(arguments: [found.username.key])
            try db.cachedStatement(sql: "DELETE FROM credential WHERE account = ?")
                .execute(arguments: [found.username.key])
            return nil
        }
    }

    /// Returns the sessions in which the account's stored credentials were issued.
    private func sessionsOfLogIns(
        to username: Username, _ db: Database
    ) throws -> [SessionID] {
        let texts = try String.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT DISTINCT session FROM credential
                    WHERE account = ? AND typeof(session) = 'text'
                    """),
            arguments: [username.key])
        return texts.compactMap { SessionID($0) }
    }

    /// Deletes the journal of a session, which is the history of its changes. The session's row gets
    /// a new version, so that the session in memory begins a new journal.
    private func deleteHistory(of session: SessionID, _ db: Database) throws {
        try db.cachedStatement(
            sql: """
                UPDATE session SET journal = x'', journal_first = 0, journal_last = 0,
                  journal_base = NULL, journal_digest = 0, version = version + 1 WHERE id = ?
                """
        ).execute(arguments: [session.data])
        try db.cachedStatement(sql: "DELETE FROM journal_part WHERE session = ?")
            .execute(arguments: [session.data])
    }

    func account(_ username: Username, _ db: Database) throws -> Account? {
        let statement = try db.cachedStatement(sql: "SELECT * FROM account WHERE key = ?")
        return try GRDB.Row.fetchOne(statement, arguments: [username.key]).map(Self.account)
    }

    func accounts(after: Username?, limit: Int, _ db: Database) throws -> [Account] {
        try GRDB.Row.fetchAll(
            db.cachedStatement(sql: "SELECT * FROM account WHERE key > ? ORDER BY key LIMIT ?"),
            arguments: [after?.key ?? "", limit]
        ).map(Self.account)
    }

    private static func account(_ row: GRDB.Row) throws -> Account {
        try readStored("account") { try Account(row) }
    }

    // MARK: Credentials

    func insert(_ credential: Credential, _ db: Database) throws {
        try db.cachedStatement(
            sql: """
                INSERT OR REPLACE INTO credential (hash, account, username, session, created_at,
                  expires_at, last_used_at, is_revoked) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                """
        ).execute(arguments: [
            credential.hash.data, credential.username.key, credential.username.text,
            credential.session, credential.createdAt.milliseconds,
            credential.expiresAt.milliseconds, credential.lastUsedAt?.milliseconds,
            credential.isRevoked,
        ])
        // Removes credentials that can no longer be used, except the newest ones. The limit of
        // 1,000 rows keeps the commit short, and still removes more credentials than are added.
        try db.cachedStatement(
            sql: """
                DELETE FROM credential WHERE hash IN (
                  SELECT hash FROM credential
                  WHERE account = ? AND (is_revoked OR expires_at <= ?)
                  ORDER BY created_at DESC, hash DESC LIMIT 1000 OFFSET ?)
                """
        ).execute(arguments: [
            credential.username.key, credential.createdAt.milliseconds, Credential.rememberedLimit,
        ])
    }

    func write(_ revocation: WriteBatch.Revocation, _ db: Database) throws {
        switch revocation {
        case .credentials(let hashes):
            for hash in hashes {
                try db.cachedStatement(sql: "UPDATE credential SET is_revoked = 1 WHERE hash = ?")
                    .execute(arguments: [hash.data])
                try db.cachedStatement(sql: "DELETE FROM session_token WHERE credential = ?")
                    .execute(arguments: [hash.data])
            }
        case .all(of: let username, except: let exception):
            try deleteTokens(of: username, except: exception, db)
            try db.cachedStatement(
                sql: "UPDATE credential SET is_revoked = 1 WHERE account = ? AND hash IS NOT ?"
            ).execute(arguments: [username.key, exception?.data])
        }
    }

    func write(_ use: WriteBatch.CredentialUse, _ db: Database) throws {
        try db.cachedStatement(sql: "UPDATE credential SET last_used_at = ? WHERE hash = ?")
            .execute(arguments: [use.time.milliseconds, use.hash.data])
    }

    func credential(_ hash: SecretHash, _ db: Database) throws -> Credential? {
        let statement = try db.cachedStatement(sql: "SELECT * FROM credential WHERE hash = ?")
        return try GRDB.Row.fetchOne(statement, arguments: [hash.data]).map(Self.credential)
    }

    func credential(_ id: CredentialID, _ db: Database) throws -> Credential? {
        let statement = try db.cachedStatement(
            sql: "SELECT * FROM credential WHERE hash BETWEEN ? AND ?")
        let first = Data(id.bytes + Array(repeating: 0, count: 16))
        let last = Data(id.bytes + Array(repeating: 255, count: 16))
        return try GRDB.Row.fetchOne(statement, arguments: [first, last]).map(Self.credential)
    }

    func credentials(
        of username: Username, at now: Timestamp, after: CredentialPosition?, limit: Int,
        _ db: Database
    ) throws -> [Credential] {
        // The first half of a hash is the credential's id. A hash thus sorts after its own id and
        // before all greater ids.
        let time = after?.createdAt.milliseconds ?? .max
        let hash = Data(after?.id.bytes ?? Array(repeating: 255, count: 32))
        return try GRDB.Row.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT * FROM credential
                    WHERE account = ? AND (created_at, hash) < (?, ?)
                      AND NOT is_revoked AND expires_at > ?
                    ORDER BY created_at DESC, hash DESC LIMIT ?
                    """),
            arguments: [username.key, time, hash, now.milliseconds, limit]
        ).map(Self.credential)
    }

    private static func credential(_ row: GRDB.Row) throws -> Credential {
        try readStored("credential \(hexadecimal((try? row.blob("hash")) ?? Data()).prefix(32))") {
            try Credential(row)
        }
    }
}

extension Account {
    /// Decodes an account from its row.
    /// - Throws: `DamagedValue` if a column has an invalid value.
    init(_ row: GRDB.Row) throws {
        self.init(
            username: try row.username(), password: PasswordHash(text: try row.text("password")),
            createdAt: try row.timestamp("created_at"), isDisabled: try row.flag("is_disabled"))
    }
}

extension Credential {
    /// Decodes a credential from its row.
    /// - Throws: `DamagedValue` if a column has an invalid value.
    init(_ row: GRDB.Row) throws {
        self.init(
            hash: try row.hash("hash"), username: try row.username(),
            session: try row.textIfPresent("session"),
            createdAt: try row.timestamp("created_at"), expiresAt: try row.timestamp("expires_at"),
            lastUsedAt: try row.timestampIfPresent("last_used_at"),
            isRevoked: try row.flag("is_revoked"))
    }
}

extension GRDB.Row {
    fileprivate func username() throws(DamagedValue) -> Username {
        let text = try text("username")
        do {
            return try Username(text)
        } catch {
            throw DamagedValue(column: "username", found: "no username")
        }
    }
}
