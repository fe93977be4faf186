import Foundation

/// Reads the files that the user names as the input of a command, such as flows and traces.
package enum InputFile {
    /// The reason why a file cannot be read.
    package struct Failure: Error, CustomStringConvertible {
        package let path: String
        /// The reason of the system, such as "Permission denied"; what to do if no file is there.
        package let reason: String

        init(_ path: String, _ code: Int32) {
            self.path = path
            reason = code == ENOENT ? "name an existing file" : String(cString: strerror(code))
        }

        package var description: String { "\(path): cannot be read: \(reason)" }
    }

    /// Returns the content of a file. Links are followed. A FIFO or a device is read to its end.
    package static func bytes(_ path: String) throws(Failure) -> Data {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Failure(path, errno) }
        defer { close(descriptor) }
        var content = Data()
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count == 0 { return content }
            if count > 0 {
                content.append(contentsOf: buffer[..<count])
            } else if errno != EINTR {
                throw Failure(path, errno)
            }
        }
    }
}
