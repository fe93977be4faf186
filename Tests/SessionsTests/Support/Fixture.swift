import NavigationRules
import SessionStoreTesting
import TestSupport
import WaypostCore

@testable import Sessions

/// Returns a precondition that allows only changes of this revision.
func revision(_ number: Int) -> Precondition {
    { $0.window.revision == number ? nil : "" }
}

/// A service with a scripted store, and with a clock and random numbers that the test controls.
struct Fixture {
    static let sessionTTL = Duration.seconds(3600)
    static let credentialTTL = Duration.seconds(100 * 3600)

    let clock = TestEnvironment()
    let store: ScriptedStore
    let accounts: Accounts
    let service: SessionDependencies
    let directory: SessionDirectory
    let accountDirectory: AccountDirectory

    /// - Parameter hashingQueue: the places in the queue; with 0 each password to hash fails as
    ///   `.passwordsBusy`.
    init(
        _ app: App, hashingQueue: Int = 100, sessionTTL: Duration = Self.sessionTTL,
        waitingLimit: Int = 1000, store: ScriptedStore? = nil,
        cacheCapacity: Int = 200_000, historyRetention: Int = 10_000
    ) throws {
        let store = try store ?? ScriptedStore()
        self.store = store
        // libsodium's minimum: one pass over 8 KiB.
        let cost = PasswordHash.Cost(operations: 1, memory: 8192)
        let hasher = try PasswordHasher(
            cost: cost, threads: 2, limits: WorkLimits(total: hashingQueue))
        accounts = Accounts(
            store: store, hasher: hasher, environment: clock.environment,
            credentialTTL: Self.credentialTTL)
        service = SessionDependencies(
            app: app, accounts: accounts, store: store, environment: clock.environment,
            sessionTTL: sessionTTL, waitingLimit: waitingLimit, historyRetention: historyRetention)
        directory = SessionDirectory(service, cacheCapacity: cacheCapacity)
        accountDirectory = AccountDirectory(service)
    }

    /// Opens a session. It shows the app's first root, or the app root if a user is named.
    func open(for username: String? = nil) async throws -> Session {
        var credential: Secret?
        if let username {
            credential = try await issueCredential(to: username)
        }
        let (record, token) = try await directory.opened(credential: credential?.text)
        guard let session = try await directory.session(record.id, token: token.hash) else {
            throw SessionError.ended
        }
        return session
    }

    /// Stores an account, like a sign-up in another session.
    func signUp(_ username: String, _ password: String) async throws {
        try await accountDirectory.add(username, password)
    }

    /// Stores a credential, like a log-in in another session.
    func issueCredential(to username: String) async throws -> Secret {
        let account = Account(
            username: try Username(username), password: PasswordHash(text: ""),
            createdAt: clock.now)
        let (secret, credential) = accounts.makeCredential(
            for: account, session: "another session")
        var batch = WriteBatch()
        batch.newCredential = credential
        try await store.base.commit(batch)
        return secret
    }

    /// The credential as the store has it; nil if it is gone.
    func stored(_ credential: Secret) async throws -> Credential? {
        try await store.base.credential(credential.hash)
    }

    /// Returns the username of a credential.
    /// - Throws: the reason if the credential is invalid.
    func username(of credential: Secret) async throws -> String {
        try await accounts.credential(credential.text).get().username.text
    }

    /// Opens a session and logs in with an account's password.
    func logIn(
        _ username: String, _ password: String
    ) async throws -> (session: Session, credential: Secret) {
        let session = try await open()
        guard let credential = try await session.logIn(username, password).value.credential else {
            throw CredentialRefusal.unknown
        }
        return (session, credential)
    }

    /// Authenticates a valid credential.
    func holder(of credential: Secret) async throws -> AccountDirectory.AuthenticatedAccount {
        guard let holder = try await accountDirectory.authenticate(credential.text) else {
            throw CredentialRefusal.unknown
        }
        return holder
    }

    /// Makes a new directory on the same store, as after a restart of the process.
    /// - Parameter app: the app after the restart; nil for the same app.
    func restarted(_ app: App? = nil, cacheCapacity: Int = 100_000) -> SessionDirectory {
        SessionDirectory(restartedService(app), cacheCapacity: cacheCapacity)
    }

    func restartedService(
        _ app: App? = nil, historyRetention: Int = 10_000, replacing old: SessionDependencies? = nil
    ) -> SessionDependencies {
        SessionDependencies(
            app: app ?? service.app, accounts: accounts, store: store,
            environment: clock.environment, sessionTTL: service.sessionTTL,
            waitingLimit: service.waitingLimit, historyRetention: historyRetention,
            replacing: old)
    }
}

extension Session {
    /// Returns the last stored state.
    /// - Throws: `.ended` if the session has ended or expired.
    nonisolated func current() async throws(SessionError) -> SessionState {
        try await withCompletion(read)
    }

    func record() async throws -> SessionState { try await current() }

    nonisolated func perform(
        _ request: ChangeRequest
    ) async throws(SessionError) -> IdempotentResult<ChangeResult> {
        try await withCompletion { perform(request, completion: $0) }
    }

    nonisolated func signUp(
        _ username: String, _ password: String, from client: String? = nil,
        if precondition: Precondition? = nil, idempotency: IdempotentRequest<ChangeResult>? = nil
    ) async throws(SessionError) -> IdempotentResult<ChangeResult> {
        let request = LogInRequest(
            .signUp, username, password, from: client, if: precondition, idempotency: idempotency)
        return try await withCompletion { logIn(request, completion: $0) }
    }

    nonisolated func logIn(
        _ username: String, _ password: String, from client: String? = nil,
        if precondition: Precondition? = nil, idempotency: IdempotentRequest<ChangeResult>? = nil
    ) async throws(SessionError) -> IdempotentResult<ChangeResult> {
        let request = LogInRequest(
            .logIn, username, password, from: client, if: precondition, idempotency: idempotency)
        return try await withCompletion { logIn(request, completion: $0) }
    }

    var isOver: Bool {
        get async throws {
            do {
                _ = try await current()
                return false
            } catch SessionError.ended {
                return true
            }
        }
    }

    func perform(
        _ operation: Operation, animated: Bool = true, if precondition: Precondition? = nil,
        idempotency: IdempotentRequest<ChangeResult>? = nil
    ) async throws(SessionError) -> IdempotentResult<ChangeResult> {
        try await perform(
            ChangeRequest(
                .perform(operation, animated: animated), if: precondition,
                idempotency: idempotency))
    }

    func logOut(
        if precondition: Precondition? = nil,
        idempotency: IdempotentRequest<ChangeResult>? = nil
    ) async throws(SessionError) -> IdempotentResult<ChangeResult> {
        try await perform(
            ChangeRequest(.logOut, if: precondition, idempotency: idempotency))
    }

    func push(_ scene: Scene.Name) async throws -> ChangeResult {
        try await perform(.push(scene), animated: true).value
    }

    /// Returns all events of the session, in order.
    func allEvents() async throws -> [LifecycleEvent] {
        try await history.events(after: 0, limit: .max).page.events
    }
}

extension SessionState {
    var scenes: [Scene.Name] { window.viewControllers.map(\.scene.name) }
    var revision: Int { window.revision }
}
