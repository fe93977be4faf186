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
    let metrics: PostgresMetrics
    let now: @Sendable () -> Timestamp

    /// Connects to the database and applies `ConnectionSettings` to the connection.
    /// - Parameters:
    ///   - hosts: the hosts to try.
    ///   - waitLimit: the maximum time of one wait for the server; nil for no limit.
    ///   - countsFailure: whether the metrics count a failure. That a standby accepts no writes, for
    ///     example, is no failure.
    ///   - isOutdated: returns true if the connection is no longer wanted.
    /// - Throws: the reason why there is no connection.
    func connect(
        to hosts: ConnectionTarget.Hosts, waitLimit: Duration? = nil, countsFailure: Bool = true,
        isOutdated: @escaping () -> Bool
    ) throws(DatabaseFailure) -> Connection {
        do throws(DatabaseFailure) {
            let connection = try Connection(target, to: hosts, isOutdated: isOutdated)
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
/// locks. A lane gives up a connection only after the database was down: the connection may lead to a
/// server that was replaced (`StoreStatus.connectionPeriod`).
final class Lane: Sendable {
    /// The maximum number of times that a batch or a query is repeated after a lock conflict.
    fileprivate static let attemptLimit = 8

    private let queue: WorkQueue
    private let settings: LaneSettings
    private let status: StoreStatus
    /// The work that the lane has taken from the queue and not yet finished.
    private let work = Mutex<Work?>(nil)
    private let hasEnded = DispatchSemaphore(value: 0)

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
    /// - Parameter time: the present time.
    func lateWork(at time: ContinuousClock.Instant) -> [any DeadlinedWork] {
        work.withLock { $0 }?.parts.filter { $0.isLate(at: time) } ?? []
    }

    /// The part of a lane that only the lane's own thread uses.
    private struct Runner {
        let lane: Lane
        private var connection: Connection?

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
                    return .success(try run(try connected()))
                } catch let failure as DatabaseFailure {
                    switch failure {
                    case .refused(let error) where error.isServerUnusable:
                        connection = nil
                        lane.status.noteConnectionFailure(failure.reason)
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
        /// - Throws: the reason why there is no connection, if the store is closing or if the
        ///   database could not be used for `StoreStatus.timeout`.
        private mutating func connected() throws(DatabaseFailure) -> Connection {
            var pause = 0.05
            while true {
                if let connection, !connection.isOutdated() { return connection }
                let status = lane.status
                if status.isClosing { throw .lost("the service is stopping", wasSent: false) }
                do throws(DatabaseFailure) {
                    let period = status.connectionPeriod
                    connection = try lane.settings.connect(to: .all(first: status.host)) {
                        status.connectionPeriod != period
                    }
                } catch {
                    connection = nil
                    status.noteConnectionFailure(error.reason)
                    if status.refusal != nil { throw error }
                    Thread.sleep(forTimeInterval: pause * .random(in: 0.5...1.5))
                    // A new primary must get its first change within two seconds.
                    pause = min(pause * 2, 0.25)
                }
            }
        }
    }
}
