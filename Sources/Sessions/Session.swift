import Accounts
import Navigation
import Synchronization
import WaypostCore

/// One running app, seen by one user. The session owns one window and knows which account is logged
/// in.
///
/// `perform` runs a change on the session's executor. `write` applies the change to a
/// `SessionDraft`, which readers do not see, and commits the draft to the store. When the draft is
/// stored, `finish` makes its state visible to readers. Changes that arrive during a commit wait.
/// The next commit stores them together if possible, in the order of their arrival.
///
/// If other processes write to the same store, each read first checks that the state in memory is
/// still the stored one.
public actor Session {
    public nonisolated let id: SessionID
    nonisolated let tokenHash: SecretHash
    nonisolated let dependencies: SessionDependencies
    private nonisolated let executor = SessionExecutor()

    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    private var snapshot: SessionSnapshot
    private var version: RowVersion
    /// The session's part of `SessionDependencies.resident`, see `ResidentSize`.
    nonisolated let residentSize: Atomic<Int32>
    private var credentialStatus: CredentialStatus
    /// The sizes of the session's idempotency records, which are the stored responses to requests
    /// with an `Idempotency-Key`. Nil until a request with an `Idempotency-Key` needs them, and
    /// during a commit of such requests.
    private var idempotencyUsage: IdempotencyUsageBox?
    /// The changes that wait until the present commit ends, or until the session has read from the
    /// store.
    private var waiting: [PendingChange] = []
    /// Collects the stored changes for the clients that watch the session; nil if no client does.
    private var watch: SessionWatch?
    private var phase = Phase.idle
    private var hasEnded = false
    /// The number of commits in succession that failed because the stored row had another version
    /// than expected.
    private var conflicts: UInt8 = 0
    /// The number of waiting changes that must be committed one by one. The store rejected their
    /// common commit, because it already holds a response to one of their requests.
    private var unfolded: UInt8 = 0
    /// The end of the session's stored log.
    private var logEnd: LogEnd

    private enum Phase {
        case idle
        /// The session reads its row or other values from the store, or it is being logged out
        /// because its credential is no longer valid. New changes wait.
        case preparing
        /// A commit is in progress. The changes in this commit are no longer in `waiting`.
        case writing
    }

    /// A change, and the closure to call with its result. The type is a class so that the queues
    /// hold only references.
    private final class PendingChange: Sendable {
        let request: ChangeRequest
        let requestStart: ContinuousClock.Instant?
        let completion: @Sendable (Result<ChangeResult, SessionError>) -> Void

        init(
            _ request: ChangeRequest, since start: ContinuousClock.Instant?,
            _ completion: @escaping @Sendable (Result<ChangeResult, SessionError>) -> Void
        ) {
            self.request = request
            requestStart = start
            self.completion = completion
        }
    }

    /// The maximum number of changes in one commit. Some stores keep all lifecycle events of a
    /// commit in one row, and this number limits the size of the row.
    private static let foldLimit = 64
    /// The maximum number of retries in succession after version conflicts: commits that failed
    /// because another process had changed the session's row.
    static let conflictLimit = 8

    /// - Parameters:
    ///   - version: the version of the stored row.
    ///   - credentialStatus: what is known about the validity of the snapshot's credential.
    ///   - logEnd: the end of the session's stored log.
    init(
        _ snapshot: SessionSnapshot, version: RowVersion = .first,
        credentialStatus: CredentialStatus = .unknown, logEnd: LogEnd,
        dependencies: SessionDependencies
    ) {
        id = snapshot.id
        tokenHash = snapshot.tokenHash
        self.snapshot = snapshot
        self.version = version
        self.credentialStatus = credentialStatus
        self.logEnd = logEnd
        self.dependencies = dependencies
        let size = ResidentSize.of(snapshot)
        residentSize = Atomic(size)
        dependencies.resident.change(by: size)
    }

    deinit { dependencies.resident.change(by: -residentSize.load(ordering: .relaxed)) }

    private func noteResidentSize() {
        let new = ResidentSize.of(snapshot)
        let old = residentSize.exchange(new, ordering: .relaxed)
        if new != old { dependencies.resident.change(by: new - old) }
    }

    // MARK: On any thread

    /// Returns whether a token is the session's first token, which was issued when the session was
    /// opened. The first token is valid as long as the session exists.
    /// - Parameter token: the hash of the token.
    public nonisolated func isFirstToken(_ token: SecretHash) -> Bool { tokenHash == token }

    /// Calls `completion` once with the last stored state, on any thread, possibly before this
    /// method returns. If the session's credential is no longer valid, the session is first logged
    /// out, and the state shows this.
    ///
    /// The result is the error `.ended` if the session has ended, `.storage` if the store fails, or
    /// `.sessionBusy` if too many changes are waiting or other processes keep changing the session.
    public nonisolated func read(
        _ completion: @escaping @Sendable (Result<SessionSnapshot, SessionError>) -> Void
    ) {
        let start = dependencies.requestStart
        onExecutor { session in
            let isShared = session.dependencies.isStoreShared
            if session.isOver, !isShared {
                completion(.failure(.ended))
            } else if !session.isOver, session.isCredentialKnownGood {
                isShared
                    ? session.confirm(since: start, completion)
                    : completion(.success(session.snapshot))
            } else {
                session.acceptRead(since: start, completion)
            }
        }
    }

    /// Carries out a change, or returns the stored response if the request was made before.
    ///
    /// Changes without an `Idempotency-Key` are made in the order of the calls. To save time, such
    /// a change starts no `Task` if the session is idle and need not read from the store first.
    /// - Parameter completion: called once when the change is stored or rejected, on any thread,
    ///   possibly before this method returns.
    public nonisolated func perform(
        _ request: ChangeRequest,
        completion: @escaping @Sendable (Result<Answered<ChangeResult>, SessionError>) -> Void
    ) {
        guard let idempotency = request.idempotency else {
            return submit(
                PendingChange(request, since: dependencies.requestStart) {
                    completion($0.map(Answered.fresh))
                })
        }
        Task.request {
            do throws(SessionError) {
                let answered = try await self.dependencies.once(idempotency) {
                    () async throws(SessionError) in
                    try await self.submit(request)
                }
                completion(.success(answered))
            } catch {
                completion(.failure(error))
            }
        }
    }

    private nonisolated func submit(_ change: PendingChange) {
        onExecutor { $0.accept(change) }
    }

    /// Runs `work` on the session's executor. If the session is idle, `work` runs before this
    /// method returns.
    nonisolated func onExecutor(_ work: @escaping @Sendable (isolated Session) -> Void) {
        executor.run { self.assumeIsolated(work) }
    }

    /// Carries out a change, without looking for a stored response to an earlier identical request.
    nonisolated func submit(_ request: ChangeRequest) async throws(SessionError) -> ChangeResult {
        let result = await withCheckedContinuation { continuation in
            submit(
                PendingChange(request, since: dependencies.requestStart) {
                    continuation.resume(returning: $0)
                })
        }
        return try result.get()
    }

    // MARK: On the session's executor

    private var isOver: Bool {
        hasEnded || snapshot.expiresAt <= dependencies.environment.now()
    }

    /// Whether the session can be used without another check of its credential. Either it has no
    /// credential, or the app has no login, or the credential was checked and has not expired, and
    /// this process has revoked no credential since the check.
    private var isCredentialKnownGood: Bool {
        snapshot.credential == nil || dependencies.app.storyboard.loginScene == nil
            || (credentialStatus.position == dependencies.revocations.position
                && dependencies.environment.now() < credentialStatus.expiresAt)
    }

    /// Calls `completion` with the session's state after all waiting changes.
    /// - Parameter start: the arrival of the request, see `RequestStart`.
    private func acceptRead(
        since start: ContinuousClock.Instant?,
        _ completion: @escaping @Sendable (Result<SessionSnapshot, SessionError>) -> Void
    ) {
        accept(PendingChange(ChangeRequest(.read), since: start) { completion($0.map(\.session)) })
    }

    /// Asks a shared store whether another process has changed the session, and then calls
    /// `completion` with the last stored state. If another process has changed the session, the
    /// session is read from the store again first. Changes that this process makes meanwhile do not
    /// wait for the check.
    /// - Parameter start: the arrival of the request, see `RequestStart`.
    private func confirm(
        since start: ContinuousClock.Instant?,
        _ completion: @escaping @Sendable (Result<SessionSnapshot, SessionError>) -> Void
    ) {
        var check = WriteBatch(session: .check(id, version: version))
        check.requestStart = start
        dependencies.store.commit(check) { outcome in
            self.onExecutor { session in
                switch outcome {
                // The snapshot may be newer than the confirmed one; it is stored as well.
                case .success: completion(.success(session.snapshot))
                case .failure(.conflict), .failure(.sessionNotFound):
                    session.acceptRead(since: start, completion)
                case .failure(let error): completion(.failure(SessionError(error)))
                }
            }
        }
    }

    private func accept(_ change: PendingChange) {
        if phase == .idle, waiting.isEmpty, !needsLook(for: change.request) {
            return write(CollectionOfOne(change))
        }
        // The change that is being prepared does not count as waiting.
        let prepared = phase == .preparing ? 1 : 0
        guard waiting.count < dependencies.waitingLimit + prepared else {
            return complete(change, .failure(.sessionBusy))
        }
        waiting.append(change)
        proceed()
    }

    /// Commits the waiting changes. If the changes need values from the store, the method starts to
    /// read these values instead.
    private func proceed() {
        while phase == .idle, let first = waiting.first {
            if waiting.contains(where: { needsLook(for: $0.request) }) { return look() }
            let others = waiting.prefix(Self.foldLimit).prefix { !$0.request.action.isAlone }
            let isAlone = first.request.action.isAlone || unfolded > 0
            let changes = isAlone ? [first] : Array(others)
            if unfolded > 0 { unfolded -= 1 }
            waiting.removeFirst(changes.count)
            write(changes)
        }
    }

    /// A change that was applied to a draft, with its result.
    private struct AppliedChange: Sendable {
        let change: PendingChange
        let result: Result<ChangeResult, SessionError>

        /// Returns the change with the error of its commit. A read, or a change that was refused
        /// before the commit, is no part of what the store may have written.
        func failed(_ error: SessionError) -> AppliedChange {
            var isSent = (try? result.get()) != nil
            if case .read = change.request.action { isSent = false }
            return AppliedChange(
                change: change, result: .failure(isSent ? error : error.ofUnsentChange))
        }
    }

    /// Applies changes in their order and stores them in one commit.
    /// - Parameter next: the session's phase during the commit.
    private func write(_ changes: some Collection<PendingChange>, as next: Phase = .writing) {
        var usage: IdempotencyUsage?
        if changes.contains(where: \.request.needsIdempotencyUsage) {
            // The draft holds the only reference to the entries, so that it does not copy them.
            usage = idempotencyUsage?.usage
            idempotencyUsage = nil
        }
        var draft = SessionDraft(
            snapshot, usage, dependencies, isOver: isOver, logEnd: logEnd)
        let applied = changes.map { AppliedChange(change: $0, result: draft.apply($0.request)) }
        // A closure can capture a value that cannot be copied only as a constant.
        let completeDraft = draft
        guard var batch = completeDraft.batch(replacing: version) else {
            keepUsage(of: completeDraft)
            return complete(applied)
        }
        batch.requestStart = changes.lazy.compactMap(\.requestStart).min()
        phase = next
        dependencies.store.commit(batch) { outcome in
            let finish = { @Sendable (session: isolated Session) in
                session.finish(applied, completeDraft, outcome)
            }
            // A memory store calls back before `commit` returns.
            if self.executor.isIsolatingCurrentContext() == true {
                self.assumeIsolated(finish)
            } else {
                self.onExecutor(finish)
            }
        }
    }

    /// Handles the end of a commit. If the draft was stored, readers see its state from now on. If
    /// the commit failed, the session keeps its present state, and either retries the changes or
    /// reports the error.
    private func finish(
        _ applied: [AppliedChange], _ draft: borrowing SessionDraft,
        _ outcome: Result<Void, CommitError>
    ) {
        phase = .idle
        switch outcome {
        case .success:
            conflicts = 0
            publish(draft, applied)
            complete(applied)
        case .failure(.conflict) where conflicts < Self.conflictLimit:
            conflicts += 1
            waiting.insert(contentsOf: applied.map(\.change), at: 0)
            return reload()
        case .failure(.alreadyAnswered) where applied.count > 1:
            waiting.insert(contentsOf: applied.map(\.change), at: 0)
            unfolded = UInt8(applied.count)
        case .failure(let error):
            conflicts = 0
            if error == .sessionNotFound { hasEnded = true }
            complete(applied.map { $0.failed(SessionError(error)) })
        }
        guard !waiting.isEmpty else { return }
        // This method runs on the store's thread, for which other sessions wait. The task runs on
        // Dispatch's pool instead.
        Task { proceed() }
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

    /// Makes the state of a stored draft visible to readers. No other method does this for a draft.
    private func publish(_ draft: borrowing SessionDraft, _ applied: [AppliedChange]) {
        snapshot = draft.snapshot
        logEnd = draft.logEnd
        if draft.writesSession {
            version = version.next
            noteResidentSize()
        }
        hasEnded = draft.hasEnded
        if let status = draft.credentialStatus { credentialStatus = status }
        keepUsage(of: draft)
        if let watch, draft.writesSession {
            let changes = applied.lazy.compactMap { try? $0.result.get() }
            watch.note(changes, latest: snapshot, hasEnded: hasEnded)
        }
        for hash in draft.revokedCredentials {
            dependencies.revocations.note(.credential(hash, of: draft.revokedUsername))
        }
    }

    private func keepUsage(of draft: borrowing SessionDraft) {
        if let usage = draft.idempotencyUsage { idempotencyUsage = IdempotencyUsageBox(usage) }
    }

    /// Makes a watch collect all later changes, and replaces any earlier watch.
    /// - Returns: the present state. The watch collects every change after this state.
    func install(_ watch: SessionWatch) -> SessionSnapshot {
        self.watch = watch
        watch.noteCredential(of: snapshot)
        return snapshot
    }

    func remove(_ watch: SessionWatch) {
        if self.watch === watch { self.watch = nil }
    }

    /// Fails the waiting changes, none of which was sent to the store.
    private func failWaiting(_ error: SessionError) {
        let changes = waiting
        waiting = []
        for change in changes { complete(change, .failure(error.ofUnsentChange)) }
    }

    // MARK: Reads from the store

    private func needsLook(for request: ChangeRequest) -> Bool {
        if isOver { return false }
        if case .fallBack = request.action { return false }
        return !isCredentialKnownGood
            || request.needsIdempotencyUsage && idempotencyUsage == nil
    }

    private var now: Timestamp { dependencies.environment.now() }

    /// Checks the session's credential, and reads from the store what the waiting changes need.
    /// Then carries out the waiting changes.
    private func look() {
        phase = .preparing
        let needsUsage = waiting.contains(where: \.request.needsIdempotencyUsage)
        Task {
            do throws(SessionError) {
                let refusal = try await refusalOfCredential()
                if needsUsage { try await readIdempotencyUsage() }
                phase = .idle
                if let refusal {
                    write(
                        [PendingChange(ChangeRequest(.fallBack(refusal)), since: nil) { _ in }],
                        as: .preparing)
                }
            } catch {
                phase = .idle
                failWaiting(error)
            }
            proceed()
        }
    }

    /// Checks the session's credential in the revocation log if possible, else in the store.
    /// - Returns: the reason why the credential is no longer valid; nil if it is valid, or if the
    ///   session has none.
    private func refusalOfCredential() async throws(SessionError) -> CredentialRefusal? {
        guard !isCredentialKnownGood, let hash = snapshot.credential else { return nil }
        // The position is read before the credential, so that the next check notices a revocation
        // in between.
        let position = dependencies.revocations.position
        if now < credentialStatus.expiresAt,
            let isRevoked = dependencies.revocations.hasRevoked(
                hash, of: snapshot.username, since: credentialStatus.position)
        {
            // If the credential was revoked, its position stays unchanged. The next check then
            // finds the revocation again, in case the log-out fails.
            if !isRevoked { credentialStatus.position = position }
            return isRevoked ? .revoked : nil
        }
        do {
            switch try await dependencies.accounts.credential(hash) {
            case .success(let credential):
                credentialStatus = CredentialStatus(credential, at: position)
                return nil
            // The credential existed at log-in, so it was removed since, usually with its account.
            case .failure(.unknown): return .revoked
            case .failure(let refusal): return refusal
            }
        } catch {
            throw .storage(error)
        }
    }

    private func readIdempotencyUsage() async throws(SessionError) {
        guard idempotencyUsage == nil else { return }
        do {
            let usage = try await dependencies.store.idempotencyUsage(of: id, at: now)
            idempotencyUsage = IdempotencyUsageBox(usage)
        } catch {
            throw .storage(error)
        }
    }

    /// Reads the session from the store again, because another process has changed its row. Then
    /// carries out the waiting changes.
    private func reload() {
        phase = .preparing
        Task {
            // From the second conflict in succession on, a random delay keeps the writers apart.
            if conflicts > 1 {
                let microseconds = dependencies.environment.random() % 20_000
                try? await Task.sleep(for: .microseconds(microseconds))
            }
            do throws(SessionError) {
                if let loaded = try await dependencies.load(id) {
                    (snapshot, version) = (loaded.snapshot, loaded.version)
                    noteResidentSize()
                    logEnd = loaded.logEnd
                    credentialStatus = .unknown
                    idempotencyUsage = nil
                    watch?.note(reloaded: snapshot)
                } else {
                    hasEnded = true
                    watch?.note(reloaded: nil)
                }
                phase = .idle
            } catch {
                phase = .idle
                failWaiting(error)
            }
            proceed()
        }
    }
}

/// Holds the sizes of a session's idempotency records, in an object of its own. Few sessions have
/// records, and the others need only a nil reference.
private final class IdempotencyUsageBox {
    let usage: IdempotencyUsage

    init(_ usage: IdempotencyUsage) { self.usage = usage }
}
