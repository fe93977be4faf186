import Dispatch
import Glibc
import HTTPCore
import Sockets
import Streams
import Synchronization

/// An HTTP/1.1 server on GNU libmicrohttpd, with an epoll for each worker thread.
///
/// A server that is released without `stop` stops by itself soon after, and responds with 503 to
/// the requests in progress.
public final class Server: Sendable {
    /// The port that is listened on; 0 for a socket in the file system.
    public let port: UInt16
    private let parts: Parts

    /// Starts a server.
    /// - Parameters:
    ///   - listener: accepts the connections. The stop closes it.
    ///   - handler: carries out the requests. The worker threads call it.
    /// - Throws: a `ServerError` if the system has no thread left.
    public init(
        _ configuration: Configuration, listener: consuming Listener, handler: any RequestHandler
    ) throws(ServerError) {
        port = listener.port
        parts = try Parts(configuration, handler, listener)
    }

    deinit {
        guard !parts.isStopped else { return }
        // On a thread of its own: the last reference may be a worker's, which cannot wait for itself.
        DispatchQueue.global().async { [parts] in parts.stop(grace: 0) }
    }

    /// The number of open connections.
    public var connectionCount: Int { parts.core.connections.count }

    /// The number of streams whose client has not read the last frame yet.
    public var behindStreamCount: Int { parts.core.streams.behindCount }

    /// Refuses new connections, waits for the responses to the requests in progress, and closes all
    /// connections. The server does not wait for incomplete requests, as nothing has been done for them.
    /// Each response from now on closes its connection, so that clients connect elsewhere.
    ///
    /// Blocks the calling thread until the server has stopped, even if another thread has begun to stop
    /// it. A handler must not call this method.
    /// - Parameter grace: the time to wait, in milliseconds. The server then responds with 503 to the
    ///   requests that are left.
    public func stop(grace: Int) { parts.stop(grace: grace) }
}

/// The parts of a server. They outlive the `Server` object until all of them have stopped.
private final class Parts: Sendable {
    let core: ServerCore
    private let workers: Workers
    /// The listener; nil once the stop has begun.
    private let listener: Mutex<Listener?>

    var isStopped: Bool { listener.withLock { $0 == nil } }

    init(
        _ configuration: Server.Configuration, _ handler: any RequestHandler,
        _ listener: consuming Listener
    ) throws(ServerError) {
        core = try ServerCore(configuration, handler: handler)
        do {
            workers = try Workers(core)
        } catch {
            core.streams.stop()
            throw error
        }
        listener.start { [workers, connections = core.connections] descriptor, address, length in
            let peer = NetworkAddress(address)
            guard let connection = connections.add(descriptor: descriptor, peer: peer) else {
                close(descriptor)
                return
            }
            if !workers.take(connection, address, length) { connections.remove(connection) }
        }
        self.listener = Mutex(listener)
        core.connections.closeExpired(every: configuration.timeoutInterval)
    }

    func stop(grace: Int) {
        listener.withLock { listener in
            guard listener != nil else { return }
            listener = nil
            core.isAccepting.store(false, ordering: .relaxed)
            core.streams.stop()
            let deadline = DispatchTime.now() + .milliseconds(grace)
            core.waitUntilAnswered(deadline)
            core.isClosed.store(true, ordering: .releasing)
            // Waits for a request that began after the first wait and before `isClosed` was set.
            core.waitUntilAnswered(deadline)
            core.abandonAll()
            // The workers still have to send the 503 of each abandoned request.
            core.waitUntilAnswered(.now() + .seconds(1))
            workers.stop()
        }
    }
}

/// The state that the C callbacks use.
final class ServerCore: Sendable {
    let configuration: Server.Configuration
    let handler: any RequestHandler
    let connections: ConnectionRegistry
    let streams: StreamLoop
    /// Requests that are complete or refused, and whose responses have not been sent.
    let unanswered = DispatchGroup()
    /// False once the stop has begun. Each response then closes its connection, and no stream begins.
    let isAccepting = Atomic(true)
    /// Whether the server rejects each request that the handler has not received yet.
    let isClosed = Atomic(false)
    private let requests = Atomic(0)

    init(
        _ configuration: Server.Configuration, handler: any RequestHandler
    ) throws(ServerError) {
        self.configuration = configuration
        self.handler = handler
        connections = ConnectionRegistry(configuration)
        do {
            streams = try StreamLoop(
                StreamLoop.Limits(
                    heartbeat: configuration.streamHeartbeat,
                    sendTimeout: configuration.sendTimeout),
                clock: configuration.now)
        } catch {
            throw ServerError()
        }
    }

    /// Notes that the work on a request begins. The caller must call `endRequest` at its end.
    /// - Returns: false if too many requests are in progress. The work must then not begin.
    func beginRequest() -> Bool {
        let count = requests.add(1, ordering: .relaxed).oldValue
        if count >= configuration.maximumRequests { endRequest() }
        return count < configuration.maximumRequests
    }

    /// Notes that the work on a request has ended, whether or not anyone is still waiting for it.
    func endRequest() {
        requests.subtract(1, ordering: .relaxed)
    }

    /// Blocks until no request in `unanswered` is left, or the deadline has passed.
    func waitUntilAnswered(_ deadline: DispatchTime) { _ = unanswered.wait(timeout: deadline) }

    /// Responds with 503 to all requests without a response. No connection is suspended after this
    /// call: libmicrohttpd would abort the process if it were stopped with a suspended connection.
    /// - Precondition: `isClosed` is set, so that no other request begins.
    func abandonAll() {
        for connection in connections.all { connection.exchange?.abandon(.abandoned) }
    }
}

/// The system has no thread or descriptor left, or libmicrohttpd has failed, which gives no reason.
public struct ServerError: Error, CustomStringConvertible {
    public var description: String { "the server could not start its threads" }
}
