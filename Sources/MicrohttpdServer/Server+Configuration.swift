import Dispatch
import HTTPCore

extension Server {
    public struct Configuration: Sendable {
        /// The hosts that requests may name; nil allows all.
        public var allowedHosts: AllowedHosts?
        public var threads = 2
        /// Each thread stays on a processor of its own, if there are as many as the process may use.
        public var pinsThreads = false

        /// Of all clients together. One more is answered with 503 and closed. Each may need two
        /// descriptors, while a file is sent.
        public var maximumConnections = 10_000
        /// Of one address; 0 is no limit. Behind a proxy all connections have its address.
        public var maximumConnectionsPerAddress = 0
        /// That are worked on at once. One more is answered with 503.
        public var maximumRequests = 4000
        /// In bytes: the request line and the header fields.
        public var maximumHeaderSize = 16_384
        /// In bytes. A larger body is refused with 413.
        public var maximumBodySize = 65_536

        // Deadlines: a byte now and then does not extend them.

        /// For the head of a request, from its first line on; for the first one of a connection from
        /// the connection's start.
        public var headerTimeout = Duration.seconds(10)
        /// For the body, from the end of the head.
        public var bodyTimeout = Duration.seconds(30)
        /// For the work, from the end of the request. Then it is answered with 503.
        public var responseTimeout = Duration.seconds(30)
        /// The time for a client to receive a response; one second is added for each 16 KiB of it.
        public var sendTimeout = Duration.seconds(30)
        /// The time of silence after which a stream sends a heartbeat.
        public var streamHeartbeat = Duration.seconds(15)
        /// The minimum rate at which a client must receive a response, in bytes per second.
        var minimumSendRate = 16_384
        /// From an answer to the first line of the next request.
        public var keepAliveTimeout = Duration.seconds(60)

        /// A test has time go by as it likes.
        var now: @Sendable () -> SuspendingClock.Instant = { .now }

        public init() {}

        /// The time between two looks at the deadlines. The first look after the start of a step sets its
        /// deadline, so no limit is exceeded by more than two looks: a tenth of the shortest limit, or a
        /// second.
        var timeoutInterval: DispatchTimeInterval {
            let limits = [
                headerTimeout, bodyTimeout, responseTimeout, sendTimeout, keepAliveTimeout,
            ]
            let twentieths = limits.map { Int($0 / .milliseconds(20)) } + [500]
            return .milliseconds(max(twentieths.min() ?? 0, 10))
        }
    }
}
