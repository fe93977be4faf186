import ArgumentParser
import Flows
import Foundation
import HTTPCore
import MicrohttpdServer
import Sessions
import Sockets
import WaypostAPI
import WaypostCore

struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Serve sessions over HTTP.",
        discussion: """
            SIGTERM, SIGINT and SIGQUIT stop the service: it accepts no more requests, completes the \
            requests in progress within 30 seconds, and exits with 0. After SIGHUP, the service loads \
            the storyboard and the catalog again.

            --help-hidden also lists the options that are rarely used; docs/options.md describes all.
            """)

    @OptionGroup(title: "Service") var listening: ListenOptions

    @OptionGroup(title: "App") var data: DataOptions

    @OptionGroup(title: "Store") var storage: StoreOptions

    @OptionGroup(title: "Sessions") var sessions: SessionOptions

    @OptionGroup(title: "Access") var access: AccessOptions

    @OptionGroup(title: "Log") var logging: LogOptions

    @OptionGroup(title: "Limits") var limits: LimitOptions

    @OptionGroup(title: "Limits") var streams: StreamOptions

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
            throw ExitStatus.couldNotRun
        }
    }

    private func serve(
        until stop: StopSignal, _ log: Log, _ report: StartReport
    ) async throws {
        try limits.checkDescriptors(maxStreams: streams.maxStreams)
        if self.data.storyboard == nil { try self.data.xcode.refuse(notImporting: nil) }
        let data = try self.data.files(storyboard: self.data.storyboard).load()
        report.warn(data.warnings)
        let seed = try sessions.seed.map { path throws(FileDefect) in try Seed(path: path) }
        let clock = listening.testClock ? TestClock(.system) : nil
        let environment = clock?.environment ?? .system
        let metrics = ServiceMetrics(log: log)
        let (store, maintenance, storeMetrics) = try storage.open(
            metrics.commits, environment)
        let accounts = Accounts(
            store: store, hasher: try PasswordHasher.interactive(metrics: metrics.hashing),
            environment: environment, credentialTTL: access.credentialTtl.duration,
            isSignUpOpen: access.signUp == .open,
            addressLogInLimit: access.maxWrongPasswordsPerAddress)
        var configuration = Server.Configuration()
        configuration.threads = ProcessInfo.processInfo.activeProcessorCount
        var operation = API.Configuration()
        operation.streams = streams.apply(to: &configuration)
        operation.hasInspector = listening.inspector == .on
        let limitWarning = limits.apply(to: &configuration, &operation.streams)
        operation.crossOrigin = CrossOriginPolicy(origins: access.corsOrigins)
        operation.version = Waypost.version
        operation.metrics =
            metrics.families + storeMetrics
            + ServiceMetrics.limits(
                configuration, operation.streams,
                cachedSessions: sessions.maxCachedSessions)
        operation.log = log
        operation.isAccessLogged = logging.accessLog == .on
        operation.seed = environment.random()
        if let clock {
            operation.testControl.clock = TestControl.Clock(
                now: { clock.now }, advance: { clock.advance(by: $0) })
        }
        let testReset =
            listening.profile == .test
            ? TestReset(store: store, clock: clock, seed: seed) : nil
        if let testReset { operation.testControl.reset = { try await testReset.run() } }
        var service = ReloadableApp.Service(
            store: store, accounts: accounts, environment: environment,
            limits: access.limits(environment), maintenance: maintenance)
        service.sessionTTL = sessions.sessionTtl.duration
        service.waitingLimit = sessions.maxWaitingChanges
        service.idempotency = sessions.idempotency
        service.historyRetention = sessions.historyRetention
        service.cacheCapacity = sessions.maxCachedSessions
        service.configuration = operation
        let app = ReloadableApp(data, service)
        testReset?.app.withLock { $0 = app }
        let seeded: Seed.Counts?
        var admin: Server?
        let server: Server
        do {
            seeded = try await seed?.apply(to: app.accounts, app.sessions)
            // The admin server starts before the service accepts clients; if it fails, the service
            // does not start.
            admin = try startAdmin(app.adminHandler)
            // One that a killed service left names its port.
            listening.removeReadyFile()
            let listener = try Listener.listen(host: listening.host, port: listening.port)
            configuration.allowedHosts = access.allowedHosts(onLoopback: listener.isLoopback)
            server = try Server(configuration, listener: listener, handler: app.handler)
            try listening.writeReadyFile(port: server.port)
        } catch {
            admin?.stop(grace: 0)
            await store.close()
            throw error
        }
        metrics.server.withLock { $0 = server }
        defer { metrics.server.withLock { $0 = nil } }
        defer { listening.removeReadyFile() }
        let logger = log.logger("waypost")
        stop.logIgnoredSignals(logger)
        if let limitWarning { logger.warning("\(limitWarning)") }
        if let seeded {
            logger.notice(
                "seeded",
                metadata: [
                    "accounts": .stringConvertible(seeded.accounts),
                    "sessions": .stringConvertible(seeded.sessions),
                    "present": .stringConvertible(seeded.present),
                ])
        }
        let address = listening.address(port: server.port)
        printOutput(
            """
            Waypost serves \(data.app.storyboard.name.printableLine) at \(address) \
            (\(operation.hasInspector ? "open it in a browser; " : "")stop with Ctrl-C)
            """)
        logger.notice(
            "started",
            metadata: [
                "version": "\(Waypost.version)", "port": .stringConvertible(server.port),
                "storyboard": "\(data.app.storyboard.name)", "data": "\(data.summary)",
            ])
        let purge = Purge(store: store, environment: environment, logger: logger)
        let files = self.data.files(storyboard: self.data.storyboard)
        let refusedLogIns = RefusedLogIns(accounts: accounts, logger: logger)
        await withTaskGroup { tasks in
            tasks.addTask { await purge.run() }
            tasks.addTask { for await _ in stop.reloads { app.reload(files, logger) } }
            tasks.addTask { await refusedLogIns.run() }
            let signal = await stop.wait()
            operation.readiness.drain()
            logger.notice("stopping", metadata: ["signal": "\(signal ?? "none")"])
            try? await Task.sleep(for: listening.drainDelay.duration)
            // The stop waits for the requests in progress, and a long replay would delay it.
            app.sessions.stopHistoryReads()
            // The tasks end after the servers, so that the log also counts the log-ins that the last
            // requests were refused.
            await server.stopWithoutBlocking(grace: 30_000)
            await admin?.stopWithoutBlocking(grace: 1000)
            tasks.cancelAll()
        }
        await store.close()
        logger.notice("stopped")
    }

    /// Starts the server for the operator's commands on the admin socket. By default the socket is
    /// beside the file of the store, where the commands look for it.
    /// - Returns: nil if no socket is named and the store is not a file.
    private func startAdmin(_ handler: ReplaceableHandler) throws -> Server? {
        var path = listening.adminSocket
        if path == nil, case .sqlite(let file) = storage.store {
            path = StoreOption.socket(of: file)
        }
        guard let path else { return nil }
        var configuration = Server.Configuration()
        configuration.threads = 1
        // A backup or a check of a large store takes a long time.
        configuration.responseTimeout = .seconds(24 * 3600)
        return try Server(configuration, listener: .listen(path: path), handler: handler)
    }
}
