import CEpoll
import Glibc
import HTTPCore
import Synchronization

/// Serves all streams of a server on one thread, which waits for events with its own epoll
/// descriptor.
///
/// The loop takes connections over from the HTTP server, see `docs/internals/server.md`. An idle stream needs
/// only a descriptor, an entry in epoll, and an entry in the timer wheel.
///
/// The type is `@unchecked Sendable` because a lock protects the queue of work, and only the loop's
/// thread uses the other variables.
package final class StreamLoop: StreamExecutor, @unchecked Sendable {
    package struct Limits: Sendable {
        /// The time without data on a stream after which the source sends a heartbeat: a frame that
        /// keeps the connection open.
        let heartbeat: Duration
        /// The maximum time that sending a frame may take. If the client is slower, the loop closes
        /// the connection.
        let sendTimeout: Duration

        package init(heartbeat: Duration, sendTimeout: Duration) {
            self.heartbeat = heartbeat
            self.sendTimeout = sendTimeout
        }
    }

    /// The error if the system has no file descriptor or no thread for the loop.
    package struct NotStarted: Error {}

    private struct Queue {
        var work: [@Sendable () -> Void] = []
        /// Whether the thread has ended and the loop's descriptors are closed.
        var isStopped = false
    }

    /// The maximum number of unsent bytes of all streams together. If there are more, the loop
    /// closes the streams that have had unsent bytes for the longest time.
    private static let unsentLimit = 64 << 20
    /// The number in epoll events that stands for `waker`. The numbers of streams are larger.
    private static let wakeNumber = 0
    /// The time that the streams have to send their unsent bytes when the server stops.
    private static let stopTime = Duration.seconds(1)

    private let epoll: Int32
    /// An eventfd. A write to it wakes the loop's thread, which waits in epoll.
    private let waker: Int32
    private let limits: Limits
    private let tickLength: Duration
    private let clock: @Sendable () -> SuspendingClock.Instant
    private let start: SuspendingClock.Instant
    private var thread = pthread_t()
    private let queue = Mutex(Queue())
    /// The number of streams with unsent bytes, whose clients do not read fast enough.
    private let behind = Atomic(0)

    // MARK: On the loop's thread

    /// The time when the loop's last wait for events ended.
    private(set) var now: SuspendingClock.Instant
    private var streams: [Int: StreamConnection] = [:]
    private var lastID = wakeNumber
    private var wheel = TimerWheel()
    private var closing: [StreamConnection] = []
    private var unsentSize = 0

    /// Starts the loop's thread, which runs until `stop`.
    /// - Parameter clock: returns the current time. The loop uses this clock for all limits.
    /// - Throws: `NotStarted`.
    package init(
        _ limits: Limits, clock: @escaping @Sendable () -> SuspendingClock.Instant
    ) throws(NotStarted) {
        self.limits = limits
        self.clock = clock
        // Deadlines are late by about one tick: a tenth of the shortest limit, or a second if that
        // is less.
        tickLength = min(
            max(min(limits.heartbeat, limits.sendTimeout) / 10, .milliseconds(10)), .seconds(1))
        start = clock()
        now = start
        epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        waker = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        guard epoll >= 0, waker >= 0 else {
            close(epoll)
            close(waker)
            throw NotStarted()
        }
        control(EPOLL_CTL_ADD, waker, Self.wakeNumber, EPOLLIN.rawValue)
        try startThread()
    }

    /// Starts the loop's thread, which keeps the loop in memory until `stop`. The thread is not
    /// from Dispatch's pool: the pool is small, and the loop would occupy one of its threads all
    /// the time.
    private func startThread() throws(NotStarted) {
        let loop = Unmanaged.passRetained(self)
        let status = pthread_create(
            &thread, nil,
            { context in
                guard let context else { return nil }
                Unmanaged<StreamLoop>.fromOpaque(context).takeRetainedValue().serve()
                return nil
            }, loop.toOpaque())
        guard status != 0 else { return }
        loop.release()
        throw NotStarted()
    }

    // MARK: On any thread

    /// The number of streams with unsent bytes, whose clients do not read fast enough.
    package var behindCount: Int { behind.load(ordering: .relaxed) }

    /// Takes over a connection, and sends a stream on it. If the loop has stopped, the method only
    /// closes the connection and calls `onEnd`.
    /// - Parameters:
    ///   - descriptor: a connected socket, which the loop closes.
    ///   - isChunked: whether the client understands the chunked transfer coding (HTTP/1.1).
    ///   - head: the head of the response.
    ///   - source: sends the frames of the stream.
    ///   - onEnd: called when the stream has ended and the socket is closed.
    package func open(
        _ descriptor: Int32, isChunked: Bool, head: [UInt8], _ source: any StreamSource,
        onEnd: @escaping @Sendable () -> Void
    ) {
        let isTaken = enqueue { [self] in
            lastID += 1
            let stream = StreamConnection(
                lastID, descriptor, isChunked: isChunked, head: head, source: source, loop: self,
                onEnd: onEnd)
            streams[stream.id] = stream
            control(EPOLL_CTL_ADD, descriptor, stream.id, Self.readEvents)
            stream.begin()
            if isStopping { stream.end(.shutdown) }
            setTimer(stream, stream.checkDeadlines(limits))
        }
        guard !isTaken else { return }
        close(descriptor)
        onEnd()
    }

    package func run(_ work: @escaping @Sendable () -> Void) { _ = enqueue(work) }

    /// Queues work for the loop's thread, and wakes the thread.
    /// - Returns: false if the loop has stopped; the work never runs then.
    private func enqueue(_ work: @escaping @Sendable () -> Void) -> Bool {
        queue.withLock { queue in
            guard !queue.isStopped else { return false }
            queue.work.append(work)
            if queue.work.count == 1 { wake() }
            return true
        }
    }

    /// Ends all streams, and returns when the loop's thread has ended. Must be called only once.
    package func stop() {
        run { [self] in
            isStopping = true
            stopDeadline = now + Self.stopTime
            for stream in streams.values { stream.end(.shutdown) }
        }
        pthread_join(thread, nil)
    }

    private func wake() {
        var one: UInt64 = 1
        write(waker, &one, 8)
    }

    // MARK: The loop

    private var isStopping = false
    /// The time at which a stopping loop closes the streams that still have unsent bytes; nil until
    /// `stop` is called.
    private var stopDeadline: SuspendingClock.Instant?

    private func serve() {
        var events = Array(repeating: epoll_event(), count: 256)
        while !endsNow() {
            let count = epoll_wait(epoll, &events, Int32(events.count), waitTime)
            now = clock()
            for event in events.prefix(max(Int(count), 0)) { handle(event) }
            for work in takeWork() { work() }
            for id in wheel.advance(to: tick(of: now)) {
                guard let stream = streams[id] else { continue }
                setTimer(stream, stream.checkDeadlines(limits))
            }
            cutStalled()
            if let stopDeadline, stopDeadline <= now {
                for stream in streams.values { stream.close(because: .shutdown) }
            }
            closeEnded()
        }
    }

    /// Closes the loop's descriptors if the server is stopping and no stream or queued work is
    /// left.
    /// - Returns: whether the descriptors were closed, so that the loop must end.
    private func endsNow() -> Bool {
        guard isStopping, streams.isEmpty else { return false }
        return queue.withLock { queue in
            guard queue.work.isEmpty else { return false }
            queue.isStopped = true
            close(epoll)
            close(waker)
            return true
        }
    }

    /// The maximum time to wait for events, in milliseconds; -1 for no limit.
    private var waitTime: Int32 {
        guard !streams.isEmpty else { return -1 }
        let next = start + tickLength * (tick(of: now) + 1)
        return Int32(clamping: Int((next - now) / .milliseconds(1)) + 1)
    }

    private func tick(of time: SuspendingClock.Instant) -> Int { Int((time - start) / tickLength) }

    private func setTimer(_ stream: StreamConnection, _ deadline: SuspendingClock.Instant) {
        if stream.closing == nil { wheel.add(stream.id, due: tick(of: deadline) + 1) }
    }

    private func takeWork() -> [@Sendable () -> Void] {
        queue.withLock { queue in
            defer { queue.work = [] }
            return queue.work
        }
    }

    private func handle(_ event: epoll_event) {
        let id = Int(event.data.u64)
        guard id != Self.wakeNumber else {
            var count: UInt64 = 0
            read(waker, &count, 8)
            return
        }
        guard let stream = streams[id], stream.closing == nil else { return }
        // The client has nothing to send after its request. Any input, or the end of the input,
        // therefore ends the stream.
        if event.events & Self.readEvents != 0 || event.events & Self.failures != 0 {
            stream.close(because: .client)
        } else {
            stream.flush()
        }
    }

    private func closeEnded() {
        // The end of a stream may end other streams of its source.
        while let stream = closing.popLast() {
            streams[stream.id] = nil
            if !stream.unsent.isEmpty { behind.subtract(1, ordering: .relaxed) }
            stream.close()
        }
    }

    // MARK: Called by the streams

    func watch(_ stream: StreamConnection, forWriting isBehind: Bool) {
        behind.add(isBehind ? 1 : -1, ordering: .relaxed)
        control(
            EPOLL_CTL_MOD, stream.descriptor, stream.id,
            Self.readEvents | (isBehind ? EPOLLOUT.rawValue : 0))
    }

    func noteUnsent(_ difference: Int) { unsentSize += difference }

    func noteClosing(_ stream: StreamConnection) { closing.append(stream) }

    /// Closes streams if all streams together have more than `unsentLimit` unsent bytes. The
    /// streams that have had unsent bytes for the longest time are closed first, until the others
    /// are within the limit.
    private func cutStalled() {
        guard unsentSize > Self.unsentLimit else { return }
        let stalled = streams.values.filter { !$0.unsent.isEmpty && $0.closing == nil }
            .sorted { ($0.unsentSince ?? now, $0.id) < ($1.unsentSince ?? now, $1.id) }
        var excess = stalled.reduce(-Self.unsentLimit) { $0 + $1.unsent.count }
        for stream in stalled where excess > 0 {
            excess -= stream.unsent.count
            stream.close(because: .stalled)
        }
    }

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
