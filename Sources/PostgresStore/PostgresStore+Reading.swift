import Accounts
import JSON
import Navigation
import SQLStore
import Sessions
import WaypostCore

extension PostgresStore {
    package func read<Value: Sendable>(
        _ subject: String, _ statement: StoreStatement,
        _ decode: @escaping @Sendable (any SQLRow) throws -> Value
    ) async throws(StorageError) -> [Value] {
        try await read(subject, BoundStatement(statement)) { try $0.map { try decode($0) } }
    }

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
            tokenHash: try row.hash("token_hash"), createdAt: try row.timestamp("created_at"),
            expiresAt: try row.timestamp("expires_at"), window: archive,
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
