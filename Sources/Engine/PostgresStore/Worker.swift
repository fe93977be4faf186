import Foundation
import SQLStore
import Sessions

/// A thread with a database connection, which performs one piece of work after another. A worker
/// takes work only while it has a connection, and puts work back when it loses the connection, so
/// that no work waits for a worker that cannot connect while another one is free.
///
/// A worker waits for the server without a time limit, although `DeadlineTimer` answers the requests.
/// If a worker gave up a slow commit, the transaction would still run on the server and keep its
/// locks. A worker gives up a connection only after the database was down: the connection may lead to
/// a server that was replaced (`StoreStatus.connectionPeriod`).
struct Worker {
    /// The maximum number of times that a commit or a query is repeated after a lock conflict.
    private static let attemptLimit = 8
    /// The first pause between two attempts to connect. It doubles up to `longestPause`.
    private static let shortestPause = Duration.milliseconds(50)
    private static let longestPause = Duration.seconds(1)
    /// The interval at which a worker that waits for an attempt looks at the state, in seconds.
    private static let waitInterval = 0.02

    private let queue: WorkQueue
    private let settings: ConnectionSettings
    private let status: StoreStatus
    private var connection: Connection? {
        didSet {
            if oldValue == nil, connection != nil { status.noteWorker(isConnected: true) }
            if oldValue != nil, connection == nil { status.noteWorker(isConnected: false) }
        }
    }

    private init(_ queue: WorkQueue, _ settings: ConnectionSettings, _ status: StoreStatus) {
        (self.queue, self.settings, self.status) = (queue, settings, status)
    }

    /// Starts a worker. It ends after the queue was closed, when no work is left.
    /// - Parameter number: the number of the worker in the queue.
    /// - Returns: a semaphore that is signalled at the end.
    static func start(
        _ number: Int, _ queue: WorkQueue, _ settings: ConnectionSettings, _ status: StoreStatus
    ) -> DispatchSemaphore {
        let hasEnded = DispatchSemaphore(value: 0)
        let thread = Thread {
            var worker = Worker(queue, settings, status)
            while true {
                worker.connect()
                guard let work = queue.next(for: number) else { break }
                if !worker.perform(work) { queue.putBack(workOf: number) }
            }
            hasEnded.signal()
        }
        thread.name = "waypost.store"
        thread.start()
        return hasEnded
    }

    /// - Returns: false if the work must be performed on another connection.
    private mutating func perform(_ work: Work) -> Bool {
        switch work {
        case .changes(let commits): perform(Transaction.sorted(commits))
        case .checks(let commits): perform(commits)
        case .query(let query): perform(query)
        }
    }

    /// Sends commits in one transaction and completes them. If the server refuses the transaction,
    /// the error may concern only one of them, so each is then tried alone. Commits whose rows are
    /// locked are repeated in rounds, so that none of them delays another one for long.
    /// - Returns: false if some of them must be sent on another connection.
    private mutating func perform(_ commits: [Commit]) -> Bool {
        var waiting = commits
        if commits.count > 1 {
            guard let refused = send(commits, isLast: false) else { return false }
            waiting = refused
        }
        for round in 0...Self.attemptLimit where !waiting.isEmpty {
            if round > 0 { Self.pause() }
            var locked: [Commit] = []
            for commit in waiting {
                guard let refused = send([commit], isLast: round == Self.attemptLimit) else {
                    return false
                }
                locked += refused
            }
            waiting = locked
        }
        return true
    }

    /// Sends commits in one transaction.
    /// - Parameter isLast: whether a single commit fails after a lock conflict.
    /// - Returns: the commits that must be tried again, each alone. All others are completed. Nil if
    ///   some must be sent on another connection.
    private mutating func send(_ commits: [Commit], isLast: Bool) -> [Commit]? {
        let start = ContinuousClock.now
        var sent: [Commit] = []
        let outcome = attempt(0) { [settings] connection in
            // A commit that has failed at its deadline must not be sent.
            sent = commits.filter { $0.send() }
            return sent.isEmpty ? [] : try Transaction(sent, settings).run(on: connection)
        }
        switch outcome {
        case nil: return nil
        case .success(let results):
            if sent.isEmpty { return [] }
            // A check writes nothing.
            if sent[0].kind != .check, results.contains(where: { (try? $0.get()) != nil }) {
                status.note(fault: nil)
            }
            settings.metrics.commits.duration.record(start.duration(to: .now))
            settings.metrics.commits.size.record(sent.count)
            for (commit, result) in zip(sent, results) {
                if case .failure(.conflict) = result { settings.metrics.conflicts.increment() }
                commit.complete(result)
            }
        case .failure(.refused(let error)) where commits.count > 1 || error.isTransient && !isLast:
            return commits
        case .failure(let failure):
            if case .refused(let error) = failure, error.isServerFull {
                status.note(fault: failure.reason)
            }
            for commit in commits { commit.fail(failure.reason) }
        }
        return []
    }

    private mutating func perform(_ query: Query) -> Bool {
        let outcome = attempt(Self.attemptLimit) { connection -> Query.Completion? in
            query.isDone ? nil : try query.run(connection)
        }
        switch outcome {
        case nil: return false
        case .success(let completion): if let completion { query.complete(completion) }
        case .failure(let failure): query.fail(failure.reason)
        }
        return true
    }

    /// Runs work, and repeats it after a lock conflict.
    /// - Parameter limit: the maximum number of repetitions.
    /// - Returns: the result of `run`, or the reason why the work was given up; nil if there is no
    ///   connection any more, or the server does not accept writes now.
    private mutating func attempt<Output>(
        _ limit: Int, _ run: (Connection) throws -> Output
    ) -> Result<Output, DatabaseFailure>? {
        var attempts = 0
        while let connection, !connection.isOutdated() {
            do {
                return .success(try run(connection))
            } catch let failure as DatabaseFailure {
                switch failure {
                case .refused(let error) where error.isServerUnusable:
                    status.noteConnectionFailure(failure.reason)
                    self.connection = nil
                case .refused(let error) where error.isTransient:
                    attempts += 1
                    if attempts > limit { return .failure(failure) }
                    Self.pause()
                case .refused: return .failure(failure)
                case .lost: self.connection = nil
                }
            } catch {
                return .failure(.lost("\(error)", wasSent: false))
            }
        }
        return status.isClosing
            ? .failure(.lost("the service is stopping", wasSent: false)) : nil
    }

    /// Waits before the next attempt after a lock conflict. The time is random, so that two workers
    /// do not meet again.
    private static func pause() { Thread.sleep(forTimeInterval: .random(in: 0.001...0.02)) }

    /// Tries to connect, unless there is a connection, until it succeeds or the store is closing.
    private mutating func connect() {
        if let connection, !connection.isOutdated() { return }
        connection = nil
        var nextAttempt = ContinuousClock.now
        var pause = Self.shortestPause
        while !status.isClosing, !queue.isFinished {
            guard status.acceptsWorkers, nextAttempt <= .now else {
                Thread.sleep(forTimeInterval: Self.waitInterval)
                continue
            }
            let period = status.connectionPeriod
            do throws(DatabaseFailure) {
                connection = try settings.connect(to: .all(first: status.host)) { [status] in
                    status.connectionPeriod != period
                }
                return
            } catch {
                status.noteConnectionFailure(error.reason)
                nextAttempt = .now + pause * .random(in: 0.5...1.5)
                pause = min(pause * 2, Self.longestPause)
            }
        }
    }
}
