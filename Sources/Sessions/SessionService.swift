import Accounts
import Navigation

/// What all sessions work with. A class: each of them has it.
public final class SessionService: Sendable {
    public let app: App
    public let accounts: Accounts
    public let store: any SessionStore
    /// The store, if it never has to wait.
    let immediateStore: (any ImmediateSessionStore)?
    /// The store, if it calls back.
    let notifyingStore: (any NotifyingSessionStore)?
    public let environment: Environment
    /// How long a session lives after its last change.
    public let sessionTTL: Duration
    /// How many changes of one session may wait for their turn.
    public let waitingLimit: Int
    let idempotency: IdempotencyPolicy
    let revocations = RevocationLog()

    public init(
        app: App, accounts: Accounts, store: any SessionStore, environment: Environment,
        sessionTTL: Duration = .seconds(30 * 24 * 3600), waitingLimit: Int = 1000,
        idempotency: IdempotencyPolicy = IdempotencyPolicy()
    ) {
        self.app = app
        self.accounts = accounts
        self.store = store
        immediateStore = store as? any ImmediateSessionStore
        notifyingStore = store as? any NotifyingSessionStore
        self.environment = environment
        self.sessionTTL = sessionTTL
        self.waitingLimit = waitingLimit
        self.idempotency = idempotency
    }

    /// The answer that the request got before, if it came before.
    /// - Parameter guess: whose password the request holds, if it holds one: that it differs from the
    ///   first request is then counted as a wrong password.
    /// - Throws: `.idempotencyKeyReused`; `.account(.throttled)` if a guess now would come too early.
    func answer<Result>(
        to attempt: Attempt<Result>, counting guess: PasswordGuess? = nil
    ) async throws(SessionError) -> [UInt8]? {
        let record: IdempotencyRecord?
        do { record = try await store.idempotencyRecord(attempt.id) } catch {
            throw .storage(error)
        }
        guard let record, environment.now() < record.expiresAt else { return nil }
        guard let guess else { return try attempt.replay(record) }
        let answer: [UInt8]?
        do throws(AccountError) {
            answer = try accounts.counting(guess) { try? attempt.replay(record) }
        } catch {
            throw .account(error)
        }
        guard let answer else { throw .idempotencyKeyReused }
        return answer
    }
}
