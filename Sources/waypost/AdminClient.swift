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
        guard
            let answer = PlainHTTP.exchange(try connected(), "POST \(path)", body: bytes)
        else { throw Unreachable() }
        return answer
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

/// One request over a connection of its own, as the commands that talk to a service send it.
enum PlainHTTP {
    /// - Parameter descriptor: connected; closed afterwards.
    /// - Returns: nil if what comes back is no HTTP, or does not come in time.
    static func exchange(
        _ descriptor: Int32, _ line: String, body: [UInt8] = []
    ) -> (status: Int, body: JSONValue)? {
        let stream = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        let head = """
            \(line) HTTP/1.1\r
            Host: localhost\r
            Content-Type: application/json\r
            Content-Length: \(body.count)\r
            Connection: close\r
            \r

            """
        guard (try? stream.write(contentsOf: Data(head.utf8) + Data(body))) != nil,
            let answer = try? stream.readToEnd(),
            let end = answer.firstRange(of: Data("\r\n\r\n".utf8)),
            let status = Int(String(decoding: answer.prefix(12).suffix(3), as: UTF8.self))
        else { return nil }
        let json = try? JSONValue(parsing: Array(answer[end.upperBound...]), maximumDepth: 32)
        return (status, json ?? .null)
    }
}
