import Accounts
import GRDB

/// A table whose rows the purge removes when they expire, or when their session has ended.
struct ExpiringTable: Sendable {
    let name: String
    /// The column by which the purge orders the rows. It does not use an index of the expiry,
    /// because each change would have to update such an index.
    let key: String
    /// The time that a row is kept after its expiry.
    var retention = Duration.zero
    /// Whether the table has an index. Then each removal is counted as one more changed page.
    var hasIndex = false
    /// The SQL condition for rows that are removed before their expiry.
    var isOrphan = "FALSE"
    /// Whether the rows have a time of expiry; if not, only orphans are removed.
    var expires = true

    static let all = [
        ExpiringTable(name: "session", key: "number", hasIndex: true),
        ExpiringTable(
            name: "credential", key: "hash", retention: Credential.retention, hasIndex: true),
        // The end of a session leaves its records to the purge, as there may be many.
        ExpiringTable(
            name: "idempotency_record", key: "number", hasIndex: true,
            isOrphan: "session IS NOT NULL AND session NOT IN (SELECT id FROM session)"),
        ExpiringTable(
            name: "session_token", key: "hash", hasIndex: true,
            isOrphan: """
                typeof(session) = 'blob' AND length(session) = 16
                AND session NOT IN (SELECT id FROM session)
                """),
        // The end of a session leaves the older parts of its journal to the purge.
        ExpiringTable(
            name: "journal_part", key: "number", hasIndex: true,
            isOrphan: """
                typeof(session) = 'blob' AND length(session) = 16
                AND session NOT IN (SELECT id FROM session)
                """, expires: false),
    ]
}

/// The progress of one pass of the purge over the whole store.
struct PurgePass {
    /// The parts of a pass, in this order: the expiring tables, the events, the free pages.
    enum Part: Equatable {
        case expiring(Int)
        case events
        case freePages
        case done
    }

    var part = Part.expiring(0)
    /// The key of the last row that was processed in this part. The initial 0 is less than every key:
    /// numbers count from 1, and SQLite sorts blobs after numbers.
    var position = 0.databaseValue
    /// The highest row numbers of sessions and of event groups when the pass began; nil before it
    /// begins. Later rows are left to the next pass, so that a pass always ends.
    var lastSession: Int?
    var lastGroup: Int?
    /// The number of live sessions that the pass has counted.
    var sessions = 0
    /// The number of expired sessions that the current step has removed.
    var expiredSessions = 0
    /// The number of bytes that the purge has changed since its last checkpoint, which copies the
    /// write-ahead log into the database file.
    var bytes = 0

    mutating func goOn() {
        position = 0.databaseValue
        part =
            switch part {
            case .expiring(let index) where index + 1 < ExpiringTable.all.count:
                .expiring(index + 1)
            case .expiring: .events
            case .events: .freePages
            case .freePages, .done: .done
            }
    }
}
