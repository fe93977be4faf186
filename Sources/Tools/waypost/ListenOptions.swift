import ArgumentParser
import Flows
import Foundation

/// The options that say where the service listens, and how it starts and stops.
struct ListenOptions: ParsableArguments {
    // This property only declares the option. `EnvironmentOptions` reads the file and passes its
    // options to the parser, together with those of the environment.
    @Option(
        help: ArgumentHelp(
            "A YAML file that sets options, such as port: 9000.",
            discussion: "Environment variables take precedence over the file.", valueName: "file"))
    var config: String?

    @Option(
        help: ArgumentHelp(
            """
            test: a memory store, no --max-…-per-address, a quiet log, and POST /test/reset, which \
            removes all sessions and accounts.
            """, valueName: "profile"))
    var profile: Profile?

    @Option(help: "The host name or address on which the service listens.")
    var host = "127.0.0.1"

    @Option(
        help: """
            The port on which the service listens. With 0, the system chooses a free port, and the \
            service prints it.
            """)
    var port: UInt16 = 8080

    @Option(
        help: ArgumentHelp(
            "A file that the service writes when it accepts requests, with its address.",
            valueName: "file", visibility: .hidden))
    var readyFile: String?

    // The command line can turn off what the environment or the file turns on.
    @Flag(
        inversion: .prefixedNo, exclusivity: .chooseLast,
        help: ArgumentHelp(
            "Let tests move the clock of the service with POST /test/clock.", visibility: .hidden))
    var testClock = false

    @Option(
        help: ArgumentHelp(
            "Whether the service has a web page at /inspector that shows sessions.",
            valueName: "on|off"))
    var inspector = OnOff.on

    @Option(
        help: ArgumentHelp(
            "The path of the Unix socket for the operator's commands.",
            discussion: """
                Default: the path of the SQLite store's file with .socket added; no socket with \
                another store.
                """,
            valueName: "path"))
    var adminSocket: String?

    @Option(
        help: ArgumentHelp(
            """
            How long /readyz responds with 503 before a service that is stopping refuses \
            connections, so that a proxy can notice the stop.
            """, valueName: "duration"))
    var drainDelay = DelayOption.none

    func validate() throws {
        if host.isEmpty {
            throw ValidationError("--host: expected a name or an address; 0.0.0.0 is all of IPv4")
        }
        try SocketPath.check(adminSocket)
    }

    /// The address of the service, such as `http://127.0.0.1:8080`.
    func address(port: UInt16) -> String {
        "http://\(host.contains(":") ? "[\(host)]" : host):\(port)"
    }

    func writeReadyFile(port: UInt16) throws {
        // A test reads the file as soon as it exists, and then it has its content.
        if let readyFile { try OutputFile.write("\(address(port: port))\n", to: readyFile) }
    }

    func removeReadyFile() {
        if let readyFile { OutputFile.remove(readyFile) }
    }
}

/// The value of `--admin-socket`.
enum SocketPath {
    static func check(_ path: String?) throws {
        guard path?.isEmpty == true else { return }
        throw ValidationError(
            "--admin-socket: expected a path; leave the option out for the default")
    }
}

enum OnOff: String, ExpressibleByArgument, CaseIterable {
    case on, off
}
