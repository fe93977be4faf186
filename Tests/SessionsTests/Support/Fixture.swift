import Navigation
import SessionStoreTesting
import TestSupport
import WaypostCore

@testable import Accounts
@testable import Sessions

/// A service whose store, clock and chance are the test's.
struct Fixture {
    static let sessionTTL = Duration.seconds(3600)
    static let credentialTTL = Duration.seconds(100 * 3600)

    let clock = TestEnvironment()
    let store: ScriptedStore
    let accounts: Accounts
    let service: SessionDependencies
    let directory: SessionDirectory
    let accountDirectory: AccountDirectory

    /// - Parameter hashingQueue: 0 makes each password that is to be hashed `.busy`.
    init(
        _ app: App, hashingQueue: Int = 100, sessionTTL: Duration = Self.sessionTTL,
        waitingLimit: Int = 1000, store: ScriptedStore? = nil,
        cacheCapacity: Int = 200_000
    ) throws {
        let store = try store ?? ScriptedStore()
        self.store = store
        // The least that libsodium takes: one pass over 8 KiB.
        let cost = PasswordHash.Cost(operations: 1, memory: 8192)
        let hasher = try PasswordHasher(
            cost: cost, threads: 2, limits: HashingThreads.Limits(total: hashingQueue))
        accounts = Accounts(
            store: store, hasher: hasher, environment: clock.environment,
            credentialTTL: Self.credentialTTL)
        service = SessionDependencies(
            app: app, accounts: accounts, store: store, environment: clock.environment,
            sessionTTL: sessionTTL, waitingLimit: waitingLimit)
        directory = SessionDirectory(service, cacheCapacity: cacheCapacity)
        accountDirectory = AccountDirectory(service)
    }

    /// A session at the root where the app starts, or at the app root for a user.
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

    /// Stores an account, as a sign-up in some other session does.
    func signUp(_ username: String, _ password: String) async throws {
        try await accountDirectory.add(username, password)
    }

    /// Stores a credential, as a log-in in some other session does.
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

    /// Whose the credential is.
    /// - Throws: the refusal of one that is no good.
    func username(of credential: Secret) async throws -> String {
        try await accounts.credential(credential.text).get().username.text
    }

    /// A session that has logged in with the password of an account, and its credential.
    func logIn(
        _ username: String, _ password: String
    ) async throws -> (session: Session, credential: Secret) {
        let session = try await open()
        guard let credential = try await session.logIn(username, password).value.credential else {
            throw CredentialRefusal.unknown
        }
        return (session, credential)
    }

    /// Who asks with a good credential.
    func holder(of credential: Secret) async throws -> AccountDirectory.AuthenticatedAccount {
        guard let holder = try await accountDirectory.authenticate(credential.text) else {
            throw CredentialRefusal.unknown
        }
        return holder
    }

    /// The same store, after the process was started anew.
    /// - Parameter app: another one than before; the same if nil.
    func restarted(_ app: App? = nil, cacheCapacity: Int = 100_000) -> SessionDirectory {
        SessionDirectory(restartedService(app), cacheCapacity: cacheCapacity)
    }

    func restartedService(_ app: App? = nil) -> SessionDependencies {
        SessionDependencies(
            app: app ?? service.app, accounts: accounts, store: store,
            environment: clock.environment, sessionTTL: service.sessionTTL,
            waitingLimit: service.waitingLimit)
    }
}

extension Session {
    /// - Throws: `.ended` if it is over.
    func record() async throws -> SessionSnapshot { try await current() }

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
    ) async throws(SessionError) -> Answered<ChangeResult> {
        try await perform(
            ChangeRequest(
                .perform(operation, animated: animated), if: precondition,
                idempotency: idempotency))
    }

    func logOut(
        if precondition: Precondition? = nil,
        idempotency: IdempotentRequest<ChangeResult>? = nil
    ) async throws(SessionError) -> Answered<ChangeResult> {
        try await perform(
            ChangeRequest(.logOut, if: precondition, idempotency: idempotency))
    }

    func push(_ scene: Scene.Name) async throws -> ChangeResult {
        try await perform(.push(scene), animated: true).value
    }

    /// All events, by number.
    func allEvents() async throws -> [LifecycleEvent] {
        try await events(after: 0, limit: .max).events
    }
}

extension SessionSnapshot {
    var scenes: [Scene.Name] { window.viewControllers.map(\.scene.name) }
    var revision: Int { window.revision }
}
