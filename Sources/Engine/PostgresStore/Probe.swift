import Foundation
import Synchronization

/// Commits a row of the table `store` about every second on the server of one host, on a connection
/// of its own. The route `/readyz` thus knows whether commits finish, also if there are no requests.
/// If the server has a synchronous standby, each commit waits for it. There is one probe for each
/// host in the URL of the database.
///
/// Only the host whose probe last succeeded is probed. If the last success is older than
/// `StoreStatus.patience`, or if the probe has failed, all hosts are probed, so that a standby that
/// has become the primary is found although the old primary does not respond.
final class Probe: Sendable {
    /// The time between two commits while they succeed.
    private static let interval = DispatchTimeInterval.seconds(1)
    /// The time between two attempts, or between two looks at the status of another host.
    private static let retryInterval = DispatchTimeInterval.milliseconds(250)

    private let host: Int
    private let settings: ConnectionSettings
    private let status: StoreStatus
    private let isStopped = Atomic(false)
    private let wake = DispatchSemaphore(value: 0)
    private let hasEnded = DispatchSemaphore(value: 0)

    init(host: Int, _ settings: ConnectionSettings, _ status: StoreStatus) {
        self.host = host
        self.settings = settings
        self.status = status
    }

    func start() {
        let thread = Thread { [self] in
            var connection: Connection?
            while !isStopped.load(ordering: .relaxed) {
                if status.needsProbe(of: host) { probe(&connection) } else { connection = nil }
                let isConfirmed = connection != nil && !status.needsOtherHost
                _ = wake.wait(
                    timeout: .now() + (isConfirmed ? Self.interval : Self.retryInterval))
            }
            connection = nil
            hasEnded.signal()
        }
        thread.name = "waypost.store.probe"
        thread.start()
    }

    func end() {
        isStopped.store(true, ordering: .relaxed)
        wake.signal()
    }

    func waitForEnd() { hasEnded.wait() }

    /// Commits once and records the result in `status`.
    /// - Parameter connection: the connection of the previous commit, or nil. A failed commit sets it
    ///   to nil, unless the connection can still be used.
    private func probe(_ connection: inout Connection?) {
        do throws(DatabaseFailure) {
            let present: Connection
            if let connection { present = connection } else { present = try connect() }
            connection = present
            // One message, so that a connection that breaks leaves no lock behind.
            let numbers = try present.numbers(
                """
                UPDATE store SET version = version RETURNING oldest_program,
                  (SELECT reltuples::bigint FROM pg_class WHERE oid = 'session'::regclass)
                """)
            if let oldest = numbers.first ?? nil, oldest > Schema.version {
                status.noteDown(
                    "the database needs a waypost that supports schema version \(oldest): run a "
                        + "later one", host: host, isConnected: true)
            } else {
                status.noteConfirmed(host: host, sessionCount: numbers.last ?? nil)
            }
        } catch {
            // The probe of another node, or an earlier connection of this one, may hold the lock of
            // the row while its commit waits for the standby.
            if case .refused(let error) = error, error.isTransient {
                return status.noteSilence(host: host)
            }
            status.noteDown(error.reason, host: host, isConnected: connection != nil)
            connection = nil
        }
    }

    /// Connects to the probe's host. A wait for the server is limited to `StoreStatus.silenceLimit`.
    private func connect() throws(DatabaseFailure) -> Connection {
        let connection = try settings.connect(
            to: .only(host), waitLimit: StoreStatus.silenceLimit,
            countsFailure: host == status.host
        ) { [self] in isStopped.load(ordering: .relaxed) }
        try Schema.markInUse(connection)
        return connection
    }
}
