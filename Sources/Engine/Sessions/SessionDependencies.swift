import NavigationRules
import Synchronization
import WaypostCore

/// The parts of the service that all sessions share. The type is a class so that a session holds
/// only one reference to all of them.
public final class SessionDependencies: Sendable {
    public let app: App
    public let accounts: Accounts
    public let store: any SessionStore
    /// Whether other processes may write to the store.
    let isStoreShared: Bool
    public let environment: Environment
    /// The lifetime of a session after its last change.
    public let sessionTTL: Duration
    /// The maximum number of changes of one session that may wait for their commit.
    public let waitingLimit: Int
    let idempotency: IdempotencyPolicy
    /// The minimum number of changes in the history of each session, the newest ones; 0 for none.
    let historyRetention: Int
    let revocations: RevocationLog
    let historyQueue: HistoryQueue
    let resident = ResidentSize()
    let metrics: SessionMetrics
    /// The locks of requests with an `Idempotency-Key`, one for each client and key. A request
    /// holds its lock until its response exists, and a repetition of the request waits for the
    /// lock.
    private let requestsInProgress: KeyedLock<SecretHash>
    /// Whether the app that this one has replaced still carries out requests.
    private let hasActivePredecessor: Atomic<Bool>
    /// Whether another app has replaced this one. It then restarts no session whose window has scenes
    /// that it lacks, because the new app may have them.
    private let isReplaced = Atomic(false)

    /// - Parameters:
    ///   - historyRetention: the minimum number of changes that a session's history keeps, the
    ///     newest ones; 0 to keep no history.
    ///   - old: the dependencies of the app that this app replaces; nil for none.
    public init(
        app: App, accounts: Accounts, store: any SessionStore, environment: Environment,
        sessionTTL: Duration = .seconds(30 * 24 * 3600), waitingLimit: Int = 1000,
        idempotency: IdempotencyPolicy = IdempotencyPolicy(), historyRetention: Int = 10_000,
        metrics: SessionMetrics = SessionMetrics(), replacing old: SessionDependencies? = nil
    ) {
        self.metrics = metrics
        revocations = old?.revocations ?? RevocationLog()
        historyQueue = old?.historyQueue ?? HistoryQueue()
        requestsInProgress = old?.requestsInProgress ?? KeyedLock()
        hasActivePredecessor = Atomic(old != nil)
        old?.isReplaced.store(true, ordering: .releasing)
        self.historyRetention = historyRetention
        self.app = app
        self.accounts = accounts
        self.store = store
        isStoreShared = store.isShared
        self.environment = environment
        self.sessionTTL = sessionTTL
        self.waitingLimit = waitingLimit
        self.idempotency = idempotency
    }

    // MARK: Replacement by another app

    /// Whether a session in memory may be older than the stored one. Either other processes write to
    /// the store, or the app that this one has replaced still carries out requests.
    var mayBeOutdated: Bool {
        isStoreShared || hasActivePredecessor.load(ordering: .acquiring)
    }

    /// Notes that the app that this one has replaced carries out no request any more.
    func noteEndOfPredecessor() { hasActivePredecessor.store(false, ordering: .releasing) }

    // MARK: Requests

    /// The arrival of the present task's request, see `RequestStart`. A store that is not shared
    /// needs no such time, and the look-up of a task-local value takes hundreds of instructions.
    var requestStart: ContinuousClock.Instant? { isStoreShared ? RequestStart.current : nil }

    /// Carries out a request, or returns the stored response if the request was made before.
    /// - Parameters:
    ///   - request: the request's `Idempotency-Key`; nil if the request has none.
    ///   - attempt: the username and the client for which the rate limit counts a wrong password; nil
    ///     if the request contains no password.
    ///   - work: carries out the request, and stores its result and its idempotency record in one
    ///     commit.
    func carryOut<Output>(
        _ request: IdempotentRequest<Output>?, counting attempt: PasswordAttempt? = nil,
        _ work: () async throws(SessionError) -> Output
    ) async throws(SessionError) -> IdempotentResult<Output> {
        guard let request else { return .fresh(try await work()) }
        return try await requestsInProgress.withLock(request.id) {
            () async throws(SessionError) -> IdempotentResult<Output> in
            // Another process may carry out the same request after this process has looked for a
            // stored response. That can happen only once, so two attempts are enough.
            for _ in 0..<2 {
                if let response = try await response(to: request, counting: attempt) {
                    return .stored(response)
                }
                do throws(SessionError) { return .fresh(try await work()) } catch {
                    if error == .recordExists { continue }
                    if case .storage = error { throw error }
                    // Perhaps another process has carried out the same request in the meantime, and
                    // the session's new state is the reason why this process could not.
                    guard isStoreShared,
                        let response = try await response(to: request, counting: attempt)
                    else { throw error }
                    return .stored(response)
                }
            }
            throw .sessionBusy
        }
    }

