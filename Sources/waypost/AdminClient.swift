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
