import Glibc

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
        let descriptor = socket(
            AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0
        )
        guard descriptor >= 0 else { throw .system("socket", errno) }
        defer { close(descriptor) }
        let answer = withUnsafeBytes(of: address) { bytes in
            connect(
                descriptor, bytes.assumingMemoryBound(to: sockaddr.self).baseAddress,
                socklen_t(bytes.count))
        }
        let error = answer == 0 ? 0 : errno
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
