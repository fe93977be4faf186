import Glibc
import Synchronization

/// Keeps a second process from the file: an advisory lock on a file beside it, which names the
/// holder. Ends when it is released, or with the process, however that ends.
final class StoreLock: Sendable {
    /// Nil when it has been released.
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

    /// Locks a file that is only to be read. No lock file is made: a file that has none beside it, such
    /// as a backup, is no service's.
    /// - Returns: nil if there is none.
    convenience init?(ifPresentFor path: String) throws(StoreError) {
        let descriptor = open(path + ".lock", O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
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
        // Closing is not enough: a process that is being started has a copy of the descriptor until its
        // program begins.
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
