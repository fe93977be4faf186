import ArgumentParser
import Synchronization
import WaypostCore

/// Values for several options at once. The command line, the environment and the configuration file
/// take precedence over them.
enum Profile: String, ExpressibleByArgument, CaseIterable {
    /// For a service that stands in for the real one in a test suite.
    case test

    /// The values, by the names of the options.
    var options: [String: String] {
        switch self {
        case .test:
            [
                "store": "memory", "access-log": "off", "log-level": "warning",
                "max-new-sessions-per-address": "0", "max-new-accounts-per-address": "0",
                "max-wrong-passwords-per-address": "0",
            ]
        }
    }

    /// Returns the profile that the command line, the environment or the file names; nil if they
    /// name none. A name that is no profile is left to the parser, which refuses it.
    static func chosen(
        by arguments: [String], _ environment: [String: String], _ file: ConfigurationFile?
    ) -> Profile? {
        (EnvironmentOptions.values(of: "profile", in: arguments).last
            ?? environment[EnvironmentOptions.variable(of: "profile")]
            ?? file?.entries["profile"]?.values.last).flatMap(Profile.init)
    }
}

/// A clock that a test moves: the clock of the system plus what the test has added.
final class TestClock: Sendable {
    private let offset = Mutex(Duration.zero)
    private let system: Environment

    init(_ system: Environment) { self.system = system }

    var environment: Environment {
        Environment(now: { [self] in now }, random: system.random)
    }

    var now: Timestamp { system.now() + offset.withLock(\.self) }

    func advance(by duration: Duration) { offset.withLock { $0 += duration } }
    func reset() { offset.withLock { $0 = .zero } }
}
