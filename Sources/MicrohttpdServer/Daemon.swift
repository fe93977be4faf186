import CMicrohttpd
import Glibc

/// The running libmicrohttpd daemon.
///
/// Sendable without a check: the pointer never changes, and libmicrohttpd's daemon calls may come
/// from any thread. `stop` is called once, after which nothing uses the daemon.
struct Daemon: @unchecked Sendable {
    private let pointer: OpaquePointer

    /// Takes over `socket`.
    init(
        _ configuration: Server.Configuration, socket: Int32, core: ServerCore
    ) throws(ServerError) {
        let context = Unmanaged.passUnretained(core).toOpaque()
        // Shared out over the workers, and one may get them all. Who comes too often is refused by us:
        // libmicrohttpd would let it wait.
        let connectionLimit =
            configuration.threads
            * (configuration.maximumConnections + ConnectionRegistry.toldConnections + 16)
        // More than 32 KiB libmicrohttpd takes from the system, and gives back with each connection.
        let connectionMemory = max(36_864, 2 * configuration.maximumHeaderSize)
        var options = [
            option(.LISTEN_SOCKET, Int(socket)),
            option(.THREAD_POOL_SIZE, configuration.threads),
            option(.CONNECTION_LIMIT, connectionLimit),
            option(.CONNECTION_MEMORY_LIMIT, connectionMemory),
            option(.NOTIFY_CONNECTION, bits(noteConnection), context),
            option(.URI_LOG_CALLBACK, bits(beginExchange), context),
            option(.UNESCAPE_CALLBACK, bits(leaveEscaped), nil),
            option(.NOTIFY_COMPLETED, bits(endExchange), context),
            MHD_OptionItem(option: .END, value: 0, ptr_value: nil),
        ]
        let flags =
            MHD_USE_EPOLL_INTERNAL_THREAD.rawValue | MHD_ALLOW_SUSPEND_RESUME.rawValue
            | MHD_USE_ITC.rawValue
        guard
            let daemon = waypost_start_daemon(
                flags, admitConnection, handleAccess, context, &options)
        else {
            close(socket)
            throw .notStarted
        }
        pointer = daemon
    }

    var connectionCount: Int { Int(waypost_connection_count(pointer)) }

    /// Ends all connections, and closes the listening socket.
    /// - Precondition: nothing is suspended; libmicrohttpd would abort the process.
    func stop() {
        MHD_stop_daemon(pointer)
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
