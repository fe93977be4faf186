import Synchronization

/// Where what a test watches waits until the test lets it go, and the test until it has come.
public final class Gate: Sendable {
    fileprivate struct State {
        var isOpen = false
        var arrivals = 0
        var held: [CheckedContinuation<Void, Never>] = []
        var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())

    public init() {}

    /// A gate at which nothing has to wait.
    public static var opened: Gate {
        let gate = Gate()
        gate.open()
        return gate
    }

    /// Returns when the gate is open.
    public func pass() async {
        await withCheckedContinuation { continuation in
            let ready = state.withLock { state in
                state.arrivals += 1
                var ready = state.takeWatchers()
                if state.isOpen {
                    ready.append(continuation)
                } else {
                    state.held.append(continuation)
                }
                return ready
            }
            for continuation in ready { continuation.resume() }
        }
    }

    /// Returns when so many have come to the gate.
    public func waitForArrivals(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let ready = state.withLock { state in
                state.watchers.append((count, continuation))
                return state.takeWatchers()
            }
            for continuation in ready { continuation.resume() }
        }
    }

    public func open() {
        let held = state.withLock { state in
            state.isOpen = true
            defer { state.held = [] }
            return state.held
        }
        for continuation in held { continuation.resume() }
    }
}

extension Gate.State {
    fileprivate mutating func takeWatchers() -> [CheckedContinuation<Void, Never>] {
        let ready = watchers.filter { $0.count <= arrivals }
        watchers.removeAll { $0.count <= arrivals }
        return ready.map(\.continuation)
    }
}
