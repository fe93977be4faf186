import Foundation
import Sessions
import StoreCoding
import Synchronization
import WaypostCore

/// The settings that all lanes of a store share. A lane (`Lane`) is a thread with a database
/// connection.
struct LaneSettings: Sendable {
    let target: ConnectionTarget
    let isRelaxed: Bool
    let confirmsReads: Bool
    let eventRetention: Int
    let metrics: PostgresMetrics
    let now: @Sendable () -> Timestamp

    /// Connects to the database and applies `ConnectionSettings` to the connection.
    /// - Parameter interruption: lets another thread interrupt the connection's calls.
    /// - Throws: the reason why there is no connection.
    func connect(
        _ interruption: Connection.Interruption
    ) throws(DatabaseFailure) -> Connection {
        do throws(DatabaseFailure) {
            let connection = try Connection(target, interruption)
            _ = try connection.execute(ConnectionSettings.sql(isRelaxed: isRelaxed))
            metrics.connected.increment()
            return connection
        } catch {
            metrics.connectionFailed.increment()
            throw error
        }
    }
}

/// A worker thread with a database connection, which performs one piece of work after another. A
/// lane waits for the server without a time limit. If a lane gave up a slow commit, the transaction
/// would still run on the server and keep its locks. `Monitor` interrupts a lane if another server
/// has replaced the lane's server.
final class Lane: Sendable {
    /// The maximum number of times that a batch or a query is repeated after a lock conflict.
    fileprivate static let attemptLimit = 8

    private let queue: WorkQueue
    private let settings: LaneSettings
    private let status: StoreStatus
    /// The key of this worker thread's row in the table `beat`. A write to this row makes a commit
    /// wait for the standby server (a replica), see `SetStatements.beat`.
    private let name: String
    /// The statement that writes to this worker thread's row in the table `beat`. The commit of a
    /// transaction with this statement waits for the standby server (a replica), see
    /// `SetStatements.beat`.
    private var beat: BoundStatement { BoundStatement(SetStatements.beat).text(name) }
    private let waiting = Mutex<(since: ContinuousClock.Instant, Connection.Interruption)?>(nil)
    private let hasEnded = DispatchSemaphore(value: 0)

    init(_ queue: WorkQueue, _ settings: LaneSettings, _ status: StoreStatus, name: String) {
        self.queue = queue
        self.settings = settings
        self.status = status
        self.name = name
    }

