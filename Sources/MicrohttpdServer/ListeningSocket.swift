import Glibc

/// A bound, listening socket; closed with its owner unless it was handed over.
struct ListeningSocket: ~Copyable {
    private let descriptor: Int32
    private var isHandedOver = false
    /// Where it is in the file system; nil for a TCP socket.
    let file: SocketFile?

    private init(descriptor: Int32, file: SocketFile? = nil) {
        self.descriptor = descriptor
        self.file = file
    }

    deinit {
        guard !isHandedOver else { return }
        file?.remove()
        close(descriptor)
    }

    /// - Parameters:
    ///   - host: a name or an address of this machine.
    ///   - port: 0 lets the system pick one.
    static func listen(host: String, port: UInt16) throws(ServerError) -> ListeningSocket {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
        var found: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(host, String(port), &hints, &found)
        guard status == 0, let address = found?.pointee else {
            throw .unknownHost(host, reason: String(cString: gai_strerror(status)))
        }
        defer { freeaddrinfo(found) }
        let descriptor = Glibc.socket(
            address.ai_family,
            address.ai_socktype | Int32(SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue),
            address.ai_protocol)
        guard descriptor >= 0 else { throw .system("socket", errno) }
        let socket = ListeningSocket(descriptor: descriptor)
        // A restart must not wait for the old connections' TIME_WAIT.
        var on: Int32 = 1
        setsockopt(
            descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
        guard bind(descriptor, address.ai_addr, address.ai_addrlen) == 0 else {
            let error = errno
            throw error == EADDRINUSE
                ? .addressInUse(host, port) : .system("cannot listen on \(host):\(port)", error)
        }
        guard Glibc.listen(descriptor, SOMAXCONN) == 0 else { throw .system("listen", errno) }
        return socket
    }

    /// A socket in the file system, for this user alone.
    /// - Parameter path: 107 bytes at most. A socket that nobody listens on any more is replaced.
    /// - Throws: `.notASocket` or `.socketInUse` if anything else is there, which is left alone.
    static func listen(path: String) throws(ServerError) -> ListeningSocket {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        let fits = withUnsafeMutableBytes(of: &address.sun_path) { field in
            guard bytes.count < field.count else { return false }
            field.copyBytes(from: bytes)
            return true
        }
        guard fits else { throw .system("cannot listen on \(path)", ENAMETOOLONG) }
        let descriptor = Glibc.socket(
            AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0
        )
        guard descriptor >= 0 else { throw .system("socket", errno) }
        do throws(ServerError) {
            try SocketFile.withLockedFolder(of: path) { () throws(ServerError) in
                try SocketFile.removeDead(path, address)
                try listen(descriptor, address, path)
            }
        } catch {
            close(descriptor)
            throw error
        }
        return ListeningSocket(descriptor: descriptor, file: SocketFile(at: path))
    }

    private static func listen(
        _ descriptor: Int32, _ address: sockaddr_un, _ path: String
    ) throws(ServerError) {
        let mask = umask(0o177)
        let status = withUnsafeBytes(of: address) { bytes in
            bind(
                descriptor, bytes.assumingMemoryBound(to: sockaddr.self).baseAddress,
                socklen_t(bytes.count))
        }
        let error = errno
        umask(mask)
        guard status == 0 else { throw .system("cannot listen on \(path)", error) }
        guard Glibc.listen(descriptor, SOMAXCONN) == 0 else { throw .system("listen", errno) }
    }

    /// The port that it listens on; 0 for a socket in the file system.
    var port: UInt16 {
        var address = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutableBytes(of: &address) { bytes in
            let generic = bytes.assumingMemoryBound(to: sockaddr.self).baseAddress
            getsockname(descriptor, generic, &length)
            guard generic?.pointee.sa_family != sa_family_t(AF_UNIX) else { return 0 }
            // sin_port and sin6_port lie at the same place: behind the family, in network order.
            return UInt16(bytes[2]) << 8 | UInt16(bytes[3])
        }
    }

    /// Gives the descriptor to a new owner, which closes it.
    consuming func handOver() -> Int32 {
        isHandedOver = true
        return descriptor
    }
}
