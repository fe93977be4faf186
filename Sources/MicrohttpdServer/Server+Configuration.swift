import Dispatch
import HTTPCore

extension Server {
    public struct Configuration: Sendable {
        /// The hosts that requests may name; nil allows all.
        public var allowedHosts: AllowedHosts?
        public var threads = 2
        /// Whether each worker stays on its own processor, if the process has exactly `threads`.
        public var pinsThreads = false

        /// The maximum number of connections. The server refuses further ones with 503. A
        /// connection needs two descriptors while it sends a file.
        public var maximumConnections = 10_000
        /// The maximum number of connections of one address; 0 for no limit. Behind a proxy all
        /// connections have the proxy's address.
        public var maximumConnectionsPerAddress = 0
        /// The maximum number of requests in progress. The server refuses further ones with 503.
        public var maximumRequests = 4000
        /// The maximum size of the request line and the header fields together, in bytes.
        public var maximumHeaderSize = 16_384
        /// The maximum size of a body, in bytes. The server refuses a larger one with 413.
        public var maximumBodySize = 65_536

        // Time limits. A client that sends or reads a byte now and then does not extend them.

        /// The time for the head of a request, from its first line on. The time for the first head of a
        /// connection runs from the connection's start.
        public var headerTimeout = Duration.seconds(10)
        /// The time for the body, from the end of the head.
        public var bodyTimeout = Duration.seconds(30)
        /// The time for the work on a request, from the request's end. The server then responds with 503.
        public var responseTimeout = Duration.seconds(30)
        /// The time for a client to receive a response, plus one second for each 16 KiB of its body.
        public var sendTimeout = Duration.seconds(30)
        /// The time of silence after which a stream sends a heartbeat.
        public var streamHeartbeat = Duration.seconds(15)
        /// The minimum rate at which a client must receive a response, in bytes per second.
        var minimumSendRate = 16_384
        /// The time from a response to the first line of the next request.
        public var keepAliveTimeout = Duration.seconds(60)

        /// Returns the time. Tests supply a clock that they advance themselves.
        var now: @Sendable () -> SuspendingClock.Instant = { .now }

        public init() {}

        /// The time between two checks of the deadlines. The first check after a connection has
        /// entered a state sets the state's deadline, so no limit is exceeded by more than two
        /// intervals: a tenth of the shortest limit, or a second if that is less.
        var timeoutInterval: DispatchTimeInterval {
            let limits = [
                headerTimeout, bodyTimeout, responseTimeout, sendTimeout, keepAliveTimeout,
            ]
            let twentieths = limits.map { Int($0 / .milliseconds(20)) } + [500]
            return .milliseconds(max(twentieths.min() ?? 0, 10))
        }
    }
}
