import Accounts
import ArgumentParser
import Foundation
import MicrohttpdServer
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
            "Where sessions are kept: memory, as long as the process lives.", valueName: "store"))
    var store = StoreChoice.memory

    func run() async throws {
        // A client that hangs up must not end the service.
        signal(SIGPIPE, SIG_IGN)
        let stop = StopSignal()
        let data = try data.load()
        let environment = Environment.system
        let store = MemoryStore()
        let accounts = Accounts(
            store: store, hasher: try PasswordHasher.interactive(), environment: environment)
        let directory = SessionDirectory(
            SessionService(
                app: data.app, accounts: accounts, store: store, environment: environment))
        var configuration = Server.Configuration()
        configuration.host = host
        configuration.port = port
        configuration.threads = ProcessInfo.processInfo.activeProcessorCount
        let server = try Server(
            configuration,
            handler: API(data, directory: directory, store: store))
        printOutput(
            """
            Waypost serves \(data.app.storyboard.name) at http://\(host):\(server.port) \
            (stop with Ctrl-C)
            """)
        await stop.wait()
        server.stop(grace: 30_000)
    }
}

enum StoreChoice: String, ExpressibleByArgument, CaseIterable {
    case memory
}
