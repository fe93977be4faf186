import NavigationRules
import Sessions
import WaypostCore

/// Histograms of the duration and the size of a store's transactions.
public struct CommitMetrics: Sendable {
    /// The time from the start of a transaction until the transaction is as durable as the store
    /// promises.
    public let duration = Histogram(
        Buckets(microseconds: [
            100, 250, 500, 1000, 2500, 5000, 10_000, 25_000, 50_000, 100_000, 250_000, 1_000_000,
        ]))
    /// The number of `WriteBatch` values that share one transaction.
    public let size = Histogram(Buckets(counts: [1, 2, 4, 8, 16, 32, 64, 128, 256]))

    public init() {}
}

/// A store in an SQL database. Its reads of accounts, credentials, tokens and idempotency records
/// are the same for SQLite and PostgreSQL.
package protocol SQLSessionStore: SessionStore {
    /// Runs a statement and decodes each row that it returns.
    /// - Parameter subject: the name of the rows for the error message, such as `accounts`.
    /// - Throws: `.storage` if the database cannot be used, or if `decode` throws.
    func read<Value: Sendable>(
        _ subject: String, _ statement: StoreStatement,
        _ decode: @escaping @Sendable (any SQLRow) throws -> Value
    ) async throws(SessionError) -> [Value]
}

extension SQLSessionStore {
    public func account(_ username: Username) async throws(SessionError) -> Account? {
        try await read("account", AccountReads.account(username.key)) { try Account($0) }.first
    }

    public func accounts(after: Username?, limit: Int) async throws(SessionError) -> [Account] {
        try await read("accounts", AccountReads.accounts(after?.key ?? "", limit), Account.init)
    }

    public func credential(_ hash: SecretHash) async throws(SessionError) -> Credential? {
        try await read("credential \(CredentialID(of: hash))", AccountReads.credential(hash)) {
            try Credential($0)
        }.first
    }

    public func credentials(
        of username: Username, at now: Timestamp, after: CredentialPosition?, limit: Int
    ) async throws(SessionError) -> [Credential] {
        try await read(
            "credentials of an account",
            AccountReads.credentials(
                username.key, after.createdAtOrEnd, after.hashOrEnd, now, limit)
        ) { try Credential($0) }
    }

    public func sessions(
        of username: Username, at now: Timestamp, after: SessionPosition?, limit: Int
    ) async throws(SessionError) -> [ListedSession] {
        try await read(
            "sessions of an account",
            AccountReads.sessions(
                username.key, now, now, after?.createdAt.milliseconds ?? .max,
                after?.id.bytes ?? [UInt8](repeating: 255, count: 16), limit)
        ) { row in
            let revision = try row.integer("revision")
            let summary = try? row.bytesIfPresent("summary")
            return ListedSession(
                id: try row.id("id"), name: try row.textIfPresent("name"),
                createdAt: try row.timestamp("created_at"),
                expiresAt: try row.timestamp("expires_at"), revision: revision,
                summary: summary.flatMap {
                    StoredWindow.Entry(encodedSummary: $0, revision: revision)
                })
        }
    }

    public func sessionToken(
        _ hash: SecretHash, at now: Timestamp
    ) async throws(SessionError) -> SessionToken? {
        try await read("token \(CredentialID(of: hash))", AccountReads.token(hash, now)) {
            try SessionToken($0)
        }.first
    }

    public func sessionTokens(
        of session: SessionID, at now: Timestamp, after: CredentialPosition?, limit: Int
    ) async throws(SessionError) -> [SessionToken] {
        try await read(
            "tokens of a session",
            AccountReads.tokens(session, after.createdAtOrEnd, after.hashOrEnd, now, limit)
        ) { try SessionToken($0) }
    }

    public func idempotencyRecord(
        _ id: SecretHash
    ) async throws(SessionError) -> IdempotencyRecord? {
        try await read("idempotency record", AccountReads.record(id)) { row in
            IdempotencyRecord(
                id: id, fingerprint: try row.hash("fingerprint"),
                session: try row.idIfPresent("session"), sealedResponse: try row.bytes("response"),
                requestSize: try row.integer("request_size"),
                expiresAt: try row.timestamp("expires_at"))
        }.first
    }

