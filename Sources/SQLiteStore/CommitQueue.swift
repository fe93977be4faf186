import SQLStore
import Sessions
import Synchronization

/// The write batches that wait for the store's database thread. When the thread is free, it writes
/// all waiting batches in one transaction with one disk sync.
final class CommitQueue: Sendable {
    struct Entry: Sendable {
        let batch: WriteBatch
        /// The session that the batch inserts or updates, encoded for the database; nil if the
        /// batch does neither. The thread that calls `commit` does the encoding, so that the store's
        /// database thread has less work.
        let row: SessionRow?
        let completion: @Sendable (Result<Void, CommitError>) -> Void

        init(
            _ batch: WriteBatch, completion: @escaping @Sendable (Result<Void, CommitError>) -> Void
        ) {
            self.batch = batch
            self.completion = completion
            row =
                switch batch.session {
                case .insert(let session), .update(let session, _): SessionRow(session)
                case .delete, .check, nil: nil
                }
        }
    }

    private let waiting = Mutex<[Entry]>([])

    /// Appends a batch.
    /// - Returns: true if the queue was empty. The caller must then start a write of the waiting
    ///   batches on the store's database thread.
    func append(_ entry: Entry) -> Bool {
        waiting.withLock { waiting in
            waiting.append(entry)
            return waiting.count == 1
        }
    }

    /// Removes all waiting batches and returns them in the order in which they were appended.
    func takeAll() -> [Entry] {
        waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
    }
}
