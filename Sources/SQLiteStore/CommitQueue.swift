import Dispatch
import Sessions
import Synchronization

/// Group commit: all changes that wait when the writer is free share one transaction, and one sync
/// of the disk.
final class CommitQueue: Sendable {
    enum Work: Sendable {
        /// A change of a session, and nothing else.
        case update(SessionRow)
        /// With the row of the session that it opens or changes. Indirect, as it is large and rare.
        indirect case commit(Commit, SessionRow?)

        init(_ commit: Commit) {
            switch commit.session {
            case .insert(let session), .update(let session):
                self = .commit(commit, SessionRow(session, commit.events))
            case .delete, nil: self = .commit(commit, nil)
            }
        }
    }

    struct Waiting: Sendable {
        let work: Work
        let done: @Sendable (Result<Void, CommitError>) -> Void
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