    public func idempotencyRecordSizes(
        of session: SessionID, at now: Timestamp
    ) async throws(SessionError) -> IdempotencyRecordSizes {
        IdempotencyRecordSizes(
            try await read("idempotency records", AccountReads.usage(session, now)) { row in
                IdempotencyRecordSizes.Entry(
                    size: try row.integer("size"), requestSize: try row.integer("request_size"),
                    expiresAt: try row.timestamp("expires_at"))
            })
    }
}

extension StorageError {
    /// - Parameter subject: the name of the stored rows, as for `SQLSessionStore.read`.
    package init(unreadable subject: String, _ cause: Any) {
        self.init(reason: "the stored \(subject) cannot be read: \(cause)", isUnreadable: true)
    }
}

extension CredentialPosition? {
    fileprivate var createdAtOrEnd: Int { self?.createdAt.milliseconds ?? .max }
    /// The hash in the SQL condition `(created_at, hash) < (?, ?)`, which selects the next page of
    /// credentials or tokens, newest first. It is the id of the last item on the previous page: an
    /// id is the first half of a hash, so that a hash sorts after its own id and before all greater
    /// ids. For the first page, the value is greater than every hash.
    fileprivate var hashOrEnd: [UInt8] { self?.id.bytes ?? Array(repeating: 255, count: 33) }
}

/// The statements of reads. Each lists its columns by name, because a prepared statement with `*`
/// fails in PostgreSQL after a migration that adds a column.
package enum AccountReads {
    package static let account = SQLText(
        "SELECT \(Account.columns) FROM account WHERE key = ?text")

    fileprivate static let accounts = SQLText(
        "SELECT \(Account.columns) FROM account WHERE key > ?text ORDER BY key LIMIT ?bigint")

    package static let credential = SQLText(
        "SELECT \(Credential.columns) FROM credential WHERE hash = ?bytea")

    fileprivate static let credentials = SQLText(
        """
        SELECT \(Credential.columns) FROM credential
        WHERE account = ?text AND (created_at, hash) < (?bigint, ?bytea)
          AND NOT is_revoked AND expires_at > ?bigint
        ORDER BY created_at DESC, hash DESC LIMIT ?bigint
        """)

    /// The inner query does not read the names and the summaries. In a row of SQLite, they come after
    /// the large window, and SQLite would have to read each row up to there. The outer query reads
    /// only those of the sessions to return.
    fileprivate static let sessions = SQLText(
        """
        SELECT id, created_at, expires_at, revision, name, summary FROM session
        WHERE id IN (
          SELECT id FROM session
          WHERE credential IN (SELECT hash FROM credential
              WHERE account = ?text AND NOT is_revoked AND expires_at > ?bigint)
            AND credential IS NOT NULL AND expires_at > ?bigint
            AND (created_at, id) < (?bigint, ?uuid)
          ORDER BY created_at DESC, id DESC LIMIT ?bigint)
        ORDER BY created_at DESC, id DESC
        """)

    fileprivate static let token = SQLText(
        """
        SELECT \(SessionToken.columns) FROM session_token
        WHERE hash = ?bytea AND expires_at > ?bigint
        """)

    fileprivate static let tokens = SQLText(
        """
        SELECT \(SessionToken.columns) FROM session_token
        WHERE session = ?uuid AND (created_at, hash) < (?bigint, ?bytea) AND expires_at > ?bigint
        ORDER BY created_at DESC, hash DESC LIMIT ?bigint
        """)

    /// Reads an idempotency record, unless its session has ended.
    package static let record = SQLText(
        """
        SELECT session, fingerprint, request_size, expires_at, response
        FROM idempotency_record AS record WHERE id = ?bytea
          AND (session IS NULL OR EXISTS (SELECT 1 FROM session WHERE id = record.session))
        """)

    fileprivate static let usage = SQLText(
        """
        SELECT CAST(length(response) AS bigint) AS size, request_size, expires_at
        FROM idempotency_record WHERE session = ?uuid AND expires_at > ?bigint
        ORDER BY number /*postgres NULLS FIRST, expires_at*/
        """)
}
