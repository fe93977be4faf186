import Navigation
import WaypostCore

/// The state of a session after changes that are not stored yet.
struct SessionDraft: Sendable {
    private(set) var snapshot: SessionSnapshot
    private(set) var hasEnded: Bool
    /// Whether a commit has to write the session's row.
    private(set) var writesSession = false
    private(set) var idempotencyRecords: [IdempotencyRecord] = []
    /// The status of the new credential; nil unless a change logged in.
    private(set) var credentialStatus: CredentialStatus?
    private(set) var revokedCredentials: [SecretHash] = []
    private var events: [LifecycleEvent] = []
    private var logIn: VerifiedLogIn?
    private var naming: WriteBatch.Naming?
    /// The size of the session's idempotency records; nil if no request needs it.
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

    /// Applies a change. A rejected change leaves the draft as it was.
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
            // The record is kept after the session has ended, so that the request can be repeated.
            if let idempotency {
                idempotencyRecords.append(idempotency.record(of: result, dependencies))
            }
            hasEnded = true
            writesSession = true
            return result
        case .rename(let name):
            let result = ChangeResult(.unchanged, snapshot)
            if let idempotency { try addRecord(of: result, idempotency) }
            naming = WriteBatch.Naming(snapshot.id, name)
            return result
        case .read: return ChangeResult(.unchanged, snapshot)
        }
    }

    /// Performs an operation on the draft.
    /// - Parameter next: the session with its changes outside the window.
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
            // The clock may have been set back; a change never shortens a session's life.
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

    /// Adds the idempotency record of a result.
    /// - Throws: `.tooManyIdempotencyKeys` if the session's limits allow no further record.
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

    /// Returns the commit that stores the draft.
    /// - Parameter version: the version of the session's stored row.
    /// - Returns: nil if the draft has nothing to store. With a shared store, the commit then checks
    ///   that the draft was made of the session as it is stored.
    func batch(replacing version: RowVersion) -> WriteBatch? {
        guard
            writesSession || !idempotencyRecords.isEmpty || naming != nil
                || dependencies.isStoreShared
        else { return nil }
        var batch = WriteBatch(events: events)
        if writesSession {
            batch.session =
                hasEnded
                ? .delete(snapshot.id, replacing: version)
                : .update(.snapshot(snapshot), replacing: version)
        } else if dependencies.isStoreShared {
            batch.session = .check(snapshot.id, version: version)
        }
        batch.idempotencyRecords = idempotencyRecords
        if logIn != nil || !revokedCredentials.isEmpty || naming != nil {
            var writes = WriteBatch.AccountWrites()
            writes.account = logIn?.account
            writes.newCredential = logIn?.credential
            writes.naming = naming
            // The session may have another user now, to whom the devices of the user before do not
            // belong.
            if logIn != nil { writes.token = .deleteAll(of: snapshot.id) }
            if !revokedCredentials.isEmpty { writes.revocation = .credentials(revokedCredentials) }
            batch.accountWrites = writes
        }
        return batch
    }
}
