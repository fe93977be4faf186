import Glibc

/// An open regular file, with the size and the modification time that it had when it was opened.
public final class OpenFile: Sendable {
    /// The file descriptor, which `deinit` closes.
    public let descriptor: Int32
    /// The size in bytes when the file was opened.
    public let size: Int
    /// The modification time when the file was opened, in nanoseconds since 1970.
    public let modified: Int

    /// Opens a file for reading. Never waits for another process: opening a FIFO, for example, does
    /// not block until the FIFO has a writer.
    /// - Parameter path: the path of the file. A symbolic link as the last component is not
    ///   followed.
    /// - Returns: nil if the path does not lead to a regular file: nothing exists there, or
    ///   something else, such as a folder or a symbolic link.
    /// - Throws: an error if the file exists but cannot be opened, for example because too many
    ///   files are open.
    public init?(path: String) throws(OpenFileError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY)
        guard descriptor >= 0 else {
            // `open` fails with ELOOP for a symbolic link, with ENXIO for a socket, and with ENODEV
            // for a device without a driver.
            if [ENOENT, ENOTDIR, ELOOP, ENXIO, ENODEV].contains(errno) { return nil }
            throw OpenFileError(errno: errno)
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            return nil
        }
        self.descriptor = descriptor
        size = Int(status.st_size)
        modified = status.st_mtim.tv_sec * 1_000_000_000 + status.st_mtim.tv_nsec
    }

    deinit {
        close(descriptor)
    }
}

/// The reason why an existing file cannot be opened: the `errno` of the failed call.
public struct OpenFileError: Error, Sendable, Equatable, CustomStringConvertible {
    public let errno: Int32

    /// Whether a later attempt can succeed: too many files are open, memory is short, or another
    /// process holds a lease on the file.
    public var isTemporary: Bool { [EMFILE, ENFILE, ENOMEM, EWOULDBLOCK].contains(errno) }

    public var description: String {
        "a file cannot be opened: \(String(cString: strerror(errno)))"
    }
}
