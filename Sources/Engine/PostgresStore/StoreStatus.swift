import Synchronization
import WaypostCore

/// The state of the database, which the probes and the workers record.
///
/// The database is usable as long as the commits of a probe succeed and a worker has a connection. It
/// is not if a commit of a probe fails or does not end within `silenceLimit`, or if no worker can
/// connect. After `timeout` in this state, the store refuses all work at once until it ends.
final class StoreStatus: Sendable {
    private struct State {
        /// The time of a probe's last success.
        var confirmedAt = ContinuousClock.now
        /// Whether the probe of the primary has a connection.
        var isProbeConnected = false
        /// Whether the probe of the primary has failed since then.
        var isDown = false
        /// Why the servers could not be used since then, by the number of the host in the URL.
        var reasons: [Int: String] = [:]
        /// The number of workers that have a connection.
        var connectedWorkers = 0
        /// Since when no worker has had a connection.
        var workersLostAt = ContinuousClock.now
        /// Why a worker could not connect since one last did; nil if there is no reason.
        var reasonOfWorker: String?
        /// The number of the host of the primary: the one whose probe last succeeded.
        var host: Int
        /// The reason why the server refused the last write although it responds: it has too little
        /// disk space or memory, and until when the store is unusable for it. Nil if a write has
        /// succeeded since.
        var fault: (reason: String, end: ContinuousClock.Instant)?
        /// The estimated number of sessions; nil if the server has no estimate.
        var sessionCount: Int?
        var isClosing = false
    }

    /// The maximum time of a probe's commit.
    static let silenceLimit = Duration.seconds(2)
    /// The time for which the store is unusable after a write that the server refused. A proxy then
    /// sends requests again, and the next write shows whether the server has room.
    private static let faultTime = Duration.seconds(5)
    /// The time without a probe's success after which all hosts are probed. It is longer than the
    /// time between two commits of a probe.
    private static let patience = Duration.milliseconds(1500)

    /// The maximum time for which work waits for the database.
    let timeout: Duration
    private let state: Mutex<State>
    private let period = Atomic(0)

    /// - Parameter host: the number of the host whose server accepts writes at the start.
    init(timeout: Duration, host: Int = 0) {
        self.timeout = timeout
        state = Mutex(State(host: host))
    }

    // MARK: The server

    /// The number of times that the database has become usable again, or that another server has
    /// become the primary. A connection from an earlier period may lead to a server that was replaced
    /// and never responds, so workers give it up.
    var connectionPeriod: Int { period.load(ordering: .relaxed) }

    /// Makes all workers give up their connections.
    func endConnectionPeriod() { period.add(1, ordering: .relaxed) }

    /// Records that the commit of a probe has succeeded. Work is accepted again at once.
    func noteConfirmed(
        host: Int, sessionCount: Int? = nil, at time: ContinuousClock.Instant = .now
    ) {
        let isRecovered = state.withLock { state in
            let isRecovered = state.isDown || state.host != host
            state.confirmedAt = time
            state.isProbeConnected = true
            state.isDown = false
            state.reasons = [:]
            state.host = host
            // The number is negative before the server has first estimated it.
            state.sessionCount = sessionCount.flatMap { $0 < 0 ? nil : $0 }
            return isRecovered
        }
        if isRecovered { endConnectionPeriod() }
    }

    /// Records why the commit of a probe has failed.
    /// - Parameter isConnected: whether the probe had a connection.
    func noteDown(_ reason: String, host: Int, isConnected: Bool) {
        state.withLock { state in
            state.reasons[host] = reason
            guard host == state.host else { return }
            state.isDown = true
            state.isProbeConnected = isConnected
        }
    }

    /// Records that a probe must wait for another commit.
    func noteSilence(host: Int) {
        state.withLock { state in
            guard host == state.host else { return }
            if state.confirmedAt.duration(to: .now) >= Self.silenceLimit { state.isDown = true }
        }
    }

