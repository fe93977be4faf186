import Dispatch
import Synchronization
import WaypostCore

/// The state of the server, as the lanes (`Lane`) and the monitor know it.
final class StoreStatus: Sendable {
    private struct State {
        /// The time of the first failure since the server was last reached; nil if it is not down.
        var downSince: ContinuousClock.Instant?
        var reason = ""
        /// The time before which no lane tries to connect, once the server has been down for
        /// `timeout`.
        var nextAttempt = ContinuousClock.now
        /// The reason why the database cannot be used, though the server responds.
        var defect: String?
        /// The reason why the server refused the last write, though it responds: it has too little
        /// disk space or memory.
        var fault: String?
        /// The estimated number of sessions; nil if the server has no estimate.
        var sessionCount: Int?
        var isClosing = false
    }

    /// The time that work waits for a server that cannot be reached.
    let timeout: Duration
    private let state = Mutex(State())

    init(timeout: Duration) { self.timeout = timeout }

    func noteUp() { state.withLock { $0.downSince = nil } }

    func noteDown(_ reason: String) {
        state.withLock { state in
            if state.downSince == nil { state.downSince = .now }
            state.reason = reason
        }
    }

    /// Sets the reason why the database cannot be used; nil if it can.
    func note(defect: String?) { state.withLock { $0.defect = defect } }

    /// Sets the reason why the server refuses writes; nil if it accepts them.
    func note(fault: String?) {
        state.withLock { state in
            if state.fault != fault { state.fault = fault }
        }
    }

    var sessionCount: Int? { state.withLock { $0.sessionCount } }

    func note(sessionCount: Int?) { state.withLock { $0.sessionCount = sessionCount } }

    /// Makes work fail if it waits for a server that cannot be reached.
    func close() { state.withLock { $0.isClosing = true } }

    var isClosing: Bool { state.withLock { $0.isClosing } }

    /// The reason why the store cannot write; nil if it can, or if the server has been down for less
    /// than `timeout`.
    var failure: StorageError? {
        state.withLock { state in
            if state.isClosing { return StorageError(reason: "the service stops") }
            if let defect = state.defect ?? state.fault { return StorageError(reason: defect) }
            guard let since = state.downSince, since.duration(to: .now) >= timeout else {
                return nil
            }
            return StorageError(reason: "the database cannot be used: \(state.reason)")
        }
    }

    /// Asks for permission to try to connect to the server.
    ///
    /// Every lane (a thread with a connection) may try until the server has been down for
    /// `timeout`. From then on, one attempt is permitted every 500 ms, to the lane that asks first.
    /// The other lanes fail their work at once.
    /// - Returns: whether the lane may try now.
    func claimAttempt() -> Bool {
        state.withLock { state in
            guard let since = state.downSince, since.duration(to: .now) >= timeout else {
                return true
            }
            guard state.nextAttempt <= .now else { return false }
            state.nextAttempt = .now + .milliseconds(500)
            return true
        }
    }
}

extension DispatchTime {
    static func + (time: DispatchTime, duration: Duration) -> DispatchTime {
        let (seconds, attoseconds) = duration.components
        let nanoseconds = Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000)
        return time + DispatchTimeInterval.nanoseconds(nanoseconds)
    }
}
