import JSON
import NavigationRules
import WaypostCore

/// The state of a session after changes that are not stored yet. The value is large, so the type does
/// not allow copies.
struct NextState: ~Copyable, Sendable {
    private(set) var state: SessionState
    private(set) var hasEnded: Bool
    /// Whether the changes affect the session's row, so that the commit must write it.
    private(set) var writesSession = false
    private var idempotencyRecords: [IdempotencyRecord] = []
    /// The number of the session's oldest idempotency records that the commit removes.
    private var removedRecords = 0
    /// The validity of the credential that a log-in has issued; nil if no change was a log-in.
    private(set) var credentialStatus: CredentialStatus?
    private(set) var revokedCredentials: [SecretHash] = []
    /// The username of the account whose credentials are revoked; nil if it is unknown.
    private(set) var revokedUsername: Username?
    private var logIn: Box<VerifiedLogIn>?
    private var log: NewRecords
    /// The sizes of the session's idempotency records, which are the stored responses to requests
    /// with an `Idempotency-Key`; nil if no request has needed them.
    private(set) var recordSizes: IdempotencyRecordSizes?
    /// Whether the commit requires the version of the session's row although it writes nothing.
    private let checksVersion: Bool
    private let dependencies: SessionDependencies

    init(
        _ state: SessionState, _ recordSizes: IdempotencyRecordSizes?,
        _ dependencies: SessionDependencies, isOver: Bool, checksVersion: Bool, logEnd: LogEnd
    ) {
        self.checksVersion = checksVersion
        self.state = state
        log = NewRecords(logEnd)
        self.recordSizes = recordSizes
        self.dependencies = dependencies
        hasEnded = isOver
    }

    /// Returns the state for the changes that follow this one, which is being stored.
    func following() -> NextState {
        NextState(
            state, recordSizes, dependencies, isOver: hasEnded,
            checksVersion: checksVersion, logEnd: logEnd)
    }

    /// Sets the sizes of the session's idempotency records.
    mutating func use(_ sizes: IdempotencyRecordSizes) { recordSizes = sizes }

    /// The end of the session's log after the changes.
    var logEnd: LogEnd { log.end }

    /// Applies a change. A rejected change does not alter the state.
    mutating func apply(_ request: ChangeRequest) -> Result<ChangeResult, SessionError> {
        do throws(SessionError) {
            guard !hasEnded else { throw .ended }
            try request.precondition.check(state)
            return .success(try apply(request))
        } catch {
            return .failure(error)
        }
    }

    private mutating func apply(
        _ request: ChangeRequest
    ) throws(SessionError) -> ChangeResult {
        let idempotency = request.idempotency
        switch request.action {
        case .perform(let operation, let animated):
            return try apply(.perform(operation, animated: animated), request)
        case .logOut:
            let before = state
            let result = try apply(.logOut, request)
            if result.outcome.changed, let credential = before.credential {
                (revokedCredentials, revokedUsername) = ([credential], before.username)
            }
            return result
        case .fallBack(let refusal): return try apply(.fallBack(refusal), request)
        case .logIn(let logIn):
            let result = try apply(
                .logIn(
                    username: logIn.username.text, credential: logIn.credential.hash,
                    isSignUp: logIn.isSignUp), request, credential: logIn.secret)
            self.logIn = Box(logIn)
            credentialStatus = CredentialStatus(logIn.credential, at: logIn.position)
            (revokedCredentials, revokedUsername) = (logIn.surplus, logIn.username)
            return result
        case .end(let username):
            guard username == nil || username == state.username else { throw .ended }
            let result = ChangeResult(.unchanged, state)
            // The record is kept after the session has ended, so that a repeated request gets the
            // same response.
            if let idempotency {
                idempotencyRecords.append(idempotency.record(of: result, dependencies))
            }
            hasEnded = true
            writesSession = true
            return result
        case .rename(let name):
            let name = name ?? state.name
            let isNew = !areIdentical(name, state.name)
            let expiresAt = dependencies.environment.now() + dependencies.sessionTTL
            let result = ChangeResult(
                .unchanged, isNew ? state.with(name: name, expiresAt: expiresAt) : state)
            if let idempotency { addRecord(of: result, idempotency) }
            state = result.session
            if isNew { writesSession = true }
            return result
        case .read: return ChangeResult(.unchanged, state)
        }
    }

