import Foundation
import SQLStore
import Sessions
import Synchronization
import WaypostCore

/// The settings that all lanes of a store share. A lane (`Lane`) is a thread with a database
/// connection.
struct LaneSettings: Sendable {
    let target: ConnectionTarget
    let isRelaxed: Bool
    let eventRetention: Int
    let metrics: PostgresMetrics
    let now: @Sendable () -> Timestamp

    /// Connects to the database and applies `ConnectionSettings` to the connection.
    /// - Parameters:
    ///   - hosts: the hosts to try.
    ///   - interruption: lets another thread interrupt the connection's calls.
    ///   - waitLimit: the maximum time of one wait for the server; nil for no limit.
    ///   - countsFailure: whether the metrics count a failure. That a standby accepts no writes, for
    ///     example, is no failure.
    /// - Throws: the reason why there is no connection.
    func connect(
        to hosts: ConnectionTarget.Hosts, _ interruption: Connection.Interruption,
        waitLimit: Duration? = nil, countsFailure: Bool = true
    ) throws(DatabaseFailure) -> Connection {
        do throws(DatabaseFailure) {
            let connection = try Connection(target, interruption, to: hosts)
            if let waitLimit { connection.limitWaits(to: waitLimit) }
            _ = try connection.execute(ConnectionSettings.sql(isRelaxed: isRelaxed))
            metrics.connected.increment()
            return connection
        } catch {
            if countsFailure { metrics.connectionFailed.increment() }
            throw error
        }
    }
}

/// A worker thread with a database connection, which performs one piece of work after another. A
/// lane waits for the server without a time limit, although `DeadlineTimer` answers the requests.
/// If a lane gave up a slow commit, the transaction would still run on the server and keep its
/// locks. `Monitor` interrupts a lane if another server has replaced the lane's server.
final class Lane: Sendable {
    /// The maximum number of times that a batch or a query is repeated after a lock conflict.
    fileprivate static let attemptLimit = 8

    private let queue: WorkQueue
    private let settings: LaneSettings
    private let status: StoreStatus
    private let wait = Mutex<Wait?>(nil)
    /// The work that the lane has taken from the queue and not yet finished.
    private let work = Mutex<Work?>(nil)
    private let hasEnded = DispatchSemaphore(value: 0)

    /// A wait for the server.
    private struct Wait {
        let start: ContinuousClock.Instant
        let interruption: Connection.Interruption
        /// The number of the server's host; nil while the lane connects.
        var host: Int?
    }

    init(_ queue: WorkQueue, _ settings: LaneSettings, _ status: StoreStatus) {
        self.queue = queue
        self.settings = settings
        self.status = status
    }

    func start() {
        let thread = Thread { [self] in
            var runner = Runner(lane: self)
            var finished: Work?
            while let next = queue.next(after: finished) {
                work.withLock { $0 = next }
                runner.perform(next)
                work.withLock { $0 = nil }
                finished = next
            }
            hasEnded.signal()
        }
        thread.name = "waypost.store"
        thread.start()
    }

    /// Waits for the end of the lane's worker thread, which ends after the work queue was closed.
    /// - Parameter time: the time at which the wait ends at the latest.
    /// - Returns: true if the thread has ended.
    func waitForEnd(until time: DispatchTime) -> Bool { hasEnded.wait(timeout: time) == .success }

    /// Returns the parts of the lane's work that have reached their deadline.
    /// - Parameter time: the present time; nil to return all parts.
    func lateWork(at time: ContinuousClock.Instant?) -> [any DeadlinedWork] {
        work.withLock { $0 }?.parts.filter { $0.isLate(at: time) } ?? []
    }

    /// Makes the lane (worker thread) give up its connection if the lane is waiting for the server.
    func interrupt() { wait.withLock { $0?.interruption.interrupt() } }

    /// Makes the lane (worker thread) give up its connection if the lane has been waiting for a
    /// server for at least `time`.
    /// - Parameter host: the number of a host; the lane is not interrupted if it waits for the
    ///   server of this host. Nil for none.
    func interrupt(waitingFor time: Duration, exceptFor host: Int? = nil) {
        wait.withLock { wait in
            guard let wait, wait.start.duration(to: .now) >= time else { return }
            if host == nil || (wait.host != nil && wait.host != host) {
                wait.interruption.interrupt()
            }
        }
    }

    /// The part of a lane that only the lane's own thread uses.
    private struct Runner {
        let lane: Lane
        private var connection: (Connection, Connection.Interruption)?

        init(lane: Lane) { self.lane = lane }

        mutating func perform(_ work: Work) {
            switch work {
            case .set(let changes, let checks):
                perform(SetBatch.sorted(changes) + checks) { [lane] connection, commits in
                    try SetBatch(commits).run(on: connection, settings: lane.settings)
                }
            case .whole(let commit):
                let batch = WholeBatch(commit, lane.settings)
                perform([commit]) { connection, _ in
                    [try batch.run(on: connection).map { .failure($0) } ?? .success(())]
                }
            case .query(let query): perform(query)
            }
        }

