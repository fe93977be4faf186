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
    private nonisolated let executor = SessionExecutor()

    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    private var state: SessionState
    private var version: RowVersion
    /// The session's part of `SessionDependencies.resident`, see `ResidentSize`.
    nonisolated let residentSize: Atomic<Int32>
    // The small values stand together, so that the object has no gaps.
    private var activity = Activity.idle
    private var storedState = StoredState.same
    /// The number of commits in succession that failed because the stored row had another version
    /// than expected.
    private var conflicts: UInt8 = 0
    /// The number of waiting changes that must be committed one by one. The store rejected their
    /// common commit, because it already holds a response to one of their requests.
    private var commitsAlone: UInt8 = 0
    private var credentialStatus: CredentialStatus
    /// The sizes of the session's idempotency records, which are the stored responses to requests
    /// with an `Idempotency-Key`. Nil until a request with an `Idempotency-Key` needs them, and
    /// during a commit of such requests.
    private var recordSizes: RecordSizesBox?
    /// The commit in progress; nil if there is none.
    private var present: SessionCommit?
    /// The changes that wait, without having been applied, until the session is idle or has read
    /// from the store.
    private var waiting: [PendingChange] = []
    /// Learns of the stored changes; nil if no client follows them.
    private var observer: SessionObserverBox?
    /// The end of the session's stored log.
    private var logEnd: LogEnd

    private enum Activity {
        case idle
        /// The session reads its row or other values from the store, or it is being logged out
        /// because its credential is no longer valid. New changes wait.
        case preparing
        /// A commit is in progress. The changes in this commit are no longer in `waiting`.
        case writing
    }

    /// The stored state, compared with the one in memory.
    private enum StoredState {
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

    private func noteResidentSize() {
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
            let checksVersion = session.checksVersion
            if session.isOver, !checksVersion {
                completion(.failure(.ended))
            } else if !session.isOver, session.isCredentialKnownGood {
                checksVersion
                    ? session.confirm(since: start, completion)
                    : completion(.success(session.state))
            } else {
                session.acceptRead(since: start, completion)
            }
        }
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
        _ idempotency: IdempotentRequest<ChangeResult>?, counting guess: PasswordGuess? = nil,
        _ completion: @escaping Completion<IdempotentResult<ChangeResult>>,
        _ work: @escaping @Sendable () async throws(SessionError) -> ChangeResult
    ) {
        Task.request {
            do throws(SessionError) {
                completion(
                    .success(
                        try await self.dependencies.carryOut(idempotency, counting: guess, work)))
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
        executor.run { self.assumeIsolated(work) }
    }

    // MARK: On the session's executor

    private var hasEnded: Bool { storedState == .deleted }

    /// Whether the stored session may be newer than the one in memory, so that the session shows its
    /// state only after a check of the row's version.
    private var checksVersion: Bool {
        storedState == .perhapsNewer || dependencies.mayBeOutdated
    }

    private var isOver: Bool {
        hasEnded || state.expiresAt <= dependencies.environment.now()
    }

    /// Whether the session can be used without another check of its credential. Either it has no
    /// credential, or the app has no login, or the credential was checked and has not expired, and
    /// this process has revoked no credential since the check.
    private var isCredentialKnownGood: Bool {
        state.credential == nil || dependencies.app.storyboard.loginScene == nil
            || (credentialStatus.position == dependencies.revocations.position
                && dependencies.environment.now() < credentialStatus.expiresAt)
    }

    /// Calls `completion` with the session's state after all waiting changes.
    /// - Parameter start: the arrival of the request, see `RequestStart`.
    private func acceptRead(
        since start: ContinuousClock.Instant?, _ completion: @escaping Completion<SessionState>
    ) {
        accept(PendingChange(ChangeRequest(.read), since: start) { completion($0.map(\.session)) })
    }

    /// Asks the store whether somebody else has changed the session, and then calls `completion`
    /// with the last stored state. If somebody has, the session is read from the store again first.
    /// Changes that this process makes meanwhile do not wait for the check.
    /// - Parameter start: the arrival of the request, see `RequestStart`.
    private func confirm(
        since start: ContinuousClock.Instant?, _ completion: @escaping Completion<SessionState>
    ) {
        var check = WriteBatch(session: .check(id, version: version))
        check.requestStart = start
        let isOnlyWriter = !dependencies.mayBeOutdated
        dependencies.store.commit(check) { outcome in
            self.onExecutor { session in
                switch outcome {
                // The state may be newer than the confirmed one; it is stored as well.
                case .success:
                    if isOnlyWriter, session.storedState == .perhapsNewer {
                        session.storedState = .same
                    }
                    completion(.success(session.state))
                case .failure(.conflict), .failure(.ended):
                    session.acceptRead(since: start, completion)
                case .failure(let error): completion(.failure(error))
                }
            }
        }
    }

    private func accept(_ change: PendingChange) {
        if activity == .idle, waiting.isEmpty, !mustPrepare(for: change.request) {
            return write(CollectionOfOne(change))
        }
        // The change that is being prepared does not count as waiting.
        let prepared = activity == .preparing ? 1 : 0
        let count = waiting.count + (present?.next?.applied.count ?? 0)
        guard count < dependencies.waitingLimit + prepared else {
            return complete(change, .failure(.sessionBusy))
        }
        if activity == .writing, waiting.isEmpty, applyToNext(change) { return }
        waiting.append(change)
        proceed()
    }

    /// Applies a change to the state after the present commit.
    /// - Returns: false if the change must wait until the session is idle.
    private func applyToNext(_ change: PendingChange) -> Bool {
        guard let present, present.canPrecede(change), !isOver, isCredentialKnownGood else {
            return false
        }
        var sizes: IdempotencyRecordSizes?
        if change.request.needsRecordSizes, !present.nextHasRecordSizes {
            sizes = takeRecordSizes()
            if sizes == nil { return false }
        }
        present.applyToNext(change, sizes)
        return true
    }

    /// Commits the waiting changes. If the changes need values from the store, the method starts to
    /// read these values instead.
    private func proceed() {
        while activity == .idle, let first = waiting.first {
            if waiting.contains(where: { mustPrepare(for: $0.request) }) { return prepare() }
            let others = waiting.prefix(SessionCommit.limit).prefix { !$0.request.action.isAlone }
            let isAlone = first.request.action.isAlone || commitsAlone > 0
            let changes = isAlone ? [first] : Array(others)
            if commitsAlone > 0 { commitsAlone -= 1 }
            waiting.removeFirst(changes.count)
            write(changes)
        }
    }

    /// Applies changes in their order and stores them in one commit.
    /// - Parameter next: the session's activity during the commit.
    private func write(_ changes: some Collection<PendingChange>, as next: Activity = .writing) {
        let needsSizes = changes.contains(where: \.request.needsRecordSizes)
        let commit = SessionCommit(
            NextState(
                state, needsSizes ? takeRecordSizes() : nil, dependencies, isOver: isOver,
                checksVersion: checksVersion, logEnd: logEnd))
        for change in changes { commit.apply(change) }
        send(commit, as: next)
    }

    /// Stores changes that were applied to the session's present state.
    private func send(_ commit: SessionCommit, as next: Activity = .writing) {
        guard var batch = commit.nextState.batch(replacing: version) else {
            keepRecordSizes(of: commit.nextState)
            return complete(commit.applied)
        }
        batch.requestStart = commit.requestStart
        activity = next
        present = commit
        dependencies.store.commit(batch) { outcome in
            let finish = { @Sendable (session: isolated Session) in session.finish(outcome) }
            // A memory store calls back before `commit` returns.
            if self.executor.isIsolatingCurrentContext() == true {
                self.assumeIsolated(finish)
            } else {
                self.onExecutor(finish)
            }
        }
    }

    /// Handles the end of a commit. If it was stored, readers see its state from now on. If it
    /// failed, the session keeps its present state, and either retries the changes or reports the
    /// error. The changes that were applied to the state after it are then applied again.
    private func finish(_ outcome: Result<Void, SessionError>) {
        guard let commit = present else { return }
        present = nil
        activity = .idle
        switch outcome {
        case .success:
            conflicts = 0
            publish(commit.nextState, commit.applied)
            complete(commit.applied)
            if let next = commit.next { sendNext(next) }
        case .failure(.conflict) where conflicts < Self.conflictLimit:
            conflicts += 1
            waiting.insert(contentsOf: commit.changes, at: 0)
            return reload()
        case .failure(.recordExists) where commit.applied.count > 1:
            waiting.insert(contentsOf: commit.changes, at: 0)
            commitsAlone = UInt8(commit.applied.count)
        case .failure(let error):
            conflicts = 0
            if error == .ended {
                let hasExpired = isOver
                storedState = .deleted
                // Another process has deleted the session, unless it had expired before.
                if !hasExpired { tellObserver(nil) }
            }
            waiting.insert(contentsOf: commit.next?.changes ?? [], at: 0)
            complete(commit.applied.map { $0.failed(error) })
        }
        guard activity == .idle, !waiting.isEmpty else { return }
        // This method runs on the store's thread, for which other sessions wait. The task runs on
        // Dispatch's pool instead.
        Task { proceed() }
    }

    /// Stores the changes that were applied during the last commit. If the session must first check
    /// its credential, they are applied again after that.
    private func sendNext(_ next: SessionCommit) {
        if isOver || isCredentialKnownGood { return send(next) }
        waiting.insert(contentsOf: next.changes, at: 0)
    }

    private func complete(_ applied: [AppliedChange]) {
        for applied in applied { complete(applied.change, applied.result) }
        // Until the session can be logged out, no waiting change can succeed.
        if case .fallBack? = applied.first?.change.request.action,
            case .failure(let error)? = applied.first?.result
        {
            failWaiting(error)
        }
    }

    private func complete(
        _ change: PendingChange, _ result: Result<ChangeResult, SessionError>
    ) {
        dependencies.metrics.count(change.request.action, result)
        change.completion(result)
    }

    /// Makes a state that has been stored visible to readers. No other method does this.
    private func publish(_ next: borrowing NextState, _ applied: [AppliedChange]) {
        state = next.state
        logEnd = next.logEnd
        if next.writesSession {
            version = version.next
            noteResidentSize()
        }
        if next.hasEnded { storedState = .deleted }
        if let status = next.credentialStatus { credentialStatus = status }
        keepRecordSizes(of: next)
        if observer != nil, next.writesSession {
            let changes = applied.lazy.compactMap { try? $0.result.get() }
            tellObserver(changes.filter(\.outcome.changed))
        }
        for hash in next.revokedCredentials {
            dependencies.revocations.note(.credential(hash, of: next.revokedUsername))
        }
    }

    /// Returns the sizes of the idempotency records and keeps none. The next state then holds the only
    /// reference to the entries, so that it does not copy them.
    private func takeRecordSizes() -> IdempotencyRecordSizes? {
        defer { recordSizes = nil }
        return recordSizes?.sizes
    }

    private func keepRecordSizes(of next: borrowing NextState) {
        if let sizes = next.recordSizes { recordSizes = RecordSizesBox(sizes) }
    }

    func install(_ observer: any SessionObserver) {
        self.observer = SessionObserverBox(observer)
        tellObserver([])
    }

    func remove(_ observer: any SessionObserver) {
        if self.observer?.observer === observer { self.observer = nil }
    }

    /// Passes the present state to the observer.
    /// - Parameter changes: the changes since the last call; nil if another process has made them.
    private func tellObserver(_ changes: [ChangeResult]?) {
        observer?.observer.take(
            SessionUpdate(
                changes: changes, state: state, version: version, hasEnded: hasEnded))
    }

    /// Fails the waiting changes, none of which was sent to the store.
    private func failWaiting(_ error: SessionError) {
        let changes = waiting
        waiting = []
        for change in changes { complete(change, .failure(error.ofUnsentChange)) }
    }

    // MARK: Reads from the store

    private func mustPrepare(for request: ChangeRequest) -> Bool {
        if isOver { return false }
        if case .fallBack = request.action { return false }
        return !isCredentialKnownGood
            || request.needsRecordSizes && recordSizes == nil
    }

    private var now: Timestamp { dependencies.environment.now() }

    /// Checks the session's credential, and reads from the store what the waiting changes need.
    /// Then carries out the waiting changes.
    private func prepare() {
        activity = .preparing
        let needsSizes = waiting.contains(where: \.request.needsRecordSizes)
        Task {
            do throws(SessionError) {
                let refusal = try await refusalOfCredential()
                if needsSizes { try await readRecordSizes() }
                activity = .idle
                if let refusal {
                    write(
                        [PendingChange(ChangeRequest(.fallBack(refusal)), since: nil) { _ in }],
                        as: .preparing)
                }
            } catch {
                activity = .idle
                failWaiting(error)
            }
            proceed()
        }
    }

    /// Checks the session's credential in the revocation log if possible, else in the store.
    /// - Returns: the reason why the credential is no longer valid; nil if it is valid, or if the
    ///   session has none.
    private func refusalOfCredential() async throws(SessionError) -> CredentialRefusal? {
        guard !isCredentialKnownGood, let hash = state.credential else { return nil }
        // The position is read before the credential, so that the next check notices a revocation
        // in between.
        let position = dependencies.revocations.position
        if now < credentialStatus.expiresAt,
            let isRevoked = dependencies.revocations.hasRevoked(
                hash, of: state.username, since: credentialStatus.position)
        {
            // If the credential was revoked, its position stays unchanged. The next check then
            // finds the revocation again, in case the log-out fails.
            if !isRevoked { credentialStatus.position = position }
            return isRevoked ? .revoked : nil
        }
        switch try await dependencies.accounts.credential(hash) {
        case .success(let credential):
            credentialStatus = CredentialStatus(credential, at: position)
            return nil
        // The credential existed at log-in, so it was removed since, usually with its account.
        case .failure(.unknown): return .revoked
        case .failure(let refusal): return refusal
        }
    }

    private func readRecordSizes() async throws(SessionError) {
        guard recordSizes == nil else { return }
        let sizes = try await dependencies.store.idempotencyRecordSizes(of: id, at: now)
        recordSizes = RecordSizesBox(sizes)
    }

    /// Reads the session from the store again, because somebody else has changed its row. Then
    /// carries out the waiting changes.
    private func reload() {
        activity = .preparing
        let isOnlyWriter = !dependencies.mayBeOutdated
        Task {
            // From the second conflict in succession on, a random delay keeps the writers apart.
            if conflicts > 1 {
                let microseconds = dependencies.environment.random() % 20_000
                try? await Task.sleep(for: .microseconds(microseconds))
            }
            do throws(SessionError) {
                if let loaded = try await dependencies.load(id) {
                    (state, version) = (loaded.state, loaded.version)
                    noteResidentSize()
                    logEnd = loaded.logEnd
                    storedState = isOnlyWriter ? .same : .perhapsNewer
                    credentialStatus = .unknown
                    recordSizes = nil
                } else {
                    storedState = .deleted
                }
                tellObserver(nil)
                activity = .idle
            } catch {
                activity = .idle
                failWaiting(error)
            }
            proceed()
        }
    }
}

/// Holds the sizes of a session's idempotency records, in an object of its own. Few sessions have
/// records, and the others need only a nil reference.
private final class RecordSizesBox {
    let sizes: IdempotencyRecordSizes

    init(_ sizes: IdempotencyRecordSizes) { self.sizes = sizes }
}
