import Accounts
import Navigation

@testable import Accounts
@testable import Sessions

/// A service whose store, clock and chance are the test's.
struct Fixture {
    static let sessionTTL = Duration.seconds(3600)

    let clock = TestEnvironment()
    let store = TestStore()
    let accounts: Accounts
    let service: SessionService
    let directory: SessionDirectory

    /// - Parameter hashingQueue: 0 makes each password that is to be hashed `.busy`.
    init(_ app: App, hashingQueue: Int = 100) throws {
        // The least that libsodium takes: one pass over 8 KiB.
        let cost = PasswordHash.Cost(operations: 1, memory: 8192)
        let hasher = try PasswordHasher(cost: cost, threads: 2, queueLimit: hashingQueue)
        accounts = Accounts(
            hasher: hasher, environment: clock.environment, credentialTTL: .seconds(60))
        service = SessionService(
            app: app, accounts: accounts, store: store, environment: clock.environment,
            sessionTTL: Self.sessionTTL)
        directory = SessionDirectory(service)
    }

    /// A session at the root where the app starts, or at the app root for a user.
    func open(for username: String? = nil) async throws -> Session {
        var credential: Secret?
        if let username {
            credential = accounts.issueCredential(to: try Username(username)).secret
        }
        let (record, token) = try await directory.open(credential: credential?.text)
        guard let session = try await directory.session(record.id, token: token) else {
            throw SessionError.ended
        }
        return session
    }

    /// The same store, after the process was started anew.
    func restarted() -> SessionDirectory {
        SessionDirectory(service)
    }
}

extension Session {
    /// - Throws: `.ended` if it is over.
    func record() throws -> SessionRecord {
        guard let record = current() else { throw SessionError.ended }
        return record
    }

    func push(_ scene: Scene.Name) async throws(SessionError) -> Change {
        try await perform(.push(scene), animated: true)
    }

    /// All events, by number.
    func allEvents() async throws -> [LifecycleEvent] {
        try await events(after: 0, limit: .max)
    }
}

extension SessionRecord {
    var scenes: [Scene.Name] { window.viewControllers.map(\.scene.name) }
    var revision: Int { window.revision }
}
