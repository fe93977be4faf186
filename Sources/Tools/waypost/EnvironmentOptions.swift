import ArgumentParser
import Flows

/// Reads options from environment variables: `WAYPOST_PORT=9000` is the same as `--port 9000`.
enum EnvironmentOptions {
    private static let prefix = "WAYPOST_"

    private static let importOptions = [
        "import-options", "data", "initial-storyboard", "strings", "language",
    ]

    private static let dataOptions =
        ["catalog", "catalog-keys", "covers", "storyboard"] + importOptions
        + ["max-stack-depth", "max-title-length", "max-items", "max-session-size"]

    private static let storeOptions = ["store", "admin-socket"]

    /// The names of the options of `serve` that a configuration file can contain.
    static let serveOptions =
        ["profile", "host", "port", "ready-file", "test-clock"] + dataOptions + [
            "seed", "store", "durability", "history-retention", "max-cached-sessions",
            "session-ttl", "credential-ttl", "sign-up", "max-new-sessions-per-address",
            "max-new-accounts-per-address", "max-wrong-passwords-per-address", "trusted-proxy",
            "allowed-host", "idempotency-ttl", "max-idempotency-keys", "max-waiting-changes",
            "admin-socket", "log-format", "log-level", "access-log", "cors-origin",
            "max-connections", "max-connections-per-address", "max-requests", "max-header-size",
            "max-body-size", "header-timeout", "body-timeout", "answer-timeout", "send-timeout",
            "keep-alive-timeout", "max-streams", "max-streams-per-session", "stream-heartbeat",
            "stream-lifetime", "inspector", "store-connections", "store-timeout", "migrate",
            "drain-delay",
        ]

    /// The names of the options that can have several values.
    static let repeatableOptions: Set = ["cors-origin", "allowed-host"]

    /// The names of the options without a value on the command line. Elsewhere, their value is `true`
    /// or `false`.
    static let flags: Set = ["test-clock"]

    /// The names of the options that environment variables can set, by command. A subcommand whose
    /// options differ from those of its group has its own entry.
    private static let options = [
        "serve": serveOptions + ["config"],
        "config": serveOptions + ["config"],
        "account": storeOptions,
        "session": storeOptions,
        "healthcheck": ["host", "port", "config"],
        "backup": storeOptions,
        "restore": ["store"],
        "store": ["store"],
        "store check": storeOptions,
        "check": dataOptions,
        "test": dataOptions + ["url"],
        "explore": dataOptions,
        "path": dataOptions,
        "diagram": dataOptions,
        "links": dataOptions,
        "init": importOptions,
        "verify": dataOptions,
        "import": importOptions,
    ]

    /// The commands that have subcommands.
    private static let groups: Set = ["account", "session", "store"]

    /// Returns the arguments with the options from the environment, the configuration file and the
    /// profile inserted before those of the user. If an option occurs several times, the parser uses its
    /// last value. The command line therefore takes precedence. The file's value is inserted only
    /// if the environment has no value for the option.
    ///
    /// An option that can be repeated takes all its values from one source: from the command line
    /// if the option occurs there, else from the environment, else from the file.
    static func insert(
        into arguments: [String], from environment: [String: String],
        _ file: ConfigurationFile? = nil
    ) -> [String] {
        guard let command = arguments.first,
            let names = options[arguments.prefix(2).joined(separator: " ")] ?? options[command]
        else { return arguments }
        let profile =
            names.contains("profile") ? Profile.chosen(by: arguments, environment, file) : nil
        let inserted = names.flatMap { name -> [String] in
            if repeatableOptions.contains(name), !values(of: name, in: arguments).isEmpty {
                return []
            }
            let values = values(of: name, environment, file, profile)?.values ?? []
            return values.map { argument(for: name, $0) }
        }
        // The options of a subcommand such as `account list` follow its second word.
        let depth = groups.contains(command) ? 2 : 1
        guard arguments.count >= depth else { return arguments }
        return arguments.prefix(depth) + inserted + arguments.dropFirst(depth)
    }

