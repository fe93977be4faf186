import NavigationRules
import WaypostCore

/// A store of sessions, accounts and idempotency records. Any thread may call its methods. The
/// content of every store except a `MemoryStore` outlives the process.
public protocol SessionStore: AccountStore {
    /// Writes a batch, all of it or nothing. Batches are written in the order of the calls.
    /// - Parameter completion: called exactly once, when the batch is rejected or is as durable as
    ///   the store promises. The call may come on any thread, and even before this method returns.
    func commit(
        _ batch: consuming WriteBatch,
        completion: @escaping @Sendable (Result<Void, SessionError>) -> Void)

    /// Returns a stored session.
    /// - Returns: nil if no session has this id. An expired session may still be returned.
    func session(_ id: SessionID) async throws(SessionError) -> StoredSession?

    /// Returns the versions of the rows of those sessions that the store has. Only a shared store is
    /// asked: a process learns by one call which of its sessions others have changed.
    func versions(of ids: [SessionID]) async throws(SessionError) -> [SessionID: RowVersion]

    /// Returns those of the tokens for other devices that are valid at `now`, see `sessionToken`.
    func validTokens(
        among hashes: [SecretHash], at now: Timestamp
    ) async throws(SessionError) -> Set<SecretHash>

    /// Returns a page of a session's lifecycle events.
    /// - Parameter after: the page begins with the event after this number (`seq`); 0 for the first
    ///   page.
    /// - Returns: at most `limit` events, in order; none if no session has this id.
    func events(
        of id: SessionID, after: Int, limit: Int
    ) async throws(SessionError) -> EventPage

    /// Returns a slice of a session's log, which holds the changes with their effects and, at
    /// intervals, complete states of the session.
    /// - Parameters:
    ///   - first: a revision. The slice begins with the last complete state at or before this
    ///     revision, possibly after earlier changes. If there is no such state, the slice begins with
    ///     the oldest record of the log.
    ///   - last: the last revision that is needed. The slice may also contain later changes.
    func log(
        of id: SessionID, from first: Int, through last: Int
    ) async throws(SessionError) -> LogSlice

    /// Returns a page of the sessions that are logged in to an account with a valid credential, the
    /// newest first. Sessions that have expired at `now` are left out. The store reads no windows
    /// for this list, see `ListedSession.summary`.
    /// - Parameter after: the position of the last session of the previous page; nil for the first
    ///   page.
    /// - Returns: at most `limit` sessions.
    func sessions(
        of username: Username, at now: Timestamp, after: SessionPosition?, limit: Int
    ) async throws(SessionError) -> [ListedSession]

    /// Returns the sessions in which credentials of an account were issued, and that are not logged
    /// in with one of them any longer. A deletion of the account removes their histories.
    func sessionsWithHistory(of username: Username) async throws(SessionError) -> [SessionID]

    /// Returns the record of a session's token for another device.
    /// - Returns: nil if the token is unknown, or if the credential that made the token is no
    ///   longer valid at `now`.
    func sessionToken(
        _ hash: SecretHash, at now: Timestamp
    ) async throws(SessionError) -> SessionToken?

    /// Returns a page of a session's tokens for other devices, the newest first. Tokens are left
    /// out if the credential that made them is no longer valid at `now`.
    /// - Parameter after: the position of the last token of the previous page; nil for the first
    ///   page.
    /// - Returns: at most `limit` tokens.
    func sessionTokens(
        of session: SessionID, at now: Timestamp, after: CredentialPosition?, limit: Int
    ) async throws(SessionError) -> [SessionToken]

    /// Returns an idempotency record.
    /// - Returns: nil if no record has this id, or if the record was deleted with its session. An
    ///   expired record may still be returned.
    func idempotencyRecord(_ id: SecretHash) async throws(SessionError) -> IdempotencyRecord?

    /// Returns the sizes of a session's idempotency records that have not expired at `now`, the
    /// oldest first.
    func idempotencyRecordSizes(
        of session: SessionID, at now: Timestamp
    ) async throws(SessionError) -> IdempotencyRecordSizes

    /// Removes content that is no longer needed: expired sessions, idempotency records and tokens;
    /// the records and tokens of ended sessions; and credentials that expired longer ago than
    /// `Credential.retention`. One call may remove only a part of this content.
    /// - Returns: true if another call may find more to remove.
    func purge(before now: Timestamp) async throws(SessionError) -> Bool

    /// Counts the expired sessions that this process has removed.
    var expiredSessions: Counter { get }

    /// Whether other processes may write to the store. A session in memory may then be out of date.
    /// Each use of the session therefore commits a change, or at least a check of its row's
    /// version.
    var isShared: Bool { get }

    /// Whether sessions are restored from their logs, so that a new session's log must begin with a
    /// complete state.
    var restoresSessions: Bool { get }

    /// The reason why the store cannot write now; nil if it can.
    var failure: StorageError? { get }

    /// The number of sessions, at present or when the store last counted them; nil before the first
    /// count.
    var sessionCount: Int? { get }

    /// A random number that identifies the store's content. A store that was restored from a backup
    /// has a different number from the original. The number is nil for a store in memory.
    var incarnation: Int? { get }

    /// Finishes the work of earlier calls and releases all resources. No other call may follow.
    func close() async
}

extension SessionStore {
    public var sessionCount: Int? { nil }
    public var incarnation: Int? { nil }
    public var isShared: Bool { false }
    public var restoresSessions: Bool { true }
    public func close() async {}

    public func versions(
        of ids: [SessionID]
    ) async throws(SessionError) -> [SessionID: RowVersion] {
        var versions: [SessionID: RowVersion] = [:]
        for id in ids { versions[id] = try await session(id)?.version }
        return versions
    }

    public func validTokens(
        among hashes: [SecretHash], at now: Timestamp
    ) async throws(SessionError) -> Set<SecretHash> {
        var valid: Set<SecretHash> = []
        for hash in hashes {
            if let token = try await sessionToken(hash, at: now) { valid.insert(token.hash) }
        }
        return valid
    }
}
