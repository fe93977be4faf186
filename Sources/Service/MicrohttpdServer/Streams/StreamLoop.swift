import CEpoll
import Glibc
import HTTPCore
import Synchronization

/// Serves all streams of a server on one thread, which waits for events with its own epoll
/// descriptor.
///
/// The loop takes connections over from the HTTP server, see `docs/internals/server.md`. An idle
/// stream needs only a descriptor and an entry in epoll.
///
/// The type is `@unchecked Sendable` because only the loop's thread uses the variables, except
/// `thread`, which `stop` reads.
final class StreamLoop: @unchecked Sendable {
    /// The maximum number of unsent bytes of all streams together. If there are more, the loop
    /// closes the streams that have had unsent bytes for the longest time.
    private static let unsentLimit = 64 << 20
    /// The number in epoll events that stands for the inbox. The numbers of streams are larger.
    private static let inboxNumber = 0
    /// The time that the streams have to send their unsent bytes when the server stops.
    private static let stopTime = Duration.seconds(1)

    /// Runs work on the loop's thread, see `StreamConnection.run`.
    let run: @Sendable (_ work: @escaping @Sendable () -> Void) -> Void
    private let epoll: Int32
    private let inbox: Inbox<@Sendable () -> Void>
    let heartbeat: Duration
    let sendTimeout: Duration
    /// The time between two checks of all deadlines, by which these are late at most: a tenth of the
    /// shortest limit, or a second if that is less.
    private let checkInterval: Duration
    private let clock: @Sendable () -> SuspendingClock.Instant
    private var thread = pthread_t()
    /// The number of streams with unsent bytes.
    private let behind = Atomic(0)

    /// The time when the loop's last wait for events ended.
    private(set) var now: SuspendingClock.Instant
    /// The number of unsent bytes of all streams together.
    var unsentSize = 0
    private var nextCheck: SuspendingClock.Instant
    private var streams: [Int: StreamSocket] = [:]
    private var lastID = inboxNumber
    private var closing: [StreamSocket] = []
    /// The time at which a stopping loop closes the streams that still have unsent bytes; nil until
    /// `stop` is called.
    private var stopDeadline: SuspendingClock.Instant?

    /// Starts the loop's thread, which runs until `stop`.
    /// - Throws: a `ServerError` if the system has no file descriptor or no thread left.
    init(_ configuration: Server.Configuration) throws(ServerError) {
        heartbeat = configuration.streamHeartbeat
        sendTimeout = configuration.sendTimeout
        clock = configuration.now
        checkInterval = min(max(min(heartbeat, sendTimeout) / 10, .milliseconds(10)), .seconds(1))
        now = clock()
        nextCheck = now
        let inbox = try Inbox<@Sendable () -> Void>()
        self.inbox = inbox
        run = { inbox.post($0) }
        epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard epoll >= 0 else { throw ServerError() }
        control(EPOLL_CTL_ADD, inbox.descriptor, Self.inboxNumber, EPOLLIN.rawValue)
        do { thread = try startThread { self.serve() } } catch {
            close(epoll)
            throw error
        }
    }

    // MARK: On any thread

    /// The number of streams with unsent bytes, whose clients do not read fast enough.
    var behindCount: Int { behind.load(ordering: .relaxed) }

    /// Takes over a connection, and sends a stream on it. If the loop has stopped, the method only
    /// closes the connection.
    /// - Parameters:
    ///   - descriptor: a connected socket, which the loop closes.
    ///   - response: the response, whose body is `stream`.
    ///   - isChunked: whether the client understands the chunked transfer coding (HTTP/1.1).
    ///   - onEnd: called when the socket is closed, with nil if the stream has not begun.
    func open(
        _ descriptor: Int32, _ response: Response, _ stream: any ResponseStream, isChunked: Bool,
        onEnd: @escaping @Sendable (StreamEnd?) -> Void
    ) {
        let head = response.streamHead(isChunked: isChunked)
        let isTaken = inbox.post { [self] in
            lastID += 1
            let socket = StreamSocket(
                lastID, descriptor, isChunked: isChunked, head: head, stream, self, onEnd: onEnd)
            streams[socket.id] = socket
            control(EPOLL_CTL_ADD, descriptor, socket.id, Self.readEvents)
            socket.begin()
            if stopDeadline != nil { socket.end(.shutdown) }
        }
        guard !isTaken else { return }
        close(descriptor)
        onEnd(nil)
    }

