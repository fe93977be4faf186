import CEpoll
import CMicrohttpd
import Glibc
import Synchronization

/// A thread that serves a part of the connections, with a daemon of libmicrohttpd for them alone.
///
/// The thread waits for the daemon's connections and for the messages of other threads, and then
/// calls `MHD_run`. The daemon has no thread of its own: such a thread sleeps in a call of
/// `epoll_wait` that nothing ends if exactly 128 clients wait for their responses, since
/// libmicrohttpd asks for 128 events and then for more before it handles them.
///
/// The type is `@unchecked Sendable`: only the worker's thread uses the daemon and the other variables
/// after the start.
final class Worker: @unchecked Sendable {
    /// `@unchecked Sendable`: only the worker's thread uses the handle.
    private enum Message: @unchecked Sendable {
        /// A new connection, with the socket address of its client.
        case take(Connection, address: [UInt8])
        /// The response to a request is ready, whose connection is suspended.
        case resume(OpaquePointer)
        case stop
    }

    /// The maximum number of rounds in succession that do nothing although libmicrohttpd asks for
    /// another one at once. It does so for ever if the client sends an extension of a chunk without
    /// end. A round then waits for `pause` milliseconds.
    private static let idleRoundLimit = 16
    private static let pause: Int32 = 10

    private let inbox: Inbox<Message>
    /// The number of rounds that waited because of `idleRoundLimit`.
    let pauseCount = Atomic(0)
    private var thread = pthread_t()
    private var daemon: OpaquePointer?
    private var core: ServerCore?
    /// Whether a callback of libmicrohttpd or a message has been handled in this round.
    private var hasProgressed = false

    /// - Throws: a `ServerError` if the system has no file descriptor left.
    init() throws(ServerError) { inbox = try Inbox() }

    /// Starts the thread.
    /// - Parameter core: what the callbacks use, until `stop` has returned.
    /// - Throws: a `ServerError` if the system has no thread or file descriptor left.
    func start(_ core: ServerCore) throws(ServerError) {
        guard let daemon = Self.startDaemon(core) else { throw ServerError() }
        (self.core, self.daemon) = (core, daemon)
        do { thread = try startThread { self.serve() } } catch {
            (self.core, self.daemon) = (nil, nil)
            MHD_stop_daemon(daemon)
            throw error
        }
    }

    private static func startDaemon(_ core: ServerCore) -> OpaquePointer? {
        let configuration = core.configuration
        let context = Unmanaged.passUnretained(core).toOpaque()
        // The registry refuses connections above the limit; libmicrohttpd only closes them.
        let connectionLimit =
            configuration.maximumConnections + ConnectionRegistry.rejectedConnectionHeadroom + 16
        // Parsed fields take more memory than their text. libmicrohttpd allocates more than 32 KiB
        // with `mmap`, so that the system gets the memory back at the end of the connection.
        let connectionMemory = max(36_864, 2 * configuration.maximumHeaderSize)
        return waypost_start_daemon(
            UInt32(clamping: connectionLimit), connectionMemory, connectionNotification,
            requestStarted, leaveEscaped, handleAccess, requestCompleted, context)
    }

    // MARK: On any thread

    /// Passes a new connection to the worker.
    func take(_ connection: Connection, _ address: UnsafePointer<sockaddr>, _ length: socklen_t) {
        let bytes = UnsafeRawBufferPointer(start: address, count: Int(length))
        inbox.post(.take(connection, address: Array(bytes)))
    }

    /// Resumes a suspended connection, so that libmicrohttpd asks for its response.
    /// - Parameter handle: libmicrohttpd's handle of the connection.
    func resume(_ handle: OpaquePointer) { inbox.post(.resume(handle)) }

    /// Closes all connections, and returns when the thread has ended. Must be called only once.
    /// - Precondition: no connection is suspended; otherwise libmicrohttpd aborts the process.
    func stop() {
        inbox.post(.stop)
        pthread_join(thread, nil)
    }

    // MARK: On the worker's thread

    /// Notes that a callback of libmicrohttpd has run.
    func noteProgress() { hasProgressed = true }

    private func serve() {
        guard let daemon else { return }
        var descriptors = [waypost_epoll_descriptor(daemon), inbox.descriptor].map {
            pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
        }
        var messages: [Message] = []
        var idleRounds = 0
        while true {
            inbox.take(&messages)
            hasProgressed = !messages.isEmpty
            for message in messages {
                switch message {
                case .take(let connection, let address): add(connection, address, to: daemon)
                case .resume(let handle): MHD_resume_connection(handle)
                case .stop: return end(daemon)
                }
            }
            messages.removeAll(keepingCapacity: true)
            MHD_run(daemon)
            // Further requests have often arrived meanwhile, and another round costs less than a wait.
            if hasProgressed {
                idleRounds = 0
                continue
            }
            var milliseconds: UInt64 = 0
            let hasTimeout = MHD_get_timeout(daemon, &milliseconds) == .YES
            if hasTimeout, milliseconds == 0 {
                idleRounds += 1
                guard idleRounds > Self.idleRoundLimit else { continue }
                pauseCount.add(1, ordering: .relaxed)
                wait(for: &descriptors, Self.pause)
            } else {
                idleRounds = 0
                // To fall asleep and wake up costs a fifth of the time of a short request. If the
                // clients or a proxy run on the same machine, their next requests have often
                // arrived when the thread continues. See docs/internals/performance.md.
                sched_yield()
                wait(for: &descriptors, hasTimeout ? Int32(clamping: milliseconds) : -1)
            }
        }
    }

    /// Waits for events, at most for the time in milliseconds; -1 for no limit.
    private func wait(for descriptors: inout [pollfd], _ milliseconds: Int32) {
        guard inbox.beginWait() else { return }
        poll(&descriptors, nfds_t(descriptors.count), milliseconds)
        inbox.endWait(isReadable: descriptors[1].revents != 0)
    }

    private func add(_ connection: Connection, _ address: [UInt8], to daemon: OpaquePointer) {
        let isTaken = address.withUnsafeBytes { address in
            MHD_add_connection(
                daemon, connection.descriptor,
                address.baseAddress?.bindMemory(to: sockaddr.self, capacity: 1),
                socklen_t(address.count)) == .YES
        }
        // libmicrohttpd has closed the descriptor then.
        if !isTaken { core?.connections.remove(connection) }
    }

    private func end(_ daemon: OpaquePointer) {
        MHD_stop_daemon(daemon)
        core = nil
        inbox.close()
    }
}
