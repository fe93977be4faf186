/// Options that come from the environment: `WAYPOST_PORT=9000` stands for `--port 9000`.
enum EnvironmentOptions {
    private static let prefix = "WAYPOST_"

    /// The options of each command, without their dashes.
    private static let options = [
        "serve": [
            "host", "port", "catalog", "covers", "storyboard", "max-stack-depth", "store",
            "durability", "event-retention", "resident-sessions", "session-ttl",
            "max-connections", "max-connections-per-address", "max-requests", "max-header-size",
            "max-body-size", "header-timeout", "body-timeout", "answer-timeout", "send-timeout",
            "keep-alive-timeout",
        ],
        "backup": ["store"],
        "restore": ["store"],
        "check": ["catalog", "covers", "storyboard", "max-stack-depth"],
    ]

    /// Puts them before the options of the command line: of two, the parser takes the later one.
    static func insert(
        into arguments: [String], from environment: [String: String]
    ) -> [String] {
        guard let command = arguments.first, let names = options[command] else { return arguments }
        let inserted = names.flatMap { name -> [String] in
            let variable = prefix + name.uppercased().replacing("-", with: "_")
            return environment[variable].map { ["--\(name)", $0] } ?? []
        }
        return [command] + inserted + arguments.dropFirst()
    }
}
