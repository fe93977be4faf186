import Accounts
import JSON
import Metrics
import Navigation
import Sessions
import Synchronization
import WaypostCore

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

/// How long the disk takes, and how many changes share its work.
public struct CommitMetrics: Sendable {
    /// The duration of one transaction, until it is as safe as `Durability` says.
    public let duration = Histogram(
        Buckets(microseconds: [
            100, 250, 500, 1000, 2500, 5000, 10_000, 25_000, 50_000, 100_000, 250_000, 1_000_000,
        ]))
    /// Changes in one transaction.
    public let size = Histogram(Buckets(counts: [1, 2, 4, 8, 16, 32, 64, 128, 256]))

    public init() {}
}

/// A session and the events of its changes as they are stored. Made on the thread that commits, so that
/// the one thread that writes has less to do. A class, as it is passed from hand to hand.
final class SessionRow: Sendable {
    let id: SessionID
    let tokenHash: SecretHash
    let createdAt: Timestamp
    let expiresAt: Timestamp
    let revision: Int
    let window: [UInt8]
    let credential: SecretHash?
    let credentialRefusal: CredentialRefusal?
    let events: EventBatch?

    init(_ session: StoredSession, _ events: [LifecycleEvent]) {
        id = session.id
        tokenHash = session.tokenHash
        createdAt = session.createdAt
        expiresAt = session.expiresAt
        revision = session.window.revision
        var json = JSONWriter(capacity: 512)
        json.window(session.window)
        window = json.bytes
        credential = session.credential
        credentialRefusal = session.credentialRefusal
        self.events = EventBatch(events)
    }
}
