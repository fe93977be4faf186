import Glibc

/// An open regular file, and what it was when it was opened.
public final class OpenFile: Sendable {
    /// Closed with this object.
    public let descriptor: Int32
    /// In bytes, when the file was opened.
    public let size: Int
    /// In nanoseconds since 1970, when the file was opened.
    public let modified: Int

    /// Opens a file. Never waits for another process, whatever is at the path: opening a FIFO, for one,
    /// would wait for a writer.
    /// - Parameter path: the last component is not followed if it is a link.
    /// - Returns: nil if there is no regular file at the path.
    /// - Throws: why a file that is there cannot be opened, such as too many open files.
    public init?(path: String) throws(OpenFileError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY)
        guard descriptor >= 0 else {
            // The last three are a link, a socket or a device without a driver.
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

public struct OpenFileError: Error, Sendable, Equatable, CustomStringConvertible {
    public let errno: Int32

    /// Whether it can be another time: too many files are open, memory is short, or another process
    /// holds a lease on the file.
    public var isTemporary: Bool { [EMFILE, ENFILE, ENOMEM, EWOULDBLOCK].contains(errno) }

    public var description: String {
        "a file cannot be opened: \(String(cString: strerror(errno)))"
    }
}

/// The part of a file that an answer sends.
public struct FileRegion: Sendable {
    public let file: OpenFile
    /// In bytes, within the file's size.
    public let range: Range<Int>

    public init(file: OpenFile, range: Range<Int>) {
        self.file = file
        self.range = range
    }
}
