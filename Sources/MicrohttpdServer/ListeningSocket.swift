import Glibc

/// A bound, listening socket; closed with its owner unless it was handed over.
struct ListeningSocket: ~Copyable {
    fileprivate let descriptor: Int32
    private var isHandedOver = false
    /// The path in the file system; nil for a TCP socket.
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
        let socket = try open(address.ai_family, address.ai_protocol)
        let descriptor = socket.descriptor
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
        let socket = try open(AF_UNIX)
        try SocketFile.withLockedFolder(of: path) { () throws(ServerError) in
            try SocketFile.removeDead(path, address)
            let mask = umask(0o177)
            let status = withSocketAddress(address) { bind(socket.descriptor, $0, $1) }
            let error = errno
            umask(mask)
            guard status == 0, Glibc.listen(socket.descriptor, SOMAXCONN) == 0 else {
                throw .system("cannot listen on \(path)", status == 0 ? errno : error)
            }
        }
        return ListeningSocket(descriptor: socket.handOver(), file: SocketFile(at: path))
    }

    fileprivate static func open(
        _ family: Int32, _ protocolNumber: Int32 = 0
    ) throws(ServerError) -> ListeningSocket {
        let type = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
        let descriptor = Glibc.socket(family, Int32(type), protocolNumber)
        guard descriptor >= 0 else { throw .system("socket", errno) }
        return ListeningSocket(descriptor: descriptor)
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

/// A socket in the file system that this process has made: told apart from another one that has come to
/// its path since.
struct SocketFile: Sendable {
    private let path: String
    private let device: dev_t
    private let number: ino_t
    /// File systems give the number of a removed file to the next one.
    private let made: timespec

    /// - Returns: nil if nothing is at `path`, or it cannot be looked at.
    init?(at path: String) {
        guard let status = Self.status(path) else { return nil }
        self.path = path
        device = status.st_dev
        number = status.st_ino
        made = status.st_mtim
    }

    /// Removes the socket, unless it is not there any more or another file has taken its path.
    func remove() {
        Self.withLockedFolder(of: path) {
            guard let status = Self.status(path), status.st_dev == device, status.st_ino == number,
                status.st_mtim.tv_sec == made.tv_sec, status.st_mtim.tv_nsec == made.tv_nsec
            else { return }
            unlink(path)
        }
    }

    /// Makes room for a socket at `path`. Only a socket that nobody listens on is removed.
    /// - Throws: `.notASocket` if something else is there; `.socketInUse` if a process listens on it.
    static func removeDead(_ path: String, _ address: sockaddr_un) throws(ServerError) {
        guard let status = status(path) else {
            guard errno == ENOENT else { throw .system("cannot listen on \(path)", errno) }
            return
        }
        guard status.st_mode & S_IFMT == S_IFSOCK else { throw .notASocket(path) }
        let probe = try ListeningSocket.open(AF_UNIX)
        let error = withSocketAddress(address) {
            connect(probe.descriptor, $0, $1) == 0 ? 0 : errno
        }
        switch error {
        case ECONNREFUSED: unlink(path)
        case ENOENT: break
        // EAGAIN: the service that listens has a full queue.
        case 0, EAGAIN: throw .socketInUse(path)
        default: throw .system("cannot listen on \(path)", error)
        }
    }

    /// Keeps other services that do the same out of the socket's folder, so that none of them removes a
    /// socket between the moments when it is bound and when it is listened on.
    static func withLockedFolder<Value, Failure: Error>(
        of path: String, _ body: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        // Closing it unlocks it. Where a file system has no locks, or the folder cannot be read, the
        // chance of two starts at the same moment remains.
        defer { if descriptor >= 0 { close(descriptor) } }
        if descriptor >= 0 { _ = flock(descriptor, LOCK_EX) }
        return try body()
    }

    private static func status(_ path: String) -> stat? {
        var status = stat()
        return lstat(path, &status) == 0 ? status : nil
    }
}

private func withSocketAddress<Value>(
    _ address: sockaddr_un, _ body: (UnsafePointer<sockaddr>?, socklen_t) -> Value
) -> Value {
    withUnsafeBytes(of: address) { bytes in
        body(bytes.assumingMemoryBound(to: sockaddr.self).baseAddress, socklen_t(bytes.count))
    }
}
