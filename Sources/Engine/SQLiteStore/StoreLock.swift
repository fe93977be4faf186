import Glibc
import Synchronization

/// An advisory lock that keeps other processes from using a store. The lock file is beside the
/// store and contains the id of the process that holds the lock. The lock ends when `release()` is
/// called or when the process ends, even if the process is killed.
final class StoreLock: Sendable {
    /// The descriptor of the lock file; nil after `release()`.
    private let descriptor: Mutex<Int32?>

    /// Locks a store or a backup that the caller only reads, if a lock file exists. Without a lock
    /// file, as for a backup, no lock is needed: a service creates the lock file of each store that
    /// it opens.
    convenience init?(ifPresentFor path: String) throws(StoreError) {
        guard StoreFile.exists(path + ".lock") else { return nil }
        try self.init(for: path)
    }

    /// Locks a store, and creates the lock file if it does not exist.
    /// - Throws: `.inUse` if another process holds the lock, `.cannotOpen` if the lock file cannot be
    ///   opened.
    init(for path: String) throws(StoreError) {
        let lockPath = path + ".lock"
        var descriptor = open(lockPath, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        // A file system without write access can hold a backup. Locking needs no write access.
        if descriptor < 0 {
            let cause = errno
            descriptor = open(lockPath, O_RDONLY | O_CLOEXEC)
            // The lock file is missing, because it could not be created.
            if descriptor < 0, errno == ENOENT { errno = cause }
        }
        guard descriptor >= 0 else { throw .lastSystemError(lockPath) }
        fchmod(descriptor, 0o600)
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            var bytes = [UInt8](repeating: 0, count: 32)
            let count = pread(descriptor, &bytes, bytes.count, 0)
            let holder = String(
                decoding: bytes.prefix(max(count, 0)).prefix { $0 != 10 }, as: UTF8.self)
            close(descriptor)
            throw .inUse(path, holder: holder.isEmpty ? nil : holder)
        }
        let holder = Array("\(getpid())\n".utf8)
        ftruncate(descriptor, 0)
        pwrite(descriptor, holder, holder.count, 0)
        self.descriptor = Mutex(descriptor)
    }

    deinit { release() }

    func release() {
        guard let descriptor = descriptor.withLock({ $0.take() }) else { return }
        // Closing the descriptor is not enough: a child process has a copy of it until its program
        // starts.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }
}
