import Accounts
import Navigation

/// One running app, seen by one user: owns one window and who is logged in there.
///
/// A change is visible from the moment it is stored. Until then readers see what was before.
public actor Session {
    public nonisolated let id: SessionID
    nonisolated let tokenHash: SecretHash
    private let service: SessionService
    private var record: SessionRecord
    private var hasEnded = false
    private var turns = Turns()

    init(_ record: SessionRecord, service: SessionService) {
        id = record.id
        tokenHash = record.tokenHash
        self.record = record
        self.service = service
    }

    /// - Returns: nil if the session is over.
    public func current() -> SessionRecord? {
        hasEnded || record.expiresAt <= service.environment.now() ? nil : record
    }

    /// - Parameter precondition: whether the change may be made to this revision (`If-Match`).
    public func perform(
        _ operation: Operation, animated: Bool, if precondition: Precondition? = nil
    ) async throws(SessionError) -> Change {
        await takeTurn()
        defer { turns.end() }
        try check(precondition)
        return try await commit(operation, animated: animated, to: record)
    }

    // MARK: Who is logged in

    public func signUp(
        _ username: String, _ password: String, if precondition: Precondition? = nil
    ) async throws(SessionError) -> Change {
        try await logIn(if: precondition) { accounts async throws(AccountError) in
            try await accounts.signUp(username, password)
        }
    }

    public func logIn(
        _ username: String, _ password: String, if precondition: Precondition? = nil
    ) async throws(SessionError) -> Change {
        try await logIn(if: precondition) { accounts async throws(AccountError) in
            try await accounts.logIn(username, password)
        }
    }

    /// Revokes the credential that the session is logged in with.
    public func logOut(
        animated: Bool = false, if precondition: Precondition? = nil
    ) async throws(SessionError) -> Change {
        await takeTurn()
        defer { turns.end() }
        try check(precondition)
        var next = record
        next.credential = nil
        next.credentialRefusal = nil
        let credential = record.credential
        let change = try await commit(.logOut, animated: animated, to: next)
        if change.outcome.changed, let credential { service.accounts.revoke(credential) }
        return change
    }

    private func logIn(
        if precondition: Precondition?,
        _ enter: (Accounts) async throws(AccountError) -> Username
    ) async throws(SessionError) -> Change {
        await takeTurn()
        defer { turns.end() }
        try check(precondition)
        // Before a password is hashed or an account made, not after.
        var trial = record.window
        try perform(.logIn(username: ""), animated: false, on: &trial)
        let username: Username
        do { username = try await enter(service.accounts) } catch { throw .account(error) }
        let (secret, credential) = service.accounts.issueCredential(to: username)
        var next = record
        next.credential = credential.hash
        next.credentialRefusal = nil
        do {
            return try await commit(
                .logIn(username: username.text), animated: false, to: next, credential: secret)
        } catch {
            service.accounts.revoke(credential.hash)
            throw error
        }
    }

    // MARK: The end, and the log

    func end(if precondition: Precondition?) async throws(SessionError) {
        await takeTurn()
        defer { turns.end() }
        try check(precondition)
        do { try await service.store.delete(id) } catch { throw .storage(error) }
        hasEnded = true
    }

    public func events(after: Int, limit: Int) async throws(SessionError) -> [LifecycleEvent] {
        guard current() != nil else { throw .ended }
        do {
            return try await service.store.events(of: id, after: after, limit: limit)
        } catch {
            throw .storage(error)
        }
    }

    // MARK: One turn

    private func takeTurn() async {
        if turns.takeIfFree() { return }
        await withCheckedContinuation { turns.wait($0) }
    }

    private func check(_ precondition: Precondition?) throws(SessionError) {
        guard current() != nil else { throw .ended }
        let revision = record.window.revision
        guard precondition?(revision) ?? true else { throw .revisionMismatch(present: revision) }
    }

    /// Stores what the operation makes of `next`; only then is it the session's state.
    private func commit(
        _ operation: Operation, animated: Bool, to next: SessionRecord, credential: Secret? = nil
    ) async throws(SessionError) -> Change {
        var next = next
        let outcome = try perform(operation, animated: animated, on: &next.window)
        guard outcome.changed else {
            return Change(outcome: outcome, session: record, credential: nil)
        }
        next.expiresAt = service.environment.now() + service.sessionTTL
        do {
            try await service.store.update(next, events: outcome.events)
        } catch {
            throw .storage(error)
        }
        record = next
        return Change(outcome: outcome, session: next, credential: credential)
    }

    @discardableResult
    private func perform(
        _ operation: Operation, animated: Bool, on window: inout Window
    ) throws(SessionError) -> Outcome {
        do {
            return try window.perform(operation, animated: animated, in: service.app)
        } catch {
            throw .navigation(error)
        }
    }
}

/// Whether a change may be made to a session of this revision.
public typealias Precondition = @Sendable (_ revision: Int) -> Bool
