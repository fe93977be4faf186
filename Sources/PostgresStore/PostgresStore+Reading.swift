import Accounts
import JSON
import Navigation
import SQLStore
import Sessions
import WaypostCore

extension PostgresStore {
    // MARK: Sessions

    public func session(_ id: SessionID) async throws(StorageError) -> StoredSession? {
        try await read(
            "session \(id.prefix)", BoundStatement(ReadStatements.session).id(id)
        ) { rows in
            try rows.first.map { try StoredSession($0) }
        }
    }

    public func events(
        of id: SessionID, after: Int, limit: Int
    ) async throws(StorageError) -> EventPage {
        let retention = eventRetention
        let page: EventPage? = try await read(
            "log of session \(id.prefix)",
            BoundStatement(ReadStatements.events).id(id).bigint(max(after, 0))
                .bigint(min(max(limit, 1), 1 << 32))
        ) { rows in
            try StoredEvents(rows, retention: retention)?.page(after: after, limit: limit)
        }
        return page ?? EventPage(events: [], oldest: 1)
    }

    public func journal(
        of id: SessionID, from first: Int, through last: Int
    ) async throws(StorageError) -> JournalPart {
        let limit = StoredRange.numbers.upperBound
        return try await read(
            "history of session \(id.prefix)",
            BoundStatement(ReadStatements.journal).id(id).bigint(min(first, limit))
                .bigint(min(last, limit))
        ) { rows in
            guard let newest = rows.first else { return .none }
            var chunks: [[UInt8]] = []
            for row in rows {
                if let part = try row.bytesIfPresent("changes") { chunks.append(part) }
            }
            let tail = try newest.bytes("journal")
            if !tail.isEmpty, try newest.integer("journal_first") <= last { chunks.append(tail) }
            return JournalPart(
                chunks: chunks,
                oldest: try newest.integerIfPresent("oldest")
                    ?? newest.integerIfPresent("journal_base"))
        }
    }

    public func sessions(
        of username: Username, at now: Timestamp, after: SessionPosition?, limit: Int
    ) async throws(StorageError) -> [ListedSession] {
        try await read(
            "sessions of an account",
            BoundStatement(ReadStatements.sessionsOfAccount)
                .text(username.key).time(now).time(after?.createdAt).id(after?.id).bigint(limit)
        ) { rows in
            try rows.map { row in
                let revision = try row.integer("revision")
                return ListedSession(
                    id: try row.id("id"), name: try row.textIfPresent("name"),
                    createdAt: try row.time("created_at"), expiresAt: try row.time("expires_at"),
                    revision: revision,
                    summary: try row.bytesIfPresent("summary").flatMap {
                        WindowArchive.Entry(encodedSummary: $0, revision: revision)
                    })
            }
        }
    }

    // MARK: Further tokens

    public func sessionToken(
        _ hash: SecretHash, at now: Timestamp
    ) async throws(StorageError) -> SessionToken? {
        try await read(
            "further token", BoundStatement(ReadStatements.token).hash(hash).time(now)
        ) { rows in
            try rows.first.map { try SessionToken($0) }
        }
    }

    public func sessionTokens(
        of session: SessionID, at now: Timestamp, after: CredentialPosition?, limit: Int
    ) async throws(StorageError) -> [SessionToken] {
        try await read(
            "further tokens",
            BoundStatement(ReadStatements.tokens).id(session)
                .bigint(after.createdAtOrEnd).bytes(after.hashOrEnd).time(now).bigint(limit)
        ) { rows in
            try rows.map { try SessionToken($0) }
        }
    }

    // MARK: Idempotency records

    public func idempotencyRecord(
        _ id: SecretHash
    ) async throws(StorageError) -> IdempotencyRecord? {
        try await read(
            "idempotency record", BoundStatement(ReadStatements.record).hash(id)
        ) { rows in
            try rows.first.map { row in
                IdempotencyRecord(
                    id: id, fingerprint: try row.hash("fingerprint"),
                    session: try row.idIfPresent("session"),
                    sealedResponse: try row.bytes("response"),
                    requestSize: try row.integer("request_size"),
                    expiresAt: try row.time("expires_at"))
            }
        }
    }

    public func idempotencyUsage(
        of session: SessionID, at now: Timestamp
    ) async throws(StorageError) -> IdempotencyUsage {
        try await read(
            "idempotency records",
            BoundStatement(ReadStatements.idempotencyUsage).id(session).time(now)
        ) { rows in
            IdempotencyUsage(
                try rows.map { row in
                    IdempotencyUsage.Entry(
                        size: try row.integer("size"),
                        requestSize: try row.integer("request_size"),
                        expiresAt: try row.time("expires_at"))
                })
        }
    }

    // MARK: Accounts

