import Accounts
import AppDefinition
import HTTPCore
import Logs
import Sessions
import Synchronization
import WaypostAPI
import WaypostCore

/// The app that the service runs: everything that depends on the storyboard and the catalog. A
/// reload replaces the whole app. The sessions stay in the store, and the new app reads them from
/// there.
final class RunningApp: Sendable {
    /// The parts of the service that stay the same when a reload replaces the app.
    struct Service: Sendable {
        let store: any SessionStore
        let accounts: Accounts
        let environment: Environment
        let limits: RateLimits
        let maintenance: AdminAPI.Maintenance?
        let metrics = SessionMetrics()
        var sessionTTL = Duration.zero
        var waitingLimit = 0
        var idempotency = IdempotencyPolicy()
        var historyRetention = 0
        var cacheCapacity = 0
        var configuration = API.Configuration()
    }

    private struct Parts {
        let api: API
        let admin: AdminAPI
        let sessions: SessionDirectory
        let accounts: AccountDirectory
    }

    private let service: Service
    private let parts: Mutex<Parts>
    /// Handles the requests of clients.
    let handler: ReplaceableHandler
    /// Handles the requests of the operator's commands.
    let adminHandler: ReplaceableHandler

    var sessions: SessionDirectory { parts.withLock(\.sessions) }
    var accounts: AccountDirectory { parts.withLock(\.accounts) }

    init(_ data: AppData, _ service: Service) {
        let parts = Self.parts(data, service, replacing: nil)
        self.service = service
        handler = ReplaceableHandler(parts.api)
        adminHandler = ReplaceableHandler(parts.admin)
        self.parts = Mutex(parts)
    }

    private static func parts(
        _ data: AppData, _ service: Service, replacing old: API?
    ) -> Parts {
        let dependencies = SessionDependencies(
            app: data.app, accounts: service.accounts, store: service.store,
            environment: service.environment, sessionTTL: service.sessionTTL,
            waitingLimit: service.waitingLimit, idempotency: service.idempotency,
            historyRetention: service.historyRetention, metrics: service.metrics)
        let sessions = SessionDirectory(dependencies, cacheCapacity: service.cacheCapacity)
        let accounts = AccountDirectory(dependencies)
        return Parts(
            api: API(
                data, directory: sessions, accounts: accounts, limits: service.limits,
                store: service.store, configuration: service.configuration, replacing: old),
            admin: AdminAPI(
                service.maintenance, accounts: accounts, sessions: sessions,
                log: service.configuration.log,
                unknownOutcomes: service.configuration.unknownOutcomes),
            sessions: sessions, accounts: accounts)
    }

    /// Replaces the running app by the app in `data`.
    /// - Parameter limit: the maximum time to wait for the requests in progress.
    /// - Returns: false if requests are still in progress after that time. The old app then
    ///   continues.
    func replace(by data: AppData, within limit: Duration) async -> Bool {
        // The old app ends long replays of histories, for which the replacement would wait.
        let replaced = sessions
        replaced.stopReplays()
        defer { replaced.resumeReplays() }
        return await handler.replace(within: limit) {
            let old = parts.withLock(\.api)
            // The clients of these streams reconnect, and then reach the new app.
            old.endStreams()
            let new = Self.parts(data, service, replacing: old)
            parts.withLock { $0 = new }
            // The admin handler is replaced even while one of its requests is in progress: a long
            // request, such as a backup, does not depend on the app.
            await adminHandler.replace(within: .seconds(1), isForced: true) { new.admin }
            return new.api
        }
    }
}
