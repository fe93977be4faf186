import Dispatch
import Sessions
import Synchronization

/// Group commit: all changes that wait when the writer is free share one transaction, and one sync
/// of the disk.
final class CommitQueue: Sendable {
    /// A class, as it goes from hand to hand.
    final class Waiting: Sendable {
        let commit: Commit
        /// Of the session that the commit opens or changes.
        let row: SessionRow?
        let done: @Sendable (Result<Void, CommitError>) -> Void

        init(
            _ commit: consuming Commit,
            _ done: @escaping @Sendable (Result<Void, CommitError>) -> Void
        ) {
            switch commit.session {
            case .insert(let session), .update(let session):
                row = SessionRow(session, commit.events)
            case .delete, nil: row = nil
            }
            self.commit = commit
            self.done = done
        }
    }

    private let waiting = Mutex<[Waiting]>([])

    /// - Returns: whether the writer has to be woken.
    func append(_ waiting: Waiting) -> Bool {
        self.waiting.withLock { queue in
            queue.append(waiting)
            return queue.count == 1
        }
    }

    /// All that waits, in order.
    func takeAll() -> [Waiting] {
        waiting.withLock { queue in
            defer { queue = [] }
            return queue
        }
    }
}
