import Accounts
import Foundation
import GRDB
import JSON
import Navigation
import Sessions
import WaypostCore

// The rows of sessions, on the store's thread only. Sessions are written by
// `SessionWriter`; accounts and events have files of their own.

extension SQLiteStore {
    // MARK: Sessions

    func session(_ id: SessionID, _ db: Database) throws -> StoredSession? {
        let statement = try db.cachedStatement(sql: "SELECT * FROM session WHERE id = ?")
        return try GRDB.Row.fetchOne(statement, arguments: [id.data]).map { row in
            try readStored("session \(id.prefix)") { try StoredSession(id: id, row) }
        }
    }

    // MARK: Events

    func events(
        of id: SessionID, after: Int, limit: Int, _ db: Database
    ) throws -> EventPage {
        try EventReader(session: id, retention: eventRetention, db: db)
            .page(after: after, limit: limit)
    }
}

extension StoredSession {
    /// - Throws: `DamagedValue`
    init(id: SessionID, _ row: GRDB.Row) throws {
        let revision = try row.integer("revision")
        guard let json = try? JSONValue(parsing: Array(row.blob("window")), maximumDepth: 16),
            let archive = WindowArchive(json, revision: revision)
        else { throw DamagedValue(column: "window", found: "no window") }
        self.init(
            id: id, tokenHash: try row.hash("token_hash"),
            createdAt: try row.timestamp("created_at"), expiresAt: try row.timestamp("expires_at"),
            window: archive, credential: try row.hashIfPresent("credential"),
            credentialRefusal: try row.textIfPresent("credential_refusal")
                .flatMap(CredentialRefusal.init),
            version: RowVersion(number: try row.integer("version")))
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

    /// The part of the id that a log may show.
    var prefix: Substring { description.prefix(8) }
}
