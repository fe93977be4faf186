import ArgumentParser
import Foundation

// The program calls nothing in this module. Linking it makes jemalloc the allocator, which caches
// blocks of more than 1 KiB for each thread, unlike the C library. This saves a tenth of the time
// of a push.
#if canImport(CJemalloc)
    import CJemalloc
#endif

@main
struct Waypost: AsyncParsableCommand {
    static let version = "0.1.0"

    static let configuration = CommandConfiguration(
        commandName: "waypost",
        abstract: "A navigation controller without a screen, behind an HTTP JSON API.",
        discussion: """
            A client opens a session; the service owns its window, its navigation stack and its \
            auth state, with the semantics of UIKit's UINavigationController.

              waypost serve                          serve the built-in Library
              curl -X POST localhost:8080/v1/sessions    open a session

            Each option can also be given as an environment variable: --port as WAYPOST_PORT. \
            The command line wins.
            """,
        version: version,
        subcommands: [
            Serve.self, Check.self, Import.self, TestCommand.self, ExploreCommand.self,
            DiagramCommand.self, Backup.self, Restore.self, Store.self,
            AccountCommand.self, SessionCommand.self,
            Healthcheck.self,
        ])

    static func main() async {
        CrashReport.leaveOutMemory()
        let arguments = EnvironmentOptions.insert(
            into: Array(CommandLine.arguments.dropFirst()),
            from: ProcessInfo.processInfo.environment)
        do {
            var command = try parseAsRoot(arguments)
            if var command = command as? AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            exit(withError: error)
        }
    }
}
