import Accounts
import Foundation
import GRDB
import JSON
import Navigation
import SQLStore
import Sessions
import WaypostCore

// Reading of sessions and their events, on the store's thread only. `SessionWriter` writes
// sessions.

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
    /// Decodes a session from its row.
    /// - Throws: `DamagedValue` if a column has an invalid value.
    init(id: SessionID, _ row: GRDB.Row) throws {
        let revision = try row.integer("revision")
        guard let json = try? JSONValue(parsing: row.bytes("window"), maximumDepth: 16),
            let archive = WindowArchive(json, revision: revision)
        else { throw DamagedValue(column: "window", found: "no window") }
        // A damaged name does not make the session unreadable; the check of the store reports it.
        let name = try? row.textIfPresent("name")
        self.init(
            id: id, name: name, tokenHash: try row.hash("token_hash"),
            createdAt: try row.timestamp("created_at"), expiresAt: try row.timestamp("expires_at"),
            window: archive, credential: try row.hashIfPresent("credential"),
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
    fileprivate init?(_ row: GRDB.Row) {
        guard let last = try? row.integer("journal_last", in: StoredRange.counts),
            let digest = try? row.integer("journal_digest")
        else { return nil }
        self.init(last: last, digest: digest)
    }
}

extension SessionID {
    var data: Data { Data(bytes) }

    /// The first 8 hexadecimal digits of the id, for log messages.
    var prefix: Substring { description.prefix(8) }
}
