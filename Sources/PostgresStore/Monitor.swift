import Foundation
import Synchronization

/// Checks the server once a second, so that the route `/readyz` is correct even if there are no
/// other requests. Also interrupts lanes (threads with a database connection) that wait for the
/// server for longer than `StoreStatus.timeout`, if a commit on a new connection succeeds.
final class Monitor: Sendable {
    /// The number of checks between two reads of the estimated number of sessions.
    private static let countInterval = 30

    private let lanes: [Lane]
    private let settings: LaneSettings
    private let status: StoreStatus
    private let isStopped = Mutex(false)
    private let wake = DispatchSemaphore(value: 0)
    private let hasEnded = DispatchSemaphore(value: 0)

    init(_ lanes: [Lane], _ settings: LaneSettings, _ status: StoreStatus) {
        self.lanes = lanes
        self.settings = settings
        self.status = status
    }

    func start() {
        let thread = Thread { [self] in
            var connection: Connection?
            var looks = 0
            while !isStopped.withLock(\.self) {
                look(&connection, after: looks)
                looks += 1
                interruptLateLanes()
                _ = wake.wait(timeout: .now() + 1)
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
        wake.signal()
    }

    /// Waits until the monitor's thread has ended. The caller must call `end` first.
    func waitForEnd() { hasEnded.wait() }

    /// Checks that the server responds, and that the database has a schema that this version of
    /// Waypost can use. Stores the result in `status`. One in `countInterval` checks also reads the
    /// estimated number of sessions.
    /// - Parameters:
    ///   - connection: the connection of the previous check, or nil. A failed check sets it to nil.
    ///   - looks: the number of earlier checks.
    private func look(_ connection: inout Connection?, after looks: Int) {
        do throws(DatabaseFailure) {
            // Checks share one connection until it fails.
            let present: Connection
            if let connection {
                present = connection
            } else {
                present = try settings.connect(Connection.Interruption())
                try Schema.markInUse(present)
                connection = present
            }
            present.limitWaits(to: status.timeout)
            let state = try Schema.state(on: present)
            status.note(defect: Self.defect(of: state))
            if looks.isMultiple(of: Self.countInterval) {
                let count = try present.execute(
                    "SELECT reltuples::bigint FROM pg_class WHERE oid = 'session'::regclass")
                // The number is negative before the server has first estimated it.
                status.note(
                    sessionCount: count.first?.first.flatMap(\.self).flatMap { Int($0) }
                        .flatMap { $0 < 0 ? nil : $0 })
            }
            status.noteUp()
        } catch {
            connection = nil
            status.noteDown(error.reason)
        }
    }

    private static func defect(of state: Schema.State) -> String? {
        switch state {
        case .empty: "the database no longer has the tables of Waypost"
        case .present(_, let oldest) where oldest > Schema.version:
            "the database needs a waypost that supports schema version \(oldest): run a later one"
        case .present: nil
        }
    }

    /// Interrupts the lanes (threads with a database connection) that have waited for the server
    /// for longer than `StoreStatus.timeout`, if a commit on a new connection succeeds. The
    /// connections of these lanes then lead to a server that was replaced or is gone. If the commit
    /// fails, for example because the standby server is down, the lanes keep waiting.
    private func interruptLateLanes() {
        let late = lanes.filter { ($0.waitingTime ?? .zero) > status.timeout }
        guard !late.isEmpty else { return }
        do throws(DatabaseFailure) {
            let probe = try settings.connect(Connection.Interruption())
            probe.limitWaits(to: status.timeout)
            _ = try probe.run([BoundStatement(SetStatements.beat).text("monitor")])
        } catch {
            return
        }
        for lane in late where (lane.waitingTime ?? .zero) > status.timeout { lane.interrupt() }
    }
}
