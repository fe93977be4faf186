import CMicrohttpd
import HTTPCore
import Synchronization

/// An HTTP/1.1 server on GNU libmicrohttpd: epoll, one worker thread for each core.
public final class Server: Sendable {
    public struct Configuration: Sendable {
        /// A socket in the file system instead of a port.
        public var path: String?
        public var host = "127.0.0.1"
        /// 0 lets the system pick one.
        public var port: UInt16 = 8080
        public var threads = 2
        public var connectionLimit = 1000
        /// Seconds without a byte after which a connection is closed.
        public var inactivityTimeout = 60

        public init() {}
    }

    /// The port that is listened on.
    public let port: UInt16
    private let core: ServerCore
    /// Nil when it has stopped.
    private let daemon: Mutex<Daemon?>

    public init(
        _ configuration: Configuration, handler: any RequestHandler
    ) throws(ServerError) {
        let socket =
            if let path = configuration.path {
                try ListeningSocket.listen(path: path)
            } else {
                try ListeningSocket.listen(host: configuration.host, port: configuration.port)
            }
        port = socket.port
        core = ServerCore(handler: handler)
        daemon = Mutex(try Daemon(configuration, socket: socket.handOver(), core: core))
    }

    /// How many connections are open.
    public var connectionCount: Int { daemon.withLock { $0?.connectionCount ?? 0 } }

    /// Serves no new connections, waits until the requests that run are answered, and ends all.
    /// A request that has not come whole by then is not waited for: nothing has been done for it.
    /// Each answer from now on closes its connection, so that clients that keep asking go elsewhere.
    ///
    /// Blocks the calling thread. To be called once.
    /// - Parameter grace: how long to wait, in milliseconds. What is not answered by then is
    ///   answered with 503.
    public func stop(grace: Int) {
        // Not MHD_quiesce_daemon: it takes the listening socket out of the workers' epolls while
        // they may do the same, and the one who comes second aborts the process.
        core.isAccepting.store(false, ordering: .relaxed)
        core.exchanges.waitUntilEmpty(milliseconds: grace)
        core.exchanges.abandonAll()
        // What has been abandoned still needs its 503 to be sent.
        core.exchanges.waitUntilEmpty(milliseconds: 1000)
        daemon.withLock { $0.take() }?.stop()
    }
}

/// What the C callbacks reach: outlives the daemon.
final class ServerCore: Sendable {
    let handler: any RequestHandler
    let exchanges = ExchangeRegistry()
    /// False from the stop on: new connections are closed, and so is each one with its next answer.
    let isAccepting = Atomic(true)

    init(handler: any RequestHandler) {
        self.handler = handler
    }
}
