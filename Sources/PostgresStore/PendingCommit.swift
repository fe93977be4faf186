import Accounts
import JSON
import Navigation
import Sessions
import StoreCoding
import WaypostCore

/// A write batch that waits in the `WorkQueue` until a lane (a thread with a database connection)
/// sends it to the server. The type is a class, so that passing a value copies only a reference.
final class PendingCommit: Sendable {
    enum Kind {
        /// An update of one session, with its events and its history, and no other write.
        case change
        /// A check of the version of one session's row, and no write.
        case check
        /// Any other batch. It runs in a separate transaction, see `WholeBatch`.
        case whole

        init(of batch: borrowing WriteBatch) {
            guard batch.accountWrites == nil, batch.idempotencyRecords.isEmpty else {
                self = .whole
                return
            }
            switch batch.session {
            case .update: self = .change
            case .check: self = .check
            case .insert, .delete, nil: self = .whole
            }
        }
    }

    let batch: WriteBatch
    let kind: Kind
    let sessionID: SessionID?
    /// The session that the batch inserts or updates, encoded for the database; nil if the batch
    /// does neither.
    let row: StoredRow?
    /// A random number that the batch writes to the session's row. If the connection is lost, the
    /// number in the row shows whether the batch was committed.
    let writer: Int
    private let completion: @Sendable (Result<Void, CommitError>) -> Void

    init(
        _ batch: WriteBatch, writer: Int,
        completion: @escaping @Sendable (Result<Void, CommitError>) -> Void
    ) {
        self.batch = batch
        self.writer = writer
        self.completion = completion
        kind = Kind(of: batch)
        sessionID = batch.session?.id
        row =
            switch batch.session {
            case .insert(let session): StoredRow(session, .first, batch.events)
            case .update(let session, let version):
                StoredRow(session, version.next, batch.events)
            case .delete, .check, nil: nil
            }
    }

    /// The version that the session's row must have before the commit; nil if the batch does not
    /// require a version.
    var expectedVersion: Int? {
        switch batch.session {
        case .update(_, let version), .delete(_, let version), .check(_, let version):
            version.number
        case .insert, nil: nil
        }
    }

    /// The version of the session's row after an update; nil for other batches.
    var nextVersion: Int? {
        guard case .update(_, let version) = batch.session else { return nil }
        return version.next.number
    }

    /// Calls the completion of the commit with its result. This method must be called exactly once.
    func complete(_ result: Result<Void, CommitError>) { completion(result) }

    /// The approximate size of the batch when it is sent, in bytes.
    var size: Int {
        (row?.state.count ?? 0) + (row?.summary?.count ?? 0) + (row?.events.count ?? 0)
            + (batch.journal?.bytes.count ?? 0) + 100
    }
}

/// A session and its new events, encoded for the database. The thread that calls `commit` does the
/// encoding, so that the threads with a database connection have less work.
struct StoredRow: Sendable {
    let session: StoredSession
    let state: [UInt8]
    /// The summary of the visible view controller; nil if the session is not logged in to an
    /// account.
    let summary: [UInt8]?
    let events: [UInt8]

    init(_ content: SessionContent, _ version: RowVersion, _ events: [LifecycleEvent]) {
        session = content.stored(version)
        var json = JSONWriter(capacity: 512)
        json.window(session.window)
        state = json.bytes
        summary = content.summary?.encodedSummary(revision: session.window.revision)
        self.events = EventLog.encode(events)
    }

    /// Returns the time from which the purge, which removes expired data, examines the session. The
    /// time is in milliseconds. It is the expiry time, rounded up by at most a sixteenth of the
    /// time that is left until the expiry. Because of the rounding, a change of the session seldom
    /// updates the index on this time.
    func purgeAfter(at now: Timestamp) -> Int {
        let rest = now.duration(since: session.expiresAt).inMilliseconds * -1
        let unit = 1 << (Int.bitWidth - 1 - max(rest / 16, 1).leadingZeroBitCount)
        let (sum, isOver) = session.expiresAt.milliseconds.addingReportingOverflow(unit - 1)
        return isOver ? .max : sum & ~(unit - 1)
    }
}

extension Duration {
    fileprivate var inMilliseconds: Int {
        Int(components.seconds) * 1000 + Int(components.attoseconds / 1_000_000_000_000_000)
    }
}
