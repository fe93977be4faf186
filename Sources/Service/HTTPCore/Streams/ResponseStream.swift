/// The content of a response whose size is not known in advance. The stream sends its content in
/// pieces for as long as the client stays connected.
///
/// A server calls the methods of all its streams on a single thread. The methods must not block.
public protocol ResponseStream: AnyObject, Sendable {
    /// The time from the start of the stream after which the server ends it; nil for no limit.
    var timeLimit: Duration? { get }

    /// Called once, when the stream starts, before any other method. The first piece that the
    /// stream sends during this call leaves together with the head of the response.
    func begin(on connection: any StreamConnection)

    /// Called when the connection can take a piece again, after `StreamConnection.send` has refused
    /// one.
    func canSend()

    /// Called when nothing has been sent for the server's heartbeat interval. The stream should send
    /// a piece, which keeps proxies from closing the connection, and reveals that a client is no
    /// longer reachable.
    func heartbeat()

    /// Called after each heartbeat interval, whether or not something was sent in it. The stream
    /// should check whether its client may still read it.
    func check()

    /// Called once after `begin`, when the stream has ended. The server calls no method afterwards.
    func ended(_ end: StreamEnd)
}

/// The connection over which a stream sends its content. All methods but `run` must be called on the
/// thread on which the server calls the stream.
public protocol StreamConnection: AnyObject, Sendable {
    /// Runs work soon on the thread that serves all streams of the server, in the order of the
    /// calls. Any thread may call this closure, even after the stream has ended. The work must not
    /// block. A server that has stopped drops the work.
    var run: @Sendable (_ work: @escaping @Sendable () -> Void) -> Void { get }

    /// Sends a piece of the content. If the system does not take all of its bytes at once, the rest
    /// follows as soon as possible.
    /// - Parameter bytes: the piece, which must not be empty.
    /// - Returns: false if an earlier piece has not been sent completely. The new one is then
    ///   dropped. True otherwise, even if the stream is ending and drops the piece for that reason.
    func send(_ bytes: [UInt8]) -> Bool

    /// Ends the stream as soon as all pieces that `send` has accepted are sent.
    func end()
}

/// The reason for the end of a stream, and the size of its content.
public struct StreamEnd: Sendable {
    /// The reason for the end. The raw value appears in a label of a metric.
    public enum Reason: String, Sendable, CaseIterable {
        /// The client has closed the connection, or has sent further bytes after its request; or
        /// the connection is broken.
        case client
        /// The time limit of the stream (`ResponseStream.timeLimit`) has passed.
        case lifetime
        /// The client has read too slowly. Either a piece was not sent within the send timeout, or
        /// the unsent pieces of all streams took too much memory and this stream had unsent bytes
        /// for the longest time.
        case stalled
        /// The server is stopping.
        case shutdown
        /// The stream has called `StreamConnection.end`.
        case source
    }

    public let reason: Reason
    /// The number of bytes that the stream has given to `send`, with their framing. The head of the
    /// response is not counted.
    public let size: Int

    public init(_ reason: Reason, size: Int) {
        self.reason = reason
        self.size = size
    }
}
