import CMicrohttpd
import HTTPCore

/// An HTTP/1.1 server on GNU libmicrohttpd: epoll, one worker thread for each core.
public final class Server: Sendable {
    /// The port that is listened on.
    public let port: UInt16
    private let core: ServerCore
    private let workers: Workers
    private let acceptor: Acceptor
    /// Nil for a port.
    private let file: SocketFile?
    private let reaper: Reaper

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
        file = socket.file
        core = ServerCore(configuration, handler: handler)
        workers = try Workers(configuration, core: core)
        acceptor = Acceptor(socket.handOver(), workers, core.connections)
        reaper = Reaper(core.connections, shortest: configuration.shortestTimeout)
    }

    /// How many connections are open.
    public var connectionCount: Int { core.connections.count }

    /// Serves no new connections, waits until the requests that run are answered, and ends all.
    /// A request that has not come whole by then is not waited for: nothing has been done for it.
    /// Each answer from now on closes its connection, so that clients that keep asking go elsewhere.
    ///
    /// Blocks the calling thread. To be called once.
    /// - Parameter grace: how long to wait, in milliseconds. What is not answered by then is
    ///   answered with 503.
    public func stop(grace: Int) {
        file?.remove()
        acceptor.stop()
        core.isAccepting.store(false, ordering: .relaxed)
        core.waitUntilAnswered(milliseconds: grace)
        core.abandonAll()
        // What has been abandoned still needs its 503 to be sent.
        core.waitUntilAnswered(milliseconds: 1000)
        reaper.stop()
        workers.stop()
    }
}
