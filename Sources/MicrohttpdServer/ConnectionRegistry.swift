import HTTPCore
import Synchronization

/// All connections that are open. Its lock is taken when one opens or closes, not for each request.
final class ConnectionRegistry: Sendable {
    fileprivate struct State {
        /// By descriptor.
        var connections: [Int32: Connection] = [:]
        /// How many connections each worker has.
        var loads: [Int]
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
    private let state: Mutex<State>

    init(_ configuration: Server.Configuration) {
        maximum = configuration.maximumConnections
        maximumPerAddress = configuration.maximumConnectionsPerAddress
        headerTimeout = configuration.headerTimeout.milliseconds
        now = configuration.now
        state = Mutex(State(loads: Array(repeating: 0, count: configuration.threads)))
    }

    var count: Int { state.withLock { $0.connections.count } }

    /// Notes a new connection.
    /// - Returns: nil if there is no room, not even to tell it that it cannot be served.
    func add(descriptor: Int32, peer: NetworkAddress?) -> Connection? {
        state.withLock { state in
            guard
                state.connections.count < maximum + Self.toldConnections,
                maximumPerAddress == 0
                    || state.count(of: peer) < maximumPerAddress + Self.toldConnections
            else { return nil }
            let worker = state.leastLoadedWorker
            let connection = Connection(
                descriptor: descriptor, worker: worker, peer: peer,
                refusal: refusal(of: peer, state), headerTimeout: headerTimeout, now: now)
            state.connections[descriptor] = connection
            state.loads[worker] += 1
            if maximumPerAddress > 0, let peer { state.counts[peer, default: 0] += 1 }
            return connection
        }
    }

    subscript(descriptor: Int32) -> Connection? { state.withLock { $0.connections[descriptor] } }

    /// To be called before the descriptor is closed, after which it may be another connection's.
    func remove(_ connection: Connection) {
        state.withLock { state in
            state.connections[connection.descriptor] = nil
            state.loads[connection.worker] -= 1
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
    fileprivate var leastLoadedWorker: Int {
        loads.indices.min { loads[$0] < loads[$1] } ?? 0
    }

    fileprivate func count(of peer: NetworkAddress?) -> Int {
        peer.flatMap { counts[$0] } ?? 0
    }
}
