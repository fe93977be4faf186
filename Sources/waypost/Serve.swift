import Accounts
import ArgumentParser
import Foundation
import MicrohttpdServer
import SQLiteStore
import Sessions
import WaypostAPI

struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Serve sessions over HTTP.",
        discussion: """
            Stops on SIGTERM and SIGINT: accepts no more, finishes what runs (30 seconds at \
            most), and exits with 0.
            """)

    @Option(help: "The name or address to listen on.")
    var host = "127.0.0.1"

    @Option(help: "The port to listen on; 0 lets the system pick one, which is then printed.")
    var port: UInt16 = 8080

    @OptionGroup var data: DataOptions

    @Option(
        help: ArgumentHelp(
            "Where sessions are kept: sqlite:FILE, or memory, as long as the process lives.",
            valueName: "store"))
    var store = StoreOption.sqlite(path: StoreOption.defaultPath)

    @Option(
        help: ArgumentHelp(
            """
            When a change is answered: when it is on disk (full), or when it is written, which a \
            power cut within 100 ms can undo (relaxed).
            """, valueName: "full|relaxed"))
    var durability = SQLiteStore.Durability.full

    @Option(help: "How many lifecycle events are kept of each session.")
    var eventRetention = 10_000

    @Option(help: "How many sessions stay in memory when nobody uses them.")
    var residentSessions = 100_000

    @Option(
        help: ArgumentHelp(
            "How long a session lives after its last change: 90s, 15m, 12h, 30d.",
            valueName: "duration"))
    var sessionTtl = DurationOption.days(30)

    @OptionGroup var limits: LimitOptions

    func validate() throws {
        for (name, value) in [
            ("event-retention", eventRetention), ("resident-sessions", residentSessions),
        ] where value < 1 {
            throw ValidationError("--\(name) must be 1 or more")
        }
    }

    func run() async throws {
        // A client that hangs up must not end the service.
        signal(SIGPIPE, SIG_IGN)
        let stop = StopSignal()
        let data = try data.load()
        let environment = Environment.system
        let (store, maintenance) = try openStore()
        let accounts = Accounts(
            store: store, hasher: try PasswordHasher.interactive(), environment: environment)
        let directory = SessionDirectory(
            SessionService(
                app: data.app, accounts: accounts, store: store, environment: environment,
                sessionTTL: sessionTtl.duration), residentLimit: residentSessions)
        let purge = Task { await Purge(store: store, environment: environment).run() }
        var configuration = Server.Configuration()
        configuration.host = host
        configuration.port = port
        configuration.threads = ProcessInfo.processInfo.activeProcessorCount
        limits.apply(to: &configuration)
        let server = try Server(
            configuration, handler: API(data, directory: directory, store: store))
        let admin = try maintenance.map(startAdmin)
        printOutput(
            """
            Waypost serves \(data.app.storyboard.name) at \
            http://\(host.contains(":") ? "[\(host)]" : host):\(server.port) (stop with Ctrl-C)
            """)
        await stop.wait()
        purge.cancel()
        server.stop(grace: 30_000)
        admin?.stop(grace: 1000)
    }

    private func openStore() throws -> (any SessionStore, AdminAPI.Maintenance?) {
        guard case .sqlite(let path) = store else {
            return (MemoryStore(eventRetention: eventRetention), nil)
        }
        do {
            try FileManager.default.createDirectory(
                at: URL(filePath: path).deletingLastPathComponent(),
                withIntermediateDirectories: true)
            let store = try SQLiteStore(
                path: path, durability: durability, eventRetention: eventRetention)
            let maintenance = AdminAPI.Maintenance(
                backup: { (path) async throws(StorageError) in try await store.backup(to: path) },
                check: { () async throws(StorageError) in
                    let report = try await store.check()
                    return AdminAPI.Report(summary: report.summary, defects: report.defects)
                })
            return (store, maintenance)
        } catch {
            printError("\(error)")
            throw ExitCode(1)
        }
    }

    /// Beside the store, so that the commands that are about it find the service that has it.
    private func startAdmin(_ maintenance: AdminAPI.Maintenance) throws -> Server {
        guard case .sqlite(let path) = store else { preconditionFailure("only SQLite has one") }
        var configuration = Server.Configuration()
        configuration.path = path + ".socket"
        configuration.threads = 1
        // A copy or a check of a large store takes its time.
        configuration.answerTimeout = .seconds(24 * 3600)
        return try Server(configuration, handler: AdminAPI(maintenance))
    }
}

extension SQLiteStore.Durability: ExpressibleByArgument {}
