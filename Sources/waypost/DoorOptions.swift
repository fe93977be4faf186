import Accounts
import ArgumentParser
import HTTPCore
import WaypostAPI

/// Who may come in, and how often.
struct DoorOptions: ParsableArguments {
    enum SignUp: String, ExpressibleByArgument, CaseIterable {
        case open, closed
    }

    @Option(
        help: ArgumentHelp(
            "Whether strangers may sign up; the operator can always add accounts.",
            valueName: "open|closed"))
    var signUp = SignUp.open

    @Option(
        help: ArgumentHelp(
            "How long a credential opens new sessions: 90s, 15m, 12h, 30d.",
            valueName: "duration"))
    var credentialTtl = DurationOption.days(90)

    @Option(
        help: "How many sessions a client address may open in ten minutes; 0 for no limit.")
    var sessionLimit = 6000

    @Option(help: "How many accounts a client address may make in ten minutes; 0 for no limit.")
    var signUpLimit = 600

    @Option(
        help: ArgumentHelp(
            "The proxies whose X-Forwarded-For is believed: addresses or networks, with commas.",
            discussion: "Such as 127.0.0.1,10.0.0.0/8. Default: none.", valueName: "networks"))
    var trustedProxy = NetworkList()

    func validate() throws {
        for (name, value) in [("session-limit", sessionLimit), ("sign-up-limit", signUpLimit)]
        where value < 0 {
            throw ValidationError("--\(name) must be 0 or more")
        }
    }

    func limits(_ environment: Environment) -> ClientLimits {
        ClientLimits(
            trustedProxies: trustedProxy.networks, sessionQuota: sessionLimit,
            signUpQuota: signUpLimit, environment: environment)
    }
}

/// Addresses and networks on the command line: `127.0.0.1,10.0.0.0/8`.
struct NetworkList: ExpressibleByArgument {
    let networks: [Network]

    init() { networks = [] }

    init?(argument: String) {
        var networks: [Network] = []
        for part in argument.split(separator: ",", omittingEmptySubsequences: false) {
            guard let network = Network(part) else { return nil }
            networks.append(network)
        }
        self.networks = networks
    }

    var defaultValueDescription: String { "none" }
}
