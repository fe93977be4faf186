import Foundation

/// A listening socket, and the thread that accepts its connections. When a listener is destroyed,
/// the thread ends, the socket is closed, and the file of a Unix domain socket is removed.
package struct Listener: ~Copyable, Sendable {
    private let descriptor: Int32
    /// The path of a Unix domain socket; nil for a TCP socket.
    private var path: String?
    /// A group that contains the accepting thread while it runs, so that `deinit` can wait for its
    /// end.
    private let accepting = DispatchGroup()

    private init(_ family: Int32, _ protocolNumber: Int32 = 0) throws(ListenError) {
        descriptor = socket(family, Self.socketType, protocolNumber)
        guard descriptor >= 0 else { throw .system("socket", errno) }
    }

    deinit {
        // The shutdown ends `accept`. From here on the system refuses clients.
        shutdown(descriptor, Int32(SHUT_RDWR))
        accepting.wait()
        close(descriptor)
        guard let path else { return }
        // No process listens on the path now, unless another service has taken it in the meantime.
        Self.withLockedFolder(of: path) { try? Self.removeDead(path) }
    }

    /// Listens on a TCP port.
    /// - Parameters:
    ///   - host: a name or an address of this machine.
    ///   - port: the port number; 0 lets the system choose a free port.
    /// - Throws: `.unknownHost`, `.addressInUse` or `.system`.
    package static func listen(host: String, port: UInt16) throws(ListenError) -> Listener {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
        var found: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(host, String(port), &hints, &found)
        guard status == 0, let address = found?.pointee else {
            throw .unknownHost(host, reason: String(cString: gai_strerror(status)))
        }
        defer { freeaddrinfo(found) }
        let listener = try Listener(address.ai_family, address.ai_protocol)
        let descriptor = listener.descriptor
        // A restart must not wait for the old connections' TIME_WAIT.
        setOption(descriptor, SOL_SOCKET, SO_REUSEADDR, Int32(1))
        guard bind(descriptor, address.ai_addr, address.ai_addrlen) == 0 else {
            throw errno == EADDRINUSE
                ? .addressInUse(host, port) : .system("cannot listen on \(host):\(port)", errno)
        }
        guard Glibc.listen(descriptor, SOMAXCONN) == 0 else { throw .system("listen", errno) }
        return listener
    }

    /// Listens on a Unix domain socket, to which only the current user can connect. Replaces a
    /// socket at the path if no process listens on it.
    /// - Parameter path: the path of the socket, of at most 107 bytes.
    /// - Throws: `.notASocket` if another kind of file is at the path, or `.socketInUse` if a
    ///   process listens on the socket there; the file does not change in either case. `.system` if
    ///   a system call fails.
    package static func listen(path: String) throws(ListenError) -> Listener {
        var listener = try Listener(AF_UNIX)
        let descriptor = listener.descriptor
        try withLockedFolder(of: path) { () throws(ListenError) in
            try removeDead(path)
            // The file gets the permissions of the descriptor.
            guard fchmod(descriptor, 0o600) == 0,
                withSocketAddress(of: path, { bind(descriptor, $0, $1) }) == 0,
                Glibc.listen(descriptor, SOMAXCONN) == 0
            else { throw .system("cannot listen on \(path)", errno) }
        }
        listener.path = path
        return listener
    }

    /// The number of the TCP port; 0 for a Unix domain socket.
    package var port: UInt16 {
        guard path == nil else { return 0 }
        // sin_port and sin6_port lie at the same place: behind the family, in network order.
        return withBoundAddress { UInt16($0[2]) << 8 | UInt16($0[3]) }
    }

    /// Whether only clients on this machine can connect: the socket is bound to `::1` or to an
    /// address in `127.0.0.0/8`, which can be mapped to IPv6. The host's name does not tell, because
    /// that of the machine itself is often an address in `127.0.0.0/8`.
    package var isLoopback: Bool {
        withBoundAddress { bytes in
            switch Int32(bytes.loadUnaligned(as: sa_family_t.self)) {
            case AF_INET:
                let address = bytes.loadUnaligned(as: sockaddr_in.self).sin_addr
                return address.s_addr.bigEndian >> 24 == 127
            case AF_INET6:
                let address = bytes.loadUnaligned(as: sockaddr_in6.self).sin6_addr
                return withUnsafeBytes(of: address) { address in
                    withUnsafeBytes(of: in6addr_loopback) { address.elementsEqual($0) }
                        || address.starts(with: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 127])
                }
            default: return false
            }
        }
    }

    private func withBoundAddress<Value>(
        _ body: (UnsafeMutableRawBufferPointer) -> Value
    ) -> Value {
        var address = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutableBytes(of: &address) { bytes in
            getsockname(
                descriptor, bytes.assumingMemoryBound(to: sockaddr.self).baseAddress, &length)
            return body(bytes)
        }
    }

    /// Starts a thread that accepts connections. Call this method only once.
    /// - Parameter take: called on the new thread for each connection, with the connection's
    ///   descriptor and the address of the client. The listener does not close this descriptor.
    ///   The pointer to the address is valid only during the call.
    package func start(
        _ take: @escaping @Sendable (Int32, UnsafePointer<sockaddr>, socklen_t) -> Void
    ) {
        accepting.enter()
        // A dispatch queue would occupy one of the at most 255 threads of Dispatch.
        let thread = Thread { [descriptor, accepting] in
            Self.acceptAll(descriptor, take)
            accepting.leave()
        }
        thread.name = "waypost.listener"
        thread.start()
    }

    /// Accepts connections until the socket is shut down. Passes each connection to `take`.
    private static func acceptAll(
        _ descriptor: Int32, _ take: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Void
    ) {
        while true {
            var address = sockaddr_storage()
            var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
            let isAccepted = withUnsafeMutablePointer(to: &address) { address in
                address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                    let connection = accept(descriptor, address, &length)
                    if connection >= 0 { take(connection, address, length) }
                    return connection >= 0
                }
            }
            if isAccepted { continue }
            switch errno {
            case EINTR, ECONNABORTED: continue
            // The socket has been shut down.
            case EINVAL: return
            // The system has no resources for another connection. Without a pause, the next call
            // would fail at once, too.
            default: usleep(100_000)
            }
        }
    }

    // MARK: Sockets in the file system

    private static let socketType = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)

    /// Removes the socket at `path` if no process listens on it. Does nothing if no file is there.
    /// - Throws: `.notASocket` if another kind of file is there; `.socketInUse` if a process
    ///   listens on the socket; `.system` if a system call fails.
    private static func removeDead(_ path: String) throws(ListenError) {
        var status = stat()
        // If no file exists, there is nothing to remove. After any other error of `lstat`, the
        // caller's `bind` fails as well.
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else { throw .notASocket(path) }
        let probe = socket(AF_UNIX, socketType | Int32(SOCK_NONBLOCK.rawValue), 0)
        guard probe >= 0 else { throw .system("socket", errno) }
        defer { close(probe) }
        let isUsed = withSocketAddress(of: path) { connect(probe, $0, $1) } == 0
        switch isUsed ? 0 : errno {
        case ECONNREFUSED: unlink(path)
        case ENOENT: break
        // EAGAIN: a process listens, but its queue of connections is full.
        case 0, EAGAIN: throw .socketInUse(path)
        case let error: throw .system("cannot listen on \(path)", error)
        }
    }

    /// Locks the folder of the socket while `body` runs. Without the lock, another service that
    /// starts at the same time could find the socket between `bind` and `listen`, and remove it as
    /// unused.
    private static func withLockedFolder<Failure: Error>(
        of path: String, _ body: () throws(Failure) -> Void
    ) throws(Failure) {
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        // The close releases the lock. If the file system has no locks, or the folder cannot be
        // read, two services that start at the same moment can still conflict.
        defer { if descriptor >= 0 { close(descriptor) } }
        if descriptor >= 0 { _ = flock(descriptor, LOCK_EX) }
        try body()
    }
}

/// Passes the address of the Unix domain socket at `path` to `call`, which calls `bind` or
/// `connect`.
/// - Returns: the result of `call`; -1 if the path is empty or too long, with the `errno` of a
///   call.
func withSocketAddress(
    of path: String, _ call: (UnsafePointer<sockaddr>?, socklen_t) -> Int32
) -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    // Linux takes an empty path as the name of an abstract socket, which every user can open.
    guard let first = path.utf8.first, first != 0 else {
        errno = EINVAL
        return -1
    }
    guard path.utf8.count < MemoryLayout.size(ofValue: address.sun_path) else {
        errno = ENAMETOOLONG
        return -1
    }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    return withUnsafeBytes(of: address) { bytes in
        call(bytes.assumingMemoryBound(to: sockaddr.self).baseAddress, socklen_t(bytes.count))
    }
}
