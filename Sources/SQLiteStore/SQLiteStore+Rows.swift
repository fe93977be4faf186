import Accounts
import Foundation
import GRDB
import JSON
import Navigation
import Sessions

// Each table's rows, written and read. On the store's thread only.

extension SQLiteStore {
    // MARK: Sessions

    func insert(_ session: StoredSession, _ db: Database) throws {
        try db.cachedStatement(
            sql: """
                INSERT INTO session (token_hash, expires_at, revision, window, credential,
                  credential_refusal, created_at, id) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                """
        ).execute(arguments: Self.arguments(session))
    }

    /// - Returns: whether there is such a session.
    func update(_ session: StoredSession, _ db: Database) throws -> Bool {
        try db.cachedStatement(
            sql: """
                UPDATE session SET token_hash = ?, expires_at = ?, revision = ?, window = ?,
                  credential = ?, credential_refusal = ?, created_at = ? WHERE id = ?
                """
        ).execute(arguments: Self.arguments(session))
        return db.changesCount > 0
    }

    private static func arguments(_ session: StoredSession) -> StatementArguments {
        var json = JSONWriter(capacity: 512)
        json.window(session.window)
        return [
            session.tokenHash.data, session.expiresAt.milliseconds, session.window.revision,
            Data(json.bytes), session.credential?.data, session.credentialRefusal?.rawValue,
            session.createdAt.milliseconds, session.id.data,
        ]
    }

    func delete(_ id: SessionID, _ db: Database) throws {
        for table in ["session WHERE id", "event_group WHERE session"] {
            try db.cachedStatement(sql: "DELETE FROM \(table) = ?").execute(arguments: [id.data])
        }
    }

    func session(_ id: SessionID, _ db: Database) throws -> StoredSession? {
        let statement = try db.cachedStatement(sql: "SELECT * FROM session WHERE id = ?")
        guard let row = try GRDB.Row.fetchOne(statement, arguments: [id.data]) else { return nil }
        return try Self.session(id, row)
    }

    static func session(_ id: SessionID, _ row: GRDB.Row) throws -> StoredSession {
        let window: Data = row["window"]
        guard let json = try? JSONValue(parsing: Array(window), maximumDepth: 16),
            let archive = WindowArchive(json, revision: row["revision"]),
            let tokenHash = SecretHash(stored: row["token_hash"])
        else { throw StorageError(reason: "the stored session \(id) cannot be read") }
        return StoredSession(
            id: id, tokenHash: tokenHash,
            createdAt: Timestamp(milliseconds: row["created_at"]),
            expiresAt: Timestamp(milliseconds: row["expires_at"]), window: archive,
            credential: (row["credential"] as Data?).flatMap(SecretHash.init(stored:)),
            credentialRefusal: (row["credential_refusal"] as String?)
                .flatMap(CredentialRefusal.init))
    }

    // MARK: Events

    func insert(_ events: [LifecycleEvent], of id: SessionID, _ db: Database) throws {
        guard let group = EventGroup(events) else { return }
        try db.cachedStatement(sql: "INSERT INTO event_group VALUES (?, ?, ?, ?)")
            .execute(arguments: [id.data, group.first, group.last, Data(group.content)])
        if isDroppingDue(group.last, group.first) {
            try db.cachedStatement(sql: "DELETE FROM event_group WHERE session = ? AND last <= ?")
                .execute(arguments: [id.data, lastDropped(at: group.last)])
        }
    }

    func events(
        of id: SessionID, after: Int, limit: Int, _ db: Database
    ) throws -> EventPage {
        let oldest = try Int.fetchOne(
            db.cachedStatement(sql: "SELECT min(first) FROM event_group WHERE session = ?"),
            arguments: [id.data])
        var events: [LifecycleEvent] = []
        let rows = try GRDB.Row.fetchCursor(
            db.cachedStatement(
                sql: """
                    SELECT first, events FROM event_group WHERE session = ? AND last > ?
                    ORDER BY first
                    """), arguments: [id.data, after])
        while events.count < limit, let row = try rows.next() {
            let content: Data = row["events"]
            guard let group = EventGroup.events(first: row["first"], content: Array(content)) else {
                throw StorageError(reason: "the stored events of session \(id) cannot be read")
            }
            events += group.drop { $0.seq <= after }
        }
        return EventPage(events: Array(events.prefix(limit)), oldest: oldest ?? 1)
    }

    // MARK: Receipts

    func insert(_ receipt: Receipt, _ db: Database) throws {
        try db.cachedStatement(sql: "INSERT OR REPLACE INTO receipt VALUES (?, ?, ?, ?)")
            .execute(arguments: [
                receipt.id.data, receipt.fingerprint.data, Data(receipt.sealedAnswer),
                receipt.expiresAt.milliseconds,
            ])
    }

    func receipt(_ id: SecretHash, _ db: Database) throws -> Receipt? {
        let statement = try db.cachedStatement(sql: "SELECT * FROM receipt WHERE id = ?")
        return try GRDB.Row.fetchOne(statement, arguments: [id.data]).map { row in
            let answer: Data = row["answer"]
            guard let fingerprint = SecretHash(stored: row["fingerprint"]) else {
                throw StorageError(reason: "a stored receipt cannot be read")
            }
            return Receipt(
                id: id, fingerprint: fingerprint, sealedAnswer: Array(answer),
                expiresAt: Timestamp(milliseconds: row["expires_at"]))
        }
    }
}

extension SecretHash {
    var data: Data { Data(bytes) }

    /// - Returns: nil if a damaged file holds something else.
    init?(stored data: Data) {
        guard data.count == 32 else { return nil }
        self.init(bytes: Array(data))
    }
}

extension SessionID {
    var data: Data { Data(bytes) }
}
