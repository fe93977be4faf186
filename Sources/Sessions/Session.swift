import Accounts
import Navigation
import WaypostCore

/// One running app, seen by one user. The session owns one window and knows which account is logged
/// in.
///
/// A route calls `perform`, which runs on the session's executor. `write` applies the change to a
/// draft and commits the draft to the store. `finish` publishes the draft when it is stored. Changes
/// that arrive during a commit wait; one draft and one commit then take them together, in their order.
/// Readers see the last stored state. If other processes write to the same store, the store confirms
/// before each read that the state in memory is the stored one.
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
    private var credentialStatus: CredentialStatus
    /// The number and size of the session's idempotency records; nil until a request with an
    /// `Idempotency-Key` needs them.
    private var idempotencyUsage: IdempotencyUsageBox?
    /// The changes that wait for the commit or the read of the store that is in progress.
    private var waiting: [PendingChange] = []
    /// Collects the published changes; nil while nobody watches the session.
    private var watch: SessionWatch?
    private var phase = Phase.idle
    private var hasEnded = false
    /// The number of consecutive commits that failed because the stored row had another version.
    private var conflicts: UInt8 = 0
    /// The number of waiting changes that are committed one by one, because the store rejected their
    /// common commit for one of them.
    private var unfolded: UInt8 = 0
    /// The number of bytes that further changes may add to the journal before it needs the next
    /// complete state; 0 if the stored journal does not end at the snapshot's revision.
    private var journalRoom: Int32

    private enum Phase {
        case idle
        /// The session reads from the store what the waiting changes need, reads its own row after
        /// a conflict, or falls back to the login root.
        case preparing
        /// A commit is in progress; its changes are no longer in `waiting`.
        case writing
    }

    /// A change and the completion for its result. The type is a class because it is passed through
    /// several queues.
    private final class PendingChange: Sendable {
        let request: ChangeRequest
        let completion: @Sendable (Result<ChangeResult, SessionError>) -> Void

        init(
            _ request: ChangeRequest,
            _ completion: @escaping @Sendable (Result<ChangeResult, SessionError>) -> Void
        ) {
            self.request = request
            self.completion = completion
        }
    }

    /// The maximum number of changes in one commit. It limits the size of a row in stores that keep
    /// the events of a commit in one row.
    private static let foldLimit = 64
    /// The maximum number of consecutive times that a change is applied again after a version
    /// conflict.
    static let conflictLimit = 8

    /// - Parameters:
    ///   - version: the version of the stored row.
    ///   - credentialStatus: the status of the snapshot's credential.
    ///   - isJournaled: whether the stored journal ends at the snapshot's revision.
    init(
        _ snapshot: SessionSnapshot, version: RowVersion = .first,
        credentialStatus: CredentialStatus = .unknown, isJournaled: Bool = false,
        dependencies: SessionDependencies
    ) {
        id = snapshot.id
        tokenHash = snapshot.tokenHash
        self.snapshot = snapshot
        self.version = version
        self.credentialStatus = credentialStatus
        journalRoom = isJournaled ? Int32(HistoryPolicy.baseRoom) : 0
        self.dependencies = dependencies
    }

    // MARK: On any thread

    /// Returns whether a token is the one that came with the session, which is valid as long as the
    /// session exists.
    public nonisolated func isFirstToken(_ token: SecretHash) -> Bool { tokenHash == token }

    /// Calls `completion` once with the last stored state, on any thread, possibly before this method
    /// returns. If the session's credential is no longer valid, the session first falls back to the
    /// login root.
    ///
    /// The call fails with `.ended`, with `.storage`, or with `.sessionBusy` if too many changes are
    /// waiting or other processes keep changing the session.
    public nonisolated func read(
        _ completion: @escaping @Sendable (Result<SessionSnapshot, SessionError>) -> Void
    ) {
        onExecutor { session in
            let isShared = session.dependencies.isStoreShared
            if session.isOver, !isShared {
                completion(.failure(.ended))
            } else if !session.isOver, session.isCredentialKnownGood {
                isShared ? session.confirm(completion) : completion(.success(session.snapshot))
            } else {
                session.acceptRead(completion)
            }
        }
    }

    /// Carries out a change, or returns the stored response if the request was made before.
    ///
    /// Changes are made in the order of the calls. A change without an idempotency key starts no
    /// task, unless something has to be read from the store first.
    /// - Parameter completion: called once, on any thread, possibly before this method returns, when
    ///   the change is stored or rejected.
    public nonisolated func perform(
        _ request: ChangeRequest,
        completion: @escaping @Sendable (Result<Answered<ChangeResult>, SessionError>) -> Void
    ) {
        guard let idempotency = request.idempotency else {
            return submit(PendingChange(request) { completion($0.map(Answered.fresh)) })
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

    /// Runs `work` on the session's executor. If the session is idle, `work` runs before this method
    /// returns.
    nonisolated func onExecutor(_ work: @escaping @Sendable (isolated Session) -> Void) {
        executor.run { self.assumeIsolated(work) }
    }

    /// Carries out a change whose request is not a repetition.
    nonisolated func submit(_ request: ChangeRequest) async throws(SessionError) -> ChangeResult {
        let result = await withCheckedContinuation { continuation in
            submit(PendingChange(request) { continuation.resume(returning: $0) })
        }
        return try result.get()
    }

    // MARK: On the session's executor

    private var isOver: Bool {
        hasEnded || snapshot.expiresAt <= dependencies.environment.now()
    }

    /// Whether the session has no credential, or the app has no login, or the session knows without
    /// asking the store that its credential is valid.
    private var isCredentialKnownGood: Bool {
        snapshot.credential == nil || dependencies.app.storyboard.loginScene == nil
            || (credentialStatus.position == dependencies.revocations.position
                && dependencies.environment.now() < credentialStatus.expiresAt)
    }

    /// Reads the session after all changes that are waiting.
    private func acceptRead(
        _ completion: @escaping @Sendable (Result<SessionSnapshot, SessionError>) -> Void
    ) {
        accept(PendingChange(ChangeRequest(.read)) { completion($0.map(\.session)) })
    }

    /// Asks a shared store whether another process has changed the session, and calls back with the last
    /// stored state. If another process has changed it, the session is read again first. This check and
    /// the changes of this process do not wait for each other.
    private func confirm(
        _ completion: @escaping @Sendable (Result<SessionSnapshot, SessionError>) -> Void
    ) {
        let check = WriteBatch(session: .check(id, version: version))
        dependencies.store.commit(check) { outcome in
            self.onExecutor { session in
                switch outcome {
                // The snapshot may be newer than the confirmed one; it is stored as well.
                case .success: completion(.success(session.snapshot))
                case .failure(.conflict), .failure(.sessionNotFound):
                    session.acceptRead(completion)
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

    /// Commits the waiting changes, or first reads from the store what they need.
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
    }

    /// Applies changes in their order and stores them in one commit.
    /// - Parameter next: the session's phase during the commit.
    private func write(_ changes: some Collection<PendingChange>, as next: Phase = .writing) {
        var draft = SessionDraft(
            snapshot, idempotencyUsage?.usage, dependencies, isOver: isOver,
            journalRoom: journalRoom)
        let applied = changes.map { AppliedChange(change: $0, result: draft.apply($0.request)) }
        // A closure can capture a value that cannot be copied only as a constant.
        let completeDraft = draft
        if dependencies.isStoreShared {
            version = version.withRandomNext(dependencies.environment)
        }
        guard let batch = completeDraft.batch(replacing: version) else { return complete(applied) }
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

    /// Publishes a stored draft. If the commit failed, the session keeps its state.
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
            complete(
                applied.map {
                    AppliedChange(change: $0.change, result: .failure(SessionError(error)))
                })
        }
        guard !waiting.isEmpty else { return }
        // This method runs on the store's thread, for which other sessions wait. The task runs on
        // Dispatch's pool instead.
        Task { proceed() }
    }

    private func complete(_ applied: [AppliedChange]) {
        for applied in applied { complete(applied.change, applied.result) }
        // Until the login root can be shown, no waiting change can succeed.
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

    /// Makes the state of a stored draft visible to readers. No other method publishes a draft.
    private func publish(_ draft: borrowing SessionDraft, _ applied: [AppliedChange]) {
        snapshot = draft.snapshot
        journalRoom = draft.journalRoom
        if draft.writesSession { version = version.next }
        hasEnded = draft.hasEnded
        if let status = draft.credentialStatus { credentialStatus = status }
        for record in draft.idempotencyRecords { idempotencyUsage?.usage.add(record) }
        if let watch, draft.writesSession {
            let changes = applied.lazy.compactMap { try? $0.result.get() }
            watch.note(changes, latest: snapshot, hasEnded: hasEnded)
        }
        for hash in draft.revokedCredentials { dependencies.revocations.note(hash) }
    }

    /// Replaces the session's watch.
    /// - Returns: the present state. The new watch gets every change that is made after it.
    func install(_ watch: SessionWatch) -> SessionSnapshot {
        self.watch = watch
        return snapshot
    }

    func remove(_ watch: SessionWatch) {
        if self.watch === watch { self.watch = nil }
    }

    private func failWaiting(_ error: SessionError) {
        let changes = waiting
        waiting = []
        for change in changes { complete(change, .failure(error)) }
    }

    // MARK: Reads from the store

    private func needsLook(for request: ChangeRequest) -> Bool {
        if isOver { return false }
        if case .fallBack = request.action { return false }
        return !isCredentialKnownGood
            || request.needsIdempotencyUsage && idempotencyUsage?.isKnown(at: now) != true
    }

    private var now: Timestamp { dependencies.environment.now() }

    /// Reads from the store what the waiting changes need, and then carries them out.
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
                        [PendingChange(ChangeRequest(.fallBack(refusal))) { _ in }],
                        as: .preparing)
                }
            } catch {
                phase = .idle
                failWaiting(error)
            }
            proceed()
        }
    }

    /// Returns why the session's credential is no longer valid.
    /// - Returns: nil if the session has no credential, or a valid one.
    private func refusalOfCredential() async throws(SessionError) -> CredentialRefusal? {
        guard !isCredentialKnownGood, let hash = snapshot.credential else { return nil }
        // The position is read before the credential, so that the next check notices a revocation
        // in between.
        let position = dependencies.revocations.position
        if now < credentialStatus.expiresAt,
            let isRevoked = dependencies.revocations.hasRevoked(
                hash, since: credentialStatus.position)
        {
            // If the credential was revoked, its position stays unchanged. The next check then
            // finds the revocation again, in case the fall-back fails.
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
        guard idempotencyUsage?.isKnown(at: now) != true else { return }
        do {
            let usage = try await dependencies.store.idempotencyUsage(of: id, at: now)
            idempotencyUsage = IdempotencyUsageBox(usage)
        } catch {
            throw .storage(error)
        }
    }

    /// Reads the session again after another writer has changed its row, and then carries out the
    /// waiting changes.
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
                    journalRoom = loaded.isJournaled ? Int32(HistoryPolicy.baseRoom) : 0
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

/// A reference to the number and size of a session's idempotency records. The reference keeps a
/// `Session` small, as few sessions have records.
private final class IdempotencyUsageBox {
    var usage: IdempotencyUsage

    init(_ usage: IdempotencyUsage) { self.usage = usage }

    /// Returns whether the number and size are still right, as they are until a record expires.
    func isKnown(at now: Timestamp) -> Bool { usage.firstExpiry.map { now < $0 } ?? true }
}
