import Glibc
import HTTPCore
import Sockets
import Synchronization

/// The state of a connection. Every state but `expired` and `detached` has a time limit.
enum ConnectionState {
    /// The connection is between a response and the next request.
    case idle
    /// Like `idle`, and `ConnectionRegistry` has already looked whether the client is there.
    case quiet
    case head, body
    /// The request is complete, but its response is not ready.
    case responding
    case sending
    /// The deadline has passed or the client has left. No further request begins.
    case expired
    /// A stream uses a duplicate of the descriptor, and libmicrohttpd closes the original.
    case detached
}

/// A response that is being sent.
struct UnsentResponse {
    /// The total size of all responses of the server up to this one, in bytes. Later responses have
    /// higher positions.
    let position: Int
    /// The size of the response in memory, in bytes.
    let size: Int
}

/// A connection of a client, from its acceptance until libmicrohttpd reports its end.
///
/// The connection's worker thread changes the state, and `ConnectionRegistry` ends the connection
/// when the deadline of a state passes. Both hold the connection's lock, so that no request begins
/// on a connection that has ended, and the deadline of an earlier state ends no connection.
final class Connection: Sendable {
    private struct Progress {
        var state = ConnectionState.head
        /// The maximum time in the current state; nil for no limit.
        var limit: Duration?
        /// The end of the limit; nil until the first check. Workers need not read the clock.
        var deadline: SuspendingClock.Instant?
        /// The request that waits for its response; nil if none waits.
        var exchange: Exchange?
        /// The response that is being sent; nil if none is.
        var response: UnsentResponse?
        /// Whether the last check in this state has found that the client has left.
        var clientHasLeft = false
        /// Whether the descriptor is closed or about to be; its number can then be another file's.
        var isClosed = false

        /// Returns whether the deadline has passed. The first call in a state only sets it.
        mutating func isLate(at time: SuspendingClock.Instant) -> Bool {
            guard let limit else { return false }
            if let deadline { return deadline <= time }
            deadline = time + limit
            return false
        }
    }

    let descriptor: Int32
    let peer: NetworkAddress?
    /// The response to the first request if there are too many connections; nil otherwise.
    let refusal: Problem?
    /// The index of the worker thread that serves the connection.
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
    ///   - limit: the maximum time in the new state.
    ///   - exchange: the request that waits for its response; nil if none waits.
    ///   - response: the response that is being sent; nil if none is.
    /// - Returns: false if the connection has expired or is detached: no request may begin.
    func enter(
        _ state: ConnectionState, for limit: Duration, _ exchange: Exchange? = nil,
        sending response: UnsentResponse? = nil
    ) -> Bool {
        progress.withLock { progress in
            progress.exchange = exchange
            progress.response = response
            guard progress.state != .expired, progress.state != .detached else { return false }
            progress.state = state
            progress.limit = limit
            progress.deadline = nil
            progress.clientHasLeft = false
            return true
        }
    }

    /// Leaves the socket to a stream: neither the registry nor the worker thread shuts it down.
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

    /// Notes that the head of a request has begun to arrive, and starts its time limit. For the
    /// first request of a connection, the time limit has run since the connection's start.
    func enterHead(for limit: Duration) {
        let state = progress.withLock(\.state)
        if state == .idle || state == .quiet { _ = enter(.head, for: limit) }
    }

    /// Notes that the descriptor is closed or about to be. The connection no longer uses it.
    func close() {
        progress.withLock { progress in
            progress.isClosed = true
            progress.exchange = nil
        }
    }

    // MARK: On any thread

    var exchange: Exchange? { progress.withLock(\.exchange) }

    /// The response that is being sent; nil if none is, or if the connection has expired.
    var response: UnsentResponse? {
        progress.withLock { $0.state == .sending ? $0.response : nil }
    }

    /// Ends the connection if the response is still being sent.
    func reset(sending response: UnsentResponse) {
        progress.withLock { progress in
            guard progress.state == .sending, progress.response?.position == response.position
            else { return }
            expire(&progress)
        }
    }

    var isDetached: Bool { progress.withLock { $0.state == .detached } }

    /// Whether the client has closed its side of the connection.
    var clientHasLeft: Bool { progress.withLock { hasEnded($0) } }

    /// Ends the connection if its deadline has passed or its client has left. In the state
    /// `responding`, the connection does not end: if the deadline has passed, the client gets the
    /// problem `.timedOut`.
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

    /// Returns whether the client has closed the connection. epoll reports that only once, and
    /// libmicrohttpd overlooks it if it arrives together with the last bytes.
    private func clientHasLeft(_ progress: inout Progress) -> Bool {
        switch progress.state {
        case .idle:
            // No further check is necessary: libmicrohttpd notices a later end, which comes alone.
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

    /// Returns whether the client has closed its side and all that it sent has been read.
    private func hasEnded(_ progress: borrowing Progress) -> Bool {
        var byte: UInt8 = 0
        return !progress.isClosed
            && recv(descriptor, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT)) == 0
    }

    /// Shuts the socket down. libmicrohttpd then reads the end of the input, and closes it.
    private func expire(_ progress: inout Progress) {
        let isSending = progress.state == .sending
        progress.state = .expired
        progress.limit = nil
        guard !progress.isClosed else { return }
        if isSending { dropUnreadOnClose(descriptor) }
        shutdown(descriptor, Int32(SHUT_RDWR))
    }
}
