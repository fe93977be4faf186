import Accounts
import Navigation
import WaypostCore

/// One running app, seen by one user: owns one window and who is logged in there.
///
/// The way of a change: a route calls `perform`, which runs on the session's executor; `write` applies
/// the change to a draft, hands the draft to the store, and `finish` publishes it when it is stored.
/// Changes that come in the meantime wait, and are then applied one after another to one draft and
/// written by one commit. Readers see the last state that is stored.
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
    /// The size of the session's idempotency records; nil until a request with a key comes.
    private var idempotencyUsage: IdempotencyUsageBox?
    /// The changes that wait for the commit or the look into the store that is under way.
    private var waiting: [PendingChange] = []
    private var phase = Phase.idle
    private var hasEnded = false
    /// How many commits in a row found another version in the store than the one they replaced.
    private var conflicts: UInt8 = 0

    private enum Phase {
        case idle
        /// The first change that waits has the store asked what it needs to know, or has the session fall
        /// back to the login root.
        case preparing
        /// A commit of changes that no longer wait is under way.
        case writing
    }

    /// A change, and who waits for its result. A class, as it is passed from hand to hand.
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

    /// How many changes one commit writes at most: its events are one row of the store.
    private static let foldLimit = 64
    /// How many times in a row a change is applied anew to a session that somebody else has changed.
    private static let conflictLimit = 8

    /// - Parameters:
    ///   - version: the version of the stored row.
    ///   - credentialStatus: what is known of the snapshot's credential.
    init(
        _ snapshot: SessionSnapshot, version: RowVersion = .first,
        credentialStatus: CredentialStatus = .unknown, dependencies: SessionDependencies
    ) {
        id = snapshot.id
        tokenHash = snapshot.tokenHash
        self.snapshot = snapshot
        self.version = version
        self.credentialStatus = credentialStatus
        self.dependencies = dependencies
    }

    // MARK: On any thread

    /// Calls `completion` once with the last state that is stored, on any thread, possibly before this
    /// returns. The session falls back to the login root first if its credential is no good any more.
    ///
    /// Fails with `.ended`, and with `.storage` or `.sessionBusy` where the login root cannot be shown.
    public nonisolated func read(
        _ completion: @escaping @Sendable (Result<SessionSnapshot, SessionError>) -> Void
    ) {
        executor.run {
            self.assumeIsolated { session in
                if session.isOver {
                    completion(.failure(.ended))
                } else if session.isCredentialKnownGood {
                    completion(.success(session.snapshot))
                } else {
                    session.accept(
                        PendingChange(ChangeRequest(.read)) { completion($0.map(\.session)) })
                }
            }
        }
    }

    /// Carries out a change, or returns the response that its request got before.
    ///
    /// Changes are made in the order of the calls; those without an idempotency key need no task.
    /// - Parameter completion: called once, on any thread, possibly before this returns, when the change
    ///   is stored or was refused.
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
        executor.run {
            self.assumeIsolated { $0.accept(change) }
        }
    }

    /// Carries out a change whose request is known not to have come before.
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

    /// Whether the credential, if there is one, needs no look into the store.
    private var isCredentialKnownGood: Bool {
        snapshot.credential == nil || dependencies.app.storyboard.loginScene == nil
            || (credentialStatus.position == dependencies.revocations.position
                && dependencies.environment.now() < credentialStatus.expiresAt)
    }

    private func accept(_ change: PendingChange) {
        if phase == .idle, waiting.isEmpty, !needsLook(for: change.request) {
            return write(CollectionOfOne(change))
        }
        // The change that is being prepared has its turn.
        let prepared = phase == .preparing ? 1 : 0
        guard waiting.count < dependencies.waitingLimit + prepared else {
            return change.completion(.failure(.sessionBusy))
        }
        waiting.append(change)
        proceed()
    }

    /// Writes the changes that wait, unless the store has to be asked something first.
    private func proceed() {
        while phase == .idle, let first = waiting.first {
            if waiting.contains(where: { needsLook(for: $0.request) }) { return look() }
            let others = waiting.prefix(Self.foldLimit).prefix { !$0.request.action.isAlone }
            let changes = first.request.action.isAlone ? [first] : Array(others)
            waiting.removeFirst(changes.count)
            write(changes)
        }
    }

    /// A change that was applied to a draft.
    private struct AppliedChange: Sendable {
        let change: PendingChange
        let result: Result<ChangeResult, SessionError>
    }

    /// Applies changes one after another, and stores what has changed in one commit.
    private func write(_ changes: some Collection<PendingChange>, as next: Phase = .writing) {
        var draft = SessionDraft(snapshot, idempotencyUsage?.usage, dependencies, isOver: isOver)
        let applied = changes.map { AppliedChange(change: $0, result: draft.apply($0.request)) }
        guard let batch = draft.batch(replacing: version) else { return complete(applied) }
        phase = next
        dependencies.store.commit(batch) { [draft] outcome in
            // A store in memory calls back before `commit` returns.
            if self.executor.isIsolatingCurrentContext() == true {
                self.assumeIsolated { $0.finish(applied, draft, outcome) }
            } else {
                self.executor.run {
                    self.assumeIsolated { $0.finish(applied, draft, outcome) }
                }
            }
        }
    }

    /// Publishes a draft that is stored. If it could not be stored, the session stays as it was.
    private func finish(
        _ applied: [AppliedChange], _ draft: SessionDraft, _ outcome: Result<Void, CommitError>
    ) {
        phase = .idle
        switch outcome {
        case .success:
            conflicts = 0
            publish(draft)
            complete(applied)
        case .failure(.conflict) where conflicts < Self.conflictLimit:
            conflicts += 1
            waiting.insert(contentsOf: applied.map(\.change), at: 0)
            return reload()
        case .failure(let error):
            conflicts = 0
            if error == .sessionNotFound { hasEnded = true }
            complete(
                applied.map {
                    AppliedChange(change: $0.change, result: .failure(SessionError(error)))
                })
        }
        guard !waiting.isEmpty else { return }
        // A task runs on Dispatch's pool. The store's thread, which calls this method, is what other
        // sessions wait for.
        Task { proceed() }
    }

    private func complete(_ applied: [AppliedChange]) {
        for applied in applied { applied.change.completion(applied.result) }
        // Nothing else can be done as long as the login root cannot be shown.
        if case .fallBack? = applied.first?.change.request.action,
            case .failure(let error)? = applied.first?.result
        {
            failWaiting(error)
        }
    }

    /// The one place where a session's new state becomes visible.
    private func publish(_ draft: SessionDraft) {
        snapshot = draft.snapshot
        if draft.writesSession { version = version.next }
        hasEnded = draft.hasEnded
        if let status = draft.credentialStatus { credentialStatus = status }
        for record in draft.idempotencyRecords { idempotencyUsage?.usage.add(record) }
        for hash in draft.revokedCredentials { dependencies.revocations.note(hash) }
    }

    private func failWaiting(_ error: SessionError) {
        let changes = waiting
        waiting = []
        for change in changes { change.completion(.failure(error)) }
    }

    // MARK: Looks into the store

    private func needsLook(for request: ChangeRequest) -> Bool {
        if isOver { return false }
        if case .fallBack = request.action { return false }
        return !isCredentialKnownGood
            || request.idempotency != nil && idempotencyUsage?.isKnown(at: now) != true
    }

    private var now: Timestamp { dependencies.environment.now() }

    /// Asks the store what the changes that wait need to know, and goes on with them.
    private func look() {
        phase = .preparing
        let needsUsage = waiting.contains { $0.request.idempotency != nil }
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

    /// - Returns: nil if there is no credential, or if it is good.
    private func refusalOfCredential() async throws(SessionError) -> CredentialRefusal? {
        guard !isCredentialKnownGood, let hash = snapshot.credential else { return nil }
        // Read first: what is revoked from here on is seen the next time.
        let position = dependencies.revocations.position
        if now < credentialStatus.expiresAt,
            let isRevoked = dependencies.revocations.hasRevoked(
                hash, since: credentialStatus.position)
        {
            // A revocation stays to be seen until the login root is stored.
            if !isRevoked { credentialStatus.position = position }
            return isRevoked ? .revoked : nil
        }
        do {
            switch try await dependencies.accounts.credential(hash) {
            case .success(let credential):
                credentialStatus = CredentialStatus(credential, at: position)
                return nil
            // It was known once: its account is gone.
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

    /// Reads the session again, which somebody else has changed, and goes on with the changes that wait.
    private func reload() {
        phase = .preparing
        Task {
            do throws(SessionError) {
                if let loaded = try await dependencies.load(id) {
                    (snapshot, version) = loaded
                    credentialStatus = .unknown
                    idempotencyUsage = nil
                } else {
                    hasEnded = true
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

/// Behind a reference: few sessions have one, and there are many sessions.
private final class IdempotencyUsageBox {
    var usage: IdempotencyUsage

    init(_ usage: IdempotencyUsage) { self.usage = usage }

    /// Whether none of the records has expired since the store was asked.
    func isKnown(at now: Timestamp) -> Bool { usage.firstExpiry.map { now < $0 } ?? true }
}
