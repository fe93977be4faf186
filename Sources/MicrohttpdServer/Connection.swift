import Glibc
import HTTPCore
import Synchronization

/// The state of a connection. Every state but `expired` has a deadline.
enum ConnectionState {
    /// Between a response and the next request.
    case idle
    /// Idle, and the client was still there when the monitor looked.
    case quiet
    case head, body
    /// The request is complete and its response is not ready.
    case responding
    case sending
    /// The deadline has passed or the client has left: no request begins any more.
    case expired
}

/// One connection, from its acceptance to libmicrohttpd's last notification of it.
///
/// Its worker thread moves it from state to state, and `ConnectionTimeoutMonitor` ends it when a
/// deadline passes. Both do so under its lock: no request begins on a connection that was ended, and
/// none is ended that has just moved on.
final class Connection: Sendable {
    private struct Progress {
        var state = ConnectionState.head
        /// Nil if there is none any more.
        var deadline: SuspendingClock.Instant?
        /// The request that is responded to.
        var exchange: Exchange?
        /// Whether the monitor has seen in this state that the client has left.
        var clientHasLeft = false
        /// Whether the descriptor may belong to another file.
        var isClosed = false
    }

    let descriptor: Int32
    let peer: NetworkAddress?
    /// The response to its first request, if there are too many connections.
    let refusal: Problem?
    /// The number of the worker that it belongs to.
    let worker: Int
    private let now: @Sendable () -> SuspendingClock.Instant
    private let progress: Mutex<Progress>

    init(
        descriptor: Int32, worker: Int, peer: NetworkAddress?, refusal: Problem?,
        headerTimeout: Duration, now: @escaping @Sendable () -> SuspendingClock.Instant
    ) {
        self.descriptor = descriptor
        self.worker = worker
        self.peer = peer
        self.refusal = refusal
        self.now = now
        progress = Mutex(Progress(deadline: now() + headerTimeout))
    }

    // MARK: On the worker thread

    /// Moves the connection to another state.
    /// - Parameters:
    ///   - time: how long it may stay there.
    ///   - exchange: what the state is about, if it may end without the worker.
    /// - Returns: false if the connection has expired: nothing may begin on it.
    func enter(
        _ state: ConnectionState, for time: Duration, _ exchange: Exchange? = nil
    ) -> Bool {
        let deadline = now() + time
        return progress.withLock { progress in
            progress.exchange = exchange
            guard progress.state != .expired else { return false }
            progress.state = state
            progress.deadline = deadline
            progress.clientHasLeft = false
            return true
        }
    }

    /// Notes that a request has begun. The first one's time runs from the start of the connection.
    func enterHead(for time: Duration) {
        let state = progress.withLock(\.state)
        if state == .idle || state == .quiet { _ = enter(.head, for: time) }
    }

    /// To be called before the descriptor is closed.
    func close() {
        progress.withLock { progress in
            progress.isClosed = true
            progress.exchange = nil
        }
    }

    // MARK: On any thread

    var exchange: Exchange? { progress.withLock(\.exchange) }

    /// Ends the connection if its deadline has passed or its client has left. Where it is the service
    /// that is late, a response says so instead.
    func closeIfExpired(at time: SuspendingClock.Instant) {
        let late = progress.withLock { progress -> Exchange? in
            let isLate = progress.deadline.map { $0 <= time } ?? false
            if progress.state == .responding {
                if isLate { progress.deadline = nil }
                return isLate ? progress.exchange : nil
            }
            if isLate || clientHasLeft(&progress) { expire(&progress) }
            return nil
        }
        // Outside the lock: the handler is asked for a response.
        late?.timeOut()
    }

    /// Returns whether the client has ended the connection. libmicrohttpd is told of that once, and
    /// overlooks it when it comes right behind other bytes.
    private func clientHasLeft(_ progress: inout Progress) -> Bool {
        switch progress.state {
        case .idle:
            // An end that comes later comes alone, and libmicrohttpd sees it.
            progress.state = .quiet
            return hasEnded(progress)
        case .head, .body:
            // The worker may have read the rest of a request just now, which is to be answered. It
            // enters another state before the monitor looks a second time.
            let hadLeft = progress.clientHasLeft
            progress.clientHasLeft = hasEnded(progress)
            return hadLeft && progress.clientHasLeft
        case .quiet, .responding, .sending, .expired: return false
        }
    }

    /// Returns whether all that the client sent has been read, and it will send no more.
    private func hasEnded(_ progress: borrowing Progress) -> Bool {
        var byte: UInt8 = 0
        return !progress.isClosed
            && recv(descriptor, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT)) == 0
    }

    /// Has libmicrohttpd see the end of the stream, and close.
    private func expire(_ progress: inout Progress) {
        let isSending = progress.state == .sending
        progress.state = .expired
        progress.deadline = nil
        guard !progress.isClosed else { return }
        if isSending {
            // A response that the client does not read must not stay in the system's memory.
            var linger = linger(l_onoff: 1, l_linger: 0)
            setsockopt(
                descriptor, SOL_SOCKET, SO_LINGER, &linger,
                socklen_t(MemoryLayout.size(ofValue: linger)))
        }
        shutdown(descriptor, Int32(SHUT_RDWR))
    }
}
