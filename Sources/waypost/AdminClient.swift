import Foundation
import JSON

/// Sends requests to a running service over its admin socket.
struct AdminClient {
    struct Unreachable: Error {}

    /// The path of the admin socket.
    let socket: String

    /// Sends a request and waits for its response.
    /// - Throws: `Unreachable` if no service listens on the socket.
    func post(_ path: String, _ body: consuming JSONWriter) throws -> (status: Int, body: JSONValue)
    {
        let bytes = body.bytes
        guard
            let response = PlainHTTP.exchange(try connected(), "POST \(path)", body: bytes)
        else { throw Unreachable() }
        return response
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

/// A minimal HTTP client, which sends one request on each connection.
enum PlainHTTP {
    /// Sends a request and waits for its response.
    /// - Parameter descriptor: a connected socket, which this method closes.
    /// - Returns: nil if the response is not valid HTTP or does not arrive in time.
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
            let response = try? stream.readToEnd(),
            let end = response.firstRange(of: Data("\r\n\r\n".utf8)),
            let status = Int(String(decoding: response.prefix(12).suffix(3), as: UTF8.self))
        else { return nil }
        let json = try? JSONValue(parsing: Array(response[end.upperBound...]), maximumDepth: 32)
        return (status, json ?? .null)
    }
}
