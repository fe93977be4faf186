import Glibc
import HTTPCore
import Sockets
import Synchronization

/// The state of a connection. Every state but `expired` and `detached` has a time limit.
enum ConnectionState {
    /// The connection is between a response and the next request.
    case idle
    /// The connection is idle, and the client was still there when the registry looked.
    case quiet
    case head, body
    /// The request is complete and its response is not ready.
    case responding
    case sending
    /// The deadline has passed or the client has left. No request begins any more.
    case expired
    /// The `StreamLoop` has a duplicate of the descriptor. libmicrohttpd is closing the original.
    case detached
}

/// A connection, from its acceptance to libmicrohttpd's last notification of it.
///
/// The worker thread moves the connection from state to state, and `ConnectionRegistry` ends it when
/// a deadline passes. Both hold the connection's lock: no request begins on an ended connection, and
/// no connection ends that has just entered another state.
final class Connection: Sendable {
    private struct Progress {
        var state = ConnectionState.head
        /// The time limit of the state; nil if it has none.
        var limit: Duration?
        /// The end of the time limit. The registry sets it at its first check in this state, so that
        /// the workers need not read the clock.
        var deadline: SuspendingClock.Instant?
        /// The request that waits for its response.
        var exchange: Exchange?
        /// Whether the registry has seen in this state that the client has left.
        var clientHasLeft = false
        /// Whether the descriptor has been closed or is about to be. Its number may then belong to
        /// another file.
        var isClosed = false

        /// Returns whether the deadline has passed at `time`. The first call in a state sets the
        /// deadline.
        mutating func isLate(at time: SuspendingClock.Instant) -> Bool {
            guard let limit else { return false }
            if let deadline { return deadline <= time }
            deadline = time + limit
            return false
        }
    }

    let descriptor: Int32
    let peer: NetworkAddress?
    /// The problem to send in response to the first request, if there are too many connections.
    let refusal: Problem?
    /// The number of the connection's worker.
    let worker: Int
    private let progress: Mutex<Progress>

    init(
        descriptor: Int32, worker: Int, peer: NetworkAddress?, refusal: Problem?,
        headerTimeout: Duration
    ) {
        self.descriptor = descriptor
        self.worker = worker
        self.peer = peer
        self.refusal = refusal
        progress = Mutex(Progress(limit: headerTimeout))
    }

    // MARK: On the worker thread

    /// Moves the connection to another state.
    /// - Parameters:
    ///   - limit: how long the connection may stay in the state.
    ///   - exchange: the request that waits for its response.
    /// - Returns: false if the connection has expired or was detached. No request may begin then.
    func enter(
        _ state: ConnectionState, for limit: Duration, _ exchange: Exchange? = nil
    ) -> Bool {
        progress.withLock { progress in
            progress.exchange = exchange
            guard progress.state != .expired, progress.state != .detached else { return false }
            progress.state = state
            progress.limit = limit
            progress.deadline = nil
            progress.clientHasLeft = false
            return true
        }
    }

    /// Leaves the socket to the `StreamLoop`. From then on neither the registry nor the end of the
    /// connection in libmicrohttpd shuts the socket down.
    /// - Returns: false if the connection has expired.
    func detach() -> Bool {
        progress.withLock { progress in
            guard progress.state != .expired else { return false }
            progress.state = .detached
            progress.limit = nil
            progress.exchange = nil
            return true
        }
    }

    /// Notes that a request has begun. The first one's time limit runs from the connection's start.
    func enterHead(for limit: Duration) {
        let state = progress.withLock(\.state)
        if state == .idle || state == .quiet { _ = enter(.head, for: limit) }
    }

    /// Marks the descriptor as closed. libmicrohttpd closes it, or has closed it already.
    func close() {
        progress.withLock { progress in
            progress.isClosed = true
            progress.exchange = nil
        }
    }

    // MARK: On any thread

    var exchange: Exchange? { progress.withLock(\.exchange) }

    var isDetached: Bool { progress.withLock { $0.state == .detached } }

    /// Ends the connection if its deadline has passed or its client has left. If the deadline was
    /// that of `responding`, the client gets the problem `.timedOut` instead.
    func closeIfExpired(at time: SuspendingClock.Instant) {
        let late = progress.withLock { progress -> Exchange? in
            let isLate = progress.isLate(at: time)
            if progress.state == .responding {
                if isLate { progress.limit = nil }
                return isLate ? progress.exchange : nil
            }
            if isLate || clientHasLeft(&progress) { expire(&progress) }
            return nil
        }
        // The handler makes a response, which must not happen under the lock.
        late?.abandon(.timedOut)
    }

    /// Returns whether the client has ended the connection. epoll tells libmicrohttpd of the end once,
    /// and libmicrohttpd overlooks an end that comes right behind other bytes.
    private func clientHasLeft(_ progress: inout Progress) -> Bool {
        switch progress.state {
        case .idle:
            // An end that comes later comes without other bytes, so libmicrohttpd notices it.
            progress.state = .quiet
            return hasEnded(progress)
        case .head, .body:
            // The worker may just have read the rest of a request, which must get its response. The
            // worker then enters another state before the registry looks a second time.
            let hadLeft = progress.clientHasLeft
            progress.clientHasLeft = hasEnded(progress)
            return hadLeft && progress.clientHasLeft
        case .quiet, .responding, .sending, .expired, .detached: return false
        }
    }

    /// Returns whether the client sends no more and all its bytes have been read.
    private func hasEnded(_ progress: borrowing Progress) -> Bool {
        var byte: UInt8 = 0
        return !progress.isClosed
            && recv(descriptor, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT)) == 0
    }

    /// Shuts the socket down, so that libmicrohttpd sees the end of the input and closes its
    /// connection.
    private func expire(_ progress: inout Progress) {
        let isSending = progress.state == .sending
        progress.state = .expired
        progress.limit = nil
        guard !progress.isClosed else { return }
        if isSending { dropUnreadOnClose(descriptor) }
        shutdown(descriptor, Int32(SHUT_RDWR))
    }
}
