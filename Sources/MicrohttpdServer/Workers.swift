import CMicrohttpd
import CScheduling
import Glibc

/// The worker threads of a server. Each is a daemon of libmicrohttpd: a thread that waits with
/// epoll for the connections that it is given. The daemons have no listening socket.
///
/// The type is `@unchecked Sendable`: the pointers never change, and libmicrohttpd allows calls
/// from any thread. `stop` is called once, and nothing uses the daemons afterwards.
struct Workers: @unchecked Sendable {
    private let daemons: [OpaquePointer]

    /// Starts the worker threads.
    /// - Parameter core: must stay alive until `stop` has returned, because the callbacks use it.
    /// - Throws: a `ServerError` if a daemon cannot start.
    init(_ core: ServerCore) throws(ServerError) {
        let configuration = core.configuration
        let context = Unmanaged.passUnretained(core).toOpaque()
        // The registry refuses connections above the limit; libmicrohttpd only closes them.
        let connectionLimit =
            configuration.maximumConnections + ConnectionRegistry.rejectedConnectionHeadroom + 16
        // Parsed fields take more memory than their text. libmicrohttpd allocates more than 32 KiB
        // with `mmap`, so that the system gets the memory back at the end of the connection.
        let connectionMemory = max(36_864, 2 * configuration.maximumHeaderSize)
        var options = [
            option(.CONNECTION_LIMIT, connectionLimit),
            option(.CONNECTION_MEMORY_LIMIT, connectionMemory),
            option(.NOTIFY_CONNECTION, bits(connectionNotification), context),
            option(.URI_LOG_CALLBACK, bits(requestStarted), context),
            option(.UNESCAPE_CALLBACK, bits(leaveEscaped)),
            option(.NOTIFY_COMPLETED, bits(requestCompleted), context),
            option(.END, 0),
        ]
        let flags =
            MHD_USE_EPOLL_INTERNAL_THREAD.rawValue | MHD_USE_NO_LISTEN_SOCKET.rawValue
            | MHD_ALLOW_SUSPEND_RESUME.rawValue | MHD_USE_ITC.rawValue
            // Streams need this flag, see `Exchange.detach`.
            | MHD_USE_TURBO.rawValue
        var processors = cpu_set_t()
        let isPinned =
            configuration.pinsThreads
            && waypost_get_affinity(&processors) == Int32(configuration.threads)
        defer { if isPinned { waypost_set_affinity(&processors, -1) } }
        var daemons: [OpaquePointer] = []
        for index in 0..<configuration.threads {
            // The daemon's thread inherits the processors of this one.
            if isPinned { waypost_set_affinity(&processors, Int32(index)) }
            guard let daemon = waypost_start_daemon(flags, nil, handleAccess, context, &options)
            else {
                for daemon in daemons { MHD_stop_daemon(daemon) }
                throw ServerError()
            }
            daemons.append(daemon)
        }
        self.daemons = daemons
    }

    /// Passes a new connection to its worker thread.
    /// - Returns: false if libmicrohttpd has refused the connection and closed the descriptor.
    func take(
        _ connection: Connection, _ address: UnsafePointer<sockaddr>, _ length: socklen_t
    ) -> Bool {
        let daemon = daemons[connection.worker]
        return MHD_add_connection(daemon, connection.descriptor, address, length) == .YES
    }

    /// Closes all connections and ends the worker threads.
    /// - Precondition: no connection is suspended; otherwise libmicrohttpd aborts the process.
    func stop() {
        for daemon in daemons { MHD_stop_daemon(daemon) }
    }
}

private func option(
    _ option: MHD_OPTION, _ value: Int, _ pointer: UnsafeMutableRawPointer? = nil
) -> MHD_OptionItem {
    MHD_OptionItem(option: option, value: value, ptr_value: pointer)
}

/// Returns a C function pointer as an integer, the form in which `MHD_OptionItem` stores it.
private func bits<Callback>(_ callback: Callback) -> Int {
    unsafeBitCast(callback, to: Int.self)
}
