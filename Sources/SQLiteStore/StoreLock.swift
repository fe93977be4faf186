import Glibc
import Synchronization

/// An advisory lock that keeps other processes from using a store. The lock file is beside the
/// store and contains the id of the process that holds the lock. The lock ends when `release()` is
/// called or when the process ends, even if the process is killed.
final class StoreLock: Sendable {
    /// The descriptor of the lock file; nil after `release()`.
    private let descriptor: Mutex<Int32?>

    convenience init(for path: String) throws(StoreError) {
        let lockPath = path + ".lock"
        let descriptor = open(lockPath, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw .cannotOpen(lockPath, reason: String(cString: strerror(errno)))
        }
        StoreFile.restrict(descriptor)
        try self.init(descriptor, path)
    }

    /// Locks a store or a backup that the caller only reads, if a lock file exists. Without a lock
    /// file, as for a backup, no lock is needed: a service creates the lock file of each store that
    /// it opens.
    /// - Returns: nil if the lock file does not exist.
    /// - Throws: `.inUse` if another process holds the lock, `.cannotOpen` if the lock file cannot be
    ///   opened.
    convenience init?(ifPresentFor path: String) throws(StoreError) {
        let lockPath = path + ".lock"
        var descriptor = open(lockPath, O_RDWR | O_CLOEXEC)
        // A file system without write access can hold a backup. Locking needs no write access.
        if descriptor < 0 { descriptor = open(lockPath, O_RDONLY | O_CLOEXEC) }
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw .cannotOpen(lockPath, reason: String(cString: strerror(errno)))
        }
        try self.init(descriptor, path)
    }

    private init(_ descriptor: Int32, _ path: String) throws(StoreError) {
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let holder = Self.content(of: descriptor)
            close(descriptor)
            throw .inUse(path, holder: holder)
        }
        let holder = Array("\(getpid())\n".utf8)
        ftruncate(descriptor, 0)
        pwrite(descriptor, holder, holder.count, 0)
        self.descriptor = Mutex(descriptor)
    }

    deinit {
        release()
    }

    func release() {
        guard let descriptor = descriptor.withLock({ $0.take() }) else { return }
        // Closing the descriptor is not enough: a child process has a copy of it until its program
        // starts.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    private static func content(of descriptor: Int32) -> String? {
        var bytes = [UInt8](repeating: 0, count: 32)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        guard count > 0 else { return nil }
        return String(decoding: bytes[..<count].prefix { $0 != 10 }, as: UTF8.self)
    }
}
