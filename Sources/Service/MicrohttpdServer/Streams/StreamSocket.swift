import CEpoll
import Glibc
import HTTPCore
import Sockets

/// A connection that carries one stream.
///
/// The type is `@unchecked Sendable` because only the thread of its `StreamLoop` creates and uses a
/// socket.
final class StreamSocket: StreamConnection, @unchecked Sendable {
    /// The chunk without content that ends a body in the chunked transfer coding.
    private static let lastChunk = Array("0\r\n\r\n".utf8)
    /// The size of the socket's send buffer in bytes. A slow client can fill the buffer, and the
    /// system would otherwise let it grow to several MiB.
    private static let sendBufferSize: Int32 = 16_384
    /// The time in milliseconds after which the system closes the connection if the client
    /// acknowledges no data (`TCP_USER_TIMEOUT`).
    private static let unacknowledgedTime: Int32 = 60_000

    /// The number of the stream. No other stream of the same loop ever gets this number.
    let id: Int
    /// A connected socket. The method `close()` closes it.
    let descriptor: Int32
    private let stream: any ResponseStream
    private unowned let loop: StreamLoop
    /// Whether the client understands the chunked transfer coding (HTTP/1.1).
    private let isChunked: Bool
    /// The head of the response; empty once it has been sent.
    private var head: [UInt8]
    /// Called when the socket has been closed.
    private let onEnd: @Sendable (StreamEnd) -> Void
    /// The bytes of the response that wait until the socket's send buffer has room for them.
    private(set) var unsent: ArraySlice<UInt8> = []
    /// The size of all pieces that `send` has accepted, in bytes, with the framing of the chunks.
    private var size = 0
    /// The reason to end the stream as soon as all bytes are sent; nil while no end is requested.
    private var ending: StreamEnd.Reason?
    /// The reason to close the connection; nil if it stays open. The loop closes the connection
    /// after it has handled all events.
    private(set) var closing: StreamEnd.Reason?
    /// Whether `send` has refused a piece, so that the stream expects a call of `canSend`.
    private var isRefused = false
    private var endTime: SuspendingClock.Instant?
    private var lastSent: SuspendingClock.Instant
    private var lastCheck: SuspendingClock.Instant
    private(set) var unsentSince: SuspendingClock.Instant?

    init(
        _ id: Int, _ descriptor: Int32, isChunked: Bool, head: [UInt8],
        _ stream: any ResponseStream, _ loop: StreamLoop,
        onEnd: @escaping @Sendable (StreamEnd) -> Void
    ) {
        setOption(descriptor, Int32(IPPROTO_TCP), TCP_CORK, Int32(0))
        setOption(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, Int32(1))
        setOption(descriptor, Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, Self.unacknowledgedTime)
        setOption(descriptor, SOL_SOCKET, SO_SNDBUF, Self.sendBufferSize)
        self.id = id
        self.descriptor = descriptor
        self.isChunked = isChunked
        self.head = head
        self.stream = stream
        self.loop = loop
        self.onEnd = onEnd
        endTime = stream.timeLimit.map { loop.now + $0 }
        lastSent = loop.now
        lastCheck = loop.now
    }

    var run: @Sendable (@escaping @Sendable () -> Void) -> Void { loop.run }

    func begin() {
        stream.begin(on: self)
        // If the stream has sent nothing, the client gets the head nevertheless.
        if !head.isEmpty { put([]) }
    }

    func send(_ bytes: [UInt8]) -> Bool {
        guard ending == nil, closing == nil else { return true }
        guard unsent.isEmpty else {
            isRefused = true
            return false
        }
        // A chunk has the size of its content in hexadecimal (RFC 9112, section 7.1).
        let chunk =
            isChunked
            ? Array("\(String(bytes.count, radix: 16))\r\n".utf8) + bytes + [0x0D, 0x0A] : bytes
        size += chunk.count
        put(chunk)
        return true
    }

    func end() { end(.source) }

    func end(_ reason: StreamEnd.Reason) {
        guard ending == nil, closing == nil else { return }
        ending = reason
        put(isChunked ? Self.lastChunk : [])
    }

    /// Sends bytes after those that wait.
    private func put(_ bytes: [UInt8]) {
        let count = unsent.count
        unsent += head + bytes
        head = []
        loop.unsentSize += unsent.count - count
        flush()
    }

    /// Sends as many of the unsent bytes as the system takes without a wait. When all are sent, closes
    /// the connection if the end of the stream was requested, or else calls `canSend` if `send` has
    /// refused a piece.
    func flush() {
        if !unsent.isEmpty {
            let count = unsent.withUnsafeBytes {
                Glibc.send(
                    descriptor, $0.baseAddress, $0.count,
                    Int32(MSG_DONTWAIT) | Int32(WAYPOST_MSG_NOSIGNAL))
            }
            if count < 0, errno != EAGAIN, errno != EINTR { return close(because: .client) }
            if count > 0 {
                lastSent = loop.now
                loop.unsentSize -= count
                // An empty slice would still hold the memory of the bytes.
                unsent = count < unsent.count ? unsent.dropFirst(count) : []
            }
        }
        if unsent.isEmpty != (unsentSince == nil) {
            unsentSince = unsent.isEmpty ? nil : loop.now
            loop.setBehind(!unsent.isEmpty, self)
        }
        guard unsent.isEmpty else { return }
        if let ending { return close(because: ending) }
        guard isRefused else { return }
        isRefused = false
        stream.canSend()
    }

    /// Handles the deadlines that have passed.
    func checkDeadlines() {
        let now = loop.now
        if let unsentSince, unsentSince + loop.sendTimeout <= now {
            return close(because: .stalled)
        }
        if let endTime, endTime <= now { return end(.lifetime) }
        if lastCheck + loop.heartbeat <= now {
            lastCheck = now
            stream.check()
        }
        if unsent.isEmpty, lastSent + loop.heartbeat <= now {
            lastSent = now
            stream.heartbeat()
        }
    }

    /// Makes the loop close the connection after it has handled all events. No method of the stream
    /// is running then.
    func close(because reason: StreamEnd.Reason) {
        guard closing == nil else { return }
        closing = reason
        loop.noteClosing(self)
    }

    func close() {
        if closing == .stalled { dropUnreadOnClose(descriptor) }
        Glibc.close(descriptor)
        let end = StreamEnd(closing ?? .client, size: size)
        stream.ended(end)
        onEnd(end)
    }
}

extension Response {
    /// Returns the head of a stream's response: the status line and the header fields (RFC 9112,
    /// section 2.1).
    /// - Parameter isChunked: whether the client understands the chunked transfer coding
    ///   (HTTP/1.1).
    func streamHead(isChunked: Bool) -> [UInt8] {
        var seconds = time(nil)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        // The process runs in the C locale, whose names of days and months are English.
        var date = [UInt8](repeating: 0, count: 64)
        let count = date.withUnsafeMutableBytes {
            strftime($0.baseAddress, $0.count, "%a, %d %b %Y %H:%M:%S GMT", &parts)
        }
        var head = Array("HTTP/1.1 \(status.code) OK\r\nConnection: close\r\nDate: ".utf8)
        head += date.prefix(count) + [0x0D, 0x0A]
        if isChunked { head += Array("Transfer-Encoding: chunked\r\n".utf8) }
        headers.withRawFields { fields in
            for (name, value) in fields { head += name + [0x3A, 0x20] + value + [0x0D, 0x0A] }
        }
        return head + [0x0D, 0x0A]
    }
}
