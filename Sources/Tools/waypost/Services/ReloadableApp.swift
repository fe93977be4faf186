import AppDefinition
import AppLoading
import HTTPCore
import Logging
import Sessions
import Synchronization
import WaypostAPI
import WaypostCore

/// The app that the service runs: everything that depends on the storyboard and the catalog. A
/// reload replaces the whole app. The sessions stay in the store, and the new app reads them from
/// there.
final class ReloadableApp: Sendable {
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
        let data: LoadedApp
        let dependencies: SessionDependencies
        let api: API
        let admin: AdminAPI
        let sessions: SessionDirectory
        let accounts: AccountDirectory
        /// Ends when the apps before this one carry out no request any more.
        var predecessors: Task<Void, Never>?
    }

    private let service: Service
    private let parts: Mutex<Parts>
    /// Handles the requests of clients.
    let handler: ReplaceableHandler
    /// Handles the requests of the operator's commands.
    let adminHandler: ReplaceableHandler

    var sessions: SessionDirectory { parts.withLock(\.sessions) }
    var accounts: AccountDirectory { parts.withLock(\.accounts) }

    init(_ data: LoadedApp, _ service: Service) {
        let parts = Self.parts(data, service, replacing: nil)
        self.service = service
        handler = ReplaceableHandler(parts.api)
        adminHandler = ReplaceableHandler(parts.admin)
        self.parts = Mutex(parts)
    }

    private static func parts(
        _ data: LoadedApp, _ service: Service, replacing old: Parts?
    ) -> Parts {
        let dependencies = SessionDependencies(
            app: data.app, accounts: service.accounts, store: service.store,
            environment: service.environment, sessionTTL: service.sessionTTL,
            waitingLimit: service.waitingLimit, idempotency: service.idempotency,
            historyRetention: service.historyRetention, metrics: service.metrics,
            replacing: old?.dependencies)
        let sessions = SessionDirectory(dependencies, cacheCapacity: service.cacheCapacity)
        let accounts = AccountDirectory(dependencies)
        return Parts(
            data: data, dependencies: dependencies,
            api: API(
                data, directory: sessions, accounts: accounts, limits: service.limits,
                store: service.store, configuration: service.configuration, replacing: old?.api),
            admin: AdminAPI(
                service.maintenance, accounts: accounts, sessions: sessions,
                log: service.configuration.log,
                unknownOutcomes: service.configuration.unknownOutcomes),
            sessions: sessions, accounts: accounts)
    }

    /// Replaces the running app by one that knows none of its sessions, after the store was emptied,
    /// and forgets the wrong passwords.
    func startAfresh() {
        service.accounts.forgetWrongPasswords()
        parts.withLock { parts in
            let old = parts
            parts = Self.parts(old.data, service, replacing: nil)
            _ = (handler.replace(by: parts.api), adminHandler.replace(by: parts.admin))
            old.api.endStreams(areDeleted: true)
        }
    }

    /// Loads the files of the app again, and replaces the running app. If a file has a defect, logs
    /// it, and keeps the running app. Blocks the thread until the files are read.
    func reload(_ files: AppFiles, _ logger: Logger) {
        let data: LoadedApp
        do {
            data = try files.load()
        } catch {
            logger.error(
                "the files cannot be loaded, and the service continues with the old app",
                metadata: [
                    "cause": "\(error.defects.first?.description ?? "unknown")",
                    "defects": .stringConvertible(error.defects.count),
                ])
            return
        }
        for warning in data.warnings.prefix(100) { logger.warning("\(warning)") }
        replace(by: data)
        logger.notice(
            "reloaded",
            metadata: [
                "storyboard": "\(data.app.storyboard.name)", "data": "\(data.summary)",
            ])
    }

    /// Replaces the running app by the app in `data`. Later requests reach the new app at once, and
    /// the old one completes its requests in progress.
    func replace(by data: LoadedApp) {
        parts.withLock { parts in
            let old = parts
            parts = Self.parts(data, service, replacing: old)
            let requests = [
                handler.replace(by: parts.api), adminHandler.replace(by: parts.admin),
            ]
            // The clients of these streams reconnect, and then reach the new app.
            old.api.endStreams()
            let sessions = parts.sessions
            parts.predecessors = Task {
                await old.predecessors?.value
                for group in requests { await group.end() }
                sessions.noteEndOfPredecessor()
            }
        }
    }
}
