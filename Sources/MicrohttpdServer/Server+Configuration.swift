import Glibc
import HTTPCore

extension Server {
    public struct Configuration: Sendable {
        /// A socket in the file system instead of a port.
        public var path: String?
        public var host = "127.0.0.1"
        /// 0 lets the system pick one.
        public var port: UInt16 = 8080
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
        public var answerTimeout = Duration.seconds(30)
        /// For the client to take the answer, and one second more for each 16 KiB of it.
        public var sendTimeout = Duration.seconds(30)
        /// In bytes a second: how fast a client has to take a response at least.
        var minimumSendRate: UInt64 = 16_384
        /// From an answer to the first line of the next request.
        public var keepAliveTimeout = Duration.seconds(60)

        /// In milliseconds; a test has time go by as it likes.
        var now: @Sendable () -> UInt64 = { MonotonicClock.now }

        public init() {}

        var shortestTimeout: Duration {
            [headerTimeout, bodyTimeout, answerTimeout, sendTimeout, keepAliveTimeout].min()
                ?? headerTimeout
        }
    }
}

enum MonotonicClock {
    /// Milliseconds since some moment before the process started.
    static var now: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1000 + UInt64(time.tv_nsec) / 1_000_000
    }
}

extension Duration {
    /// Rounded down.
    var milliseconds: UInt64 {
        UInt64(max(0, components.seconds)) * 1000
            + UInt64(max(0, components.attoseconds)) / 1_000_000_000_000_000
    }
}
