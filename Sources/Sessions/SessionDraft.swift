import Navigation
import WaypostCore

/// The state that changes make of a session, until it is stored.
struct SessionDraft: Sendable {
    private(set) var snapshot: SessionSnapshot
    private(set) var hasEnded: Bool
    /// Whether the session's row is to be written.
    private(set) var writesSession = false
    private(set) var idempotencyRecords: [IdempotencyRecord] = []
    /// Set if the changes have logged somebody in.
    private(set) var credentialStatus: CredentialStatus?
    private(set) var revokedCredentials: [SecretHash] = []
    private var events: [LifecycleEvent] = []
    private var logIn: VerifiedLogIn?
    /// Nil if it is not known, as no request needs it.
    private var idempotencyUsage: IdempotencyUsage?
    private let dependencies: SessionDependencies

    init(
        _ snapshot: SessionSnapshot, _ idempotencyUsage: IdempotencyUsage?,
        _ dependencies: SessionDependencies, isOver: Bool
    ) {
        self.snapshot = snapshot
        self.idempotencyUsage = idempotencyUsage
        self.dependencies = dependencies
        hasEnded = isOver
    }

    /// Applies a change. One that is refused leaves the draft as it was.
    mutating func apply(_ request: ChangeRequest) -> Result<ChangeResult, SessionError> {
        do throws(SessionError) {
            guard !hasEnded else { throw .ended }
            let revision = snapshot.window.revision
            guard request.precondition?(revision) ?? true else {
                throw .revisionMismatch(present: revision)
            }
            return .success(try apply(request.action, request.idempotency))
        } catch {
            return .failure(error)
        }
    }

    private mutating func apply(
        _ action: ChangeRequest.Action, _ idempotency: IdempotentRequest<ChangeResult>?
    ) throws(SessionError) -> ChangeResult {
        switch action {
        case .perform(let operation, let animated):
            return try apply(operation, animated: animated, to: snapshot, idempotency)
        case .logOut:
            let credential = snapshot.credential
            let result = try apply(.logOut, to: snapshot.with(nil), idempotency)
            if result.outcome.changed, let credential { revokedCredentials = [credential] }
            return result
        case .fallBack(let refusal):
            return try apply(.logOut, to: snapshot.with(nil, refusal), nil)
        case .logIn(let logIn):
            let result = try apply(
                .logIn(username: logIn.username.text), to: snapshot.with(logIn.credential.hash),
                idempotency, credential: logIn.secret)
            self.logIn = logIn
            credentialStatus = CredentialStatus(logIn.credential, at: logIn.position)
            revokedCredentials = logIn.surplus
            return result
        case .end:
            let result = ChangeResult(.unchanged, snapshot)
            // The record outlives the session, whose last one it is.
            if let idempotency {
                idempotencyRecords.append(idempotency.record(of: result, dependencies))
            }
            hasEnded = true
            writesSession = true
            return result
        case .read: return ChangeResult(.unchanged, snapshot)
        }
    }

    /// - Parameter next: the session with what changes besides its window.
    private mutating func apply(
        _ operation: Operation, animated: Bool = false, to next: SessionSnapshot,
        _ idempotency: IdempotentRequest<ChangeResult>?, credential: Secret? = nil
    ) throws(SessionError) -> ChangeResult {
        let window: Window
        let outcome: Outcome
        do {
            (window, outcome) = try next.window.performing(
                operation, animated: animated, in: dependencies.app)
        } catch {
            throw .navigation(error)
        }
        var result = ChangeResult(outcome, snapshot)
        if outcome.changed {
            // Never sooner than it was: the clock may have been set back.
            let expiresAt = max(
                next.expiresAt, dependencies.environment.now() + dependencies.sessionTTL)
            result = ChangeResult(
                outcome, next.with(window, expiresAt: expiresAt), credential: credential)
        }
        if let idempotency { try addRecord(of: result, idempotency) }
        if outcome.changed {
            snapshot = result.session
            writesSession = true
            if events.isEmpty { events = outcome.events } else { events += outcome.events }
        }
        return result
    }

    /// - Throws: `.tooManyIdempotencyKeys` if the session has no room for one more record.
    private mutating func addRecord(
        of result: ChangeResult, _ idempotency: IdempotentRequest<ChangeResult>
    ) throws(SessionError) {
        var usage = idempotencyUsage ?? IdempotencyUsage()
        guard usage.count < dependencies.idempotency.maximumRecords else {
            throw .tooManyIdempotencyKeys(until: usage.firstExpiry)
        }
        let record = try idempotency.record(
            of: result, of: snapshot.id, with: usage, dependencies)
        usage.add(record)
        idempotencyUsage = usage
        idempotencyRecords.append(record)
    }

    /// - Parameter version: the version of the session's row.
    /// - Returns: nil if nothing is to be written.
    func batch(replacing version: RowVersion) -> WriteBatch? {
        guard writesSession || !idempotencyRecords.isEmpty else { return nil }
        var batch = WriteBatch(events: events)
        if writesSession {
            batch.session =
                hasEnded
                ? .delete(snapshot.id, replacing: version)
                : .update(.snapshot(snapshot), replacing: version)
        }
        batch.idempotencyRecords = idempotencyRecords
        if logIn != nil || !revokedCredentials.isEmpty {
            var writes = WriteBatch.AccountWrites()
            writes.account = logIn?.account
            writes.newCredential = logIn?.credential
            if !revokedCredentials.isEmpty { writes.revocation = .credentials(revokedCredentials) }
            batch.accountWrites = writes
        }
        return batch
    }
}