    /// Ends all streams, and returns when the loop's thread has ended. Must be called only once.
    func stop() {
        run { [self] in
            stopDeadline = now + Self.stopTime
            for stream in streams.values { stream.end(.shutdown) }
        }
        pthread_join(thread, nil)
    }

    // MARK: On the loop's thread

    private func serve() {
        var events = Array(repeating: epoll_event(), count: 256)
        var work: [@Sendable () -> Void] = []
        while stopDeadline == nil || !streams.isEmpty || !inbox.close(onlyIfEmpty: true) {
            let count = epoll_wait(
                epoll, &events, Int32(events.count), inbox.beginWait() ? waitTime : 0)
            now = clock()
            let ready = events.prefix(max(Int(count), 0))
            for event in ready { handle(event) }
            inbox.endWait(isReadable: ready.contains { $0.data.u64 == Self.inboxNumber })
            inbox.take(&work)
            for work in work { work() }
            work.removeAll(keepingCapacity: true)
            if nextCheck <= now {
                nextCheck = now + checkInterval
                for stream in streams.values { stream.checkDeadlines() }
            }
            closeStalled()
            if let stopDeadline, stopDeadline <= now {
                for stream in streams.values { stream.close(because: .shutdown) }
            }
            closeEnded()
        }
        close(epoll)
    }

    /// The maximum time to wait for events, in milliseconds; -1 for no limit.
    private var waitTime: Int32 {
        streams.isEmpty ? -1 : Int32(clamping: Int((nextCheck - now) / .milliseconds(1)) + 1)
    }

    private func handle(_ event: epoll_event) {
        guard let stream = streams[Int(event.data.u64)], stream.closing == nil else { return }
        // The client has nothing to send after its request. Any input, or the end of the input,
        // therefore ends the stream.
        if event.events & (Self.readEvents | Self.failures) != 0 {
            stream.close(because: .client)
        } else {
            stream.flush()
        }
    }

    /// Closes streams if all streams together have more than `unsentLimit` unsent bytes. The
    /// streams that have had unsent bytes for the longest time are closed first, until the others
    /// are within the limit.
    private func closeStalled() {
        guard unsentSize > Self.unsentLimit else { return }
        let stalled = streams.values.filter { !$0.unsent.isEmpty && $0.closing == nil }
            .sorted { ($0.unsentSince ?? now, $0.id) < ($1.unsentSince ?? now, $1.id) }
        var excess = stalled.reduce(-Self.unsentLimit) { $0 + $1.unsent.count }
        for stream in stalled where excess > 0 {
            excess -= stream.unsent.count
            stream.close(because: .stalled)
        }
    }

    private func closeEnded() {
        // The end of a stream may end other streams.
        while let stream = closing.popLast() {
            streams[stream.id] = nil
            unsentSize -= stream.unsent.count
            if stream.unsentSince != nil { behind.subtract(1, ordering: .relaxed) }
            stream.close()
        }
    }

    // MARK: Called by the streams

    /// Makes the loop flush a stream when its socket has room again, or no longer.
    func setBehind(_ isBehind: Bool, _ stream: StreamSocket) {
        behind.add(isBehind ? 1 : -1, ordering: .relaxed)
        control(
            EPOLL_CTL_MOD, stream.descriptor, stream.id,
            Self.readEvents | (isBehind ? EPOLLOUT.rawValue : 0))
    }

    func noteClosing(_ stream: StreamSocket) { closing.append(stream) }

    // MARK: epoll

    private static let readEvents = EPOLLIN.rawValue | EPOLLRDHUP.rawValue
    private static let failures = EPOLLERR.rawValue | EPOLLHUP.rawValue

    private func control(_ operation: Int32, _ descriptor: Int32, _ id: Int, _ events: UInt32) {
        var event = epoll_event()
        event.events = events
        event.data.u64 = UInt64(id)
        epoll_ctl(epoll, operation, descriptor, &event)
    }
}
