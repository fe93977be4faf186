import Foundation
import GRDB
import Sessions
import StoreCoding
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

    func idempotencyUsage(
        of session: SessionID, at now: Timestamp, _ db: Database
    ) throws -> IdempotencyUsage {
        let statement = try db.cachedStatement(
            sql: """
                SELECT count(*) AS count, total(length(response)) AS size,
                  total(request_size) AS request_size, min(expires_at) AS first_expiry
                FROM idempotency_record WHERE session = ? AND expires_at > ?
                """)
        let arguments: StatementArguments = [session.data, now.milliseconds]
        guard let row = try GRDB.Row.fetchOne(statement, arguments: arguments) else {
            return IdempotencyUsage()
        }
        return try readStored("idempotency records") {
            IdempotencyUsage(
                count: try row.integer("count"), size: try row.total("size"),
                requestSize: try row.total("request_size"),
                firstExpiry: try row.timestampIfPresent("first_expiry"))
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

    /// Reads a sum of integers that SQLite's function `total` has computed. The sum is stored as a
    /// floating-point number. Unlike the function `sum`, `total` does not fail with an overflow.
    /// - Throws: `DamagedValue` if the sum is outside `StoredRange.numbers`.
    fileprivate func total(_ column: String) throws(DamagedValue) -> Int {
        let sum: Double? = Double.fromDatabaseValue(self[column])
        guard let sum, let number = Int(exactly: sum), StoredRange.numbers.contains(number) else {
            throw DamagedValue(column: column, found: "a number out of range")
        }
        return number
    }
}

extension SessionID {
    /// Decodes a session id.
    /// - Returns: nil if the data is not 16 bytes long, which can happen in a damaged file.
    init?(stored data: Data) {
        self.init(bytes: Array(data))
    }
}
