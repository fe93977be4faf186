/// The content of a response whose size is not known in advance: the source sends frames for as
/// long as the client stays connected.
///
/// A server calls the methods on one thread, which serves all of its streams. The methods must not
/// wait.
public protocol StreamSource: AnyObject, Sendable {
    /// The time after which the server ends the stream; nil for no limit.
    var timeLimit: Duration? { get }

    /// Called once, before any other method. The frame that the source sends here leaves together
    /// with the head of the response.
    func begin(_ stream: any OutgoingStream)

    /// Called after `OutgoingStream.send` has refused a frame, when the stream can take one again.
    func canSend(_ stream: any OutgoingStream)

    /// Called when the stream has been silent for the server's heartbeat interval. The source sends a
    /// frame, so that proxies keep the connection and a client that has vanished is noticed.
    func heartbeat(_ stream: any OutgoingStream)

    /// Called once after `begin`, as the last call.
    func ended(_ end: StreamEnd)
}

/// The connection of a stream. All methods must be called on the thread that calls the source.
public protocol OutgoingStream: AnyObject, Sendable {
    /// The thread that serves the stream.
    var executor: any StreamExecutor { get }

    /// Sends a frame, or as much of it as the system takes; the rest follows as soon as possible.
    /// A stream that is ending drops the frame and returns true.
    /// - Returns: false if an earlier frame has not left completely yet. The new frame is then
    ///   dropped.
    func send(_ frame: StreamFrame) -> Bool

    /// Ends the stream when all frames that it has taken have left.
    func end()
}

/// Runs work on the thread that serves the streams of a server.
public protocol StreamExecutor: AnyObject, Sendable {
    /// Any thread may call this method. The work runs in the order of the calls, and must not wait.
    func run(_ work: @escaping @Sendable () -> Void)
}

/// Bytes that are sent as one chunk (RFC 9112, section 7.1). All streams that get the same frame share
/// its memory.
public struct StreamFrame: Sendable {
    /// The chunk: the size of the content, the content, and the line end behind it.
    public let chunk: [UInt8]
    /// The place of the content in the chunk. A client of HTTP/1.0, which has no chunks, gets only the
    /// content.
    public let content: Range<Int>

    /// - Precondition: the content is not empty, as an empty chunk would end the response.
    public init(_ content: [UInt8]) {
        precondition(!content.isEmpty)
        let size = Array("\(String(content.count, radix: 16))\r\n".utf8)
        chunk = size + content + [0x0D, 0x0A]
        self.content = size.count..<size.count + content.count
    }
}

/// The end of a stream.
public struct StreamEnd: Sendable {
    /// The reason for the end. The raw value is a label of a metric.
    public enum Reason: String, Sendable, CaseIterable {
        /// The client has left, or has sent bytes behind its request.
        case client
        /// The source's time limit has passed.
        case lifetime
        /// The client has not read a frame within the send timeout; or the unsent frames of all
        /// streams take too much memory, and this client has been behind for longest.
        case stalled
        /// The server stops.
        case shutdown
        /// The source has ended the stream.
        case source
    }

    public let reason: Reason
    /// The number of bytes behind the head of the response that the stream has taken for sending.
    public let size: Int

    public init(_ reason: Reason, size: Int) {
        self.reason = reason
        self.size = size
    }
}
