import ArgumentParser

/// The options that say where the service listens, and how it starts and stops.
struct ListenOptions: ParsableArguments {
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
}

enum OnOff: String, ExpressibleByArgument, CaseIterable {
    case on, off
}
