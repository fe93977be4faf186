import Dispatch
import Glibc
import HTTPCore
import Synchronization

/// An HTTP/1.1 server on GNU libmicrohttpd: epoll, one worker thread for each core.
///
/// A server that is released without `stop` stops by itself soon after: requests that run are answered
/// with 503.
public final class Server: Sendable {
    /// The port that is listened on; 0 for a socket in the file system.
    public let port: UInt16
    private let parts: Parts

    /// Starts a server.
    /// - Parameter handler: answers the requests; called on the worker threads.
    /// - Throws: a `ServerError` if the address cannot be listened on or no thread can be had.
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
        parts = try Parts(configuration, handler, socket)
    }

    deinit {
        guard !parts.isStopped.withLock({ $0 }) else { return }
        // On a thread of its own: the last reference may be a worker's, which cannot wait for itself.
        DispatchQueue.global().async { [parts] in parts.stop(grace: 0) }
    }

    /// How many connections are open.
    public var connectionCount: Int { parts.core.connections.count }

    /// Serves no new connections, waits until the requests that run are answered, and ends all.
    /// A request that is not complete by then is not waited for: nothing has been done for it.
    /// Each response from now on closes its connection, so that clients that keep asking go elsewhere.
    ///
    /// Blocks the calling thread until the server has stopped, also where another thread stops it.
    /// It must not be called by a handler.
    /// - Parameter grace: how long to wait, in milliseconds. A request that is not answered by then is
    ///   answered with 503.
    public func stop(grace: Int) { parts.stop(grace: grace) }
}

/// The parts of a server. They outlive it until all of them have stopped.
private final class Parts: Sendable {
    let core: ServerCore
    private let workers: Workers
    private let acceptor: Acceptor
    /// Nil for a port.
    private let file: SocketFile?
    private let monitor: ConnectionTimeoutMonitor
    let isStopped = Mutex(false)

    init(
        _ configuration: Server.Configuration, _ handler: any RequestHandler,
        _ socket: consuming ListeningSocket
    ) throws(ServerError) {
        core = ServerCore(configuration, handler: handler)
        workers = try Workers(configuration, core: core)
        file = socket.file
        acceptor = Acceptor(socket.handOver(), workers, core.connections)
        monitor = ConnectionTimeoutMonitor(
            core.connections, shortest: configuration.shortestTimeout)
    }

    func stop(grace: Int) {
        isStopped.withLock { isStopped in
            guard !isStopped else { return }
            isStopped = true
            file?.remove()
            acceptor.stop()
            core.isAccepting.store(false, ordering: .relaxed)
            core.waitUntilAnswered(milliseconds: grace)
            core.abandonAll()
            // The 503 of each abandoned request has still to be sent.
            core.waitUntilAnswered(milliseconds: 1000)
            monitor.stop()
            workers.stop()
        }
    }
}

/// The state that the C callbacks use.
final class ServerCore: Sendable {
    /// The limits, as the callbacks need them.
    struct Limits: Sendable {
        let requests: Int
        let bodySize: Int
        let head: HeadLimits
        /// Nil allows all.
        let allowedHosts: AllowedHosts?
        // In milliseconds
        let header, body, answer, send, keepAlive: UInt64
        /// In bytes a second: a client that takes a response more slowly is cut off in the end.
        let minimumSendRate: UInt64
    }

    let handler: any RequestHandler
    let limits: Limits
    let connections: ConnectionRegistry
    /// Requests that are complete and whose responses have not left.
    let unanswered = DispatchGroup()
    /// False from the stop on: new connections are closed, and so is each one with its next response.
    let isAccepting = Atomic(true)
    /// Whether all requests without a response have been given up: none may be suspended any more.
    let isClosed = Atomic(false)
    private let requests = Atomic(0)

    init(_ configuration: Server.Configuration, handler: any RequestHandler) {
        self.handler = handler
        connections = ConnectionRegistry(configuration)
        limits = Limits(
            requests: configuration.maximumRequests, bodySize: configuration.maximumBodySize,
            head: HeadLimits(maximumSize: configuration.maximumHeaderSize),
            allowedHosts: configuration.allowedHosts,
            header: configuration.headerTimeout.milliseconds,
            body: configuration.bodyTimeout.milliseconds,
            answer: configuration.answerTimeout.milliseconds,
            send: configuration.sendTimeout.milliseconds,
            keepAlive: configuration.keepAliveTimeout.milliseconds,
            minimumSendRate: configuration.minimumSendRate)
    }

    /// - Returns: false if too many requests are worked on. If true, `endRequest` is to follow.
    func beginRequest() -> Bool {
        guard requests.add(1, ordering: .relaxed).oldValue < limits.requests else {
            endRequest()
            return false
        }
        return true
    }

    /// Notes that the work on a request has ended, whether or not somebody still waits for it.
    func endRequest() {
        requests.subtract(1, ordering: .relaxed)
    }

    /// Blocks until no request is being answered, or the time is over.
    func waitUntilAnswered(milliseconds: Int) {
        _ = unanswered.wait(timeout: .now() + .milliseconds(milliseconds))
    }

    /// Answers all that still have no response with 503. From then on nothing is suspended:
    /// libmicrohttpd would abort the process when it is stopped.
    func abandonAll() {
        isClosed.store(true, ordering: .releasing)
        // Each one's lock is taken: a request that begins to wait after that sees that all is closed.
        for connection in connections.all { connection.exchange?.abandon() }
    }
}
