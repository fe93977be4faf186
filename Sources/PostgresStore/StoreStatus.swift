import Dispatch
import Synchronization
import WaypostCore

/// The state of the server, which the monitor and the lanes (threads with a database connection)
/// record.
final class StoreStatus: Sendable {
    private struct State {
        /// The time of the first failure since the server was last reached; nil if the server can
        /// be reached.
        var downSince: ContinuousClock.Instant?
        var reason = ""
        /// The time before which no lane (thread with a database connection) may try to connect.
        /// This limit applies only when the server has been down for `timeout`.
        var nextAttempt = ContinuousClock.now
        /// The reason why the database cannot be used although the server responds, such as missing
        /// tables; nil if there is none.
        var defect: String?
        /// The reason why the server refused the last write although it responds: it has too little
        /// disk space or memory. Nil if a write has succeeded since.
        var fault: String?
        /// The estimated number of sessions; nil if the server has no estimate.
        var sessionCount: Int?
        var isClosing = false
    }

    /// The maximum time for which work waits for a server that cannot be reached.
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

    /// Records the reason why the database cannot be used; nil if it can.
    func note(defect: String?) { state.withLock { $0.defect = defect } }

    /// Records the reason why the server refuses writes; nil if it accepts them.
    func note(fault: String?) {
        state.withLock { state in
            if state.fault != fault { state.fault = fault }
        }
    }

    var sessionCount: Int? { state.withLock { $0.sessionCount } }

    func note(sessionCount: Int?) { state.withLock { $0.sessionCount = sessionCount } }

    /// Records that the store is closing. Work that waits for a connection then fails.
    func close() { state.withLock { $0.isClosing = true } }

    var isClosing: Bool { state.withLock { $0.isClosing } }

    /// The reason why the store cannot write; nil if it can, or if the server has been down for
    /// less than `timeout`.
    var failure: StorageError? {
        state.withLock { state in
            if state.isClosing { return StorageError(reason: "the service is stopping") }
            if let defect = state.defect ?? state.fault { return StorageError(reason: defect) }
            guard let since = state.downSince, since.duration(to: .now) >= timeout else {
                return nil
            }
            return StorageError(reason: "the database cannot be used: \(state.reason)")
        }
    }

    /// Asks for permission to try to connect to the server.
    ///
    /// While the server has been down for less than `timeout`, every lane (a thread with a database
    /// connection) may try. After that time, one lane may try every 500 ms, and the work of the
    /// other lanes fails at once.
    /// - Returns: true if the lane may try now.
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
