import Foundation
import Synchronization

/// Commits a small change on the server of one host again and again, so that the route `/readyz`
/// knows whether commits can finish, also if there are no other requests. There is one monitor for
/// each host in the URL of the database.
///
/// The monitor of the host that last confirmed a commit checks its server all the time. The others
/// have no connection, until the database has confirmed no commit for `StoreStatus.patience`. Then
/// each tries its host, so that a standby that has become the primary is found although the old
/// primary does not respond. Lanes (threads with a database connection) that wait for a replaced
/// server are interrupted.
final class Monitor: Sendable {
    /// The number of checks between two reads of the estimated number of sessions.
    private static let countInterval = 60
    /// The time between two checks while the database confirms no commit.
    private static let retryInterval = Duration.milliseconds(250)

    private let host: Int
    private let lanes: [Lane]
    private let settings: LaneSettings
    private let status: StoreStatus
    /// The statement that changes the monitor's row in the table `beat`.
    private let beat: BoundStatement
    private let isStopped = Mutex(false)
    /// Interrupts the present connection.
    private let interruption = Mutex(Connection.Interruption())
    private let wake = DispatchSemaphore(value: 0)
    private let hasEnded = DispatchSemaphore(value: 0)

    /// - Parameters:
    ///   - host: the number of the host in the URL of the database.
    ///   - name: a text that no other monitor of the database has. Monitors with a common row would
    ///     wait for each other's commits.
    init(host: Int, _ lanes: [Lane], _ settings: LaneSettings, _ status: StoreStatus, name: String)
    {
        self.host = host
        self.lanes = lanes
        self.settings = settings
        self.status = status
        beat = BoundStatement(SetStatements.commitCheck).text(name)
    }

    func start() {
        let thread = Thread { [self] in
            var connection: Connection?
            var checks = 0
            while !isStopped.withLock(\.self) {
                var isConfirmed = false
                if status.host != host, status.confirmationAge < status.patience {
                    // The server of another host is the primary.
                    connection = nil
                    checks = 0
                    isConfirmed = true
                } else {
                    isConfirmed = check(&connection, after: checks)
                    checks = isConfirmed ? checks + 1 : 0
                    if isConfirmed { interruptLateLanes(after: checks) }
                }
                _ = wake.wait(
                    timeout: .now()
                        + (isConfirmed
                            ? status.checkInterval
                            : min(status.checkInterval, Self.retryInterval)))
            }
            connection = nil
            hasEnded.signal()
        }
        thread.name = "waypost.store.monitor"
        thread.start()
    }

    /// Tells the monitor's thread to end, and returns at once.
    func end() {
        isStopped.withLock { $0 = true }
        interruption.withLock { $0.interrupt() }
        wake.signal()
    }

    /// Waits until the monitor's thread has ended. The caller must call `end` first.
    func waitForEnd() { hasEnded.wait() }

    /// Checks that the database has a schema that this version of Waypost can use, and that a
    /// commit succeeds. Stores the results in `status`. One in `countInterval` checks also reads
    /// the estimated number of sessions.
    /// - Parameters:
    ///   - connection: the connection of the previous check, or nil. A failed check sets it to nil,
    ///     unless the connection can still be used.
    ///   - checks: the number of earlier checks in succession whose commit succeeded.
    /// - Returns: true if the commit succeeded.
    private func check(_ connection: inout Connection?, after checks: Int) -> Bool {
        do throws(DatabaseFailure) {
            // Checks share one connection until it fails.
            let present: Connection
            if let connection { present = connection } else { present = try connect() }
            connection = present
            let state = try Schema.state(on: present)
            status.note(defect: Self.defect(of: state))
            if checks.isMultiple(of: Self.countInterval) {
                let count = try present.execute(
                    "SELECT reltuples::bigint FROM pg_class WHERE oid = 'session'::regclass")
                // The number is negative before the server has first estimated it.
                status.note(
                    sessionCount: count.first?.first.flatMap(\.self).flatMap { Int($0) }
                        .flatMap { $0 < 0 ? nil : $0 })
            }
            _ = try present.run([beat])
            status.noteConfirmed(host: host)
            return true
        } catch {
            status.noteDown(error.reason, host: host)
            // The commit of an earlier connection may hold the lock of the monitor's row, while it
            // waits for the standby.
            if case .refused(let error) = error, error.isTransient { return false }
            connection = nil
            return false
        }
    }

    /// Connects to the monitor's host. Each wait for the server is limited to
    /// `StoreStatus.timeout`.
    private func connect() throws(DatabaseFailure) -> Connection {
        let interruption = Connection.Interruption()
        self.interruption.withLock { $0 = interruption }
        if isStopped.withLock(\.self) { interruption.interrupt() }
        let connection = try settings.connect(
            to: .only(host), interruption, waitLimit: status.timeout,
            countsFailure: host == status.host)
        try Schema.markInUse(connection)
        return connection
    }

    private static func defect(of state: Schema.State) -> String? {
        switch state {
        case .empty: "the database no longer has the tables of Waypost"
        case .present(_, let oldest) where oldest > Schema.version:
            "the database needs a waypost that supports schema version \(oldest): run a later one"
        case .present: nil
        }
    }

    /// Interrupts the lanes (threads with a database connection) whose connections lead to a server
    /// that was replaced or is gone. These are the lanes that wait for another host, and those that
    /// have waited for longer than `StoreStatus.timeout` although commits succeed.
    /// - Parameter checks: the number of checks in succession whose commit succeeded. After the
    ///   first one, the lanes get time to read the responses of a server that has just returned.
    private func interruptLateLanes(after checks: Int) {
        for lane in lanes {
            lane.interrupt(waitingFor: status.patience, exceptFor: host)
            if checks > 1 { lane.interrupt(waitingFor: status.timeout) }
        }
    }
}
