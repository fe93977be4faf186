import Glibc

/// An open file: sent without passing through the service's memory.
public final class OpenFile: Sendable {
    /// Closed with this object.
    public let descriptor: Int32
    /// In bytes, when the file was opened.
    public let size: Int
    /// In nanoseconds since 1970, when the file was opened.
    public let modified: Int

    /// - Returns: nil if there is no such regular file.
    /// - Throws: why a file that is there cannot be opened, such as too many open files.
    public init?(path: String) throws(OpenFileError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if [ENOENT, ENOTDIR].contains(errno) { return nil }
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

    /// Whether it can be another time: too many files are open, or memory is short.
    public var isTemporary: Bool { [EMFILE, ENFILE, ENOMEM].contains(errno) }

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
