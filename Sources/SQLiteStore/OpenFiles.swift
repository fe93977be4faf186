import Foundation
import Synchronization

/// The files that SQLite has open, as they were found when it opened them. Tells whether they are
/// still in their places: a file that was removed or replaced can be written as before, but nobody
/// will ever read it again.
final class OpenFiles: Sendable {
    private struct File {
        let path: String
        let device: dev_t
        let inode: ino_t

        /// - Returns: nil if there is none.
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

    /// - Parameter interval: how long after a look the next one is not due yet. A look takes a system
    ///   call for each of two files: nothing beside the sync of a disk, but too much where commits are
    ///   not synced one by one.
    init(ofStore path: String, interval: Duration) {
        files = [path, path + "-wal"].compactMap(File.init)
        self.interval = interval
    }

    /// - Returns: true also where no look is due.
    func areInPlace(at now: ContinuousClock.Instant) -> Bool {
        let isTime = nextLook.withLock { next in
            guard now >= next else { return false }
            next = now + interval
            return true
        }
        return !isTime || files.allSatisfy(\.isInPlace)
    }
}
