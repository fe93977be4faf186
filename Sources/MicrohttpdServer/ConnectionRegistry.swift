import HTTPCore
import Synchronization

/// All connections that are open. Its lock is taken when one opens or closes, not for each request.
final class ConnectionRegistry: Sendable {
    fileprivate struct State {
        var connections: [ObjectIdentifier: Connection] = [:]
        /// Only if there is a limit.
        var counts: [NetworkAddress: Int] = [:]
    }

    /// Beyond a limit so many are told of it; all others are closed at once.
    static let toldConnections = 64

    private let maximum: Int
    /// 0 is no limit.
    private let maximumPerAddress: Int
    private let headerTimeout: UInt64
    private let now: @Sendable () -> UInt64
    private let state = Mutex(State())

    init(_ configuration: Server.Configuration) {
        maximum = configuration.maximumConnections
        maximumPerAddress = configuration.maximumConnectionsPerAddress
        headerTimeout = configuration.headerTimeout.milliseconds
        now = configuration.now
    }

    /// Whether there is room for one more, be it to tell it that it cannot be served.
    func admits(_ peer: NetworkAddress?) -> Bool {
        state.withLock { state in
            state.connections.count < maximum + Self.toldConnections
                && (maximumPerAddress == 0
                    || state.count(of: peer) < maximumPerAddress + Self.toldConnections)
        }
    }

    func add(descriptor: Int32, peer: NetworkAddress?) -> Connection {
        state.withLock { state in
            let connection = Connection(
                descriptor: descriptor, peer: peer, refusal: refusal(of: peer, state),
                headerTimeout: headerTimeout, now: now)
            state.connections[ObjectIdentifier(connection)] = connection
            if maximumPerAddress > 0, let peer { state.counts[peer, default: 0] += 1 }
            return connection
        }
    }

    func remove(_ connection: Connection) {
        state.withLock { state in
            state.connections[ObjectIdentifier(connection)] = nil
            guard maximumPerAddress > 0, let peer = connection.peer else { return }
            let count = state.count(of: peer) - 1
            state.counts[peer] = count > 0 ? count : nil
        }
    }

    /// Ends those whose time is over.
    func endLate() {
        let now = now()
        state.withLock { state in
            for connection in state.connections.values { connection.endIfLate(at: now) }
        }
    }

    /// Whether a request is being answered.
    var isBusy: Bool { state.withLock { $0.connections.values.contains(where: \.isBusy) } }

    var all: [Connection] { state.withLock { Array($0.connections.values) } }

    private func refusal(of peer: NetworkAddress?, _ state: borrowing State) -> Problem? {
        let detail: String
        if state.connections.count >= maximum {
            detail = "there are \(maximum) connections, and there may be no more"
        } else if maximumPerAddress > 0, state.count(of: peer) >= maximumPerAddress {
            detail = "your address has \(maximumPerAddress) connections, and may have no more"
        } else {
            return nil
        }
        return Problem(
            .busy, "\(detail): try again in a second, or over a connection that is open",
            headers: ["Retry-After": "1", "Connection": "close"])
    }
}

extension ConnectionRegistry.State {
    fileprivate func count(of peer: NetworkAddress?) -> Int {
        peer.flatMap { counts[$0] } ?? 0
    }
}
