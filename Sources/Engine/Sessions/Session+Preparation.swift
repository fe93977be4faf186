import WaypostCore

/// The requests of a session to the store before a read or a change: whether its state is still the
/// stored one, whether its credential is valid, and which idempotency records it has. All methods run
/// on the session's executor.
extension Session {
    /// Calls `completion` with the session's state after all waiting changes.
    /// - Parameter start: the arrival of the request, see `RequestStart`.
    func acceptRead(
        since start: ContinuousClock.Instant?, _ completion: @escaping Completion<SessionState>
    ) {
        accept(PendingChange(ChangeRequest(.read), since: start) { completion($0.map(\.session)) })
    }

    /// Asks the store whether somebody else has changed the session, and then calls `completion`
    /// with the last stored state. If somebody has, the session is read from the store again first.
    /// Changes that this process makes meanwhile do not wait for the check.
    /// - Parameter start: the arrival of the request, see `RequestStart`.
    func confirm(
        since start: ContinuousClock.Instant?, _ completion: @escaping Completion<SessionState>
    ) {
        var check = WriteBatch(session: .check(id, version: version))
        check.requestStart = start
        let isOnlyWriter = !dependencies.mayBeOutdated
        let position = dependencies.revocations.position
        dependencies.store.commit(check) { outcome in
            self.onExecutor { session in
                switch outcome {
                // The state may be newer than the confirmed one; it is stored as well.
                case .success:
                    if isOnlyWriter, session.storedState == .perhapsNewer {
                        session.storedState = .same
                    }
                    if session.mayBeRemoved { session.credentialStatus.position = position }
                    completion(.success(session.state))
                case .failure(.conflict), .failure(.ended):
                    session.acceptRead(since: start, completion)
                case .failure(let error): completion(.failure(error))
                }
            }
        }
    }

    func mustPrepare(for request: ChangeRequest) -> Bool {
        if isOver { return false }
        if case .fallBack = request.action { return false }
        return !isCredentialKnownGood
            || request.needsRecordSizes && recordSizes == nil
    }

    private var now: Timestamp { dependencies.environment.now() }

    /// Checks the session's credential, and reads from the store what the waiting changes need.
    /// Then carries out the waiting changes.
    func prepare() {
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
        recordSizes = Box(sizes)
    }

    /// Reads the session from the store again, because somebody else has changed its row. Then
    /// carries out the waiting changes.
    func reload() {
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
