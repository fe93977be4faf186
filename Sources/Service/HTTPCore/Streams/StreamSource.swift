/// The content of a response whose size is not known in advance. The source sends the content in
/// pieces, called frames, for as long as the client stays connected.
///
/// A server calls the methods of all its sources on a single thread. The methods must not block.
public protocol StreamSource: AnyObject, Sendable {
    /// The time from the start of the stream after which the server ends the stream; nil for no
    /// limit.
    var timeLimit: Duration? { get }

    /// Called once, when the stream starts, before any other method. The first frame that the
    /// source sends during this call leaves together with the head of the response.
    func begin(_ stream: any OutgoingStream)

    /// Called when the stream can take a frame again, after `OutgoingStream.send` has refused a
    /// frame.
    func canSend(_ stream: any OutgoingStream)

    /// Called when the stream has sent nothing for the server's heartbeat interval. The source
    /// should send a frame. The frame keeps proxies from closing the connection, and reveals that a
    /// client is no longer reachable.
    func heartbeat(_ stream: any OutgoingStream)

    /// Called once after `begin`, when the stream has ended. The server calls no method of the
    /// source afterwards.
    func ended(_ end: StreamEnd)
}

/// The connection over which a source sends its frames. Call the methods only on the thread on
/// which the server calls the source.
public protocol OutgoingStream: AnyObject, Sendable {
    /// Runs work on the thread that serves the stream.
    var executor: any StreamExecutor { get }

    /// Sends a frame. If the system does not take all of its bytes at once, the rest follows as
    /// soon as possible.
    /// - Returns: false if an earlier frame has not been sent completely. The new frame is then
    ///   dropped. True otherwise, even if the stream is ending and drops the frame for that reason.
    func send(_ frame: StreamFrame) -> Bool

    /// Ends the stream as soon as all frames that `send` has accepted are sent.
    func end()
}

/// Runs work on the thread that serves the streams of a server.
public protocol StreamExecutor: AnyObject, Sendable {
    /// Runs `work` soon on the thread that serves the streams, in the order of the calls. Any
    /// thread may call this method. `work` must not block. A server that has stopped drops the
    /// work.
    func run(_ work: @escaping @Sendable () -> Void)
}

/// Bytes that are sent as one chunk (RFC 9112, section 7.1). If several streams send the same
/// frame, they share its memory.
public struct StreamFrame: Sendable {
    /// The encoded chunk: the size of the content in hexadecimal, CR LF, the content, and CR LF.
    public let chunk: [UInt8]
    /// The range of the content within `chunk`. A client with HTTP/1.0 does not understand chunks,
    /// and gets only the content.
    public let content: Range<Int>

    /// Creates a frame with this content.
    /// - Precondition: `content` is not empty, because an empty chunk would end the response.
    public init(_ content: [UInt8]) {
        precondition(!content.isEmpty)
        let size = Array("\(String(content.count, radix: 16))\r\n".utf8)
        chunk = size + content + [0x0D, 0x0A]
        self.content = size.count..<size.count + content.count
    }
}

/// The reason for the end of a stream, and the size of its frames.
public struct StreamEnd: Sendable {
    /// The reason for the end. The raw value appears in a label of a metric.
    public enum Reason: String, Sendable, CaseIterable {
        /// The client has closed the connection, or has sent further bytes after its request; or
        /// the connection is broken.
        case client
        /// The time limit of the source (`StreamSource.timeLimit`) has passed.
        case lifetime
        /// The client has read too slowly. Either a frame was not sent within the send timeout, or
        /// the unsent frames of all streams took too much memory and this stream had unsent bytes
        /// for the longest time.
        case stalled
        /// The server is stopping.
        case shutdown
        /// The source has called `OutgoingStream.end`.
        case source
    }

    public let reason: Reason
    /// The number of bytes of all frames that the stream accepted for sending. The head of the
    /// response is not counted.
    public let size: Int

    public init(_ reason: Reason, size: Int) {
        self.reason = reason
        self.size = size
    }
}
