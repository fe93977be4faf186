import Foundation
import JSON

/// A minimal HTTP client, which sends one request on each connection. The service sends no redirects,
/// and its JSON has no transfer coding.
struct HTTPClient: Sendable {
    /// The address of a service, as `http://host:port`.
    let host: String
    let port: UInt16

    /// - Throws: `FlowFailure` if the text is no URL that the client can use.
    init(_ text: String) throws {
        guard let url = URL(string: text), url.scheme == "http", let host = url.host,
            ["", "/"].contains(url.path)
        else {
            throw FlowFailure(
                "\(text): expected the URL of a service, such as http://127.0.0.1:8080")
        }
        guard let port = UInt16(exactly: url.port ?? 80) else {
            throw FlowFailure("\(text): the port must be from 1 to 65535")
        }
        self.host = host
        self.port = port
    }

    /// Sends a request and waits for its response, for at most 30 seconds.
    /// - Throws: `FlowFailure` if nobody listens or the response is not valid.
    func send(
        _ method: String, _ path: String, _ body: JSONObject? = nil, bearer: String? = nil
    ) throws -> (status: Int, body: JSONValue) {
        let (status, content) = try exchange(method, path, body, bearer: bearer)
        guard !content.isEmpty else { return (status, .null) }
        guard let json = try? JSONValue(parsing: content, maximumDepth: 64) else {
            throw FlowFailure("\(method) \(path): the response is not JSON")
        }
        return (status, json)
    }

    /// Sends a request and returns the bytes of its response.
    func exchange(
        _ method: String, _ path: String, _ body: JSONObject? = nil, bearer: String? = nil
    ) throws -> (status: Int, body: [UInt8]) {
        guard let descriptor = connected() else {
            throw FlowFailure("\(host):\(port): nobody listens there: start `waypost serve`")
        }
        var bytes: [UInt8] = []
        if let body {
            var json = JSONWriter()
            json.write(.object(body))
            bytes = json.bytes
        }
        var head = "\(method) \(path) HTTP/1.1\r\nHost: \(host):\(port)\r\nConnection: close\r\n"
        if let bearer { head += "Authorization: Bearer \(bearer)\r\n" }
        if body != nil { head += "Content-Type: application/json\r\n" }
        head += "Content-Length: \(bytes.count)\r\n\r\n"
        let stream = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        guard (try? stream.write(contentsOf: Data(head.utf8) + Data(bytes))) != nil,
            let response = try? stream.readToEnd(),
            let end = response.firstRange(of: Data("\r\n\r\n".utf8)),
            let status = Int(String(decoding: response.prefix(12).suffix(3), as: UTF8.self))
        else { throw FlowFailure("\(method) \(path): the service sent no valid response") }
        return (status, Array(response[end.upperBound...]))
    }

    private func connected() -> Int32? {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, String(port), &hints, &found) == 0 else { return nil }
        defer { freeaddrinfo(found) }
        var next = found
        while let address = next?.pointee {
            next = address.ai_next
            let descriptor = socket(address.ai_family, address.ai_socktype, address.ai_protocol)
            var time = timeval(tv_sec: 30, tv_usec: 0)
            for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
                setsockopt(
                    descriptor, SOL_SOCKET, option, &time, socklen_t(MemoryLayout<timeval>.size))
            }
            if connect(descriptor, address.ai_addr, address.ai_addrlen) == 0 { return descriptor }
            close(descriptor)
        }
        return nil
    }
}
