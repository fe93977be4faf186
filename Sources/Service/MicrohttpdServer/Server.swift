import Dispatch
import Glibc
import HTTPCore
import Sockets
import Synchronization

/// An HTTP/1.1 server on GNU libmicrohttpd. Each of its worker threads has its own daemon and epoll.
///
/// If a server is released without a call of `stop`, it stops in the background, and responds with
/// 503 to the requests in progress.
package final class Server: Sendable {
    /// The TCP port on which the server listens; 0 for a Unix domain socket.
    package let port: UInt16
    private let core: ServerCore

    /// Starts a server.
    /// - Parameters:
    ///   - listener: accepts the connections. The server closes the listener when it stops.
    ///   - handler: carries out the requests. The worker threads call it.
    /// - Throws: a `ServerError` if the system has no thread or file descriptor left.
    package init(
        _ configuration: Configuration, listener: consuming Listener, handler: any RequestHandler
    ) throws(ServerError) {
        port = listener.port
        let core = try ServerCore(configuration, listener, handler)
        try core.start()
        // `deinit` must not stop a server that has not started.
        self.core = core
    }

    deinit {
        guard !core.isStopped else { return }
        // On another thread: this one may be a worker thread, which cannot wait for itself.
        DispatchQueue.global().async { [core] in core.stop(grace: 0) }
    }

    /// The number of open connections.
    package var connectionCount: Int { core.connections.count }

    /// The number of streams with unsent bytes, which wait until their clients read.
    package var behindStreamCount: Int { core.streams.behindCount }

    /// The number of rounds of the workers that waited because nothing was to do, although
    /// libmicrohttpd asked for another round at once.
    var pauseCount: Int {
        core.workers.reduce(0) { $0 + $1.pauseCount.load(ordering: .relaxed) }
    }

    /// Stops the server: refuses new connections, waits for the responses to the requests that have
    /// arrived completely, and closes all connections. During the stop, each response closes its
    /// connection, so that the client opens a new one, for example to another machine.
    ///
    /// Blocks the calling thread until the server has stopped, even if another thread has begun to
    /// stop it. A handler must not call this method.
    /// - Parameter grace: the maximum time to wait, in milliseconds. The server then responds with
    ///   503 to the requests that are still in progress.
    package func stop(grace: Int) { core.stop(grace: grace) }
}

/// The parts of a server, which the callbacks of libmicrohttpd use and which stay alive until the
/// server has stopped.
final class ServerCore: Sendable {
    let configuration: Server.Configuration
    let handler: any RequestHandler
    let connections: ConnectionRegistry
    let streams: StreamLoop
    let workers: [Worker]
    /// Has an entry for each request that has arrived and whose response has not been sent.
    let unanswered = DispatchGroup()
    /// False after the stop has begun: each response closes its connection, and no stream begins.
    let isAccepting = Atomic(true)
    /// True after the stop has waited for the requests in progress: others are then rejected.
    let isClosed = Atomic(false)
    private let requests = Atomic(0)
    /// The listener; nil after the stop has begun.
    private let listener: Mutex<Listener?>

    init(
        _ configuration: Server.Configuration, _ listener: consuming Listener,
        _ handler: any RequestHandler
    ) throws(ServerError) {
        self.configuration = configuration
        self.listener = Mutex(listener)
        self.handler = handler
        connections = ConnectionRegistry(configuration)
        workers = try (0..<configuration.threads).map { _ throws(ServerError) in try Worker() }
        streams = try StreamLoop(configuration)
    }

    var isStopped: Bool { listener.withLock { $0 == nil } }

    /// Starts the worker threads, and accepts connections.
    /// - Throws: a `ServerError` if a thread cannot start. No thread of the server runs then.
    func start() throws(ServerError) {
        var started = 0
        do {
            for worker in workers {
                try worker.start(self)
                started += 1
            }
        } catch {
            for worker in workers.prefix(started) { worker.stop() }
            streams.stop()
            throw error
        }
        listener.withLock { listener in
            listener?.start { [self] descriptor, address, length in
                let peer = NetworkAddress(address)
                guard let connection = connections.add(descriptor: descriptor, peer: peer) else {
                    close(descriptor)
                    return
                }
                workers[connection.worker].take(connection, address, length)
            }
        }
        connections.closeExpired(every: configuration.timeoutInterval)
    }

    func stop(grace: Int) {
        listener.withLock { listener in
            guard listener != nil else { return }
            isAccepting.store(false, ordering: .relaxed)
            listener = nil
            streams.stop()
            let deadline = DispatchTime.now() + .milliseconds(grace)
            _ = unanswered.wait(timeout: deadline)
            isClosed.store(true, ordering: .releasing)
            // Waits for a request that began after the first wait and before `isClosed` was set.
            _ = unanswered.wait(timeout: deadline)
            // Responds with 503 to all requests without a response. Afterwards no connection is
            // suspended: libmicrohttpd would abort the process at a stop with a suspended connection.
            for connection in connections.all { connection.exchange?.abandon(.abandoned) }
            // The workers still have to send these responses.
            _ = unanswered.wait(timeout: .now() + .seconds(1))
            for worker in workers { worker.stop() }
        }
    }

    /// Counts a request as in progress.
    /// - Returns: false if too many are in progress and the request is not urgent; otherwise the
    ///   caller must call `endRequest`.
    func begin(_ request: Request) -> Bool {
        let count = requests.add(1, ordering: .relaxed).oldValue
        if count < configuration.maximumRequests || handler.isUrgent(request) { return true }
        endRequest()
        return false
    }

    /// Notes that the handler has responded, even if the server did so before, after a timeout.
    func endRequest() { requests.subtract(1, ordering: .relaxed) }
}

/// The system has no thread or descriptor left, or libmicrohttpd has failed without a reason.
package struct ServerError: Error, CustomStringConvertible {
    package var description: String { "the server could not start its threads" }
}
