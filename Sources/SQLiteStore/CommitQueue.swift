import Accounts
import JSON
import Navigation
import SQLStore
import Sessions
import Synchronization
import WaypostCore

/// The write batches that wait for the store's database thread. When the thread is free, it writes
/// all waiting batches in one transaction with one disk sync.
final class CommitQueue: Sendable {
    struct Entry: Sendable {
        let batch: WriteBatch
        /// The session that the batch inserts or updates, encoded for the database; nil if the
        /// batch does neither.
        let row: SessionRow?
        let completion: @Sendable (Result<Void, CommitError>) -> Void

        init(
            _ batch: WriteBatch, completion: @escaping @Sendable (Result<Void, CommitError>) -> Void
        ) {
            self.batch = batch
            self.completion = completion
            row =
                switch batch.session {
                case .insert(let session): SessionRow(session, .first, batch.events)
                case .update(let session, let version):
                    SessionRow(session, version.next, batch.events, batch.journal)
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

/// A session and its new events, encoded for the database. The thread that calls `commit` does the
/// encoding, so that the store's database thread has less work. The type is a class, so that
/// passing a value copies only a reference.
final class SessionRow: Sendable {
    let id: SessionID
    let name: String?
    let tokenHash: SecretHash
    let createdAt: Timestamp
    let expiresAt: Timestamp
    let revision: Int
    let window: [UInt8]
    /// The summary of the visible view controller; nil if the session is not logged in to an
    /// account.
    let summary: [UInt8]?
    let credential: SecretHash?
    let credentialRefusal: CredentialRefusal?
    let events: EventBatch?
    let journal: JournalBatch?

    init(
        _ content: SessionContent, _ version: RowVersion, _ events: [LifecycleEvent],
        _ journal: JournalBatch? = nil
    ) {
        let session = content.stored(version)
        self.journal = journal
        id = session.id
        name = session.name
        tokenHash = session.tokenHash
        createdAt = session.createdAt
        expiresAt = session.expiresAt
        revision = session.window.revision
        var json = JSONWriter(capacity: 512)
        json.window(session.window)
        window = json.bytes
        summary = content.summary?.encodedSummary(revision: revision)
        credential = session.credential
        credentialRefusal = session.credentialRefusal
        self.events = EventBatch(events)
    }
}
