import Glibc
import HTTPCore
import Synchronization

/// One connection, from when it is accepted to libmicrohttpd's last notice of it.
///
/// Its worker moves it from phase to phase; the reaper ends it when a phase takes too long. Whoever
/// comes first wins, so that no request begins on a connection that has been cut off, and none is cut
/// off that has begun.
final class Connection: Sendable {
    private struct State {
        var exchange: Exchange?
        /// The descriptor may be another file's.
        var isClosed = false
        /// The stage in which the reaper saw that the client had ended the connection.
        var ended: Stage?
    }

    let peer: NetworkAddress?
    /// What its first request is answered with, if there are too many connections.
    let refusal: Problem?
    /// The number of the worker that it belongs to.
    let worker: Int
    let descriptor: Int32
    private let now: @Sendable () -> UInt64
    private let stage: Atomic<Stage>
    private let state = Mutex(State())

    init(
        descriptor: Int32, worker: Int, peer: NetworkAddress?, refusal: Problem?,
        headerTimeout: UInt64, now: @escaping @Sendable () -> UInt64
    ) {
        self.descriptor = descriptor
        self.worker = worker
        self.peer = peer
        self.refusal = refusal
        self.now = now
        stage = Atomic(Stage(.head, until: now() + headerTimeout))
    }

    // MARK: On the worker thread

    /// - Parameter time: until the next phase, in milliseconds.
    /// - Returns: false if the connection has been cut off: nothing may begin on it.
    func enter(_ phase: Stage.Phase, for time: UInt64) -> Bool {
        let next = Stage(phase, until: now() + time)
        var present = stage.load(ordering: .relaxed)
        while present.phase != .cut {
            let (isDone, now) = stage.weakCompareExchange(
                expected: present, desired: next, ordering: .relaxed)
            if isDone { return true }
            present = now
        }
        return false
    }

    /// A request has begun: the first one's time runs from the start of the connection.
    func enterHead(for time: UInt64) {
        if [.idle, .quiet].contains(phase) { _ = enter(.head, for: time) }
    }

    /// An answer is to be waited for.
    func begin(_ exchange: Exchange) {
        state.withLock { $0.exchange = exchange }
    }

    func end() {
        state.withLock { $0.exchange = nil }
    }

    /// To be called before the descriptor is closed.
    func close() {
        state.withLock { $0 = State(isClosed: true) }
    }

    // MARK: On any thread

    private var phase: Stage.Phase { stage.load(ordering: .relaxed).phase }

    /// Whether a request has come whole whose answer has not left.
    var isBusy: Bool { [.answering, .sending].contains(phase) }

    var exchange: Exchange? { state.withLock(\.exchange) }

    /// Ends the connection if the time of its phase is over; if it is the service that is late, it is
    /// answered in its stead.
    func endIfLate(at now: UInt64) {
        let late = stage.load(ordering: .relaxed)
        guard late.end <= now else {
            lookForEnd(late)
            return
        }
        let isOurs = late.phase == .answering
        let next = isOurs ? Stage(.answering, until: Stage.never) : .cut
        guard stage.compareExchange(expected: late, desired: next, ordering: .relaxed).exchanged
        else { return }
        if isOurs {
            exchange?.timeOut()
        } else {
            cut(discarding: late.phase == .sending)
        }
    }

    /// Ends the connection if the client has ended it. libmicrohttpd is told of that once, and
    /// overlooks it when it comes right behind other bytes.
    private func lookForEnd(_ present: Stage) {
        switch present.phase {
        case .idle:
            let hasEnded = state.withLock { self.hasEnded($0) }
            let next = hasEnded ? .cut : Stage(.quiet, until: present.end)
            guard
                stage.compareExchange(expected: present, desired: next, ordering: .relaxed)
                    .exchanged
            else { return }
            if hasEnded { cut(discarding: false) }
        case .head, .body:
            // The worker may have read the rest of a request just now, which is to be answered. Then
            // the stage is another one the next time.
            let isOver = state.withLock { state in
                let seen = hasEnded(state) ? present : nil
                defer { state.ended = seen }
                return seen != nil && state.ended == seen
            }
            guard isOver,
                stage.compareExchange(expected: present, desired: .cut, ordering: .relaxed)
                    .exchanged
            else { return }
            cut(discarding: false)
        case .quiet, .answering, .sending, .cut: break
        }
    }

    /// Returns whether all that the client sent has been read, and it will send no more.
    private func hasEnded(_ state: State) -> Bool {
        var byte: UInt8 = 0
        return !state.isClosed
            && recv(descriptor, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT)) == 0
    }

    /// libmicrohttpd sees the end of the stream, and closes.
    private func cut(discarding: Bool) {
        state.withLock { state in
            guard !state.isClosed else { return }
            if discarding {
                // What the client does not read must not stay in the system's memory.
                var linger = linger(l_onoff: 1, l_linger: 0)
                setsockopt(
                    descriptor, SOL_SOCKET, SO_LINGER, &linger,
                    socklen_t(MemoryLayout.size(ofValue: linger)))
            }
            shutdown(descriptor, Int32(SHUT_RDWR))
        }
    }
}
