import ArgumentParser
import MicrohttpdServer
import WaypostAPI

/// The options that limit the load on the service and set its timeouts.
struct LimitOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The maximum number of connections that are open at the same time.",
            discussion: "A further connection gets the response 503 and is closed.",
            valueName: "number"))
    var maxConnections = defaults.maximumConnections

    @Option(
        help: ArgumentHelp(
            "The maximum number of open connections from one client address; 0 for no limit.",
            discussion: "Behind a proxy, use 0: all connections have the proxy's address.",
            valueName: "number",
            visibility: .hidden))
    var maxConnectionsPerAddress = defaults.maximumConnectionsPerAddress

    @Option(
        help: ArgumentHelp(
            "The maximum number of requests that are in progress at the same time.",
            discussion: "A further request gets the response 503.", valueName: "number",
            visibility: .hidden))
    var maxRequests = defaults.maximumRequests

    @Option(
        help: ArgumentHelp(
            "The maximum size in bytes of the request line and the header fields together.",
            discussion: "A request with a larger head gets the response 431.", valueName: "bytes",
            visibility: .hidden))
    var maxHeaderSize = defaults.maximumHeaderSize

    @Option(
        help: ArgumentHelp(
            "The maximum size in bytes of a request body; the option can be at most 65536.",
            discussion: "A request with a larger body gets the response 413.", valueName: "bytes",
            visibility: .hidden))
    var maxBodySize = defaults.maximumBodySize

    @Option(
        help: ArgumentHelp(
            "How long a client may take to send the request line and the header fields.",
            valueName: "duration",
            visibility: .hidden))
    var headerTimeout = DurationOption(defaults.headerTimeout)

    @Option(
        help: ArgumentHelp(
            "How long a client may take to send the body, after the header fields.",
            valueName: "duration",
            visibility: .hidden))
    var bodyTimeout = DurationOption(defaults.bodyTimeout)

    @Option(
        name: .customLong("answer-timeout"),
        help: ArgumentHelp(
            "How long the service may work on a request; after this time the response is 503.",
            valueName: "duration",
            visibility: .hidden))
    var responseTimeout = DurationOption(defaults.responseTimeout)

    @Option(
        help: ArgumentHelp(
            "How long a client may take to read a response; each 16 KiB of it add 1 s.",
            valueName: "duration",
            visibility: .hidden))
    var sendTimeout = DurationOption(defaults.sendTimeout)

    @Option(
        help: ArgumentHelp(
            "How long a connection stays open after a response if no further request comes.",
            valueName: "duration",
            visibility: .hidden))
    var keepAliveTimeout = DurationOption(defaults.keepAliveTimeout)

    private static let defaults = Server.Configuration()

    func validate() throws {
        try checkRanges([
            ("max-connections", maxConnections, 1...1_000_000),
            ("max-connections-per-address", maxConnectionsPerAddress, 0...1_000_000),
            ("max-requests", maxRequests, 1...1_000_000),
            ("max-header-size", maxHeaderSize, 1024...65_536),
            ("max-body-size", maxBodySize, 1...65_536),
        ])
    }

    /// Raises the limit on file descriptors as far as possible.
    /// - Parameter maxStreams: the maximum number of change streams, from which the error computes
    ///   the limit that it recommends.
    /// - Throws: a `CommandFailure` if the limit is still too low to start the service.
    func checkDescriptors(maxStreams: Int) throws(CommandFailure) {
        let allowed = DescriptorLimit.raise()
        let fewest = DescriptorLimit.Share(
            connections: min(maxConnections, DescriptorLimit.fewestConnections), streams: 0)
        guard allowed >= fewest.descriptors else {
            let wanted = DescriptorLimit.Share(connections: maxConnections, streams: maxStreams)
            throw CommandFailure(
                """
                the limit of open files is \(allowed), and the service needs at least \
                \(fewest.descriptors): raise the limit to \(wanted.descriptors) (ulimit -n, \
                LimitNOFILE=, --ulimit nofile=)
                """)
        }
    }

    /// Copies the options to `configuration`. Lowers the maximum numbers of connections and change
    /// streams if the limit on file descriptors is too low for them.
    /// - Returns: a warning for the log if a maximum was lowered; nil otherwise.
    func apply(
        to configuration: inout Server.Configuration, _ streams: inout StreamLimits
    ) -> String? {
        let allowed = DescriptorLimit.raise()
        let wanted = DescriptorLimit.Share(
            connections: maxConnections, streams: streams.maximum)
        let share = wanted.limited(to: allowed)
        configuration.maximumConnections = share.connections
        streams.maximum = share.streams
        var warning: String?
        if share != wanted {
            warning =
                """
                the limit of \(allowed) open files is enough for \(share.connections) connections \
                and \(share.streams) streams, not for \(wanted.connections) and \(wanted.streams): \
                raise the limit to \(wanted.descriptors) (ulimit -n, LimitNOFILE=, \
                --ulimit nofile=), or lower --max-connections and --max-streams
                """
        }
        configuration.maximumConnectionsPerAddress = maxConnectionsPerAddress
        configuration.maximumRequests = maxRequests
        configuration.maximumHeaderSize = maxHeaderSize
        configuration.maximumBodySize = maxBodySize
        configuration.headerTimeout = headerTimeout.duration
        configuration.bodyTimeout = bodyTimeout.duration
        configuration.responseTimeout = responseTimeout.duration
        configuration.sendTimeout = sendTimeout.duration
        configuration.keepAliveTimeout = keepAliveTimeout.duration
        return warning
    }
}
