import Accounts
import GRDB

/// A table from which the purge removes expired rows and rows whose session has ended.
struct ExpiringTable: Sendable {
    let name: String
    /// The column that gives the order in which the purge examines the rows. The purge does not use
    /// an index on the expiry time, because each change would have to update such an index.
    let key: String
    /// The time for which the purge keeps a row after its expiry.
    var retention = Duration.zero
    /// Whether the table has an index besides its key. If so, each removed row counts as one
    /// changed page toward `PurgeLimits.bytes`, in addition to the pages that the removal frees.
    var hasIndex = false
    /// The SQL condition for rows that the purge removes even before their expiry, because their
    /// session has ended.
    var isOrphan = "FALSE"
    /// Whether the rows have an expiry time. If not, the purge removes only the rows that meet
    /// `isOrphan`.
    var expires = true

    static let all = [
        ExpiringTable(name: "session", key: "number", hasIndex: true),
        ExpiringTable(
            name: "credential", key: "hash", retention: Credential.retention, hasIndex: true),
        // A session's idempotency records stay when the session ends, and the purge removes them:
        // there may be many.
        ExpiringTable(
            name: "idempotency_record", key: "number", hasIndex: true,
            isOrphan: "session IS NOT NULL AND session NOT IN (SELECT id FROM session)"),
        ExpiringTable(
            name: "session_token", key: "hash", hasIndex: true,
            isOrphan: """
                typeof(session) = 'blob' AND length(session) = 16
                AND session NOT IN (SELECT id FROM session)
                """),
        // The rows of a session's log stay when the session ends, and the purge removes them.
        ExpiringTable(
            name: "log", key: "number", hasIndex: true,
            isOrphan: """
                typeof(session) = 'blob' AND length(session) = 16
                AND session NOT IN (SELECT id FROM session)
                """, expires: false),
    ]
}

/// The progress of one pass of the purge. A pass goes through the whole store in many short steps.
struct PurgePass {
    /// The parts of a pass, in this order: each expiring table, the free pages.
    enum Part: Equatable {
        case expiring(Int)
        case freePages
        case done
    }

    var part = Part.expiring(0)
    /// The key of the last row that the current part has processed. The initial value 0 sorts
    /// before every key: integer keys start at 1, and SQLite sorts blobs after integers.
    var position = 0.databaseValue
    /// The highest row numbers of the tables `session` and `log` when the pass began; nil before the
    /// pass begins. Later rows are left to the next pass, so that a pass always ends.
    var lastRows: (session: Int, log: Int)?
    /// The number of live sessions that the pass has counted so far.
    var sessions = 0
    /// The number of expired sessions that the current step has removed.
    var expiredSessions = 0
    /// The number of bytes that the purge has changed since its last checkpoint. A checkpoint
    /// copies the write-ahead log into the database file.
    var bytes = 0

    mutating func goOn() {
        position = 0.databaseValue
        part =
            switch part {
            case .expiring(let index) where index + 1 < ExpiringTable.all.count:
                .expiring(index + 1)
            case .expiring: .freePages
            case .freePages, .done: .done
            }
    }
}
