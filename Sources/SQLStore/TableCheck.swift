import Accounts
import Sessions
import WaypostCore

/// The check of a table that has the same rows in SQLite and PostgreSQL.
package struct TableCheck: Sendable {
    package let table: String
    /// The column with the key, which names a row in a report.
    package let key: String
    /// The name of a row's kind in a report.
    private let kind: String
    private let read: @Sendable (any SQLRow) throws -> Void

    package static let all = [
        TableCheck(table: "account", key: "key", kind: "account") { _ = try Account($0) },
        TableCheck(table: "credential", key: "hash", kind: "credential") {
            _ = try (Credential($0), $0.text("account"))
        },
        TableCheck(table: "session_token", key: "hash", kind: "token") {
            _ = try SessionToken($0)
        },
        TableCheck(table: "idempotency_record", key: "id", kind: "idempotency record") {
            _ = try ($0.hash("fingerprint"), $0.integer("request_size"), $0.timestamp("expires_at"))
        },
    ]

    /// Decodes a row, and adds a defect if the row cannot be decoded.
    package func check(_ row: any SQLRow, _ defects: inout StoreReport.Defects) {
        do {
            try read(row)
        } catch {
            let name =
                key == "key"
                ? try? row.text(key) : (try? row.bytes(key)).map { hexadecimal($0.prefix(16)) }
            defects.append("\(kind) \(name ?? "without a key"): \(error)")
        }
    }
}
