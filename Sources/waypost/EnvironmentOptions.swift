/// Options from environment variables: `WAYPOST_PORT=9000` is the same as `--port 9000`.
enum EnvironmentOptions {
    private static let prefix = "WAYPOST_"

    private static let dataOptions = [
        "catalog", "catalog-keys", "covers", "storyboard", "import-options", "data",
        "initial-storyboard", "strings", "language", "max-stack-depth", "max-title-length",
        "max-items",
        "max-session-size",
    ]

    /// The options of each command, without their dashes.
    private static let options = [
        "serve": [
            "host", "port", "catalog", "catalog-keys", "covers", "storyboard", "import-options",
            "data",
            "initial-storyboard", "strings", "language", "max-stack-depth", "max-title-length",
            "max-items",
            "max-session-size", "store",
            "durability", "event-retention", "cached-sessions", "session-ttl",
            "credential-ttl", "sign-up", "session-limit", "sign-up-limit", "log-in-limit",
            "trusted-proxy",
            "allowed-host",
            "idempotency-ttl", "max-idempotency-keys", "max-waiting", "pinned-workers",
            "admin-socket", "log-format", "log-level",
            "access-log", "cors-origin", "max-connections", "max-connections-per-address",
            "max-requests", "max-header-size", "max-body-size", "header-timeout", "body-timeout",
            "answer-timeout", "send-timeout", "keep-alive-timeout",
            "max-streams", "max-streams-per-session", "stream-heartbeat", "stream-lifetime",
            "inspector", "store-connections", "store-timeout", "reads", "migrate", "drain-delay",
        ],
        "account": ["store", "admin-socket"],
        "healthcheck": ["host", "port"],
        "backup": ["store", "admin-socket"],
        "restore": ["store"],
        "store": ["store", "admin-socket"],
        "check": dataOptions,
        "test": dataOptions + ["url"],
        "explore": dataOptions,
        "diagram": dataOptions,
        "import": ["import-options", "data", "initial-storyboard", "strings", "language"],
    ]

    /// The commands that have subcommands.
    private static let groups: Set = ["account", "store"]

    /// Inserts the options from the environment before those of the command line. The parser uses
    /// the last of several equal options, so that the command line takes precedence.
    static func insert(
        into arguments: [String], from environment: [String: String]
    ) -> [String] {
        guard let command = arguments.first, let names = options[command] else { return arguments }
        let inserted = names.flatMap { name -> [String] in
            let variable = prefix + name.uppercased().replacing("-", with: "_")
            guard let value = environment[variable] else { return [] }
            return values(value, of: name).flatMap { ["--\(name)", $0] }
        }
        // In `account list`, for example, the options follow the subcommand.
        let depth = groups.contains(command) ? 2 : 1
        guard arguments.count >= depth else { return arguments }
        return arguments.prefix(depth) + inserted + arguments.dropFirst(depth)
    }

    /// Returns the values of an option in a variable. Blanks separate the values of a repeatable
    /// option.
    private static func values(_ value: String, of name: String) -> [String] {
        ["cors-origin", "allowed-host"].contains(name)
            ? value.split(separator: " ").map(String.init) : [value]
    }
}
