import Accounts
import Foundation
import GRDB
import Navigation
import SQLStore
import Sessions
import WaypostCore

// Reading and writing of further tokens (`SessionToken`), on the store's thread only.

extension SQLiteStore {
    // MARK: Writing

    /// Checks, before anything is written, two of the writes that a batch may contain: a use of a
    /// credential, and a new token.
    /// - Returns: nil if these writes are possible; otherwise the reason why the batch is rejected.
    func refusal(of writes: WriteBatch.AccountWrites, _ db: Database) throws -> CommitError? {
        if let use = writes.credentialUse {
            guard let credential = try credential(use.hash, db),
                credential.refusal(at: use.time) == nil
            else { return .accountChanged }
        }
        guard case .insert(let token, let credential) = writes.token else { return nil }
        let row = try GRDB.Row.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT session.credential IS :credential AS is_logged_in,
                      EXISTS (SELECT 1 FROM credential
                        WHERE hash = :through AND NOT is_revoked AND expires_at > :now) AS is_good,
                      (SELECT count(*) FROM session_token
                        WHERE session = :session AND expires_at > :now) AS count
                    FROM session WHERE id = :session
                    """),
            arguments: [
                "credential": credential?.data, "through": token.credential.data,
                "now": token.createdAt.milliseconds, "session": token.session.data,
            ])
        guard let row else { return .sessionNotFound }
        guard try row.flag("is_logged_in") else { return .conflict }
        guard try row.flag("is_good") else { return .accountChanged }
        return try row.integer("count") < SessionToken.limit ? nil : .tooManyTokens
    }

    func write(_ change: WriteBatch.TokenChange, _ db: Database) throws {
        switch change {
        case .insert(let token, _):
            try db.cachedStatement(
                sql: """
                    INSERT INTO session_token
                      (hash, session, name, credential, created_at, expires_at)
                    VALUES (?, ?, ?, ?, ?, ?)
                    """
            ).execute(arguments: [
                token.hash.data, token.session.data, token.name, token.credential.data,
                token.createdAt.milliseconds, token.expiresAt.milliseconds,
            ])
        case .delete(let hash):
            try db.cachedStatement(sql: "DELETE FROM session_token WHERE hash = ?")
                .execute(arguments: [hash.data])
        case .deleteAll(of: let session): try deleteTokens(of: session, db)
        }
    }

    func deleteTokens(of session: SessionID, _ db: Database) throws {
        try db.cachedStatement(sql: "DELETE FROM session_token WHERE session = ?")
            .execute(arguments: [session.data])
    }

    /// Deletes the further tokens (session tokens for other devices) that were made with the
    /// credentials of an account.
    /// - Parameter exception: the credential whose tokens stay; nil to delete all.
    func deleteTokens(
        of username: Username, except exception: SecretHash?, _ db: Database
    ) throws {
        try db.cachedStatement(
            sql: """
                DELETE FROM session_token WHERE credential IN
                  (SELECT hash FROM credential WHERE account = ? AND hash IS NOT ?)
                """
        ).execute(arguments: [username.key, exception?.data])
    }

    // MARK: Reading

    func sessions(
        of username: Username, at now: Timestamp, after: SessionPosition?, limit: Int,
        _ db: Database
    ) throws -> [ListedSession] {
        // The inner query does not read the names and the summaries: in a row, they come after the
        // large window, and SQLite would have to read the row up to there. The outer query reads
        // only those of the sessions to return.
        let rows = try GRDB.Row.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT id, created_at, expires_at, revision, name, summary FROM session
                    WHERE number IN (
                      SELECT number FROM session
                      WHERE credential IN (SELECT hash FROM credential
                          WHERE account = ? AND NOT is_revoked AND expires_at > ?)
                        AND credential IS NOT NULL AND expires_at > ? AND (created_at, id) < (?, ?)
                      ORDER BY created_at DESC, id DESC LIMIT ?)
                    ORDER BY created_at DESC, id DESC
                    """),
            arguments: [
                username.key, now.milliseconds, now.milliseconds,
                after?.createdAt.milliseconds ?? .max,
                after?.id.data ?? Data(repeating: 255, count: 17), limit,
            ])
        return try rows.map { row in
            try readStored("session") {
                guard let id = SessionID(stored: try row.blob("id")) else {
                    throw DamagedValue(column: "id", found: "no id")
                }
                let revision = try row.integer("revision")
                // The session is read completely if its summary is damaged.
                let summary = try? row.blobIfPresent("summary")
                return ListedSession(
                    id: id, name: try row.textIfPresent("name"),
                    createdAt: try row.timestamp("created_at"),
                    expiresAt: try row.timestamp("expires_at"), revision: revision,
                    summary: summary.flatMap {
                        WindowArchive.Entry(encodedSummary: Array($0), revision: revision)
                    })
            }
        }
    }

    func sessionToken(_ hash: SecretHash, at now: Timestamp, _ db: Database) throws
        -> SessionToken?
    {
        let statement = try db.cachedStatement(
            sql: "SELECT * FROM session_token WHERE hash = ? AND expires_at > ?")
        return try GRDB.Row.fetchOne(statement, arguments: [hash.data, now.milliseconds])
            .map(Self.token)
    }

    func sessionTokens(
        of session: SessionID, at now: Timestamp, after: CredentialPosition?, limit: Int,
        _ db: Database
    ) throws -> [SessionToken] {
        // The first half of a hash is the token's id. A hash thus sorts after its own id and before
        // all greater ids.
        let time = after?.createdAt.milliseconds ?? .max
        let hash = Data(after?.id.bytes ?? Array(repeating: 255, count: 33))
        return try GRDB.Row.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT * FROM session_token
                    WHERE session = ? AND (created_at, hash) < (?, ?) AND expires_at > ?
                    ORDER BY created_at DESC, hash DESC LIMIT ?
                    """),
            arguments: [session.data, time, hash, now.milliseconds, limit]
        ).map(Self.token)
    }

    private static func token(_ row: GRDB.Row) throws -> SessionToken {
        try readStored("token \(hexadecimal((try? row.blob("hash")) ?? Data()).prefix(32))") {
            try SessionToken(row)
        }
    }
}

extension SessionToken {
    /// Decodes a token from its row.
    /// - Throws: `DamagedValue` if a column has an invalid value.
    init(_ row: GRDB.Row) throws {
        guard let session = SessionID(stored: try row.blob("session")) else {
            throw DamagedValue(column: "session", found: "no id")
        }
        self.init(
            hash: try row.hash("hash"), session: session, name: try row.text("name"),
            credential: try row.hash("credential"), createdAt: try row.timestamp("created_at"),
            expiresAt: try row.timestamp("expires_at"))
    }
}
