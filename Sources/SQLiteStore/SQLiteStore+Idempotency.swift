import Foundation
import GRDB
import SQLStore
import Sessions
import WaypostCore

// Reading and writing of idempotency records, on the store's thread only.

extension SQLiteStore {
    func insert(_ record: IdempotencyRecord, _ db: Database) throws {
        try db.cachedStatement(
            sql: """
                INSERT OR REPLACE INTO idempotency_record
                  (id, session, fingerprint, request_size, expires_at, response)
                VALUES (?, ?, ?, ?, ?, ?)
                """
        ).execute(arguments: [
            record.id.data, record.session?.data, record.fingerprint.data, record.requestSize,
            record.expiresAt.milliseconds, Data(record.sealedResponse),
        ])
    }

    /// Returns an idempotency record.
    /// - Returns: nil if no record has this id, or if the session of the record has ended. The
    ///   purge later removes the records of ended sessions. An expired record may still be
    ///   returned.
    func idempotencyRecord(_ id: SecretHash, _ db: Database) throws -> IdempotencyRecord? {
        let statement = try db.cachedStatement(
            sql: """
                SELECT session, fingerprint, request_size, expires_at, response
                FROM idempotency_record WHERE id = ?
                  AND (session IS NULL OR session IN (SELECT id FROM session))
                """)
        return try GRDB.Row.fetchOne(statement, arguments: [id.data]).map { row in
            try readStored("idempotency record") {
                IdempotencyRecord(
                    id: id, fingerprint: try row.hash("fingerprint"),
                    session: try row.sessionIDIfPresent("session"),
                    sealedResponse: Array(try row.blob("response")),
                    requestSize: try row.integer("request_size"),
                    expiresAt: try row.timestamp("expires_at"))
            }
        }
    }

    /// Deletes the oldest idempotency records of a session. The index of the records of a session
    /// lists them in the order of their numbers, which is the order of their insertion.
    func delete(_ records: WriteBatch.OutdatedRecords, _ db: Database) throws {
        try db.cachedStatement(
            sql: """
                DELETE FROM idempotency_record WHERE number IN
                  (SELECT number FROM idempotency_record
                   WHERE session = ? AND expires_at > ? ORDER BY number LIMIT ?)
                """
        ).execute(arguments: [records.session.data, records.now.milliseconds, records.count])
    }

    func idempotencyUsage(
        of session: SessionID, at now: Timestamp, _ db: Database
    ) throws -> IdempotencyUsage {
        let statement = try db.cachedStatement(
            sql: """
                SELECT length(response) AS size, request_size, expires_at
                FROM idempotency_record WHERE session = ? AND expires_at > ? ORDER BY number
                """)
        let rows = try GRDB.Row.fetchAll(
            statement, arguments: [session.data, now.milliseconds])
        return try readStored("idempotency records") {
            IdempotencyUsage(
                try rows.map { row in
                    IdempotencyUsage.Entry(
                        size: try row.integer("size"),
                        requestSize: try row.integer("request_size"),
                        expiresAt: try row.timestamp("expires_at"))
                })
        }
    }
}

extension GRDB.Row {
    fileprivate func sessionIDIfPresent(_ column: String) throws(DamagedValue) -> SessionID? {
        guard let data = try blobIfPresent(column) else { return nil }
        guard let id = SessionID(stored: data) else {
            throw DamagedValue(column: column, found: "bytes of a wrong length")
        }
        return id
    }
}

extension SessionID {
    /// Decodes a session id.
    /// - Returns: nil if the data is not 16 bytes long, which can happen in a damaged file.
    init?(stored data: Data) {
        self.init(bytes: Array(data))
    }
}