        /// Sends commits in one transaction and completes them.
        /// - Parameter run: sends those commits that still need a result.
        private mutating func perform(
            _ commits: [PendingCommit],
            _ run: (Connection, [PendingCommit]) throws -> SetBatch.Results
        ) {
            let start = ContinuousClock.now
            // Several commits are repeated together only once. Then each is repeated alone, so that
            // a row that is locked for long does not delay the other commits.
            let limit = commits.count > 1 ? 1 : Lane.attemptLimit
            var sent: [PendingCommit] = []
            let outcome = attempt(limit) { connection in
                // A commit that has failed at its deadline must not be sent.
                sent = commits.filter { $0.send() }
                return sent.isEmpty ? [] : try run(connection, sent)
            }
            switch outcome {
            case .success(let results):
                lane.queue.release(commits)
                if sent.isEmpty { return }
                lane.status.note(fault: nil)
                // A transaction that has written nothing does not wait for the standby.
                let hasWritten = zip(sent, results).contains { commit, result in
                    commit.kind != .check && (try? result.get()) != nil
                }
                if hasWritten { lane.status.noteConfirmed() }
                lane.settings.metrics.commits.duration.record(start.duration(to: .now))
                lane.settings.metrics.commits.size.record(sent.count)
                lane.settings.metrics.count(results)
                for (commit, result) in zip(sent, results) { commit.complete(result) }
            case .failure(.refused) where commits.count > 1:
                // The error may concern only one of the commits, so each is tried alone.
                for commit in commits {
                    let isCheck = commit.kind == .check
                    perform(.set(changes: isCheck ? [] : [commit], checks: isCheck ? [commit] : []))
                }
            case .failure(let failure):
                if case .refused(let error) = failure, error.isServerFull {
                    lane.status.note(fault: failure.reason)
                }
                lane.queue.release(commits)
                for commit in commits { commit.fail(failure.reason) }
            }
        }

        private mutating func perform(_ query: Query) {
            let outcome = attempt(Lane.attemptLimit) { connection -> Query.Completion? in
                query.isDone ? nil : try query.run(connection)
            }
            switch outcome {
            case .success(let completion): if let completion { query.complete(completion) }
            case .failure(let failure): query.fail(failure.reason)
            }
        }

        /// Runs work and repeats it until it succeeds or must be given up. The work is repeated
        /// after a lock conflict, after the loss of a connection, and after an error which shows
        /// that the server does not accept writes now.
        /// - Parameters:
        ///   - limit: the maximum number of repetitions after a lock conflict.
        ///   - run: performs the work on a connection.
        /// - Returns: the result of `run`, or the reason why the work was given up.
        private mutating func attempt<Output>(
            _ limit: Int, _ run: (Connection) throws -> Output
        ) -> Result<Output, DatabaseFailure> {
            var attempts = 0
            while true {
                do {
                    let connection = try connected()
                    defer { lane.wait.withLock { $0 = nil } }
                    return .success(try run(connection))
                } catch let failure as DatabaseFailure {
                    switch failure {
                    case .refused(let error) where error.isServerUnusable:
                        connection = nil
                        lane.status.noteDown(failure.reason)
                    case .refused(let error) where error.isTransient:
                        attempts += 1
                        if attempts > limit { return .failure(failure) }
                        Thread.sleep(forTimeInterval: .random(in: 0.001...0.02))
                    case .refused: return .failure(failure)
                    case .lost:
                        guard connection != nil else { return .failure(failure) }
                        connection = nil
                    }
                } catch {
                    return .failure(.lost("\(error)", wasSent: false))
                }
            }
        }

        /// Returns the connection of this lane (worker thread). If the lane has none, this method
        /// tries to connect until it succeeds or the store fails.
        /// - Throws: the reason why there is no connection, if the store is closing or
        ///   `StoreStatus.failure` is not nil. This is the case, for example, when the server has
        ///   been down for `StoreStatus.timeout`.
        private mutating func connected() throws(DatabaseFailure) -> Connection {
            var pause = 0.05
            while connection == nil {
                if lane.status.isClosing {
                    throw .lost(lane.status.failure?.reason ?? "no connection", wasSent: false)
                }
                do throws(DatabaseFailure) {
                    let interruption = Connection.Interruption()
                    lane.wait.withLock { $0 = Wait(start: .now, interruption: interruption) }
                    let hosts = ConnectionTarget.Hosts.all(first: lane.status.host)
                    connection = (try lane.settings.connect(to: hosts, interruption), interruption)
                } catch {
                    lane.wait.withLock { $0 = nil }
                    lane.status.noteDown(error.reason)
                    if lane.status.failure != nil { throw error }
                    Thread.sleep(forTimeInterval: pause * .random(in: 0.5...1.5))
                    // A new primary must get its first change within two seconds.
                    pause = min(pause * 2, 0.25)
                }
            }
            guard let (connection, interruption) = connection else {
                throw .lost("no connection", wasSent: false)
            }
            lane.wait.withLock {
                $0 = Wait(start: .now, interruption: interruption, host: connection.host)
            }
            return connection
        }
    }
}
