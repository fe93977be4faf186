import CEpoll
import Glibc
import HTTPCore
import Sockets

/// A connection that carries one stream: a response whose body a source sends in pieces, called
/// frames.
///
/// The type is `@unchecked Sendable` because only the thread of its `StreamLoop` creates and uses a
/// connection.
final class StreamConnection: OutgoingStream, @unchecked Sendable {
    /// The number of the stream. No other stream of the same loop ever gets this number.
    let id: Int
    let descriptor: Int32
    let source: any StreamSource
    private unowned let loop: StreamLoop
    /// Whether the client understands the chunked transfer coding (HTTP/1.1).
    private let isChunked: Bool
    /// The head of the response; empty once it has been sent.
    private var head: [UInt8]
    private let onEnd: @Sendable () -> Void
    /// The bytes of the response that wait until the socket's send buffer has room for them.
    private(set) var unsent: ArraySlice<UInt8> = []
    /// The size of all frames that `send` has accepted, in bytes. With chunks, the size includes
    /// the chunk framing.
    private var size = 0
    /// The reason to end the stream as soon as all bytes are sent; nil while no end is requested.
    private var ending: StreamEnd.Reason?
    /// The reason to close the connection; nil if the connection stays open. The loop closes the
    /// connection after it has handled all events that are pending.
    private(set) var closing: StreamEnd.Reason?
    /// Whether `send` has refused a frame, so that the source expects a call of `canSend`.
    private var isRefused = false

    /// The chunk without content that ends a body in the chunked transfer coding.
    private static let lastChunk = Array("0\r\n\r\n".utf8)
    /// The size of the socket's send buffer in bytes. A slow client can fill the buffer, and the
    /// system would otherwise let it grow to several MiB.
    private static let sendBufferSize: Int32 = 16_384
    /// The time in milliseconds after which the system closes the connection if the client
    /// acknowledges no data (`TCP_USER_TIMEOUT`).
    private static let unacknowledgedTime: Int32 = 60_000

    // MARK: Deadlines, in the loop's time

    private(set) var endTime: SuspendingClock.Instant?
    private var lastSent: SuspendingClock.Instant
    private(set) var unsentSince: SuspendingClock.Instant?

    /// - Parameters:
    ///   - id: the number of the stream.
    ///   - descriptor: a connected socket. The method `close()` closes it.
    ///   - isChunked: whether the client understands the chunked transfer coding (HTTP/1.1).
    ///   - head: the head of the response.
    ///   - onEnd: called when the socket has been closed.
    init(
        _ id: Int, _ descriptor: Int32, isChunked: Bool, head: [UInt8],
        source: any StreamSource, loop: StreamLoop, onEnd: @escaping @Sendable () -> Void
    ) {
        setOption(descriptor, Int32(IPPROTO_TCP), TCP_CORK, Int32(0))
        setOption(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, Int32(1))
        setOption(
            descriptor, Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, Self.unacknowledgedTime)
        setOption(descriptor, SOL_SOCKET, SO_SNDBUF, Self.sendBufferSize)
        self.id = id
        self.descriptor = descriptor
        self.isChunked = isChunked
        self.head = head
        self.source = source
        self.loop = loop
        self.onEnd = onEnd
        lastSent = loop.now
    }

    var executor: any StreamExecutor { loop }

    func begin() {
        endTime = source.timeLimit.map { loop.now + $0 }
        source.begin(self)
        guard !head.isEmpty else { return }
        // The source has sent no frame in `begin`. The client gets the head nevertheless.
        write(takeHead()[...])
    }

    // MARK: Sending

    func send(_ frame: StreamFrame) -> Bool {
        guard ending == nil, closing == nil else { return true }
        guard unsent.isEmpty else {
            isRefused = true
            return false
        }
        let bytes = isChunked ? frame.chunk[...] : frame.chunk[frame.content]
        size += bytes.count
        write(head.isEmpty ? bytes : takeHead() + bytes)
        return true
    }

    func end() { end(.source) }

    func end(_ reason: StreamEnd.Reason) {
        guard ending == nil, closing == nil else { return }
        ending = reason
        let rest = takeHead() + (isChunked ? Self.lastChunk : [])
        if unsent.isEmpty {
            write(rest[...])
        } else {
            unsent += rest
            loop.noteUnsent(rest.count)
        }
        if unsent.isEmpty { close(because: reason) }
    }

    /// Returns the head of the response at the first call, and an empty array at each later call.
    private func takeHead() -> [UInt8] {
        defer { head = [] }
        return head
    }

    /// Sends the bytes in `unsent`. When all of them are sent, closes the connection if the end of
    /// the stream was requested. Otherwise, if `send` has refused a frame, tells the source that it
    /// can send again.
    func flush() {
        write(unsent)
        guard unsent.isEmpty, closing == nil else { return }
        if let ending { return close(because: ending) }
        if isRefused {
            isRefused = false
            source.canSend(self)
        }
    }

    private func write(_ bytes: ArraySlice<UInt8>) {
        let hadUnsent = !unsent.isEmpty
        guard let count = put(bytes) else { return close(because: .client) }
        loop.noteUnsent(bytes.count - count - unsent.count)
        unsent = bytes.dropFirst(count)
        if count > 0 { lastSent = loop.now }
        if unsent.isEmpty {
            // An empty slice would still hold the frame's memory.
            unsent = []
            unsentSince = nil
            if hadUnsent { loop.watch(self, forWriting: false) }
        } else if !hadUnsent {
            unsentSince = loop.now
            loop.watch(self, forWriting: true)
        }
    }

    /// Writes bytes to the socket without waiting.
    /// - Returns: the number of bytes that the system accepted; nil if the connection is broken.
    private func put(_ bytes: ArraySlice<UInt8>) -> Int? {
        let count = bytes.withUnsafeBytes {
            Glibc.send(
                descriptor, $0.baseAddress, $0.count,
                Int32(MSG_DONTWAIT) | Int32(WAYPOST_MSG_NOSIGNAL))
        }
        if count >= 0 { return count }
        return errno == EAGAIN || errno == EINTR ? 0 : nil
    }

    // MARK: The end

    /// Makes the loop close the connection after it has handled all events that are pending. No
    /// method of the stream's source is running then.
    func close(because reason: StreamEnd.Reason) {
        guard closing == nil else { return }
        closing = reason
        loop.noteClosing(self)
    }

    func close() {
        loop.noteUnsent(-unsent.count)
        if closing == .stalled { dropUnreadOnClose(descriptor) }
        Glibc.close(descriptor)
        source.ended(StreamEnd(closing ?? .client, size: size))
        onEnd()
    }

    // MARK: Deadlines

    /// Handles at most one deadline that has passed. The send timeout comes before the source's
    /// time limit, and both come before the heartbeat.
    /// - Returns: the time of the next deadline.
    func checkDeadlines(_ limits: StreamLoop.Limits) -> SuspendingClock.Instant {
        let now = loop.now
        if let unsentSince, unsentSince + limits.sendTimeout <= now {
            close(because: .stalled)
        } else if let endTime, endTime <= now {
            end(.lifetime)
        } else if unsent.isEmpty, lastSent + limits.heartbeat <= now {
            source.heartbeat(self)
        }
        var next = lastSent + limits.heartbeat
        if let unsentSince { next = unsentSince + limits.sendTimeout }
        // A deadline that has passed without a new frame is due again after a heartbeat interval.
        if next <= now { next = now + limits.heartbeat }
        return endTime.map { min($0, next) } ?? next
    }
}
