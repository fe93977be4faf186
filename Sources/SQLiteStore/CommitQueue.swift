import Accounts
import JSON
import Navigation
import Sessions
import StoreCoding
import Synchronization
import WaypostCore

/// The batches that wait for the store's thread. When the thread is free, it writes all waiting
/// batches in one transaction with one disk sync.
final class CommitQueue: Sendable {
    struct Entry: Sendable {
        let batch: WriteBatch
        /// The row of the session that the batch inserts or updates; nil if it does neither.
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
                    SessionRow(session.stored(version.next), batch.events, batch.journal)
                case .delete, .check, nil: nil
                }
        }
    }

    private let waiting = Mutex<[Entry]>([])

    /// Appends a batch.
    /// - Returns: true if the queue was empty. The caller then has to start the write on the
    ///   store's thread.
    func append(_ entry: Entry) -> Bool {
        waiting.withLock { waiting in
            waiting.append(entry)
            return waiting.count == 1
        }
    }

    /// Removes all waiting batches and returns them in order.
    func takeAll() -> [Entry] {
        waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
    }
}

/// A session and its new events in their stored form. The thread that calls `commit` encodes them,
/// so that the store's thread has less work. The type is a class, so that passing it on copies only
/// a reference.
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
    let journal: JournalBatch?

    init(
        _ session: StoredSession, _ events: [LifecycleEvent], _ journal: JournalBatch? = nil
    ) {
        self.journal = journal
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
