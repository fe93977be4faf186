import ArgumentParser
import HTTPCore
import WaypostAPI
import WaypostCore

/// The options that limit who may use the service, and how often.
struct AccessOptions: ParsableArguments {
    enum SignUp: String, ExpressibleByArgument, CaseIterable {
        case open, closed
    }

    @Option(
        help: ArgumentHelp(
            "Whether clients may create accounts. The operator can always add accounts.",
            valueName: "open|closed"))
    var signUp = SignUp.open

    @Option(
        help: ArgumentHelp(
            "The time from a log-in until its credential expires, such as 90s, 15m, 12h or 30d.",
            valueName: "duration"))
    var credentialTtl = DurationOption.days(90)

    @Option(
        name: .customLong("allowed-host"),
        help: ArgumentHelp(
            "A host, without a port, that requests may name; * allows any host.",
            discussion: """
                Repeat the option to name several hosts. localhost, IP addresses and names without a \
                dot are always allowed. Default: any host, but only those that are always allowed \
                if the service listens only on a loopback address and has no --trusted-proxy.
                """, valueName: "name"))
    var allowedHostNames: [String] = []

    @Option(
        name: .customLong("cors-origin"),
        help: ArgumentHelp(
            "An origin, such as https://app.example, whose web pages may use the service.",
            discussion: """
                The text must be exactly the one that browsers send in the Origin header field. \
                Repeat the option to name several origins. Default: none.
                """,
            valueName: "origin"))
    var corsOrigins: [String] = []

    @Option(
        help: ArgumentHelp(
            "The proxies whose X-Forwarded-For is trusted: a list of addresses or networks.",
            discussion: "Commas separate the entries, as in 127.0.0.1,10.0.0.0/8.",
            valueName: "networks"))
    var trustedProxy = NetworkList()

    @Option(
        help: ArgumentHelp(
            "How many sessions a client address may open in ten minutes; 0 for no limit.",
            discussion: "Each 512 bytes of a fork count as one session, at most the whole quota.",
            valueName: "number"))
    var maxNewSessionsPerAddress = 6000

    @Option(
        help: ArgumentHelp(
            "How often a client address may try to sign up in ten minutes; 0 for no limit.",
            valueName: "number"))
    var maxNewAccountsPerAddress = 600

    @Option(
        help: ArgumentHelp(
            """
            How many wrong passwords a client address may send before its further log-ins are \
            delayed; 0 for no limit.
            """, valueName: "number"))
    var maxWrongPasswordsPerAddress = 20

    func validate() throws {
        try checkMinimum(
            0,
            [
                ("max-new-sessions-per-address", maxNewSessionsPerAddress),
                ("max-new-accounts-per-address", maxNewAccountsPerAddress),
                ("max-wrong-passwords-per-address", maxWrongPasswordsPerAddress),
            ])
        for origin in corsOrigins where !CrossOriginPolicy.isOrigin(origin) {
            throw ValidationError(
                "--cors-origin \(origin): expected scheme://host or scheme://host:port")
        }
        for name in allowedHostNames
        where name != "*" && (name.contains("*") || !AllowedHosts.isName(name)) {
            throw ValidationError(
                "--allowed-host \(name): expected the name of a host, without scheme and port, or *"
            )
        }
    }

    /// Returns the hosts that requests may name in their `Host` field; nil if all hosts are
    /// allowed. If the user gives no `--allowed-host`, the service restricts the hosts only if it
    /// listens on a loopback address and trusts no proxy.
    /// - Parameter isLoopback: whether the service listens on a loopback address.
    func allowedHosts(onLoopback isLoopback: Bool) -> AllowedHosts? {
        if allowedHostNames.contains("*") { return nil }
        if allowedHostNames.isEmpty {
            // A proxy on this machine forwards the host names of all its sites.
            guard trustedProxy.networks.isEmpty, isLoopback else { return nil }
        }
        return AllowedHosts(allowedHostNames)
    }

    func limits(_ environment: Environment) -> RateLimits {
        RateLimits(
            trustedProxies: trustedProxy.networks, sessionQuota: maxNewSessionsPerAddress,
            signUpQuota: maxNewAccountsPerAddress, environment: environment)
    }
}

/// An option's value that lists addresses and networks: `127.0.0.1,10.0.0.0/8`, or `none`.
struct NetworkList: ExpressibleByArgument {
    let networks: [Network]

    init() { networks = [] }

    init?(argument: String) {
        var networks: [Network] = []
        let parts = argument.split(separator: ",", omittingEmptySubsequences: false)
        // `waypost config` prints "none".
        for part in parts where argument != "none" {
            guard let network = Network(part) else { return nil }
            networks.append(network)
        }
        self.networks = networks
    }

    var defaultValueDescription: String { "none" }
}
