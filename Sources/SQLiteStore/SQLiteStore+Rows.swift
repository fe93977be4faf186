import Accounts
import Foundation
import GRDB
import JSON
import Navigation
import Sessions

// Each table's rows, written and read; sessions are written by `SessionWriter`. On the store's thread
// only.

extension SQLiteStore {
    // MARK: Sessions

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

    func events(
        of id: SessionID, after: Int, limit: Int, _ db: Database
    ) throws -> EventPage {
        // From the newest group back to the first one that has an event that is wanted and is kept.
        let chain = try GRDB.Row.fetchAll(
            db.cachedStatement(
                sql: """
                    WITH RECURSIVE chain (number, previous, first, last, dropped) AS (
                      SELECT number, previous, first, last, last - :retention FROM event_group
                      WHERE number = (SELECT last_group FROM session WHERE id = :session)
                      UNION ALL
                      SELECT older.number, older.previous, older.first, older.last, dropped
                      FROM chain JOIN event_group AS older ON older.number = chain.previous
                      WHERE older.session = :session AND older.last = chain.first - 1
                        AND older.last > max(:after, dropped)
                    )
                    SELECT number, first, dropped FROM chain
                    """),
            arguments: ["retention": eventRetention, "session": id.data, "after": after])
        guard let end = chain.last else { return EventPage(events: [], oldest: 1) }
        let first: Int = end["first"]
        var oldest = max(end["dropped"] + 1, 1)
        // The others have gone when fewer were to be kept.
        if first > oldest, first - 1 > after { oldest = first }
        let statement = try db.cachedStatement(
            sql: "SELECT first, events FROM event_group WHERE number = ?")
        var events: [LifecycleEvent] = []
        for number in chain.reversed().map({ $0["number"] as Int }) where events.count < limit {
            guard let row = try GRDB.Row.fetchOne(statement, arguments: [number]),
                let group = EventGroup.events(
                    first: row["first"], content: Array(row["events"] as Data))
            else {
                throw StorageError(reason: "the stored events of session \(id) cannot be read")
            }
            events += group.drop { $0.seq <= after || $0.seq < oldest }
        }
        return EventPage(events: Array(events.prefix(max(limit, 0))), oldest: oldest)
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
