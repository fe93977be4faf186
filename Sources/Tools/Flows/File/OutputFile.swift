import AppDefinition
import Foundation

/// Writes the files that the user names for the output of a command, such as a report.
package enum OutputFile {
    /// Writes a text to a file, and creates the file if it does not exist. Links are followed.
    ///
    /// A regular file has the old content or the whole new content at each time, and it keeps its
    /// owner and its mode. The text is written into any other file, such as a FIFO or a device, in
    /// place. A path of the standard output, such as `/dev/stdout`, continues the output.
    package static func write(_ text: String, to path: String) throws(FileFailure) {
        var status = stat()
        guard stat(path, &status) == 0 else {
            guard errno == ENOENT else { throw FileFailure(writing: path, errno) }
            // A link to a file that does not exist yet is followed, too.
            if lstat(path, &status) == 0 { return try writeInPlace(text, path) }
            return try replace(path, by: text, for: path, like: nil)
        }
        if let descriptor = standardDescriptor(of: status) {
            if let code = write(text.utf8, to: descriptor) {
                throw FileFailure(writing: path, code)
            }
            return
        }
        guard status.st_mode & S_IFMT == S_IFREG else { return try writeInPlace(text, path) }
        guard access(path, W_OK) == 0, let target = realpath(path, nil) else {
            throw FileFailure(writing: path, errno)
        }
        defer { free(target) }
        try replace(String(cString: target), by: text, for: path, like: status)
    }

    /// Checks that a file can be written, as far as this can be seen without writing it.
    package static func check(_ path: String) throws(FileFailure) {
        var status = stat()
        if stat(path, &status) == 0 {
            if status.st_mode & S_IFMT == S_IFDIR { throw FileFailure(writing: path, EISDIR) }
            guard access(path, W_OK) == 0 else { throw FileFailure(writing: path, errno) }
        } else {
            guard errno == ENOENT else { throw FileFailure(writing: path, errno) }
            let isLink = lstat(path, &status) == 0
            guard isLink || access(".".inFolder(of: path), W_OK | X_OK) == 0 else {
                throw FileFailure(writing: path, errno)
            }
        }
    }

    /// Returns whether `write` replaces the content of a file, if there is any. It continues the
    /// standard output, and the content of a FIFO or a device.
    package static func replaces(_ path: String) -> Bool {
        var status = stat()
        guard stat(path, &status) == 0 else { return true }
        return status.st_mode & S_IFMT == S_IFREG && standardDescriptor(of: status) == nil
    }

    /// Removes a regular file that `write` has written. A link to it stays, and so do devices and the
    /// file that is the standard output.
    package static func remove(_ path: String) {
        guard replaces(path), let target = realpath(path, nil) else { return }
        defer { free(target) }
        unlink(target)
    }

    /// Writes bytes to a descriptor, and waits if the reader is slow.
    /// - Returns: the number of the error; nil if all bytes are written.
    package static func write(_ bytes: some Sequence<UInt8>, to descriptor: Int32) -> Int32? {
        let bytes = Array(bytes)
        var count = 0
        while count < bytes.count {
            let written = bytes[count...].withUnsafeBytes {
                Foundation.write(descriptor, $0.baseAddress, $0.count)
            }
            if written >= 0 {
                count += written
            } else if errno == EAGAIN {
                var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&waiting, 1, -1)
            } else if errno != EINTR {
                return errno
            }
        }
        return nil
    }

    // MARK: Ways of writing

    /// Returns the descriptor of the standard output or error if it has this file open.
    private static func standardDescriptor(of file: stat) -> Int32? {
        [STDOUT_FILENO, STDERR_FILENO].first { descriptor in
            var status = stat()
            return fstat(descriptor, &status) == 0 && status.st_dev == file.st_dev
                && status.st_ino == file.st_ino
        }
    }

    private static func writeInPlace(_ text: String, _ path: String) throws(FileFailure) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOCTTY | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw FileFailure(writing: path, errno) }
        try finish(descriptor, path, write(text.utf8, to: descriptor))
    }

    private static func finish(
        _ descriptor: Int32, _ path: String, _ code: Int32?
    ) throws(FileFailure) {
        let isClosed = close(descriptor) == 0
        if let code = code ?? (isClosed ? nil : errno) { throw FileFailure(writing: path, code) }
    }

    /// Writes a file beside `target` that then takes its place.
    /// - Parameters:
    ///   - path: the path for error messages.
    ///   - status: the owner and the mode of the present file; nil if there is none.
    private static func replace(
        _ target: String, by text: String, for path: String, like status: stat?
    ) throws(FileFailure) {
        let beside = ".waypost-\(UUID().uuidString)".inFolder(of: target)
        let descriptor = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else {
            // The file may be writable though its folder is not.
            guard status != nil, [EACCES, EPERM, EROFS].contains(errno) else {
                throw FileFailure(writing: path, errno)
            }
            return try writeInPlace(text, target)
        }
        do throws(FileFailure) {
            if let status, !keep(status, on: descriptor) {
                // Only the superuser can give a file to another owner.
                close(descriptor)
                unlink(beside)
                return try writeInPlace(text, target)
            }
            try finish(descriptor, path, write(text.utf8, to: descriptor))
            guard rename(beside, target) == 0 else { throw FileFailure(writing: path, errno) }
        } catch {
            unlink(beside)
            throw error
        }
    }

    /// Gives a file the owner and the mode of another one.
    private static func keep(_ status: stat, on descriptor: Int32) -> Bool {
        var own = stat()
        guard fstat(descriptor, &own) == 0 else { return false }
        if own.st_uid != status.st_uid || own.st_gid != status.st_gid {
            guard fchown(descriptor, status.st_uid, status.st_gid) == 0 else { return false }
        }
        return fchmod(descriptor, status.st_mode & 0o7777) == 0
    }
}
