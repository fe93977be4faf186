import Accounts
import Foundation
import GRDB
import Sessions

// The rows of idempotency records, written and read. On the store's thread only.

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

    /// Records of sessions that have ended are removed by the purge, and count no more until then.
    func idempotencyRecord(_ id: SecretHash, _ db: Database) throws -> IdempotencyRecord? {
        let statement = try db.cachedStatement(
            sql: """
                SELECT session, fingerprint, request_size, expires_at, response
                FROM idempotency_record WHERE id = ?
                  AND (session IS NULL OR session IN (SELECT id FROM session))
                """)
        return try GRDB.Row.fetchOne(statement, arguments: [id.data]).map { row in
            let session: Data? = row["session"]
            guard let fingerprint = SecretHash(stored: row["fingerprint"]) else {
                throw StorageError(reason: "a stored idempotency record cannot be read")
            }
            return IdempotencyRecord(
                id: id, fingerprint: fingerprint, session: session.flatMap(SessionID.init(stored:)),
                sealedResponse: Array(row["response"] as Data), requestSize: row["request_size"],
                expiresAt: Timestamp(milliseconds: row["expires_at"]))
        }
    }

    func idempotencyUsage(
        of session: SessionID, at now: Timestamp, _ db: Database
    ) throws -> IdempotencyUsage {
        let statement = try db.cachedStatement(
            sql: """
                SELECT count(*), coalesce(sum(length(response)), 0), coalesce(sum(request_size), 0),
                  min(expires_at)
                FROM idempotency_record WHERE session = ? AND expires_at > ?
                """)
        let arguments: StatementArguments = [session.data, now.milliseconds]
        guard let row = try GRDB.Row.fetchOne(statement, arguments: arguments) else {
            return IdempotencyUsage()
        }
        return IdempotencyUsage(
            count: row[0], size: row[1], requestSize: row[2],
            firstExpiry: (row[3] as Int?).map(Timestamp.init(milliseconds:)))
    }
}

extension SessionID {
    /// - Returns: nil if a damaged file holds something else.
    init?(stored data: Data) {
        self.init(data.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined())
    }
}
