import Accounts
import Navigation

/// Where sessions, accounts and answers outlive a request, and perhaps the process.
public protocol SessionStore: AccountStore {
    /// Writes a change, all of it or nothing. When it returns, the change is as safe as the store
    /// makes it.
    func commit(_ commit: Commit) async throws(CommitError)

    /// - Returns: nil if there is no such session. One that has expired may still be there.
    func session(_ id: SessionID) async throws(StorageError) -> StoredSession?

    /// - Parameter after: the number of the last event that is not wanted.
    /// - Returns: at most `limit` events, in order; none if there is no such session.
    func events(
        of id: SessionID, after: Int, limit: Int
    ) async throws(StorageError) -> EventPage

    /// - Returns: nil if there is none, or if the session that it belongs to has ended.
    func idempotencyRecord(_ id: SecretHash) async throws(StorageError) -> IdempotencyRecord?

    /// What the records of a session take that have not expired at `now`.
    func idempotencyUsage(
        of session: SessionID, at now: Timestamp
    ) async throws(StorageError) -> IdempotencyUsage

    /// Removes what has expired, a few of each: sessions, idempotency records, also those of sessions
    /// that have ended, and credentials after their retention.
    /// - Returns: whether there may be more.
    func purge(before now: Timestamp) async throws(StorageError) -> Bool

    /// Why nothing can be written now; nil if all is well.
    var failure: StorageError? { get }

    /// How many sessions there are, or were when the store last counted; nil if it has not yet.
    var sessionCount: Int? { get }

    /// Finishes what has been asked of it, and lets go of what it holds. Comes last.
    func close() async
}

extension SessionStore {
    public var sessionCount: Int? { nil }
    public func close() async {}
}

/// A store that never has to wait for anything.
public protocol ImmediateSessionStore: SessionStore {
    func commit(_ commit: Commit) throws(CommitError)

    /// The commit of nearly every request, which changes a session and nothing else.
    /// - Throws: `.sessionNotFound`.
    func update(_ session: SessionRecord, _ events: [LifecycleEvent]) throws(CommitError)
}

/// A store that calls back when a commit is done: nobody needs a task to wait for it.
public protocol NotifyingSessionStore: SessionStore {
    func commit(
        _ commit: consuming Commit,
        then done: @escaping @Sendable (Result<Void, CommitError>) -> Void)

    /// The commit of nearly every request, which changes a session and nothing else.
    func update(
        _ session: SessionRecord, _ events: [LifecycleEvent],
        then done: @escaping @Sendable (Result<Void, CommitError>) -> Void)
}

extension NotifyingSessionStore {
    public func update(
        _ session: SessionRecord, _ events: [LifecycleEvent],
        then done: @escaping @Sendable (Result<Void, CommitError>) -> Void
    ) {
        commit(Commit(session: .update(session.stored), events: events), then: done)
    }

    public func commit(_ commit: Commit) async throws(CommitError) {
        let result = await withCheckedContinuation { continuation in
            self.commit(commit) { continuation.resume(returning: $0) }
        }
        try result.get()
    }
}

/// What one request changes.
public struct Commit: Sendable {
    public enum SessionChange: Sendable {
        case insert(StoredSession)
        /// Refused if there is no such session.
        case update(StoredSession)
        case delete(SessionID)
    }

    public var session: SessionChange?
    public enum AccountChange: Sendable {
        /// Refused if the name is taken.
        case insert(Account)
        /// Refused unless the account is as it was found, password and all.
        case update(Account, from: Account)
        /// With its credentials. Refused unless the account is as it was found.
        case delete(Account)
    }

    public enum Revocation: Sendable {
        case credentials([SecretHash])
        case all(of: Username, except: SecretHash?)
    }

    public struct CredentialUse: Sendable {
        public let hash: SecretHash
        public let time: Timestamp

        public init(hash: SecretHash, time: Timestamp) {
            self.hash = hash
            self.time = time
        }
    }

    /// Of the session, in order.
    public var events: [LifecycleEvent] = []
    public var account: AccountChange?
    /// With it the store forgets credentials of the account that are no good, all but the newest
    /// `Credential.rememberedLimit` or a few more.
    public var newCredential: Credential?
    /// Comes before the new credential.
    public var revocation: Revocation?
    public var credentialUse: CredentialUse?
    public var idempotencyRecord: IdempotencyRecord?

    public init(session: SessionChange? = nil, events: [LifecycleEvent] = []) {
        self.session = session
        self.events = events
    }
}

/// Why a commit was refused. Nothing of it has been done, unless a `StorageError` says that this is not
/// known.
public enum CommitError: Error, Sendable, Equatable {
    /// The session that was to be changed is gone: it has ended, or has expired and was removed.
    case sessionNotFound
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
