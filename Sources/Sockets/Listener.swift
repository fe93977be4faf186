import Foundation

/// A listening socket, and the thread that accepts its connections. When the listener is destroyed, it
/// ends the thread, closes the socket and removes the socket's file.
public struct Listener: ~Copyable, Sendable {
    private let descriptor: Int32
    /// The path of a socket in the file system; nil for a TCP socket.
    private var path: String?
    /// The thread that accepts connections is in this group until it ends.
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

    /// Listens on a port.
    /// - Parameters:
    ///   - host: a name or an address of this machine.
    ///   - port: 0 lets the system pick one.
    public static func listen(host: String, port: UInt16) throws(ListenError) -> Listener {
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

    /// Listens on a socket in the file system, to which only this user can connect.
    /// - Parameter path: at most 107 bytes. A socket on which no process listens is replaced.
    /// - Throws: `.notASocket` if another kind of file is at the path, and `.socketInUse` if a
    ///   process listens on it. In both cases the file stays as it is.
    public static func listen(path: String) throws(ListenError) -> Listener {
        var listener = try Listener(AF_UNIX)
        let descriptor = listener.descriptor
        try withLockedFolder(of: path) { () throws(ListenError) in
            try removeDead(path)
            // The file gets the permissions of the descriptor.
            guard fchmod(descriptor, 0o600) == 0,
                try withSocketAddress(of: path, { bind(descriptor, $0, $1) }) == 0,
                Glibc.listen(descriptor, SOMAXCONN) == 0
            else { throw .system("cannot listen on \(path)", errno) }
        }
        listener.path = path
        return listener
    }

    /// The port of the socket; 0 for a socket in the file system.
    public var port: UInt16 {
        guard path == nil else { return 0 }
        var address = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutableBytes(of: &address) { bytes in
            getsockname(
                descriptor, bytes.assumingMemoryBound(to: sockaddr.self).baseAddress, &length)
            // sin_port and sin6_port lie at the same place: behind the family, in network order.
            return UInt16(bytes[2]) << 8 | UInt16(bytes[3])
        }
    }

    /// Accepts connections on a thread of its own. Call this method only once.
    /// - Parameter take: takes over the descriptor of a connection. The address is valid during the call.
    public func start(
        _ take: @escaping @Sendable (Int32, UnsafePointer<sockaddr>, socklen_t) -> Void
    ) {
        accepting.enter()
        // A dispatch queue would hold one of the 255 threads that Dispatch has at most.
        let thread = Thread { [descriptor, accepting] in
            Self.acceptAll(descriptor, take)
            accepting.leave()
        }
        thread.name = "waypost.listener"
        thread.start()
    }

    /// Accepts connections until the socket is shut down.
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
            // The system has no resources for another connection, and another call would fail at
            // once.
            default: usleep(100_000)
            }
        }
    }

    // MARK: Sockets in the file system

    private static let socketType = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)

    /// Removes the socket at `path` if no process listens on it.
    /// - Throws: `.notASocket` if something else is there; `.socketInUse` if a process listens on it.
    private static func removeDead(_ path: String) throws(ListenError) {
        var status = stat()
        // Without a file there is nothing to remove. Any other error of `lstat` also makes the
        // caller's `bind` fail.
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else { throw .notASocket(path) }
        let probe = socket(AF_UNIX, socketType | Int32(SOCK_NONBLOCK.rawValue), 0)
        guard probe >= 0 else { throw .system("socket", errno) }
        defer { close(probe) }
        let isUsed = try withSocketAddress(of: path) { connect(probe, $0, $1) } == 0
        switch isUsed ? 0 : errno {
        case ECONNREFUSED: unlink(path)
        case ENOENT: break
        // EAGAIN: the service that listens has a full queue.
        case 0, EAGAIN: throw .socketInUse(path)
        case let error: throw .system("cannot listen on \(path)", error)
        }
    }

    /// Locks the socket's folder while `body` runs. Otherwise another service could remove a socket after
    /// `bind` and before `listen`.
    private static func withLockedFolder<Failure: Error>(
        of path: String, _ body: () throws(Failure) -> Void
    ) throws(Failure) {
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        // The close releases the lock. If the file system has no locks, or the folder cannot be read,
        // two services that start at the same moment can still conflict.
        defer { if descriptor >= 0 { close(descriptor) } }
        if descriptor >= 0 { _ = flock(descriptor, LOCK_EX) }
        try body()
    }
}

/// Calls `bind` or `connect` with the address of a socket in the file system.
func withSocketAddress(
    of path: String, _ call: (UnsafePointer<sockaddr>?, socklen_t) -> Int32
) throws(ListenError) -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    guard path.utf8.count < MemoryLayout.size(ofValue: address.sun_path) else {
        throw .system("cannot listen on \(path)", ENAMETOOLONG)
    }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    return withUnsafeBytes(of: address) { bytes in
        call(bytes.assumingMemoryBound(to: sockaddr.self).baseAddress, socklen_t(bytes.count))
    }
}
