import Accounts
import Navigation
import WaypostCore

/// Keeps sessions, accounts and idempotency records longer than a request, and perhaps longer than the
/// process.
public protocol SessionStore: AccountStore {
    /// Writes a batch, all of it or nothing.
    ///
    /// Batches are written in the order of the calls.
    /// - Parameter completion: called exactly once, on any thread, possibly before this returns, when the
    ///   batch is as durable as the store promises, or when it was refused.
    func commit(
        _ batch: consuming WriteBatch,
        completion: @escaping @Sendable (Result<Void, CommitError>) -> Void)

    /// - Returns: nil if there is no such session. One that has expired may still be there.
    func session(_ id: SessionID) async throws(StorageError) -> StoredSession?

    /// - Parameter after: the number of the last event that is not wanted.
    /// - Returns: at most `limit` events, in order; none if there is no such session.
    func events(
        of id: SessionID, after: Int, limit: Int
    ) async throws(StorageError) -> EventPage

    /// - Returns: nil if there is none, or if the session that it belongs to has ended.
    func idempotencyRecord(_ id: SecretHash) async throws(StorageError) -> IdempotencyRecord?

    /// Returns the size of a session's records that have not expired at `now`.
    func idempotencyUsage(
        of session: SessionID, at now: Timestamp
    ) async throws(StorageError) -> IdempotencyUsage

    /// Removes a few of each that has expired: sessions, idempotency records, also those of sessions that
    /// have ended, and credentials after their retention.
    /// - Returns: whether there may be more.
    func purge(before now: Timestamp) async throws(StorageError) -> Bool

    /// Why nothing can be written now; nil if all is well.
    var failure: StorageError? { get }

    /// How many sessions there are, or were when the store last counted; nil if it has not yet.
    var sessionCount: Int? { get }

    /// Finishes the work that was asked for before, and releases all resources. No other call may follow.
    func close() async
}

extension SessionStore {
    public var sessionCount: Int? { nil }
    public func close() async {}

    /// Writes a batch, all of it or nothing, and returns when it is as durable as the store promises.
    public func commit(_ batch: WriteBatch) async throws(CommitError) {
        let result = await withCheckedContinuation { continuation in
            commit(batch) { continuation.resume(returning: $0) }
        }
        try result.get()
    }
}

/// Why a batch was refused. Nothing of it has been written, unless a `StorageError` says that this is
/// not known.
public enum CommitError: Error, Sendable, Equatable {
    /// The session that was to be changed is gone: it has ended, or has expired and was removed.
    case sessionNotFound
    /// The stored session has another version than the one that was to be replaced.
    case conflict
    case usernameTaken
    /// The account is gone, or not as it was found.
    case accountChanged
    case storage(StorageError)
}

public struct EventPage: Sendable, Equatable {
    public let events: [LifecycleEvent]
    /// The number of the oldest event that is kept; 1 if none has been dropped.
    public let oldest: Int

    public init(events: [LifecycleEvent], oldest: Int) {
        self.events = events
        self.oldest = oldest
    }
}
