import NavigationRules
import WaypostCore

/// The changes of a session, from their arrival to their completions. All methods run on the session's
/// executor.
extension Session {
    func accept(_ change: PendingChange) {
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
    func proceed() {
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
    func write(_ changes: some Collection<PendingChange>, as next: Activity = .writing) {
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
            // A memory store calls back before `commit` returns.
            if self.executor.isIsolatingCurrentContext() == true {
                self.assumeIsolated { $0.finish(outcome) }
            } else {
                self.onExecutor { $0.finish(outcome) }
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
            // A fall-back belongs to the credential of the old state. The session decides about the
            // credential of the new state before the next change.
            waiting.insert(
                contentsOf: commit.changes.filter { !$0.request.action.isFallBack }, at: 0)
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
        return recordSizes?.value
    }

    private func keepRecordSizes(of next: borrowing NextState) {
        if let sizes = next.recordSizes { recordSizes = Box(sizes) }
    }

    /// Fails the waiting changes, none of which was sent to the store.
    func failWaiting(_ error: SessionError) {
        let changes = waiting
        waiting = []
        for change in changes { complete(change, .failure(error.ofUnsentChange)) }
    }
}
