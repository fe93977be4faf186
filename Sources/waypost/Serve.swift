import Accounts
import ArgumentParser
import Foundation
import HTTPCore
import Logs
import Metrics
import MicrohttpdServer
import PostgresStore
import SQLiteStore
import ServiceLifecycle
import Sessions
import Sockets
import StoreCoding
import WaypostAPI
import WaypostCore

struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Serve sessions over HTTP.",
        discussion: """
            SIGTERM, SIGINT and SIGQUIT stop the service: it accepts no more requests, completes the \
            requests in progress within 30 seconds, and exits with 0. After SIGHUP, the service loads \
            the storyboard and the catalog again.
            """)

    // This property only declares the option. `EnvironmentOptions` reads the file and passes its
    // options to the parser, together with those of the environment.
    @Option(
        help: ArgumentHelp(
            "A YAML file that sets options, such as port: 9000.",
            discussion: "Environment variables take precedence over the file.", valueName: "file"))
    var config: String?

    @Option(help: "The host name or address on which the service listens.")
    var host = "127.0.0.1"

    @Option(
        help: """
            The port on which the service listens. With 0, the system chooses a free port, and the \
            service prints it.
            """)
    var port: UInt16 = 8080

    @OptionGroup var data: DataOptions

    @Option(
        help: ArgumentHelp(
            "A YAML or JSON file with accounts and sessions to add at the start, for tests.",
            valueName: "file"))
    var seed: String?

    @OptionGroup var logging: LogOptions

    @Option(
        help: ArgumentHelp(
            """
            Where the service keeps sessions and accounts: sqlite:FILE, memory (until the process \
            ends), or postgres://USER@HOST/DATABASE, which services on many machines can share.
            """, valueName: "store"))
    var store = StoreOption.sqlite(path: StoreOption.defaultPath)

    @Option(
        help: ArgumentHelp(
            """
            When the service sends the response to a change: after the change is on disk (full), or \
            at most 100 ms before (relaxed). With relaxed, a power failure can undo the change.
            """, valueName: "full|relaxed"))
    var durability = SQLiteStore.Durability.full

    @Option(
        name: .customLong("cors-origin"),
        help: ArgumentHelp(
            "An origin, such as https://app.example, whose web pages may use the service.",
            discussion: """
                The text must be exactly the one that browsers send in the Origin header field. \
                Repeat the option to name several origins. Default: none.
                """,
            valueName: "origin"))
    var corsOrigins: [String] = []

    @Option(help: "How many lifecycle events of each session the service keeps.")
    var eventRetention = 10_000

    @Option(
        help: ArgumentHelp(
            "How many changes the service keeps in the history of each session; 0 for no history.",
            valueName: "number"))
    var historyRetention = 10_000

    @Option(help: "How many sessions of 2 KB stay in memory while nobody uses them.")
    var cachedSessions = 200_000

    @Option(
        help: ArgumentHelp(
            "The time from a session's last change until it expires, such as 90s, 15m, 12h or 30d.",
            valueName: "duration"))
    var sessionTtl = DurationOption.days(30)

    @Option(
        help: ArgumentHelp(
            "How long the service keeps the response to a request with an Idempotency-Key.",
            valueName: "duration"))
    var idempotencyTtl = DurationOption(IdempotencyPolicy().lifetime)

    @Option(
        help: """
            How many requests of one session may have an Idempotency-Key within --idempotency-ttl.
            """)
    var maxIdempotencyKeys = IdempotencyPolicy().maximumRecords

    @Option(help: "How many changes of one session may wait while another change is in progress.")
    var maxWaiting = 1000

    @Option(
        help: ArgumentHelp(
            "Whether each worker thread stays on one processor.",
            discussion: "Use on only on a machine that runs nothing else.",
            valueName: "on|off"))
    var pinnedWorkers = OnOff.off

    @Option(
        help: ArgumentHelp(
            "Whether the service has a web page at /inspector that shows sessions.",
            valueName: "on|off"))
    var inspector = OnOff.on

    @OptionGroup var postgres: PostgresOptions

    @Option(
        help: ArgumentHelp(
            """
            How long /readyz responds with 503 before a service that is stopping refuses \
            connections, so that a proxy can notice the stop.
            """, valueName: "duration"))
    var drainDelay = DelayOption.none

    @OptionGroup var limits: LimitOptions

    @OptionGroup var streams: StreamOptions

    @OptionGroup var door: AccessOptions

    @Option(
        help: ArgumentHelp(
            "The path of the Unix socket for the operator's commands.",
            discussion: """
                Default: the path of the SQLite store's file with .socket added; no socket with \
                another store.
                """,
            valueName: "path"))
    var adminSocket: String?

    func validate() throws {
        for (name, value) in [
            ("event-retention", eventRetention), ("cached-sessions", cachedSessions),
            ("max-waiting", maxWaiting), ("max-idempotency-keys", maxIdempotencyKeys),
        ] where value < 1 {
            throw ValidationError("--\(name) must be 1 or more")
        }
        try checkRanges([("history-retention", historyRetention, 0...1_000_000_000)])
        for origin in corsOrigins where !CrossOriginPolicy.isOrigin(origin) {
            throw ValidationError(
                "--cors-origin \(origin): expected scheme://host or scheme://host:port")
        }
    }

    func run() async throws {
        // Without this line, a client that closes its connection would end the service.
        signal(SIGPIPE, SIG_IGN)
        let stop = StopSignal()
        let log = logging.makeLog(.system)
        defer { log.close() }
        let report = StartReport(logger: log.logger("waypost"), format: logging.format)
        do {
            try await serve(until: stop, log, report)
        } catch {
            report.fail(error)
            throw ExitCode(1)
        }
    }

    private func serve(
        until stop: StopSignal, _ log: Log, _ report: StartReport
    ) async throws {
        try limits.checkDescriptors(maxStreams: streams.maxStreams)
        let data = try self.data.files(storyboard: self.data.storyboard).load()
        report.warn(data.warnings)
        let seed = try self.seed.map { path throws(FileDefect) in try Seed(path: path) }
        let environment = Environment.system
        let metrics = ServiceMetrics(log: log)
        let (store, maintenance, warnings, storeMetrics) = try openStore(
            metrics.commits, environment)
        let accounts = Accounts(
            store: store, hasher: try PasswordHasher.interactive(metrics: metrics.hashing),
            environment: environment, credentialTTL: door.credentialTtl.duration,
            isSignUpOpen: door.signUp == .open, addressLogInLimit: door.logInLimit)
        var idempotency = IdempotencyPolicy()
        idempotency.lifetime = idempotencyTtl.duration
        idempotency.maximumRecords = maxIdempotencyKeys
        var configuration = Server.Configuration()
        configuration.allowedHosts = door.allowedHosts(listeningOn: host)
        configuration.threads = ProcessInfo.processInfo.activeProcessorCount
        configuration.pinsThreads = pinnedWorkers == .on
        var operation = API.Configuration()
        operation.streams = streams.apply(to: &configuration)
        operation.hasInspector = inspector == .on
        let limitWarning = limits.apply(to: &configuration, &operation.streams)
        operation.crossOrigin = CrossOriginPolicy(origins: corsOrigins)
        operation.version = Waypost.version
        operation.metrics =
            metrics.families + storeMetrics
            + LimitMetrics.families(
                configuration, operation.streams, cachedSessions: cachedSessions)
        operation.log = log
        operation.isAccessLogged = logging.accessLog == .on
        operation.seed = environment.random()
        var service = RunningApp.Service(
            store: store, accounts: accounts, environment: environment,
            limits: door.limits(environment), maintenance: maintenance)
        service.sessionTTL = sessionTtl.duration
        service.waitingLimit = maxWaiting
        service.idempotency = idempotency
        service.historyRetention = historyRetention
        service.cacheCapacity = cachedSessions
        service.configuration = operation
        let app = RunningApp(data, service)
        let seeded = try await seed?.apply(to: app.accounts, app.sessions)
        // The admin server starts before the service accepts clients; if it fails, the service does
        // not start.
        let admin = try startAdmin(app.adminHandler)
        let server: Server
        do {
            server = try Server(
                configuration, listener: .listen(host: host, port: port), handler: app.handler)
        } catch {
            admin?.stop(grace: 0)
            throw error
        }
        metrics.server.server = server
        let logger = log.logger("waypost")
        let ignored = IgnoredSignals(logger)
        defer { withExtendedLifetime(ignored) {} }
        for warning in warnings + [limitWarning].compactMap(\.self) { logger.warning("\(warning)") }
        if let seeded {
            logger.notice(
                "seeded",
                metadata: [
                    "accounts": .stringConvertible(seeded.accounts),
                    "sessions": .stringConvertible(seeded.sessions),
                    "present": .stringConvertible(seeded.present),
                ])
        }
        let address = "http://\(host.contains(":") ? "[\(host)]" : host):\(server.port)"
        printOutput(
            """
            Waypost serves \(data.app.storyboard.name.printableLine) at \(address) \
            (\(inspector == .on ? "open it in a browser; " : "")stop with Ctrl-C)
            """)
        logger.notice(
            "started",
            metadata: [
                "version": "\(Waypost.version)", "port": .stringConvertible(server.port),
                "storyboard": "\(data.app.storyboard.name)", "data": "\(data.summary)",
            ])
        // The group stops its services in reverse order, and waits for each to end before it stops
        // the next.
        var services: [ServiceGroupConfiguration.ServiceConfiguration] = [
            .init(service: Purge(store: store, environment: environment, logger: logger)),
            .init(
                service: Reloading(
                    signals: stop.reloads, files: self.data.files(storyboard: self.data.storyboard),
                    app: app, logger: logger)),
            .init(service: RefusedLogIns(accounts: accounts, logger: logger)),
        ]
        if let admin { services.append(.init(service: ServerService(server: admin, grace: 1000))) }
        services.append(.init(service: ServerService(server: server, grace: 30_000)))
        services.append(
            .init(
                service: Draining(
                    signal: stop, readiness: operation.readiness, app: app,
                    delay: drainDelay.duration, logger: logger),
                successTerminationBehavior: .gracefullyShutdownGroup))
        try await ServiceGroup(
            configuration: .init(services: services, logger: log.logger("waypost.services"))
        ).run()
        await store.close()
        logger.notice("stopped")
    }

    private typealias OpenedStore = (
        any SessionStore, AdminAPI.Maintenance?, warnings: [String], metrics: [Family]
    )

    private func openStore(
        _ metrics: CommitMetrics, _ environment: Environment
    ) throws -> OpenedStore {
        switch store {
        case .memory: return (MemoryStore(eventRetention: eventRetention), nil, [], [])
        case .sqlite(let path): return try openFile(path, metrics, environment)
        case .postgres(let url):
            let metrics = PostgresMetrics(commits: metrics)
            let store = try postgres.open(
                url, isRelaxed: durability == .relaxed, eventRetention: eventRetention,
                environment, metrics)
            let families = metrics.families { [weak store] in store?.waitingCount }
            return (store, nil, [], families)
        }
    }

    private func openFile(
        _ path: String, _ metrics: CommitMetrics, _ environment: Environment
    ) throws -> OpenedStore {
        let folder = URL(filePath: path).deletingLastPathComponent()
        do {
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: true)
        } catch {
            let cause = (error as? CocoaError)?.underlying ?? error
            throw StartFailure(
                description: "the folder \(folder.path) for the store cannot be created: "
                    + cause.localizedDescription)
        }
        let store = try SQLiteStore(
            path: path, durability: durability, eventRetention: eventRetention,
            metrics: metrics)
        let lastBackup = Gauge()
        let maintenance = AdminAPI.Maintenance(
            backup: { (path) async throws(StorageError) in
                try await store.backup(to: path)
                lastBackup.set(environment.now().milliseconds / 1000)
            },
            check: { () async throws(StorageError) in
                let report = try await store.check()
                return AdminAPI.Report(
                    store: URL(filePath: path).standardizedFileURL.path, summary: report.summary,
                    defects: report.defects)
            })
        let families: [Family] = [
            .gauge(
                "waypost_last_backup_timestamp_seconds",
                "End of the last backup of this process, since 1970-01-01; 0 before the first one.",
                lastBackup)
        ]
        return (store, maintenance, store.warnings, families)
    }

    /// Starts the server for the operator's commands on the admin socket. By default the socket is
    /// beside the file of the store, where the commands look for it.
    /// - Returns: nil if no socket is named and the store is not a file.
    private func startAdmin(_ handler: ReplaceableHandler) throws -> Server? {
        var path = adminSocket
        if path == nil, case .sqlite(let file) = store { path = StoreOption.socket(of: file) }
        guard let path else { return nil }
        var configuration = Server.Configuration()
        configuration.threads = 1
        // A backup or a check of a large store takes a long time.
        configuration.responseTimeout = .seconds(24 * 3600)
        return try Server(configuration, listener: .listen(path: path), handler: handler)
    }
}

enum OnOff: String, ExpressibleByArgument, CaseIterable {
    case on, off
}

extension SQLiteStore.Durability: ExpressibleByArgument {}
