import Sessions
import Synchronization

/// The batches that wait for the writer. All that wait when it is free share one transaction, and one
/// sync of the disk.
final class CommitQueue: Sendable {
    struct Entry: Sendable {
        let batch: WriteBatch
        /// The row of the session that the batch opens or changes.
        let row: SessionRow?
        let completion: @Sendable (Result<Void, CommitError>) -> Void

        init(
            _ batch: WriteBatch, completion: @escaping @Sendable (Result<Void, CommitError>) -> Void
        ) {
            self.batch = batch
            self.completion = completion
            row =
                switch batch.session {
                case .insert(let session): SessionRow(session.stored(.first), batch.events)
                case .update(let session, let version):
                    SessionRow(session.stored(version.next), batch.events)
                case .delete, nil: nil
                }
        }
    }

    private let waiting = Mutex<[Entry]>([])

    /// - Returns: whether the writer has to be woken.
    func append(_ entry: Entry) -> Bool {
        waiting.withLock { waiting in
            waiting.append(entry)
            return waiting.count == 1
        }
    }

    /// Removes all that wait.
    /// - Returns: these, in order.
    func takeAll() -> [Entry] {
        waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
    }
}
