import AppDefinition
import AppLoading
import Foundation
import HTTPCore
import MicrohttpdServer
import NavigationRules
import SessionStoreTesting
import Sessions
import TestSupport
import WaypostAPI
import WaypostCore

/// A complete service on a free port, configured like that of `waypost serve`. The service stops
/// when the last reference to it is released.
package final class TestService: Sendable {
    package let api: API
    package let accounts: AccountDirectory
    package let directory: SessionDirectory
    package let sessions: SessionDependencies
    /// The catalog of a service whose storyboard has no data of its own.
    package var catalog: Catalog {
        guard let servedCatalog else { preconditionFailure("the storyboard has data of its own") }
        return servedCatalog
    }
    private let servedCatalog: Catalog?
    package let store: any SessionStore
    package let base: URL
    private let server: Server
    /// The folder of the store if this service has created the store; nil otherwise.
    private let folder: TemporaryFolder?

    /// The built-in Library, which most tests serve.
    private static let library = Result { try AppFiles().load() }

    /// Starts a service.
    /// - Parameters:
    ///   - storyboard: the path of a storyboard; nil for that of the built-in Library.
    ///   - store: the store; nil for a new one of the current `StoreKind`.
    ///   - environment: the clock and random numbers; nil for those of the system.
    ///   - hasher: the password hasher; nil for one with the minimum cost.
    ///   - sessionQuota: the quota for sessions; 0 for no limit, as for the other quotas.
    package init(
        storyboard: String? = nil, catalog: String? = nil, importOptions: String? = nil,
        store: (any SessionStore)? = nil, environment: Environment? = nil,
        hasher: PasswordHasher? = nil, isSignUpOpen: Bool = true, trustedProxies: [Network] = [],
        sessionQuota: Int = 0, signUpQuota: Int = 0,
        idempotency: IdempotencyPolicy = IdempotencyPolicy(), historyRetention: Int = 10_000,
        configuration: API.Configuration = API.Configuration()
    ) throws {
        let data: LoadedApp
        if storyboard == nil, catalog == nil {
            data = try Self.library.get()
        } else {
            var files = AppFiles(catalog: catalog, storyboard: storyboard)
            files.xcode.options = importOptions
            data = try files.load()
        }
        servedCatalog = data.catalog
        if let store {
            self.store = store
            folder = nil
        } else {
            let folder = try TemporaryFolder()
            self.store = try StoreKind.current.makeStore(in: folder)
            self.folder = folder
        }
        let store = self.store
        let environment = environment ?? .system
        let accounts = Accounts(
            store: store, hasher: try hasher ?? .minimal(threads: 2), environment: environment,
            isSignUpOpen: isSignUpOpen)
        let service = SessionDependencies(
            app: data.app, accounts: accounts, store: store, environment: environment,
            idempotency: idempotency, historyRetention: historyRetention)
        sessions = service
        self.accounts = AccountDirectory(service)
        directory = SessionDirectory(service)
        api = API(
            data, directory: directory, accounts: self.accounts,
            limits: RateLimits(
                trustedProxies: trustedProxies, sessionQuota: sessionQuota,
                signUpQuota: signUpQuota, environment: environment),
            store: store, configuration: configuration)
        var limits = Server.Configuration()
        // Tests share few processors, so that a response can take any time.
        limits.responseTimeout = .seconds(3600)
        server = try Server(
            limits, listener: .listen(host: "127.0.0.1", port: 0), handler: api)
        guard let base = URL(string: "http://127.0.0.1:\(server.port)") else {
            preconditionFailure("a number is a port")
        }
        self.base = base
    }

    deinit {
        server.stop(grace: 1000)
    }
}

extension Environment {
    fileprivate static let system = Environment(
        now: { Timestamp(clock: Date().timeIntervalSince1970) },
        random: { .random(in: 0...UInt64.max) })
}