    /// Returns the stored response to a request; nil if the request was not made before.
    /// - Parameter attempt: the username and the client for which the rate limit counts a wrong
    ///   password; nil if the request contains no password. A request that contains a password
    ///   counts as a wrong password if it differs from the first request with the same key.
    /// - Throws: `.idempotencyKeyReused` if the first request with the key was a different one;
    ///   `.throttled` if the rate limit allows no attempt now; `.storage`.
    func response<Output>(
        to request: IdempotentRequest<Output>, counting attempt: PasswordAttempt? = nil
    ) async throws(SessionError) -> [UInt8]? {
        let record = try await store.idempotencyRecord(request.id)
        guard let record, environment.now() < record.expiresAt else { return nil }
        guard let attempt else { return try request.storedResponse(in: record) }
        let response = try await accounts.counting(attempt) {
            try? request.storedResponse(in: record)
        }
        guard let response else { throw .idempotencyKeyReused }
        return response
    }

    /// Writes a batch to the store, all of it or nothing.
    func commit(_ batch: WriteBatch) async throws(SessionError) {
        try await withCompletion { store.commit(batch, completion: $0) }
    }

    /// Writes changes of accounts, credentials or tokens.
    /// - Parameter record: the idempotency record of the request; nil if the request has none.
    func commit(
        _ writes: WriteBatch.AccountWrites, _ record: IdempotencyRecord?
    ) async throws(SessionError) {
        try await commit(
            WriteBatch(idempotencyRecords: record.map { [$0] } ?? [], accountWrites: writes))
    }

    /// Returns an account's valid credentials, the newest first.
    func validCredentials(of username: Username) async throws(SessionError) -> [Credential] {
        // A log-in revokes the surplus credentials, so an account has at most a few more than
        // `validLimit`.
        try await store.credentials(
            of: username, at: environment.now(), after: nil, limit: 10 * Credential.validLimit)
    }

    /// Makes a credential for an account, as a log-in does, but without the password.
    /// - Parameter session: the id of the session that the credential is for; nil for none.
    /// - Returns: the credential, and the writes that store it; nil if the account is disabled.
    /// - Throws: `.accountNotFound` or `.invalidUsername`; `.storage`.
    func makeCredential(
        for username: String, session: SessionID?
    ) async throws(SessionError) -> (secret: Secret, writes: WriteBatch.AccountWrites)? {
        let account = try await store.account(try Username(username))
        guard let account else { throw .accountNotFound }
        if account.isDisabled { return nil }
        let valid = try await validCredentials(of: account.username)
        let (secret, credential) = accounts.makeCredential(
            for: account, session: session?.description)
        let writes = WriteBatch.AccountWrites(
            account: .update(account, from: account), newCredential: credential,
            revocation: .credentials(Credential.surplus(of: valid)))
        return (secret, writes)
    }

    /// Reads a session from the store and restores it with the running app's storyboard.
    ///
    /// If the app now lacks a scene or data that the session needs, the window starts again at its
    /// root view controller; if the app has gained tabs or segments, the window gets them. Unless the
    /// session has expired, this change is stored before the method returns.
    /// - Returns: nil if no session has this id.
    /// - Throws: `.storage`; `.sessionBusy` if other processes keep changing the session, or if the
    ///   app was replaced and lacks what the session needs; `.ended` if the session is deleted
    ///   during the call.
    func load(
        _ id: SessionID
    ) async throws(SessionError) -> LoadedSession? {
        for _ in 0..<Session.conflictLimit {
            do throws(SessionError) { return try await loadOnce(id) } catch {
                // Another process has changed the session since it was read.
                guard error == .conflict else { throw error }
            }
        }
        throw .sessionBusy
    }

    private func loadOnce(
        _ id: SessionID
    ) async throws(SessionError) -> LoadedSession? {
        let stored = try await store.session(id)
        guard let stored else { return nil }
        let (window, events) = Window.restore(stored.window, in: app)
        let state = SessionState(stored, window)
        let now = environment.now()
        guard let events, now < stored.expiresAt else {
            return LoadedSession(
                state: state, version: stored.version, logEnd: stored.logEnd)
        }
        guard !isReplaced.load(ordering: .acquiring) else { throw .sessionBusy }
        let changed = state.with(window, expiresAt: max(stored.expiresAt, now + sessionTTL))
        let log = LogWrite(
            freshRoot: changed, after: stored, events, at: now,
            keptFrom: window.revision - historyRetention)
        let batch = WriteBatch(
            session: .update(.state(changed), replacing: stored.version), log: log)
        do { try await commit(batch) } catch { throw error.ofUnsentChange }
        return LoadedSession(state: changed, version: stored.version.next, logEnd: log.end)
    }
}

/// A session that was read from the store.
struct LoadedSession: Sendable {
    let state: SessionState
    let version: RowVersion
    let logEnd: LogEnd
}