    /// Returns an option of the environment or of a file as an argument for the command line. Option
    /// and value are one argument, so that a value that begins with a dash is not read as an option.
    static func argument(for name: String, _ value: String) -> String {
        guard flags.contains(name) else { return "--\(name)=\(value)" }
        return value == "true" ? "--\(name)" : "--no-\(name)"
    }

    /// Checks that the variables of the flags of a command are `true` or `false`.
    /// - Throws: `ValidationError`, which names the variable.
    static func checkFlags(
        for arguments: [String], _ environment: [String: String]
    ) throws(ValidationError) {
        let names = arguments.first.flatMap { options[$0] } ?? []
        for name in names where flags.contains(name) {
            let variable = variable(of: name)
            guard let value = environment[variable], value != "true", value != "false" else {
                continue
            }
            throw ValidationError("\(variable) must be true or false")
        }
    }

    /// Finds the environment variable because of which the parser refuses the arguments of a command.
    /// Without this variable, the parser accepts them or reports another error.
    /// - Returns: an error that names the variable; `error` if the cause is not in the environment.
    static func refusal(
        _ error: any Error, of arguments: [String], _ environment: [String: String],
        _ file: ConfigurationFile?
    ) -> any Error {
        // The parser throws for --help and --version, too.
        guard !Waypost.exitCode(for: error).isSuccess else { return error }
        let message = Waypost.message(for: error)
        for variable in environment.keys.filter({ $0.hasPrefix(prefix) }).sorted() {
            var others = environment
            others[variable] = nil
            do {
                _ = try Waypost.parseAsRoot(insert(into: arguments, from: others, file))
            } catch {
                guard Waypost.message(for: error) != message else { continue }
            }
            return CommandFailure("\(variable): \(message)")
        }
        return error
    }

    /// Returns the values of an option that the command line does not have, and where they come from:
    /// an environment variable, a line of the configuration file, or a profile.
    static func values(
        of name: String, _ environment: [String: String], _ file: ConfigurationFile?,
        _ profile: Profile?
    ) -> (values: [String], origin: String)? {
        let variable = variable(of: name)
        if let value = environment[variable] { return (values(value, of: name), variable) }
        if let file, let entry = file.entries[name] {
            return (entry.values, "\(file.path):\(entry.line)")
        }
        guard let profile, let value = profile.options[name] else { return nil }
        return ([value], "profile \(profile.rawValue)")
    }

    /// Reads the configuration file that the command line or the environment names.
    /// - Returns: nil if none is named, or if the command has no configuration file.
    /// - Throws: the first defect of the file.
    static func file(
        for arguments: [String], _ environment: [String: String]
    ) throws(FileDefect) -> ConfigurationFile? {
        guard let command = arguments.first, options[command]?.contains("config") == true,
            let path = values(of: "config", in: arguments).last
                ?? environment[variable(of: "config")]
        else { return nil }
        return try ConfigurationFile(path: path)
    }

    /// Returns the name of an option's environment variable: `WAYPOST_PORT` for `port`.
    static func variable(of name: String) -> String {
        prefix + name.uppercased().replacing("-", with: "_")
    }

    /// Returns the values of an option on the command line, in their order.
    /// - Parameter name: the name of the option, without its dashes.
    static func values(of name: String, in arguments: [String]) -> [String] {
        if flags.contains(name) {
            return arguments.compactMap { argument in
                argument == "--\(name)" ? "true" : argument == "--no-\(name)" ? "false" : nil
            }
        }
        return arguments.indices.compactMap { index in
            if arguments[index] == "--\(name)", index + 1 < arguments.count {
                return arguments[index + 1]
            }
            guard arguments[index].hasPrefix("--\(name)=") else { return nil }
            return String(arguments[index].dropFirst(name.count + 3))
        }
    }

    /// Returns the values of an option from the text of its environment variable. In the text for
    /// an option that can be repeated, spaces separate the values.
    static func values(_ value: String, of name: String) -> [String] {
        repeatableOptions.contains(name) ? value.split(separator: " ").map(String.init) : [value]
    }
}