    /// Applies a change. If the change has an effect, the method also adds it to the
    /// session's log.
    private mutating func apply(
        _ action: LogEntry.Action, _ request: ChangeRequest, credential: Secret? = nil
    ) throws(SessionError) -> ChangeResult {
        let outcome: Outcome
        let next: (SessionState, time: Timestamp)?
        do {
            (outcome, next) = try state.applying(
                action, in: dependencies.app, sessionTTL: dependencies.sessionTTL,
                now: dependencies.environment.now)
        } catch {
            throw .navigation(error)
        }
        let result =
            next.map { ChangeResult(outcome, $0.0, credential: credential) }
            ?? ChangeResult(outcome, state)
        if let idempotency = request.idempotency { addRecord(of: result, idempotency) }
        if let next {
            log.add(
                LogEntry(
                    revision: result.session.window.revision, time: next.time,
                    requestID: request.requestID, action: action,
                    effect: WindowEffect(from: state.window, to: result.session.window),
                    transition: outcome.transition, events: outcome.events),
                before: state)
            state = result.session
            writesSession = true
        }
        return result
    }

    /// Adds the idempotency record of a change, which holds the response for a repetition of the
    /// request. The session's oldest records make room for it if necessary.
    private mutating func addRecord(
        of result: ChangeResult, _ idempotency: IdempotentRequest<ChangeResult>
    ) {
        var sizes = recordSizes ?? IdempotencyRecordSizes()
        // While entries are added, `sizes` must hold the only reference to them: otherwise they are
        // copied.
        recordSizes = nil
        sizes.removeExpired(at: dependencies.environment.now())
        idempotencyRecords.append(
            idempotency.record(of: result, of: state.id, with: &sizes, dependencies))
        removedRecords += dependencies.idempotency.removeOldest(from: &sizes)
        recordSizes = sizes
    }

    /// Returns the batch of writes that stores the state.
    /// - Parameter version: the version of the session's stored row.
    /// - Returns: nil if there is nothing to store. With a shared store, the result is never nil:
    ///   the batch at least checks that no other process has changed the session.
    func batch(replacing version: RowVersion) -> WriteBatch? {
        guard
            writesSession || !idempotencyRecords.isEmpty || checksVersion
        else { return nil }
        let change: WriteBatch.SessionChange? =
            if writesSession {
                hasEnded
                    ? .delete(state.id, replacing: version)
                    : .update(.state(state), replacing: version)
            } else if checksVersion || removedRecords > 0 {
                // The removal of an account deletes records of the session, and gives its row a new
                // version. The sizes in memory then count records that no longer exist.
                .check(state.id, version: version)
            } else {
                nil
            }
        var batch = WriteBatch(
            session: change,
            log: hasEnded
                ? nil
                : log.write(keptFrom: state.window.revision - dependencies.historyRetention),
            idempotencyRecords: idempotencyRecords, accountWrites: accountWrites)
        if removedRecords > 0 {
            batch.outdatedRecords = WriteBatch.OutdatedRecords(
                session: state.id, count: removedRecords, now: dependencies.environment.now())
        }
        return batch
    }

    /// The writes to accounts, credentials and tokens; nil if there are none.
    private var accountWrites: WriteBatch.AccountWrites? {
        guard logIn != nil || !revokedCredentials.isEmpty else { return nil }
        // After a log-in the session may have another user. The tokens for the previous user's
        // devices must not give access to the session any longer.
        return WriteBatch.AccountWrites(
            account: logIn?.value.account, newCredential: logIn?.value.credential,
            revocation: revokedCredentials.isEmpty ? nil : .credentials(revokedCredentials),
            token: logIn == nil ? nil : .deleteAll(of: state.id))
    }
}
