import Glibc
import Testing

/// A blocking HTTP client on one socket, which can send any bytes. A wait of more than 100 seconds
/// is an error, because no response takes that long.
final class RawClient {
    enum Failure: Error {
        case system(String, Int32)
        /// The server closed the connection in the middle of a response.
        case closed(after: String)
        case notHTTP(String)
    }

    private let descriptor: Int32
    /// The received bytes that no response has consumed yet.
    private var received: [UInt8] = []

    /// Connects to a server on this machine.
    /// - Parameter source: the local address, such as 0x7F000002; nil for any.
    init(port: UInt16, from source: UInt32? = nil) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw Failure.system("socket", errno) }
        var time = timeval(tv_sec: 100, tv_usec: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
        // The option makes the socket send small pieces immediately.
        var on: Int32 = 1
        setsockopt(
            descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
        if let source {
            guard Self.call(bind, descriptor, source, port: 0) == 0 else {
                throw Failure.system("bind", errno)
            }
        }
        guard Self.call(connect, descriptor, 0x7F00_0001, port: port) == 0 else {
            throw Failure.system("connect", errno)
        }
    }

    private static func call(
        _ call: (Int32, UnsafePointer<sockaddr>?, socklen_t) -> Int32, _ descriptor: Int32,
        _ host: UInt32, port: UInt16
    ) -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = host.bigEndian
        return withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                call(descriptor, address, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    deinit {
        close(descriptor)
    }

    /// Makes the system keep only some kilobytes that the test has not read. By default, it keeps up
    /// to tens of megabytes.
    func limitReceiveBuffer() {
        var size: Int32 = 16_384
        setsockopt(
            descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout.size(ofValue: size)))
    }

    /// Makes `close` reset the connection, as when a client dies. Unread bytes are lost.
    func resetWhenClosed() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_LINGER, &linger,
            socklen_t(MemoryLayout.size(ofValue: linger)))
    }

    /// Sends text and the end of the connection in the same packet.
    func sendLast(_ text: String) throws {
        var on: Int32 = 1
        setsockopt(
            descriptor, Int32(IPPROTO_TCP), TCP_CORK, &on, socklen_t(MemoryLayout<Int32>.size))
        try send(text)
        shutdown(descriptor, Int32(SHUT_WR))
    }

    func send(_ text: String) throws {
        try send(Array(text.utf8))
    }

    func send(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { rest in
                Glibc.send(descriptor, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw Failure.system("send", errno) }
            rest.removeFirst(count)
        }
    }

    /// Sends a request without a body.
    func get(_ target: String, method: String = "GET") throws {
        try send("\(method) \(target) HTTP/1.1\r\nHost: localhost\r\n\r\n")
    }

    /// Reads one response.
    /// - Parameter isHead: whether the response is to a HEAD request and therefore has no body.
    func readResponse(isHead: Bool = false) throws -> RawResponse {
        while true {
            if let end = received.firstRange(of: Array("\r\n\r\n".utf8)) {
                let head = String(decoding: received[..<end.lowerBound], as: UTF8.self)
                received.removeSubrange(..<end.upperBound)
                var response = try RawResponse(head: head)
                response.body = try read(isHead ? 0 : response.contentLength)
                return response
            }
            guard try receive() else {
                throw Failure.closed(after: String(decoding: received, as: UTF8.self))
            }
        }
    }

    private func read(_ count: Int) throws -> [UInt8] {
        while received.count < count {
            guard try receive() else { throw Failure.closed(after: "\(received.count) bytes") }
        }
        defer { received.removeSubrange(..<count) }
        return Array(received[..<count])
    }

    /// Reads one chunk of a body; empty at the end of the body.
    func readChunk() throws -> String {
        while true {
            if let end = received.firstRange(of: [0x0D, 0x0A]) {
                let digits = String(decoding: received[..<end.lowerBound], as: UTF8.self)
                guard let size = Int(digits, radix: 16) else { throw Failure.notHTTP(digits) }
                received.removeSubrange(..<end.upperBound)
                let content = try read(size + 2).dropLast(2)
                return String(decoding: content, as: UTF8.self)
            }
            guard try receive() else {
                throw Failure.closed(after: String(decoding: received, as: UTF8.self))
            }
        }
    }

    func readText(_ count: Int) throws -> String {
        String(decoding: try read(count), as: UTF8.self)
    }

    /// Returns whether the server closes the connection without sending anything else.
    func isClosed() throws -> Bool {
        do {
            return try !receive() && received.isEmpty
        } catch Failure.system(_, ECONNRESET) {
            return received.isEmpty
        }
    }

    /// Returns whether bytes or the end of the connection arrive within the time.
    func canBeRead(within milliseconds: Int32) -> Bool {
        var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return Glibc.poll(&poll, 1, milliseconds) > 0
    }

    /// Returns whether the server has reset the connection.
    func isReset() -> Bool {
        var poll = pollfd(fd: descriptor, events: 0, revents: 0)
        return Glibc.poll(&poll, 1, 20) > 0 && poll.revents & Int16(POLLERR) != 0
    }

    /// Receives more bytes.
    /// - Returns: false if the server has closed the connection.
    private func receive() throws -> Bool {
        let room = 65_536
        var count = 0
        let piece = [UInt8](unsafeUninitializedCapacity: room) { buffer, initialized in
            count = recv(descriptor, buffer.baseAddress, room, 0)
            initialized = max(0, count)
        }
        guard count >= 0 else { throw Failure.system("recv", errno) }
        received += piece
        return count > 0
    }
}

struct RawResponse {
    let version: String
    let status: Int
    private let fields: [(name: String, value: String)]
    var body: [UInt8] = []

    var text: String { String(decoding: body, as: UTF8.self) }
    var contentLength: Int { self["Content-Length"].flatMap { Int($0) } ?? 0 }

    init(head: String) throws {
        let lines = head.split(separator: "\r\n")
        let words = lines.first?.split(separator: " ") ?? []
        guard words.count >= 2, let status = Int(words[1]) else {
            throw RawClient.Failure.notHTTP(head)
        }
        version = String(words[0])
        self.status = status
        fields = lines.dropFirst().map { line in
            let parts = line.split(separator: ":", maxSplits: 1)
            return (
                parts[0].lowercased(),
                parts.last.map { $0.drop { $0 == " " } }.map(String.init) ?? ""
            )
        }
    }

    subscript(name: String) -> String? { values(name).first }

    func values(_ name: String) -> [String] {
        fields.filter { $0.name == name.lowercased() }.map(\.value)
    }
}

extension Array where Element == UInt8 {
    /// Returns the range of the first occurrence of `other`.
    fileprivate func firstRange(of other: [UInt8]) -> Range<Int>? {
        guard count >= other.count else { return nil }
        return (0...(count - other.count)).first {
            self[$0..<($0 + other.count)].elementsEqual(other)
        }
        .map { $0..<($0 + other.count) }
    }
}