    /// Whether workers may connect. If the database has too few connections, the probe must get one,
    /// because all work is refused without it.
    var acceptsWorkers: Bool { state.withLock(\.isProbeConnected) }

    /// Records that a worker has connected to the database, or has lost its connection.
    func noteWorker(isConnected: Bool) {
        state.withLock { state in
            state.connectedWorkers += isConnected ? 1 : -1
            if isConnected { state.reasonOfWorker = nil } else { state.workersLostAt = .now }
        }
    }

    /// Records why a worker could not connect to the database.
    func noteConnectionFailure(_ reason: String) {
        state.withLock { $0.reasonOfWorker = reason }
    }

    /// The number of the host of the primary: the one whose probe last succeeded.
    var host: Int { state.withLock(\.host) }

    /// Whether the probe of a host must commit.
    func needsProbe(of host: Int) -> Bool {
        state.withLock { $0.host == host || Self.needsOtherHost($0) }
    }

    /// Whether another server may have become the primary.
    var needsOtherHost: Bool { state.withLock { Self.needsOtherHost($0) } }

    private static func needsOtherHost(_ state: State) -> Bool {
        state.isDown || state.confirmedAt.duration(to: .now) >= patience
    }

    /// Records the reason why the server refuses writes; nil if it accepts them.
    func note(fault: String?, at time: ContinuousClock.Instant = .now) {
        state.withLock { $0.fault = fault.map { ($0, time + Self.faultTime) } }
    }

    var sessionCount: Int? { state.withLock { $0.sessionCount } }

    // MARK: The work

    /// Returns the deadline of work: `timeout` after the arrival of its request. If the request has
    /// spent that time elsewhere, for example with a password, the work still gets a part of it.
    /// - Parameters:
    ///   - start: the arrival of the request.
    ///   - now: the arrival of the work.
    func deadline(
        since start: ContinuousClock.Instant, at now: ContinuousClock.Instant
    ) -> ContinuousClock.Instant {
        max(start + timeout, now + timeout / 5)
    }

    /// Records that the store is closing. Work that waits for a connection then fails.
    func close() {
        state.withLock { $0.isClosing = true }
        endConnectionPeriod()
    }

    var isClosing: Bool { state.withLock { $0.isClosing } }

    /// The reason why the store cannot write; nil if it can.
    var failure: StorageError? {
        state.withLock { state in
            if state.isClosing { return StorageError(reason: "the service is stopping") }
            if state.isDown || Self.isWithoutWorkers(state) {
                return StorageError(reason: reason(state))
            }
            return state.fault.flatMap { .now < $0.end ? StorageError(reason: $0.reason) : nil }
        }
    }

    /// The error for work that arrives when the database could not be used for `timeout`; nil if the
    /// work may wait for the database.
    var refusal: StorageError? {
        state.withLock { state in
            let isDown = state.isDown && state.confirmedAt.duration(to: .now) >= timeout
            let isWithoutWorkers =
                Self.isWithoutWorkers(state) && state.workersLostAt.duration(to: .now) >= timeout
            guard isDown || isWithoutWorkers else { return nil }
            return StorageError(reason: reason(state))
        }
    }

    /// Whether no worker can connect, although the probe may have its connection.
    private static func isWithoutWorkers(_ state: State) -> Bool {
        state.connectedWorkers == 0 && state.reasonOfWorker != nil
    }

    /// The reason for the log why work was not finished in time.
    var lateReason: String { state.withLock { reason($0) } }

    private func reason(_ state: State) -> String {
        let reasons = state.reasons.sorted { $0.key < $1.key }.map(\.value)
        if !reasons.isEmpty {
            return "the database cannot be used: \(reasons.joined(separator: "; "))"
        }
        if let reason = state.reasonOfWorker { return "the database cannot be used: \(reason)" }
        return "the database did not respond: it or its synchronous standby may have stopped"
    }
}
