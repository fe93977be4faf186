import Foundation
import Sessions
import StoreCoding
import Synchronization
import WaypostCore

/// The settings that all lanes (`Lane`) of a store share.
struct LaneSettings: Sendable {
    let target: ConnectionTarget
    let isRelaxed: Bool
    let confirmsReads: Bool
    let eventRetention: Int
    let metrics: PostgresMetrics
    let now: @Sendable () -> Timestamp

    /// Connects to the database and applies `ConnectionSettings` to the connection.
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

/// A thread with a connection, which does one piece of work after another. A lane waits as long as its
/// connection lives: giving up a slow commit would leave its transaction on the server, with its locks.
/// `Monitor` interrupts a lane whose server was replaced.
final class Lane: Sendable {
    /// The maximum number of times that a batch or query is repeated because of locks.
    fileprivate static let attemptLimit = 8

    private let queue: WorkQueue
    private let settings: LaneSettings
    private let status: StoreStatus
    /// The key of the lane's row in the table `beat`, see `beat`.
    private let name: String
    /// The statement that writes to the lane's row in the table `beat`. A transaction that includes
    /// it waits for the standby, see `SetStatements.beat`.
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

    /// Waits for the end of the thread, after the queue was closed.
    /// - Returns: whether the thread has ended.
    func waitForEnd(until time: DispatchTime) -> Bool { hasEnded.wait(timeout: time) == .success }

    /// The time for which the lane has waited for the server; nil if it does not wait.
    var waitingTime: Duration? { waiting.withLock { $0?.since.duration(to: .now) } }

    /// Gives up the lane's connection if the lane waits for the server.
    func interrupt() { waiting.withLock { $0?.1.interrupt() } }

    /// The part of a lane that only its thread uses.
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
            // Several commits are repeated together only once, and then each alone: a row that is
            // locked for long must not hold up the other commits.
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
                // An error of one change must not fail the others, so each is tried alone.
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

        /// Runs work until it succeeds, or fails for good.
        /// - Parameters:
        ///   - limit: the number of times that the work is tried again because of locks.
        ///   - onLoss: called when a connection was lost; `wasSent` is true if the server may have
        ///     committed the work.
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

        /// Returns the lane's connection, or opens one if the lane has none.
        /// - Throws: the reason why there is no connection, if the store is closing or has a
        ///   `StoreStatus.failure`: for example, the server has been down for
        ///   `StoreStatus.timeout`.
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
