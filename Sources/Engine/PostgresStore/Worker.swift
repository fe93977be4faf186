import Foundation
import SQLStore
import Sessions

/// A thread with a database connection, which performs one piece of work after another. A worker
/// waits for the server without a time limit, although `DeadlineTimer` answers the requests. If a
/// worker gave up a slow commit, the transaction would still run on the server and keep its locks. A
/// worker gives up a connection only after the database was down: the connection may lead to a server
/// that was replaced (`StoreStatus.connectionPeriod`).
struct Worker {
    /// The maximum number of times that a commit or a query is repeated after a lock conflict.
    private static let attemptLimit = 8

    private let settings: ConnectionSettings
    private let status: StoreStatus
    private var connection: Connection?

    /// Starts a worker. It ends after the queue was closed, when no work is left.
    /// - Parameter number: the number of the worker in the queue.
    /// - Returns: a semaphore that is signalled at the end.
    static func start(
        _ number: Int, _ queue: WorkQueue, _ settings: ConnectionSettings, _ status: StoreStatus
    ) -> DispatchSemaphore {
        let hasEnded = DispatchSemaphore(value: 0)
        let thread = Thread {
            var worker = Worker(settings: settings, status: status)
            while let work = queue.next(for: number) { worker.perform(work) }
            hasEnded.signal()
        }
        thread.name = "waypost.store"
        thread.start()
        return hasEnded
    }

    private mutating func perform(_ work: Work) {
        switch work {
        case .changes(let commits): perform(Transaction.sorted(commits))
        case .checks(let commits): perform(commits)
        case .query(let query): perform(query)
        }
    }

    /// Sends commits in one transaction and completes them.
    private mutating func perform(_ commits: [Commit]) {
        let start = ContinuousClock.now
        // Several commits are repeated together only once. Then each is repeated alone, so that a row
        // that is locked for long does not delay the other commits.
        let limit = commits.count > 1 ? 1 : Self.attemptLimit
        var sent: [Commit] = []
        let outcome = attempt(limit) { [settings] connection in
            // A commit that has failed at its deadline must not be sent.
            sent = commits.filter { $0.send() }
            return sent.isEmpty ? [] : try Transaction(sent, settings).run(on: connection)
        }
        switch outcome {
        case .success(let results):
            if sent.isEmpty { return }
            status.note(fault: nil)
            settings.metrics.commits.duration.record(start.duration(to: .now))
            settings.metrics.commits.size.record(sent.count)
            for (commit, result) in zip(sent, results) {
                if case .failure(.conflict) = result { settings.metrics.conflicts.increment() }
                commit.complete(result)
            }
        case .failure(.refused) where commits.count > 1:
            // The error may concern only one of the commits, so each is tried alone.
            for commit in commits { perform([commit]) }
        case .failure(let failure):
            if case .refused(let error) = failure, error.isServerFull {
                status.note(fault: failure.reason)
            }
            for commit in commits { commit.fail(failure.reason) }
        }
    }

    private mutating func perform(_ query: Query) {
        let outcome = attempt(Self.attemptLimit) { connection -> Query.Completion? in
            query.isDone ? nil : try query.run(connection)
        }
        switch outcome {
        case .success(let completion): if let completion { query.complete(completion) }
        case .failure(let failure): query.fail(failure.reason)
        }
    }

    /// Runs work, and repeats it after a lock conflict, after the loss of a connection, and after an
    /// error which shows that the server does not accept writes now.
    /// - Parameter limit: the maximum number of repetitions after a lock conflict.
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
                    status.noteConnectionFailure(failure.reason)
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

    /// Returns the connection. If there is none, this method tries to connect until it succeeds, the
    /// store is closing, or the database could not be used for `StoreStatus.timeout`.
    private mutating func connected() throws(DatabaseFailure) -> Connection {
        var pause = 0.05
        while true {
            if let connection, !connection.isOutdated() { return connection }
            if status.isClosing { throw .lost("the service is stopping", wasSent: false) }
            do throws(DatabaseFailure) {
                let period = status.connectionPeriod
                connection = try settings.connect(to: .all(first: status.host)) { [status] in
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
