import Foundation
import Synchronization

/// The identities of the files that SQLite opened. They show whether a file was later removed or
/// replaced: SQLite could still write to the removed file, but the data would be lost on close.
final class OpenFiles: Sendable {
    private struct File {
        let path: String
        let device: dev_t
        let inode: ino_t

        /// Reads the identity of a file.
        /// - Returns: nil if the file does not exist.
        init?(at path: String) {
            var status = stat()
            guard stat(path, &status) == 0 else { return nil }
            self.path = path
            device = status.st_dev
            inode = status.st_ino
        }

        var isInPlace: Bool {
            let found = File(at: path)
            return found?.device == device && found?.inode == inode
        }
    }

    private let files: [File]
    private let interval: Duration
    private let nextLook = Mutex(ContinuousClock.now)

    /// Reads the identities of a store's files.
    /// - Parameter interval: the minimum time between two checks of the files' identities. A check
    ///   makes two system calls. They cost little beside the disk sync of a commit, but too much for
    ///   commits that do not sync.
    init(ofStore path: String, interval: Duration) {
        files = [path, path + "-wal"].compactMap(File.init)
        self.interval = interval
    }

    /// Returns whether the files are in place, or true if no check is due yet.
    func areInPlace(at now: ContinuousClock.Instant) -> Bool {
        let isTime = nextLook.withLock { next in
            guard now >= next else { return false }
            next = now + interval
            return true
        }
        return !isTime || files.allSatisfy(\.isInPlace)
    }
}
