import CMicrohttpd
import Glibc

/// libmicrohttpd's daemons: one thread each, with an epoll of its own, and no listening socket.
///
/// Sendable without a check: the pointers never change, and libmicrohttpd's daemon calls may come
/// from any thread. `stop` is called once, after which nothing uses the daemons.
struct Workers: @unchecked Sendable {
    private let daemons: [OpaquePointer]

    init(_ configuration: Server.Configuration, core: ServerCore) throws(ServerError) {
        let context = Unmanaged.passUnretained(core).toOpaque()
        // Who comes too often is refused by us: libmicrohttpd would close without a word.
        let connectionLimit =
            configuration.maximumConnections + ConnectionRegistry.toldConnections + 16
        // More than 32 KiB libmicrohttpd takes from the system, and gives back with each connection.
        let connectionMemory = max(36_864, 2 * configuration.maximumHeaderSize)
        var options = [
            option(.CONNECTION_LIMIT, connectionLimit),
            option(.CONNECTION_MEMORY_LIMIT, connectionMemory),
            option(.NOTIFY_CONNECTION, bits(noteConnection), context),
            option(.URI_LOG_CALLBACK, bits(beginExchange), context),
            option(.UNESCAPE_CALLBACK, bits(leaveEscaped), nil),
            option(.NOTIFY_COMPLETED, bits(endExchange), context),
            MHD_OptionItem(option: .END, value: 0, ptr_value: nil),
        ]
        let flags =
            MHD_USE_EPOLL_INTERNAL_THREAD.rawValue | MHD_USE_NO_LISTEN_SOCKET.rawValue
            | MHD_ALLOW_SUSPEND_RESUME.rawValue | MHD_USE_ITC.rawValue
        let processors = Processors.ofThisThread
        // Two workers on one processor would wait for each other while another one is idle: Linux
        // brings a thread to where it is woken from. See docs/performance.md.
        let own = configuration.pinsThreads ? processors?.each ?? [] : []
        defer { processors?.use() }
        var daemons: [OpaquePointer] = []
        for index in 0..<configuration.threads {
            if own.count == configuration.threads { own[index].use() }
            guard let daemon = waypost_start_daemon(flags, nil, handleAccess, context, &options)
            else {
                for daemon in daemons { MHD_stop_daemon(daemon) }
                throw .notStarted
            }
            daemons.append(daemon)
        }
        self.daemons = daemons
    }

    /// Hands a new connection to its worker.
    /// - Returns: false if that failed, and the connection is closed.
    func take(
        _ connection: Connection, _ descriptor: Int32, _ address: UnsafePointer<sockaddr>,
        _ length: socklen_t
    ) -> Bool {
        MHD_add_connection(daemons[connection.worker], descriptor, address, length) == .YES
    }

    /// Ends all connections.
    /// - Precondition: nothing is suspended; libmicrohttpd would abort the process.
    func stop() {
        for daemon in daemons { MHD_stop_daemon(daemon) }
    }
}

private func option(
    _ option: MHD_OPTION, _ value: Int, _ pointer: UnsafeMutableRawPointer? = nil
) -> MHD_OptionItem {
    MHD_OptionItem(option: option, value: value, ptr_value: pointer)
}

// An option item carries a callback as an integer.
private func bits(_ callback: BeginExchange) -> Int { unsafeBitCast(callback, to: Int.self) }
private func bits(_ callback: NoteConnection) -> Int { unsafeBitCast(callback, to: Int.self) }
private func bits(_ callback: LeaveEscaped) -> Int { unsafeBitCast(callback, to: Int.self) }
private func bits(_ callback: EndExchange) -> Int { unsafeBitCast(callback, to: Int.self) }
