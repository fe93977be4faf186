import Foundation
import Synchronization

/// The identities (device and inode) of the files that SQLite has opened. They show whether a file
/// was later removed or replaced. SQLite can still write to a removed file, but the data is lost
/// when the file is closed.
final class OpenFiles: Sendable {
    private struct File {
        let path: String
        let device: dev_t
        let inode: ino_t

        /// Reads the identity of a file: its device and inode.
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

    /// Reads the identities of a store's database file and write-ahead log.
    /// - Parameters:
    ///   - path: the path of the database file.
    ///   - interval: the minimum time between two checks of the identities. A check makes two
    ///     system calls. Their cost is small compared with a disk sync, but too high for commits
    ///     that do not sync.
    init(ofStore path: String, interval: Duration) {
        files = [path, path + "-wal"].compactMap(File.init)
        self.interval = interval
    }

    /// Checks that the files are still the ones that SQLite has opened.
    /// - Returns: false if a file was removed or replaced; otherwise true. If the last check was
    ///   less than the minimum interval ago, the method returns true without another check.
    func areInPlace(at now: ContinuousClock.Instant) -> Bool {
        let isTime = nextLook.withLock { next in
            guard now >= next else { return false }
            next = now + interval
            return true
        }
        return !isTime || files.allSatisfy(\.isInPlace)
    }
}
