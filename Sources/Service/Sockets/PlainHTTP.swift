import Foundation

/// A minimal HTTP client for the Waypost service. A value is one connection, over which it sends
/// one request. The client supports neither redirects nor transfer codings, because the service
/// uses neither for JSON.
package struct PlainHTTP: ~Copyable {
    private let descriptor: Int32

    deinit { close(descriptor) }

    /// Connects to the first address of a host that accepts a connection.
    /// - Parameter timeout: the maximum time in seconds for each attempt to connect, each read and
    ///   each write.
    /// - Returns: nil if the host is unknown, or if none of its addresses accepts a connection.
    package init?(host: String, port: UInt16, timeout: Int) {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, String(port), &hints, &found) == 0 else { return nil }
        defer { freeaddrinfo(found) }
        var next = found
        while let address = next?.pointee {
            next = address.ai_next
            let descriptor = socket(address.ai_family, address.ai_socktype, address.ai_protocol)
            let time = timeval(tv_sec: timeout, tv_usec: 0)
            setOption(descriptor, SOL_SOCKET, SO_RCVTIMEO, time)
            setOption(descriptor, SOL_SOCKET, SO_SNDTIMEO, time)
            if connect(descriptor, address.ai_addr, address.ai_addrlen) == 0 {
                self.descriptor = descriptor
                return
            }
            close(descriptor)
        }
        return nil
    }

    /// Connects to the Unix domain socket at `path`.
    /// - Returns: nil if no process listens on the socket.
    /// - Throws: `ConnectError` if the connection fails for another reason, such as missing rights.
    package init?(path: String) throws(ConnectError) {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw ConnectError(code: errno) }
        guard withSocketAddress(of: path, { connect(descriptor, $0, $1) }) == 0 else {
            let code = errno
            close(descriptor)
            if code == ENOENT || code == ECONNREFUSED { return nil }
            throw ConnectError(code: code)
        }
        self.descriptor = descriptor
    }

    /// Sends a request, waits for its response, and closes the connection.
    /// - Parameters:
    ///   - method: such as `GET`.
    ///   - target: the path, with the query.
    ///   - host: the value of the field `Host`.
    ///   - json: the body; nil for none.
    ///   - bearer: the token for the field `Authorization`; nil for none.
    /// - Returns: the status and the bytes of the body; nil if the response is not valid HTTP, or
    ///   if a read fails or exceeds the timeout of the connection. A connection to a Unix domain
    ///   socket has no timeout.
    package consuming func exchange(
        _ method: String, _ target: String, host: String = "localhost", json: [UInt8]? = nil,
        bearer: String? = nil
    ) -> (status: Int, body: [UInt8])? {
        var head = "\(method) \(target) HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n"
        if let bearer { head += "Authorization: Bearer \(bearer)\r\n" }
        if json != nil { head += "Content-Type: application/json\r\n" }
        head += "Content-Length: \(json?.count ?? 0)\r\n\r\n"
        // A service that refuses a request early may close the connection before it has received
        // everything. Its response can be read nevertheless.
        send(Array(head.utf8) + (json ?? []))
        let stream = FileHandle(fileDescriptor: descriptor, closeOnDealloc: false)
        guard let response = try? stream.readToEnd(),
            let end = response.firstRange(of: Data("\r\n\r\n".utf8)),
            let status = Int(String(decoding: response.prefix(12).suffix(3), as: UTF8.self))
        else { return nil }
        return (status, Array(response[end.upperBound...]))
    }

    /// Sends all bytes, or stops if the service has closed the connection. Prevents SIGPIPE, which
    /// would end the process.
    private func send(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else {
                if count < 0, errno == EINTR { continue }
                return
            }
            rest = rest.dropFirst(count)
        }
    }
}