    func start() {
        let thread = Thread { [self] in
            var runner = Runner(lane: self)
            var work: Work?
            while let next = queue.next(after: work) {
                runner.perform(next)
                work = next
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

    /// The time for which the lane (worker thread) has been waiting for the server; nil if it is
    /// not waiting.
    var waitingTime: Duration? { waiting.withLock { $0?.since.duration(to: .now) } }

    /// Makes the lane (worker thread) give up its connection if the lane is waiting for the server.
    func interrupt() { waiting.withLock { $0?.1.interrupt() } }

    /// The part of a lane that only the lane's own thread uses.
    private struct Runner {
        let lane: Lane
        private var connection: (Connection, Connection.Interruption)?

        init(lane: Lane) { self.lane = lane }

        mutating func perform(_ work: Work) {
            switch work {
            case .set(let changes, let checks):
                let batch = SetBatch(changes: changes, checks: checks)
                perform(batch.commits) { [lane] connection, isRepeated in
                    try batch.run(
                        on: connection, isRepeated: isRepeated, settings: lane.settings,
                        beat: lane.beat)
                }
            case .whole(let commit):
                let batch = WholeBatch(commit, lane.settings)
                perform([commit]) { [lane] connection, isRepeated in
                    [
                        try batch.run(on: connection, isRepeated: isRepeated, lane.beat)
                            .map { .failure($0) } ?? .success(())
                    ]
                }
            case .query(let query): perform(query)
            }
        }

        private mutating func perform(
            _ commits: [PendingCommit],
            _ run: (Connection, _ isRepeated: Bool) throws -> SetBatch.Results
        ) {
            var isRepeated = false
            let start = ContinuousClock.now
            // Several commits are repeated together only once. Then each is repeated alone, so that
            // a row that is locked for long does not delay the other commits.
            let limit = commits.count > 1 ? 1 : Lane.attemptLimit
            let outcome = attempt(limit) { connection in
                try run(connection, isRepeated)
            } onLoss: { wasSent in
                if wasSent { isRepeated = true }
            }
            switch outcome {
            case .success(let results):
                lane.status.note(fault: nil)
                lane.settings.metrics.commits.duration.record(start.duration(to: .now))
                lane.settings.metrics.commits.size.record(commits.count)
                lane.settings.metrics.count(results)
                complete(commits, results)
            case .failure(.refused) where commits.count > 1:
                // The error may concern only one of the commits, so each is tried alone.
                for commit in commits {
                    let isCheck = commit.kind == .check
                    perform(.set(changes: isCheck ? [] : [commit], checks: isCheck ? [commit] : []))
                }
            case .failure(let failure):
                if isRepeated { lane.settings.metrics.unknownOutcomes.increment() }
                if case .refused(let error) = failure, error.isServerFull {
                    lane.status.note(fault: failure.reason)
                }
                let error = StorageError(
                    reason: failure.reason, isOutcomeUnknown: isRepeated)
                complete(commits, commits.map { _ in .failure(.storage(error)) })
            }
        }

        private func complete(_ commits: [PendingCommit], _ results: SetBatch.Results) {
            lane.queue.release(commits)
            for (commit, result) in zip(commits, results) { commit.complete(result) }
        }

        private mutating func perform(_ query: Query) {
            let confirmation = lane.settings.confirmsReads ? lane.beat : nil
            let outcome = attempt(Lane.attemptLimit) {
                try query.run($0, confirmation)
            } onLoss: { _ in
            }
            switch outcome {
            case .success(let complete): complete()
            case .failure(let failure): query.fail(StorageError(reason: failure.reason))
            }
        }

        /// Runs work and repeats it until it succeeds or must be given up. The work is repeated
        /// after a lock conflict, after the loss of a connection, and after an error which shows
        /// that the server does not accept writes now.
        /// - Parameters:
        ///   - limit: the maximum number of repetitions after a lock conflict.
        ///   - run: performs the work on a connection.
        ///   - onLoss: called when a connection was lost. `wasSent` is true if the server may have
        ///     committed the work.
        /// - Returns: the result of `run`, or the reason why the work was given up.
        private mutating func attempt<Output>(
            _ limit: Int, _ run: (Connection) throws -> Output, onLoss: (_ wasSent: Bool) -> Void
        ) -> Result<Output, DatabaseFailure> {
            var attempts = 0
            while true {
                do {
                    let connection = try connected()
                    defer { lane.waiting.withLock { $0 = nil } }
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
                    case .lost(_, let wasSent):
                        guard connection != nil else { return .failure(failure) }
                        connection = nil
                        onLoss(wasSent)
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
                var failure = DatabaseFailure.lost(
                    lane.status.failure?.reason ?? "no connection", wasSent: false)
                if lane.status.isClosing { throw failure }
                if lane.status.claimAttempt() {
                    do throws(DatabaseFailure) {
                        let interruption = Connection.Interruption()
                        lane.waiting.withLock { $0 = (.now, interruption) }
                        connection = (try lane.settings.connect(interruption), interruption)
                        lane.status.noteUp()
                        break
                    } catch {
                        failure = error
                        lane.status.noteDown(error.reason)
                    }
                }
                lane.waiting.withLock { $0 = nil }
                if lane.status.failure != nil { throw failure }
                Thread.sleep(forTimeInterval: pause * .random(in: 0.5...1.5))
                pause = min(pause * 2, 1)
            }
            guard let (connection, interruption) = connection else {
                throw .lost("no connection", wasSent: false)
            }
            lane.waiting.withLock { $0 = (.now, interruption) }
            return connection
        }
    }
}
