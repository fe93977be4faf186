import NavigationRules
import Synchronization
import WaypostCore

/// One running app, seen by one user. The session owns one window and knows which account is logged
/// in.
///
/// `perform` runs a change on the session's executor. `write` applies the change to a
/// `NextState`, which readers do not see, and commits it to the store. When the next state is
/// stored, `finish` makes its state visible to readers. Changes that arrive during a commit are
/// applied at once to the state after it, if possible. The next commit stores them together, in the
/// order of their arrival. Until then no response and no other client shows them.
///
/// If other processes write to the same store, or if the app has just replaced another one that still
/// carries out requests, each read first checks that the state in memory is still the stored one.
///
/// The methods for other types are plain functions with a completion: an asynchronous function
/// would cost each request more than a microsecond. Tasks call them through `withCompletion`.
public actor Session {
    /// A closure that gets the result of a method. It is called once, on any thread, possibly before
    /// the method returns, and must not block.
    public typealias Completion<Value> = @Sendable (Result<Value, SessionError>) -> Void

    public nonisolated let id: SessionID
    nonisolated let tokenHash: SecretHash
    nonisolated let dependencies: SessionDependencies
    nonisolated let executor = SessionExecutor()

    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    var state: SessionState
    var version: RowVersion
    /// The session's part of `SessionDependencies.resident`, see `ResidentSize`.
    nonisolated let residentSize: Atomic<Int32>
    // The small values stand together, so that the object has no gaps.
    var activity = Activity.idle
    var storedState = StoredState.same
    /// The number of commits in succession that failed because the stored row had another version
    /// than expected.
    var conflicts: UInt8 = 0
    /// The number of waiting changes that must be committed one by one. The store rejected their
    /// common commit, because it already holds a response to one of their requests.
    var commitsAlone: UInt8 = 0
    var credentialStatus: CredentialStatus
    /// The sizes of the session's idempotency records, which are the stored responses to requests
    /// with an `Idempotency-Key`. Nil until a request with an `Idempotency-Key` needs them, and
    /// during a commit of such requests.
    var recordSizes: Box<IdempotencyRecordSizes>?
    /// The commit in progress; nil if there is none.
    var present: SessionCommit?
    /// The changes that wait, without having been applied, until the session is idle or has read
    /// from the store.
    var waiting: [PendingChange] = []
    /// Learns of the stored changes; nil if no client follows them.
    var observer: Box<any SessionObserver>?
    /// The end of the session's stored log.
    var logEnd: LogEnd

    enum Activity {
        case idle
        /// The session reads its row or other values from the store, or it is being logged out
        /// because its credential is no longer valid. New changes wait.
        case preparing
        /// A commit is in progress. The changes in this commit are no longer in `waiting`.
        case writing
    }

    /// The stored state, compared with the one in memory.
    enum StoredState {
        case same
        /// The app that this one has replaced may have changed the session.
        case perhapsNewer
        case deleted
    }

    /// The maximum number of retries in succession after version conflicts: commits that failed
    /// because another process had changed the session's row.
    static let conflictLimit = 8

    /// - Parameters:
    ///   - version: the version of the stored row.
    ///   - credentialStatus: what is known about the validity of the state's credential.
    ///   - mayBeOutdated: whether the stored session may have changed since it was read.
    ///   - logEnd: the end of the session's stored log.
    init(
        _ state: SessionState, version: RowVersion = .first,
        credentialStatus: CredentialStatus = .unknown, mayBeOutdated: Bool = false, logEnd: LogEnd,
        dependencies: SessionDependencies
    ) {
        if mayBeOutdated { storedState = .perhapsNewer }
        id = state.id
        tokenHash = state.tokenHash
        self.state = state
        self.version = version
        self.credentialStatus = credentialStatus
        self.logEnd = logEnd
        self.dependencies = dependencies
        let size = ResidentSize.of(state)
        residentSize = Atomic(size)
        dependencies.resident.change(by: size)
    }

    deinit { dependencies.resident.change(by: -residentSize.load(ordering: .relaxed)) }

    func noteResidentSize() {
        let new = ResidentSize.of(state)
        let old = residentSize.exchange(new, ordering: .relaxed)
        if new != old { dependencies.resident.change(by: new - old) }
    }

    // MARK: On any thread

    /// Returns whether a token is the session's first token, which was issued when the session was
    /// opened. The first token is valid as long as the session exists.
    /// - Parameter token: the hash of the token.
    public nonisolated func isFirstToken(_ token: SecretHash) -> Bool { tokenHash == token }

    /// Passes the last stored state to `completion`. If the session's credential is no longer valid,
    /// the session is first logged out, and the state shows this.
    ///
    /// The result is the error `.ended` if the session has ended, `.storage` if the store fails, or
    /// `.sessionBusy` if too many changes are waiting or other processes keep changing the session.
    public nonisolated func read(_ completion: @escaping Completion<SessionState>) {
        let start = dependencies.requestStart
        onExecutor { session in
            if let known = session.knownState { return completion(known) }
            !session.isOver && session.isCredentialKnownGood
                ? session.confirm(since: start, completion)
                : session.acceptRead(since: start, completion)
        }
    }

    /// Returns the result of `read` if the session knows it, without the closures that `read` needs.
    /// - Returns: nil if the session is busy on another thread, or has to ask the store.
    public nonisolated func readAtOnce() -> Result<SessionState, SessionError>? {
        executor.runIfIdle { assumeIsolated { $0.knownState } } ?? nil
    }

    /// Carries out a change, or returns the stored response if the request was made before.
    ///
    /// Changes without an `Idempotency-Key` are made in the order of the calls. To save time, such
    /// a change starts no `Task` if the session is idle and need not read from the store first.
    /// - Parameter completion: called when the change is stored or rejected.
    public nonisolated func perform(
        _ request: ChangeRequest, completion: @escaping Completion<IdempotentResult<ChangeResult>>
    ) {
        guard let idempotency = request.idempotency else {
            return submit(request) { completion($0.map(IdempotentResult.fresh)) }
        }
        carryOut(idempotency, completion) { () async throws(SessionError) in
            try await withCompletion { self.submit(request, completion: $0) }
        }
    }

    /// Carries out a request in a task, or passes the stored response to `completion` if the request
    /// was made before. The parameters are those of `SessionDependencies.carryOut`.
    nonisolated func carryOut(
        _ idempotency: IdempotentRequest<ChangeResult>?, counting attempt: PasswordAttempt? = nil,
        _ completion: @escaping Completion<IdempotentResult<ChangeResult>>,
        _ work: @escaping @Sendable () async throws(SessionError) -> ChangeResult
    ) {
        Task.request {
            do throws(SessionError) {
                completion(
                    .success(
                        try await self.dependencies.carryOut(idempotency, counting: attempt, work)))
            } catch {
                completion(.failure(error))
            }
        }
    }

    /// Carries out a change, without looking for a stored response to an earlier identical request.
    nonisolated func submit(
        _ request: ChangeRequest, completion: @escaping Completion<ChangeResult>
    ) {
        let change = PendingChange(request, since: dependencies.requestStart, completion)
        onExecutor { $0.accept(change) }
    }

    /// Runs `work` on the session's executor. If the session is idle, `work` runs before this
    /// method returns.
    nonisolated func onExecutor(_ work: @escaping @Sendable (isolated Session) -> Void) {
        executor.run { self.assumeIsolated { work($0) } }
    }

    // MARK: On the session's executor

    var hasEnded: Bool { storedState == .deleted }

    /// The last stored state, or the error `.ended`; nil if only the store knows it.
    private var knownState: Result<SessionState, SessionError>? {
        guard !checksVersion else { return nil }
        guard !isOver else { return .failure(.ended) }
        return isCredentialKnownGood ? .success(state) : nil
    }

    /// Whether the stored session may be newer than the one in memory, so that the session shows its
    /// state only after a check of the row's version.
    var checksVersion: Bool {
        storedState == .perhapsNewer || dependencies.mayBeOutdated || mayBeRemoved
    }

    /// Whether the session may have been deleted with its account. An app without a login does not
    /// check the credential, which would show the removal of the account.
    var mayBeRemoved: Bool {
        state.credential != nil && dependencies.app.storyboard.loginScene == nil
            && credentialStatus.position != dependencies.revocations.position
    }

    var isOver: Bool {
        hasEnded || state.expiresAt <= dependencies.environment.now()
    }

    /// Whether the session can be used without another check of its credential. Either it has no
    /// credential, or the app has no login, or the credential was checked and has not expired, and
    /// this process has revoked no credential since the check.
    var isCredentialKnownGood: Bool {
        state.credential == nil || dependencies.app.storyboard.loginScene == nil
            || (credentialStatus.position == dependencies.revocations.position
                && dependencies.environment.now() < credentialStatus.expiresAt)
    }
}

/// Holds a value that most sessions and batches do not have in an object of its own. The others need
/// only a nil reference.
final class Box<Value: Sendable>: Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
}
