import Dispatch
import Synchronization
import WaypostCore

/// The state of the database, which the monitors, the lanes (threads with a database connection)
/// and the `DeadlineTimer` record.
///
/// The database is usable as long as it confirms commits, which includes the confirmation of its
/// synchronous standby. If it has confirmed none for `timeout`, the store refuses all work at once
/// until the next confirmation.
final class StoreStatus: Sendable {
    private struct State {
        /// The time of the last confirmed commit.
        var confirmedAt = ContinuousClock.now
        /// Whether the database has confirmed no commit for `timeout`.
        var isStalled = false
        /// Why the servers could not be used since the last confirmed commit, by the number of the
        /// host in the URL.
        var reasons: [Int: String] = [:]
        /// Why a lane could not use the database since then; nil if there is no reason.
        var reasonOfLane: String?
        /// The number of the host whose server last confirmed a commit of its monitor.
        var host: Int
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

    /// The maximum time for which work waits for the database.
    let timeout: Duration
    private let state: Mutex<State>

    /// - Parameter host: the number of the host whose server accepts writes at the start.
    init(timeout: Duration, host: Int = 0) {
        self.timeout = timeout
        state = Mutex(State(host: host))
    }

    /// The time between two commits of a monitor while the database confirms them.
    var checkInterval: Duration { min(max(timeout / 10, .milliseconds(100)), .milliseconds(500)) }

    /// The time without a confirmed commit after which the monitors look for another server. The
    /// lanes that wait for a replaced server for so long are interrupted.
    var patience: Duration { checkInterval * 2 }

    // MARK: The server

    /// Records that the database has confirmed a commit. Work is accepted again at once.
    /// - Parameter host: the number of the host, if its monitor made the commit; nil if a lane did.
    func noteConfirmed(host: Int? = nil) {
        state.withLock { state in
            state.confirmedAt = .now
            state.isStalled = false
            if !state.reasons.isEmpty { state.reasons = [:] }
            state.reasonOfLane = nil
            if let host { state.host = host }
        }
    }

    /// Records why the database could not be used.
    /// - Parameter host: the number of the host, if its monitor could not use it; nil if a lane
    ///   could not use the database.
    func noteDown(_ reason: String, host: Int? = nil) {
        state.withLock { state in
            if let host { state.reasons[host] = reason } else { state.reasonOfLane = reason }
        }
    }

    /// The number of the host whose server last confirmed a commit of its monitor.
    var host: Int { state.withLock(\.host) }

    /// The time since the last confirmed commit.
    var confirmationAge: Duration { state.withLock { $0.confirmedAt.duration(to: .now) } }

    /// Records whether the database has confirmed no commit for `timeout`.
    /// - Parameter pause: a time in which this process did not run, which does not count.
    /// - Returns: true if the database has confirmed none.
    func checkConfirmation(at now: ContinuousClock.Instant, notCounting pause: Duration) -> Bool {
        state.withLock { state in
            state.confirmedAt = min(state.confirmedAt + pause, now)
            state.isStalled = state.confirmedAt + timeout <= now
            return state.isStalled
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

    // MARK: The work

    /// Records that the store is closing. Work that waits for a connection then fails.
    func close() { state.withLock { $0.isClosing = true } }

    var isClosing: Bool { state.withLock { $0.isClosing } }

    /// The reason why the store cannot write; nil if it can.
    var failure: StorageError? {
        state.withLock { state in
            if state.isClosing { return StorageError(reason: "the service is stopping") }
            if let defect = state.defect ?? state.fault { return StorageError(reason: defect) }
            return state.isStalled ? StorageError(reason: reason(state)) : nil
        }
    }

    /// The error for work that arrives while the database confirms no commit; nil if the database
    /// confirms commits. Other failures do not refuse work, which shows whether they have ended.
    var refusal: StorageError? {
        state.withLock { state in
            state.isStalled ? StorageError(reason: reason(state)) : nil
        }
    }

    /// The reason for the log why work was not finished in time.
    var lateReason: String { state.withLock { reason($0) } }

    private func reason(_ state: State) -> String {
        let reasons = state.reasons.sorted { $0.key < $1.key }.map(\.value)
        if !reasons.isEmpty {
            return "the database cannot be used: \(reasons.joined(separator: "; "))"
        }
        if let reason = state.reasonOfLane { return "the database cannot be used: \(reason)" }
        return """
            the database did not respond within \(timeout.components.seconds) s: it or its \
            synchronous standby may have stopped
            """
    }
}

extension DispatchTime {
    static func + (time: DispatchTime, duration: Duration) -> DispatchTime {
        let (seconds, attoseconds) = duration.components
        let nanoseconds = Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000)
        return time + DispatchTimeInterval.nanoseconds(nanoseconds)
    }
}
