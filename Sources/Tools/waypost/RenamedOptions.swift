import ArgumentParser

/// The options that had another name. A former name is refused with the present one.
enum RenamedOptions {
    /// The present names of the options of `waypost serve`, by their former names.
    static let ofServe = [
        "session-limit": "max-new-sessions-per-address",
        "sign-up-limit": "max-new-accounts-per-address",
        "log-in-limit": "max-wrong-passwords-per-address",
        "cached-sessions": "max-cached-sessions",
        "max-waiting": "max-waiting-changes",
        "event-retention": "history-retention",
    ]

    private static let byCommand = [
        "serve": ofServe,
        "config": ofServe,
        "check": ["strict": "fail-on-warnings"],
        "import": ["strict": "fail-on-warnings"],
        "explore": ["rows": "max-rows"],
    ]

    /// Checks that a command line and the environment have no former name of an option.
    /// - Throws: `ValidationError` with the former and the present name of the first one.
    static func refuse(
        in arguments: [String], _ environment: [String: String]
    ) throws(ValidationError) {
        guard let command = arguments.first, let names = byCommand[command] else { return }
        for (former, name) in names.sorted(by: { $0.key < $1.key }) {
            let isGiven = arguments.contains { $0 == "--\(former)" || $0.hasPrefix("--\(former)=") }
            if isGiven { throw ValidationError("--\(former) is now --\(name)") }
            let variable = EnvironmentOptions.variable(of: former)
            guard names == ofServe, environment[variable] != nil else { continue }
            throw ValidationError("\(variable) is now \(EnvironmentOptions.variable(of: name))")
        }
    }
}
