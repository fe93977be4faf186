import HTTPCore
import JSON
import NavigationRules
import Sessions
import Synchronization
import WaypostAPI
import WaypostCore

/// The objects that all flows (scripted tests) of one app share when they run in this process.
package final class LocalApp: Sendable {
    let app: App
    let coder: OperationCoder
    let hasher: PasswordHasher

    /// Creates the shared objects for an app.
    /// - Throws: an error if there is not enough memory for a password hasher.
    package convenience init(_ app: App) throws { self.init(app, try .minimal()) }

    private init(_ app: App, _ hasher: PasswordHasher) {
        self.app = app
        coder = OperationCoder(app)
        self.hasher = hasher
    }

    /// Returns the app with the rules of a version of iOS, and with all callbacks.
    /// - Parameter uikit: the version; nil for that of the storyboard.
    func loggingAllCallbacks(in uikit: UIKitVersion?) -> LocalApp {
        let storyboard = app.storyboard
        return LocalApp(
            App(
                storyboard: storyboard.loggingAllCallbacks(in: uikit ?? storyboard.uikit),
                dataSource: app.dataSource, limits: app.limits, digest: app.digest),
            hasher)
    }
}

/// Runs a flow (a scripted test) in this process, without HTTP. Each flow has its own store in
/// memory, its own clock and its own accounts.
package final class LocalDriver: FlowDriver {
    private let shared: LocalApp
    private let dependencies: SessionDependencies
    private let accounts: AccountDirectory
    private var directory: SessionDirectory
    private var live: Session
    private var token: Secret
    private var snapshot: SessionState
    private var credential: Secret?
    /// Records the parts of the storyboard that the flow uses; nil to measure no coverage.
    private let coverage: Coverage?

    /// The window after the last operation.
    var window: Window { snapshot.window }
    var app: App { shared.app }

    package var sceneNames: [String] { Array(shared.app.storyboard.scenes.keys) }

    /// Opens a session.
    /// - Parameter account: the new account of the user who is logged in from the start; nil for
    ///   none.
    package init(
        _ shared: LocalApp, lifecycle: LifecycleOrder?, isStrict: Bool?,
        flags: [String: Bool] = [:], account: Step.AccountName? = nil, coverage: Coverage? = nil
    ) async throws {
        self.shared = shared
        self.coverage = coverage
        let store = MemoryStore()
        let environment = CountedEnvironment().environment
        dependencies = SessionDependencies(
            app: shared.app,
            accounts: Accounts(
                store: store, hasher: shared.hasher, environment: environment,
                addressLogInLimit: 0),
            store: store, environment: environment)
        accounts = AccountDirectory(dependencies)
        directory = SessionDirectory(dependencies, cacheCapacity: 1)
        let answered: IdempotentResult<SessionDirectory.Opened>
        do throws(SessionError) {
            if let account {
                try await accounts.add(account.username, account.password)
                credential = try await accounts.issueCredential(to: account.username)
            }
            answered = try await directory.open(
                credential: credential?.text, lifecycle: lifecycle, isStrict: isStrict,
                flags: flags)
        } catch {
            let reason = OperationCoder.problem(error).detail
            throw FlowFailure("the session could not be opened: \(reason)")
        }
        guard case .fresh(let opened) = answered,
            let session = try await directory.session(
                opened.session.id, token: opened.token.hash)
        else { throw FlowFailure("the session could not be opened") }
        token = opened.token
        snapshot = opened.session
        live = session
        coverage?.start(snapshot.window, in: shared.app)
    }

    // MARK: Operations

    package func perform(_ operation: String, _ body: JSONObject) async throws -> Answer {
        do {
            let (decoded, animated) = try OperationCoder.decode(operation, body)
            return await change(decoded, animated: animated)
        } catch {
            return Answer(error)
        }
    }

    private func change(_ operation: Operation, animated: Bool?) async -> Answer {
        await answer(operation) {
            $0.perform(ChangeRequest(.perform(operation, animated: animated)), completion: $1)
        }
    }

    private func answer(
        _ operation: Operation,
        _ change: (Session, @escaping Session.Completion<IdempotentResult<ChangeResult>>) -> Void
    ) async -> Answer {
        do throws(SessionError) {
            guard case .fresh(let result) = try await withCompletion({ change(live, $0) }) else {
                return Answer()
            }
            coverage?.note(operation, from: snapshot.window, to: result.session.window, shared.app)
            snapshot = result.session
            if let credential = result.credential { self.credential = credential }
            return Answer(change: { [coder = shared.coder] in
                try JSONValue(parsing: coder.change(result), maximumDepth: 32)
            })
        } catch {
            return Answer(OperationCoder.problem(error))
        }
    }

    // MARK: Accounts

    package func makeAccount(_ username: String, _ password: String) async throws {
        guard app.storyboard.loginScene != nil else {
            throw FlowFailure("the app has no log-in: remove `accounts` from the flow")
        }
        do throws(SessionError) { try await accounts.add(username, password) } catch {
            throw FlowFailure("the account \(username): \(OperationCoder.problem(error).detail)")
        }
    }

    package func logIn(_ username: String, _ password: String) async throws -> Answer {
        await answer(Operation(LogIn(username: username))) {
            $0.logIn(LogInRequest(.logIn, username, password), completion: $1)
        }
    }

    package func signUp(_ username: String, _ password: String) async throws -> Answer {
        await answer(Operation(LogIn(username: username, isSignUp: true))) {
            $0.logIn(LogInRequest(.signUp, username, password), completion: $1)
        }
    }

    package func logOut() async throws -> Answer {
        await answer(Operation(LogOut())) { $0.perform(ChangeRequest(.logOut), completion: $1) }
    }

    package func revoke() async throws {
        guard let credential, let holder = try await accounts.authenticate(credential.text) else {
            throw FlowFailure("no user is logged in, so that there is no credential to revoke")
        }
        _ = try await accounts.revoke(holder.credential.id, of: holder)
    }

    package func restart() async throws {
        directory = SessionDirectory(dependencies, cacheCapacity: 1)
        guard let session = try await directory.session(live.id, token: token.hash) else {
            throw FlowFailure("the store has lost the session")
        }
        live = session
    }

    package func fork() async throws {
        guard case .fresh(let opened) = try await directory.fork(live, at: nil),
            let session = try await directory.session(
                opened.session.id, token: opened.token.hash)
        else { throw FlowFailure("the session could not be forked") }
        (live, token, snapshot) = (session, opened.token, opened.session)
    }

    /// Nothing stays of the session, which is in this process alone.
    package func end() async {}

    // MARK: Reading

    package func session() async throws -> JSONValue {
        snapshot = try await withCompletion(live.read)
        return try JSONValue(parsing: shared.coder.session(snapshot), maximumDepth: 32)
    }

    package func layers() async throws -> JSONValue {
        snapshot = try await withCompletion(live.read)
        return try JSONValue(parsing: shared.coder.layers(snapshot), maximumDepth: 32)
    }

    package func screen(limit: Int) async throws -> JSONValue {
        snapshot = try await withCompletion(live.read)
        let screen = shared.coder.screen(snapshot, rows: 0..<limit)
        return try JSONValue(parsing: screen, maximumDepth: 32)
    }

    package func rowTitles() async throws -> [String] {
        snapshot = try await withCompletion(live.read)
        return snapshot.window.rows(0..<Int.max, in: shared.app).map(\.title)
    }
}

/// A clock and random numbers that are the same for each flow. The clock starts at a fixed time and
/// advances by one millisecond each time that it is read.
private final class CountedEnvironment: Sendable {
    private let time = Atomic(1_767_225_600_000)
    private let numbers = Atomic<UInt64>(0)

    var environment: Environment {
        Environment(
            now: { Timestamp(milliseconds: self.time.add(1, ordering: .relaxed).oldValue) },
            random: {
                splitMix64(self.numbers.add(1, ordering: .relaxed).newValue, seed: 1)
            })
    }
}