    public func account(_ username: Username) async throws(StorageError) -> Account? {
        try await read(
            "account", BoundStatement(ReadStatements.account).text(username.key)
        ) { rows in
            try rows.first.map { try Account($0) }
        }
    }

    public func accounts(
        after: Username?, limit: Int
    ) async throws(StorageError) -> [Account] {
        try await read(
            "accounts",
            BoundStatement(ReadStatements.accounts).text(after?.key ?? "").bigint(limit)
        ) { rows in
            try rows.map { try Account($0) }
        }
    }

    public func credential(_ hash: SecretHash) async throws(StorageError) -> Credential? {
        try await read(
            "credential", BoundStatement(ReadStatements.credential).hash(hash)
        ) { rows in
            try rows.first.map { try Credential($0) }
        }
    }

    public func credential(_ id: CredentialID) async throws(StorageError) -> Credential? {
        try await read(
            "credential \(id)",
            BoundStatement(ReadStatements.credentialByID)
                .bytes(id.bytes + Array(repeating: 0, count: 16))
                .bytes(id.bytes + Array(repeating: 255, count: 16))
        ) { rows in
            try rows.first.map { try Credential($0) }
        }
    }

    public func credentials(
        of username: Username, at now: Timestamp, after: CredentialPosition?, limit: Int
    ) async throws(StorageError) -> [Credential] {
        try await read(
            "credentials of an account",
            BoundStatement(ReadStatements.credentials).text(username.key)
                .bigint(after.createdAtOrEnd).bytes(after.hashOrEnd).time(now).bigint(limit)
        ) { rows in
            try rows.map { try Credential($0) }
        }
    }
}

extension CredentialPosition? {
    fileprivate var createdAtOrEnd: Int { self?.createdAt.milliseconds ?? .max }
    /// The value of `$3` in the SQL condition `(created_at, hash) < ($2, $3)`, which selects the
    /// next page of credentials or tokens. The lists are in descending order, so the value is the
    /// id of the last item on the previous page. An id is the first half of a hash, so a hash sorts
    /// after its own id and before all greater ids. For the first page, the value is greater than
    /// every hash.
    fileprivate var hashOrEnd: [UInt8] { self?.id.bytes ?? Array(repeating: 255, count: 33) }
}

extension SessionID {
    /// The first 8 hexadecimal digits of the id, for log messages.
    var prefix: Substring { description.prefix(8) }
}

// MARK: - Decoding of rows

extension StoredSession {
    init(_ row: Row) throws {
        let revision = try row.integer("revision")
        guard let json = try? JSONValue(parsing: row.bytes("state"), maximumDepth: 16),
            let archive = WindowArchive(json, revision: revision)
        else { throw DamagedValue(column: "state", found: "no window") }
        self.init(
            id: try row.id("id"), name: try row.textIfPresent("name"),
            tokenHash: try row.hash("token_hash"), createdAt: try row.time("created_at"),
            expiresAt: try row.time("expires_at"), window: archive,
            credential: try row.hashIfPresent("credential"),
            credentialRefusal: try row.textIfPresent("credential_refusal")
                .flatMap(CredentialRefusal.init),
            version: RowVersion(number: try row.integer("version")),
            journal: JournalPosition(row))
    }
}

extension JournalPosition {
    /// Decodes the position at the end of a session's journal, which is the history of its changes.
    /// - Returns: nil if the journal is absent or damaged. The next change of the session then
    ///   begins a new journal.
    fileprivate init?(_ row: Row) {
        guard let last = try? row.integer("journal_last", in: StoredRange.counts),
            let digest = try? row.integer("journal_digest")
        else { return nil }
        self.init(last: last, digest: digest)
    }
}

extension SessionToken {
    init(_ row: Row) throws {
        self.init(
            hash: try row.hash("hash"), session: try row.id("session"),
            name: try row.text("name"), credential: try row.hash("credential"),
            createdAt: try row.time("created_at"), expiresAt: try row.time("expires_at"))
    }
}

extension Account {
    init(_ row: Row) throws {
        self.init(
            username: try row.username(), password: PasswordHash(text: try row.text("password")),
            createdAt: try row.time("created_at"), isDisabled: try row.flag("is_disabled"))
    }
}

extension Credential {
    init(_ row: Row) throws {
        self.init(
            hash: try row.hash("hash"), username: try row.username(),
            session: try row.textIfPresent("session"),
            createdAt: try row.time("created_at"), expiresAt: try row.time("expires_at"),
            lastUsedAt: try row.timeIfPresent("last_used_at"),
            isRevoked: try row.flag("is_revoked"))
    }
}

extension Row {
    fileprivate func username() throws -> Username {
        let text = try text("username")
        do { return try Username(text) } catch {
            throw DamagedValue(column: "username", found: "no username")
        }
    }
}
