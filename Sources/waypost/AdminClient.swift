import Foundation
import JSON

/// Asks a running service, over the socket that it has for its operator.
struct AdminClient {
    struct Unreachable: Error {}

    /// In the file system.
    let socket: String

    /// - Throws: `Unreachable` if no service listens there.
    func post(_ path: String, _ body: consuming JSONWriter) throws -> (status: Int, body: JSONValue)
    {
        let bytes = body.bytes
        let descriptor = try connected()
        let stream = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        let head = """
            POST \(path) HTTP/1.1\r
            Host: localhost\r
            Content-Type: application/json\r
            Content-Length: \(bytes.count)\r
            Connection: close\r
            \r

            """
        try stream.write(contentsOf: Data(head.utf8) + Data(bytes))
        let answer = try stream.readToEnd() ?? Data()
        guard let end = answer.firstRange(of: Data("\r\n\r\n".utf8)),
            let status = Int(String(decoding: answer.prefix(12).suffix(3), as: UTF8.self))
        else { throw Unreachable() }
        let json = try? JSONValue(parsing: Array(answer[end.upperBound...]), maximumDepth: 32)
        return (status, json ?? .null)
    }

    private func connected() throws -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let fits = withUnsafeMutableBytes(of: &address.sun_path) { field in
            guard socket.utf8.count < field.count else { return false }
            field.copyBytes(from: Array(socket.utf8))
            return true
        }
        let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        let status = withUnsafeBytes(of: &address) { bytes in
            connect(
                descriptor, bytes.assumingMemoryBound(to: sockaddr.self).baseAddress,
                socklen_t(bytes.count))
        }
        guard fits, status == 0 else {
            close(descriptor)
            throw Unreachable()
        }
        return descriptor
    }
}
