import Accounts
import Metrics
import Navigation
import WaypostCore

/// A store of sessions, accounts and idempotency records. Any thread may call its methods. The
/// content of every store except a `MemoryStore` outlives the process.
public protocol SessionStore: AccountStore {
    /// Writes a batch, all of it or nothing.
    ///
    /// Batches are written in the order of the calls.
    /// - Parameter completion: called exactly once, on any thread, possibly before this method
    ///   returns, when the batch is as durable as the store promises, or was rejected.
    func commit(
        _ batch: consuming WriteBatch,
        completion: @escaping @Sendable (Result<Void, CommitError>) -> Void)

    /// Returns a stored session.
    /// - Returns: nil if no session has this id. An expired session may still be returned.
    func session(_ id: SessionID) async throws(StorageError) -> StoredSession?

    /// Returns a page of a session's lifecycle events.
    /// - Parameter after: the number (`seq`) of the event before the page; 0 for the first page.
    /// - Returns: at most `limit` events, in order; none if no session has this id.
    func events(
        of id: SessionID, after: Int, limit: Int
    ) async throws(StorageError) -> EventPage

    /// Returns a part of a session's journal, with a complete state from which the changes can be
    /// replayed.
    /// - Parameters:
    ///   - first: the part holds the last complete state at or below this revision, perhaps after
    ///     some earlier changes. If there is no such state, the part begins where the journal
    ///     begins.
    ///   - last: the last revision that is wanted; the part may end later.
    func journal(
        of id: SessionID, from first: Int, through last: Int
    ) async throws(StorageError) -> JournalPart

    /// Returns a page of the sessions that are logged in with a valid credential of an account, the
    /// newest first. Sessions that have expired at `now` are left out.
    /// - Parameter after: the position of the last session of the previous page; nil for the first
    ///   page.
    func sessions(
        of username: Username, at now: Timestamp, after: SessionPosition?, limit: Int
    ) async throws(StorageError) -> [ListedSession]

    /// Returns a further token of a session.
    /// - Returns: nil if the token is unknown, or if its credential is no longer valid at `now`.
    func sessionToken(
        _ hash: SecretHash, at now: Timestamp
    ) async throws(StorageError) -> SessionToken?

    /// Returns a page of a session's further tokens whose credentials are valid at `now`, the newest
    /// first.
    /// - Parameter after: the position of the last token of the previous page; nil for the first page.
    func sessionTokens(
        of session: SessionID, at now: Timestamp, after: CredentialPosition?, limit: Int
    ) async throws(StorageError) -> [SessionToken]

    /// Returns an idempotency record.
    /// - Returns: nil if no record has this id, or if the session of the record has ended. An
    ///   expired record may still be returned.
    func idempotencyRecord(_ id: SecretHash) async throws(StorageError) -> IdempotencyRecord?

    /// Returns the number and size of a session's idempotency records that have not expired at `now`.
    func idempotencyUsage(
        of session: SessionID, at now: Timestamp
    ) async throws(StorageError) -> IdempotencyUsage

    /// Removes content that is no longer needed, possibly only a part of it: expired sessions,
    /// idempotency records and tokens, the records and tokens of ended sessions, and credentials
    /// whose retention is over.
    /// - Returns: whether more may be left to remove.
    func purge(before now: Timestamp) async throws(StorageError) -> Bool

    /// Counts the expired sessions that this process has removed.
    var expiredSessions: Counter { get }

    /// Whether other processes may write to the store. A session's state in memory may then be out of
    /// date, so that each use of the session commits a change or a check of its row's version.
    var isShared: Bool { get }

    /// The reason why the store cannot write now; nil if it can.
    var failure: StorageError? { get }

    /// The number of sessions, possibly as of the store's last count; nil before the first count.
    var sessionCount: Int? { get }

    /// A random number that identifies the store's content: a store that was restored from a backup has
    /// another number. Nil for a store that does not outlive the process.
    var incarnation: Int? { get }

    /// Finishes the work of earlier calls and releases all resources. No other call may follow.
    func close() async
}

extension SessionStore {
    public var sessionCount: Int? { nil }
    public var incarnation: Int? { nil }
    public var isShared: Bool { false }
    public func close() async {}

    /// Writes a batch, all of it or nothing, and returns when it is as durable as the store promises.
    public func commit(_ batch: WriteBatch) async throws(CommitError) {
        let result = await withCheckedContinuation { continuation in
            commit(batch) { continuation.resume(returning: $0) }
        }
        try result.get()
    }
}

/// The reason why a batch was rejected. Nothing of the batch has been written, unless a `StorageError`
/// says that the outcome is unknown.
public enum CommitError: Error, Sendable, Equatable {
    /// The session to change does not exist: it has ended, or it expired and was removed.
    case sessionNotFound
    /// The stored row has another version than the one to replace, or the session for a new token has
    /// another credential than expected.
    case conflict
    case usernameTaken
    /// The account was changed or removed since it was read, or the credential was revoked.
    case accountChanged
    /// The session already has as many tokens for other devices as `SessionToken.limit` allows.
    case tooManyTokens
    /// The store has an idempotency record with the same id that has not expired. Only a shared store
    /// rejects a batch for this reason: a process cannot see the locks that other processes hold for
    /// idempotency keys.
    case alreadyAnswered
    case storage(StorageError)
}

/// A page of a session's lifecycle events.
public struct EventPage: Sendable, Equatable {
    public let events: [LifecycleEvent]
    /// The number (`seq`) of the oldest stored event; 1 if no event has been dropped.
    public let oldest: Int

    public init(events: [LifecycleEvent], oldest: Int) {
        self.events = events
        self.oldest = oldest
    }
}
