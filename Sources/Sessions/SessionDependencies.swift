import Accounts
import Navigation
import WaypostCore

/// The parts of the service that all sessions share. A class, as each session refers to it.
public final class SessionDependencies: Sendable {
    public let app: App
    public let accounts: Accounts
    public let store: any SessionStore
    public let environment: Environment
    /// How long a session lives after its last change.
    public let sessionTTL: Duration
    /// How many changes of one session may wait for their turn.
    public let waitingLimit: Int
    let idempotency: IdempotencyPolicy
    let revocations = RevocationLog()
    /// Held while a request with an `Idempotency-Key` is carried out: another one with the same key waits
    /// for its response.
    private let requestsInProgress = KeyedLock<SecretHash>()

    public init(
        app: App, accounts: Accounts, store: any SessionStore, environment: Environment,
        sessionTTL: Duration = .seconds(30 * 24 * 3600), waitingLimit: Int = 1000,
        idempotency: IdempotencyPolicy = IdempotencyPolicy()
    ) {
        self.app = app
        self.accounts = accounts
        self.store = store
        self.environment = environment
        self.sessionTTL = sessionTTL
        self.waitingLimit = waitingLimit
        self.idempotency = idempotency
    }

    /// Carries out a request, or returns the response that it got before.
    /// - Parameters:
    ///   - request: nil for a request without an `Idempotency-Key`.
    ///   - guess: the password that the request holds, if it holds one.
    ///   - work: carries out the request, and stores its idempotency record with what it changes.
    func once<Output>(
        _ request: IdempotentRequest<Output>?, counting guess: PasswordGuess? = nil,
        _ work: () async throws(SessionError) -> Output
    ) async throws(SessionError) -> Answered<Output> {
        guard let request else { return .fresh(try await work()) }
        return try await requestsInProgress.withLock(request.id) {
            () async throws(SessionError) -> Answered<Output> in
            if let response = try await response(to: request, counting: guess) {
                return .replayed(response)
            }
            return .fresh(try await work())
        }
    }

    /// Returns the response that the request got before; nil if it did not come before.
    /// - Parameter guess: the password that the request holds, if it holds one: a request that differs from
    ///   the first one is then counted as a wrong password.
    /// - Throws: `.idempotencyKeyReused`; `.account(.throttled)` if a guess now would come too early.
    func response<Output>(
        to request: IdempotentRequest<Output>, counting guess: PasswordGuess? = nil
    ) async throws(SessionError) -> [UInt8]? {
        let record: IdempotencyRecord?
        do { record = try await store.idempotencyRecord(request.id) } catch {
            throw .storage(error)
        }
        guard let record, environment.now() < record.expiresAt else { return nil }
        guard let guess else { return try request.replay(record) }
        let response: [UInt8]?
        do throws(AccountError) {
            response = try accounts.counting(guess) { try? request.replay(record) }
        } catch {
            throw .account(error)
        }
        guard let response else { throw .idempotencyKeyReused }
        return response
    }

    /// Reads a session as the present app shows it.
    ///
    /// Where that is a fresh root, as the storyboard no longer has all that the session had, this is a
    /// change like any other: it is stored before anybody sees it.
    /// - Returns: nil if there is no such session.
    func load(
        _ id: SessionID
    ) async throws(SessionError) -> (snapshot: SessionSnapshot, version: RowVersion)? {
        let stored: StoredSession?
        do { stored = try await store.session(id) } catch { throw .storage(error) }
        guard let stored else { return nil }
        let (window, events) = Window.restore(stored.window, in: app)
        let snapshot = SessionSnapshot(stored, window)
        let now = environment.now()
        guard let events, now < stored.expiresAt else { return (snapshot, stored.version) }
        let changed = snapshot.with(window, expiresAt: max(stored.expiresAt, now + sessionTTL))
        let batch = WriteBatch(
            session: .update(.snapshot(changed), replacing: stored.version), events: events)
        do { try await store.commit(batch) } catch { throw SessionError(error) }
        return (changed, stored.version.next)
    }
}
