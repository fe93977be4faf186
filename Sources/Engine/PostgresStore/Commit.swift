import SQLStore
import Sessions
import Synchronization
import WaypostCore

/// A write batch that waits in the `WorkQueue` until a worker sends it to the server. The type is a
/// class, so that passing a value copies only a reference.
///
/// The batch has one result: that of its worker, or the failure by `DeadlineTimer`, whichever comes
/// first. A failure says that the outcome is unknown if the batch may be on the server.
final class Commit: DeadlinedWork {
    enum Kind {
        /// An update of one session, with its events and its history, and no other write.
        case change
        /// A check of the version of one session's row, and no write.
        case check
        /// Any other batch. It has a transaction of its own.
        case other

        init(of batch: borrowing WriteBatch) {
            guard batch.accountWrites == nil, batch.idempotencyRecords.isEmpty else {
                self = .other
                return
            }
            switch batch.session {
            case .update: self = .change
            case .check: self = .check
            case .insert, .delete, .deleteUnread, nil: self = .other
            }
        }
    }

    let batch: WriteBatch
    let kind: Kind
    /// The session that the batch writes or checks, or for which it inserts a token.
    let sessionID: SessionID?
    /// The values of `SessionTable.changed` of the session that the batch updates; empty if it updates
    /// none. The thread that makes the commit encodes them.
    let row: [SQLValue]
    /// A random number that the batch writes to the session's row. If the connection is lost, the
    /// number in the row shows whether the batch was committed, see `Transaction`.
    let writer: Int
    let deadline: ContinuousClock.Instant?
    private let completion: @Sendable (Result<Void, SessionError>) -> Void
    private let progress = Mutex(Progress())

    private struct Progress {
        /// Whether the server may have the batch.
        var isSent = false
        /// Whether the batch was sent again after an attempt that may have been committed.
        var isRepeated = false
        var isDone = false
    }

    init(
        _ batch: WriteBatch, writer: Int, deadline: ContinuousClock.Instant? = nil,
        completion: @escaping @Sendable (Result<Void, SessionError>) -> Void
    ) {
        self.batch = batch
        self.writer = writer
        self.deadline = deadline
        self.completion = completion
        kind = Kind(of: batch)
        var id = batch.session?.id
        if case .insert(let token, _) = batch.accountWrites?.token { id = id ?? token.session }
        sessionID = id
        if case .update(let session, _) = batch.session {
            row = SessionTable.changed.values(of: session)
        } else {
            row = []
        }
    }

    /// The version that the session's row must have before the commit; nil if the batch does not
    /// require a version.
    var expectedVersion: Int? {
        switch batch.session {
        case .update(_, let version), .delete(_, let version), .check(_, let version):
            version.number
        case .insert, .deleteUnread, nil: nil
        }
    }

    /// The time from which the purge examines the session that the batch updates.
    func purgeAfter(at now: Timestamp) -> Int? {
        guard case .update(let session, _) = batch.session else { return nil }
        return SessionTable.purgeAfter(session.expiresAt, at: now)
    }

    // MARK: Progress

    /// Records that a worker is about to send the batch.
    /// - Returns: false if the batch already has a result, so that the worker must not send it.
    func send() -> Bool {
        progress.withLock { progress in
            if progress.isDone { return false }
            progress.isRepeated = progress.isSent
            progress.isSent = true
            return true
        }
    }

    /// Records that the server has rolled the last attempt back, or has not got it.
    func noteUnsent() { progress.withLock { $0.isSent = $0.isRepeated } }

    /// Whether an attempt before the present one may have been committed.
    var isRepeated: Bool { progress.withLock(\.isRepeated) }

    /// Calls the completion of the commit with its result, unless the commit already has a result.
    func complete(_ result: Result<Void, SessionError>) {
        guard progress.withLock({ !$0.isDone.exchange(true) }) else { return }
        completion(result)
    }

    /// Completes the commit with an error, unless it has a result. The error says that the outcome
    /// is unknown if the server may have committed the batch. A check changes nothing, so that its
    /// outcome is always known.
    func fail(_ reason: String) {
        let isSent = progress.withLock { progress -> Bool? in
            progress.isDone.exchange(true) ? nil : progress.isSent
        }
        guard let isSent else { return }
        let isUnknown = isSent && kind != .check
        completion(.failure(.storage(StorageError(reason: reason, isOutcomeUnknown: isUnknown))))
    }

    /// The approximate size of the batch when it is sent, in bytes.
    var size: Int {
        let rows = batch.log?.rows.reduce(0) { $0 + $1.records.count } ?? 0
        return (batch.log?.tail.records.count ?? 0) + rows + 500
    }
}

extension Bool {
    /// Replaces the value, and returns the old one.
    fileprivate mutating func exchange(_ value: Bool) -> Bool {
        defer { self = value }
        return self
    }
}
