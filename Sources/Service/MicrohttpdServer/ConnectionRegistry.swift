import Dispatch
import HTTPCore
import Synchronization

/// The open connections. Only the start and the end of a connection take the registry's lock.
final class ConnectionRegistry: Sendable {
    private struct State {
        /// The connections by descriptor.
        var connections: [Int32: Connection] = [:]
        /// The number of connections of each worker thread, by the worker's index.
        var loads: [Int]
        /// The number of connections of each client, by `NetworkAddress.client`; empty if addresses
        /// have no limit.
        var counts: [NetworkAddress: Int] = [:]

        func count(of peer: NetworkAddress?) -> Int { peer.flatMap { counts[$0.client] } ?? 0 }
    }

    /// The number of connections beyond a limit that get a refusal. Others get no response.
    static let rejectedConnectionHeadroom = 64

    private let configuration: Server.Configuration
    private let queue = DispatchQueue(label: "waypost.timeouts")
    private let state: Mutex<State>
    /// The total sizes of all responses since the start whose sending has begun and has ended.
    private let begunSize = Atomic(0)
    private let endedSize = Atomic(0)
    /// Whether `resetSlowest` is about to run.
    private let isResetting = Atomic(false)

    init(_ configuration: Server.Configuration) {
        self.configuration = configuration
        state = Mutex(State(loads: Array(repeating: 0, count: configuration.threads)))
    }

    private var maximum: Int { configuration.maximumConnections }
    private var maximumPerAddress: Int { configuration.maximumConnectionsPerAddress }

    var count: Int { state.withLock { $0.connections.count } }

    var all: [Connection] { state.withLock { Array($0.connections.values) } }

    subscript(descriptor: Int32) -> Connection? { state.withLock { $0.connections[descriptor] } }

    /// Adds a connection for the worker with the fewest. Sets `refusal` if a limit is exceeded.
    /// - Returns: the connection; nil if there are already `rejectedConnectionHeadroom` connections
    ///   beyond a limit. The caller must then close the descriptor.
    func add(descriptor: Int32, peer: NetworkAddress?) -> Connection? {
        state.withLock { state in
            let headroom = Self.rejectedConnectionHeadroom
            guard
                state.connections.count < maximum + headroom,
                maximumPerAddress == 0 || state.count(of: peer) < maximumPerAddress + headroom
            else { return nil }
            let worker = state.loads.indices.min { state.loads[$0] < state.loads[$1] } ?? 0
            let connection = Connection(
                descriptor: descriptor, worker: worker, peer: peer,
                refusal: refusal(of: peer, state), headerTimeout: configuration.headerTimeout)
            state.connections[descriptor] = connection
            state.loads[worker] += 1
            if maximumPerAddress > 0, let peer { state.counts[peer.client, default: 0] += 1 }
            return connection
        }
    }

    /// Removes a connection. Its descriptor may be closed already, and be that of a new one.
    func remove(_ connection: Connection) {
        connection.close()
        state.withLock { state in
            if state.connections[connection.descriptor] === connection {
                state.connections[connection.descriptor] = nil
            }
            state.loads[connection.worker] -= 1
        }
        // A stream counts as a connection of its address until it ends.
        if !connection.isDetached { releaseAddress(connection.peer) }
    }

    /// Lowers the number of connections of an address by one.
    func releaseAddress(_ peer: NetworkAddress?) {
        guard maximumPerAddress > 0, let peer else { return }
        state.withLock { state in
            let count = state.count(of: peer) - 1
            state.counts[peer.client] = count > 0 ? count : nil
        }
    }

    // MARK: Responses that are being sent

    /// Counts a response that is about to be sent. The caller must call `endSending` when the response
    /// has been sent or dropped.
    func beginSending(_ size: Int) -> UnsentResponse {
        let position = begunSize.add(size, ordering: .relaxed).newValue
        return UnsentResponse(position: position, size: size)
    }

    func endSending(_ response: UnsentResponse) {
        endedSize.add(response.size, ordering: .relaxed)
    }

    /// Resets connections soon if the responses that are being sent take too much memory.
    func limitUnsentSize() {
        let size = begunSize.load(ordering: .relaxed) - endedSize.load(ordering: .relaxed)
        guard size > configuration.maximumUnsentSize,
            !isResetting.exchange(true, ordering: .relaxed)
        else { return }
        queue.async { [self] in
            isResetting.store(false, ordering: .relaxed)
            resetSlowest()
        }
    }

    /// Resets the connections that have been sending for the longest time, until the responses of
    /// the others are within the limit. A client that does not read would otherwise keep a response
    /// of some megabytes in memory for minutes.
    private func resetSlowest() {
        let sending = all.compactMap { connection in connection.response.map { (connection, $0) } }
            .sorted { $0.1.position < $1.1.position }
        var excess = sending.reduce(-configuration.maximumUnsentSize) { $0 + $1.1.size }
        for (connection, response) in sending where excess > 0 {
            excess -= response.size
            connection.reset(sending: response)
        }
    }

    // MARK: Deadlines

    /// Ends the connections whose deadline has passed or whose client has left. The checks read
    /// sockets and can make responses, so they run without the registry's lock.
    func closeExpired() {
        let now = configuration.now()
        for connection in all { connection.closeIfExpired(at: now) }
    }

    /// Calls `closeExpired()` repeatedly, at this interval, until the registry is released.
    func closeExpired(every interval: DispatchTimeInterval) {
        queue.asyncAfter(deadline: .now() + interval) { [weak self] in
            self?.closeExpired()
            self?.closeExpired(every: interval)
        }
    }

    private func refusal(of peer: NetworkAddress?, _ state: borrowing State) -> Problem? {
        if state.connections.count >= maximum {
            .tooManyConnections("the service has its maximum of \(maximum) connections")
        } else if maximumPerAddress > 0, state.count(of: peer) >= maximumPerAddress {
            .tooManyConnections(
                "your address has its maximum of \(maximumPerAddress) connections")
        } else {
            nil
        }
    }
}
