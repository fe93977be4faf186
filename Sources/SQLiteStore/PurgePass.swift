import Accounts
import GRDB

/// A table whose rows expire.
struct ExpiringTable: Sendable {
    let name: String
    /// The column by which its rows are in order. No index on the expiry: every change would have to
    /// move it.
    let key: String
    /// How long a row is kept after it has expired.
    var retention = Duration.zero
    /// Whether there is an index: with each row a page changes that no other row does.
    var hasIndex = false
    /// The SQL condition of rows that go before they have expired.
    var isOrphan = "FALSE"

    static let all = [
        ExpiringTable(name: "session", key: "number", hasIndex: true),
        ExpiringTable(
            name: "credential", key: "hash", retention: Credential.retention, hasIndex: true),
        // Sessions that end leave their records for the purge, however many there are.
        ExpiringTable(
            name: "idempotency_record", key: "number", hasIndex: true,
            isOrphan: "session IS NOT NULL AND session NOT IN (SELECT id FROM session)"),
    ]
}

/// How far one look at the whole store has come.
struct PurgePass {
    /// One part after the other: the expiring tables, the events, the free pages.
    enum Part: Equatable {
        case expiring(Int)
        case events
        case freePages
        case done
    }

    var part = Part.expiring(0)
    /// The key of the last row of the part that was dealt with. Each key is greater: numbers count
    /// from 1, and bytes come behind all numbers.
    var position = 0.databaseValue
    /// The numbers of the last rows when the pass began: what comes later is the next pass's, or there
    /// might be no end.
    var lastSession: Int?
    var lastGroup: Int?
    /// That the pass has counted.
    var sessions = 0
    /// That it has changed since the log was copied.
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
