import Foundation

/// Reads the files that the user names as the input of a command, such as flows and traces.
package enum InputFile {
    /// Returns the content of a file. Links are followed. A FIFO or a device is read to its end.
    package static func bytes(_ path: String) throws(FileFailure) -> Data {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileFailure(reading: path, errno) }
        defer { close(descriptor) }
        var content = Data()
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count == 0 { return content }
            if count > 0 {
                content.append(contentsOf: buffer[..<count])
            } else if errno != EINTR {
                throw FileFailure(reading: path, errno)
            }
        }
    }
}
