import Accounts
import Foundation
import HTTPCore
import Library
import MicrohttpdServer
import Navigation
import Sessions
import WaypostAPI

/// A whole service on a port that the system picks, as `waypost serve` wires it. Ends with the last
/// reference.
public final class TestService: Sendable {
    public let api: API
    public let catalog: Catalog
    public let base: URL
    private let server: Server

    /// - Parameters:
    ///   - storyboard: a file; the built-in Library's if nil.
    ///   - sessionQuota: 0 for no limit, and so for the others.
    public init(
        storyboard: String? = nil, catalog: String? = nil,
        store: any SessionStore = MemoryStore(), trustedProxies: [Network] = [],
        sessionQuota: Int = 0, signUpQuota: Int = 0,
        configuration: API.Configuration = API.Configuration()
    ) throws {
        let data = try AppFiles(catalog: catalog, storyboard: storyboard).load()
        self.catalog = data.catalog
        let environment = Environment.system
        let accounts = Accounts(
            store: store, hasher: try PasswordHasher.interactive(), environment: environment)
        let service = SessionService(
            app: data.app, accounts: accounts, store: store, environment: environment)
        api = API(
            data, directory: SessionDirectory(service), accounts: AccountDirectory(service),
            limits: ClientLimits(
                trustedProxies: trustedProxies, sessionQuota: sessionQuota,
                signUpQuota: signUpQuota, environment: environment),
            store: store, configuration: configuration)
        var socket = Server.Configuration()
        socket.port = 0
        server = try Server(socket, handler: api)
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
        now: { Timestamp(milliseconds: Int(Date().timeIntervalSince1970 * 1000)) },
        random: { .random(in: 0...UInt64.max) })
}
