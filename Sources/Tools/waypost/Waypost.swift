import ArgumentParser
import Foundation

// The program calls nothing in this module. Linking it makes jemalloc the allocator, which caches
// blocks of more than 1 KiB for each thread, unlike the C library. This saves 5 % of the processor
// time of a push or a pop (docs/internals/performance.md).
#if canImport(CJemalloc)
    import CJemalloc
#endif

@main
struct Waypost: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "waypost",
        abstract: "Serve a navigation controller without a screen over an HTTP JSON API.",
        discussion: """
            A client opens a session. The service keeps the window, the navigation stacks and the \
            log-in of the session, with the semantics of UIKit's UINavigationController.

              waypost init                           write a small app to begin with
              waypost serve                          serve the built-in Library
              curl -X POST localhost:8080/v1/sessions    open a session

            Each option that docs/options.md lists with a variable can also be given as an \
            environment variable: --port as WAYPOST_PORT. `serve`, `config` and `healthcheck` also \
            read options from a file: --config FILE. The command line takes precedence over the \
            environment, and the environment over the file.
            """,
        version: version,
        subcommands: [
            InitCommand.self, Serve.self, ConfigCommand.self, Check.self, Import.self,
            TestCommand.self,
            ExploreCommand.self, PathCommand.self, LinksCommand.self, VerifyCommand.self,
            DiagramCommand.self, Backup.self, Restore.self, Store.self,
            AccountCommand.self, SessionCommand.self,
            Healthcheck.self,
        ])

    static func main() async {
        CrashReport.leaveOutMemory()
        let given = Array(CommandLine.arguments.dropFirst())
        if given.first == "serve" { EarlySignals.hold() }
        let environment = ProcessInfo.processInfo.environment
        var status = ExitStatus.success
        do {
            try RenamedOptions.refuse(in: given, environment)
            try EnvironmentOptions.checkFlags(for: given, environment)
            let file = try EnvironmentOptions.file(for: given, environment)
            var command = try parsed(given, environment, file)
            if var command = command as? AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
            // A service goes on without its standard output.
            if command is Serve { return }
        } catch {
            status = ExitStatus.report(error)
        }
        do { try StandardOutput.check() } catch { status = ExitStatus.report(error) }
        Foundation.exit(status.rawValue)
    }

    /// Parses the user's arguments together with the options from the environment and the file.
    private static func parsed(
        _ given: [String], _ environment: [String: String], _ file: ConfigurationFile?
    ) throws -> ParsableCommand {
        do {
            return try parseAsRoot(EnvironmentOptions.insert(into: given, from: environment, file))
        } catch {
            throw EnvironmentOptions.refusal(error, of: given, environment, file)
        }
    }
}
