import Dispatch
import HTTPCore

extension Server {
    package struct Configuration: Sendable {
        /// The hosts that requests may name in their `Host` field; nil allows all hosts.
        package var allowedHosts: AllowedHosts?
        package var threads = 2

        /// The maximum number of connections. The server refuses further connections with 503. A
        /// connection needs two file descriptors while it sends a file.
        package var maximumConnections = 10_000
        /// The maximum number of connections of one client address; 0 for no limit. Behind a proxy,
        /// all connections have the proxy's address.
        package var maximumConnectionsPerAddress = 0
        /// The maximum number of requests in progress. The server refuses others with 503.
        package var maximumRequests = 4000
        /// The maximum size of the request line and the header fields together, in bytes.
        package var maximumHeaderSize = 16_384
        /// The maximum size of a request's body, in bytes. A larger one is refused with 413.
        package var maximumBodySize = 65_536
        /// The maximum size of all responses together that are being sent, in bytes. Beyond it, the
        /// server resets the connections that have been sending for the longest time.
        var maximumUnsentSize = 128 << 20

        // Time limits. A client that sends or reads a byte now and then does not extend them.

        /// The maximum time to receive the head of a request, measured from its first line. For the
        /// first request of a connection, the time is measured from the connection's start.
        package var headerTimeout = Duration.seconds(10)
        /// The maximum time to receive the body of a request, measured from the end of the head.
        package var bodyTimeout = Duration.seconds(30)
        /// The maximum time for the handler to respond. The server then responds with 503.
        package var responseTimeout = Duration.seconds(30)
        /// The maximum time to send a response without its body. The body adds the time that it
        /// needs at `minimumSendRate`. On a stream, this is the maximum time to send one frame.
        package var sendTimeout = Duration.seconds(30)
        /// The time without traffic after which a stream sends a heartbeat.
        package var streamHeartbeat = Duration.seconds(15)
        /// The minimum rate at which a client must receive a body, in bytes per second.
        var minimumSendRate = 16_384
        /// The maximum time from a response to the first line of the next request.
        package var keepAliveTimeout = Duration.seconds(60)

        /// Returns the current time. Tests replace this closure with a clock that they control.
        var now: @Sendable () -> SuspendingClock.Instant = { .now }

        package init() {}

        /// The time between two checks of the deadlines: a twentieth of the shortest time limit,
        /// but at least 10 ms and at most 500 ms. The first check in a state only sets the
        /// deadline, so a connection can exceed a time limit by up to two intervals.
        var timeoutInterval: DispatchTimeInterval {
            let limits = [
                headerTimeout, bodyTimeout, responseTimeout, sendTimeout, keepAliveTimeout,
            ]
            let twentieths = limits.map { Int($0 / .milliseconds(20)) } + [500]
            return .milliseconds(max(twentieths.min() ?? 0, 10))
        }
    }
}
