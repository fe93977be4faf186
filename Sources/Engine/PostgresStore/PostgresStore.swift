import Dispatch
import NavigationRules
import SQLStore
import Sessions
import Synchronization
import WaypostCore

/// A store in a PostgreSQL database. Any number of processes may use the database at the same time.
///
/// Each change replaces a session's row only if the row still has the version on which the change
/// is based. A commit calls its completion when the commit is on the disk of the server and of the
/// synchronous standby, if there is one. With `Configuration.isRelaxed`, the call may come earlier.
/// Any thread may call its methods.
package final class PostgresStore: SQLSessionStore {
    /// The settings of a PostgreSQL store.
    package struct Configuration: Sendable {
        /// Says whether the store may create or migrate its tables when it is opened.
        package enum Migration: String, Sendable, CaseIterable {
            case on, off
            /// The store creates its tables in a database that has none. Existing tables are not
            /// migrated.
            case new
        }

        package var connections = 6
        /// The maximum time for which work waits for the database. The work then fails, even if the
        /// server has not responded. If the database cannot be used for this time, new work fails at
        /// once until it can.
        package var timeout = Duration.seconds(5)
        /// Whether a commit may call its completion before the commit is on disk.
        package var isRelaxed = false
        package var migration = Migration.new

        package init() {}
    }

    package let isShared = true
    package let incarnation: Int?
    let target: ConnectionTarget
    private let queue: WorkQueue
    private let status: StoreStatus
    /// The ends of the workers.
    private let workers: [DispatchSemaphore]
    /// One probe for each host in the URL of the database.
    private let probes: [Probe]
    private let deadlines: DeadlineTimer
    private let settings: ConnectionSettings
    private let random: @Sendable () -> UInt64

    /// Opens a store, and creates or migrates its tables if `Configuration.migration` allows it.
    /// - Throws: `PostgresStoreError` if the server cannot be reached, or if the store cannot use
    ///   the database.
    package init(
        _ target: ConnectionTarget, _ configuration: Configuration = Configuration(),
        environment: Environment, metrics: PostgresMetrics = PostgresMetrics(commits: .init())
    ) throws(PostgresStoreError) {
        self.target = target
        random = environment.random
        settings = ConnectionSettings(
            target: target, isRelaxed: configuration.isRelaxed,
            metrics: metrics, now: environment.now)
        let prepared = try Self.prepare(target, configuration.migration)
        incarnation = prepared.incarnation
        status = StoreStatus(timeout: configuration.timeout, host: prepared.host)
        queue = WorkQueue(workers: configuration.connections)
        workers = (0..<configuration.connections).map { [queue, settings, status] number in
            Worker.start(number, queue, settings, status)
        }
        probes = (0..<target.hostCount).map { [settings, status] host in
            Probe(host: host, settings, status)
        }
        deadlines = DeadlineTimer(queue, status)
        for probe in probes { probe.start() }
        deadlines.start()
    }

    // If `close` was not called, the threads end when the waiting work is done.
    deinit {
        for probe in probes { probe.end() }
        queue.close()
    }

    package var failure: StorageError? { status.failure }
    package let expiredSessions = Counter()

    package var sessionCount: Int? { status.sessionCount }

    /// The number of batches and queries that wait for a connection.
    package var waitingCount: Int { queue.count }

    /// Finishes the waiting work and closes all connections. Work that is not finished within
    /// `Configuration.timeout` fails.
    package func close() async {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                for probe in self.probes { probe.end() }
                for probe in self.probes { probe.waitForEnd() }
                self.queue.close()
                let end = DispatchTime.now() + self.status.timeout / .seconds(1)
                let late = self.workers.filter { $0.wait(timeout: end) == .timedOut }
                self.status.close()
                for worker in late { worker.wait() }
                continuation.resume()
            }
        }
    }

    /// Makes all workers give up their connections. Only tests use this method.
    func interruptWorkers() { status.endConnectionPeriod() }

    // MARK: Writing

    package func commit(
        _ batch: consuming WriteBatch,
        completion: @escaping @Sendable (Result<Void, SessionError>) -> Void
    ) {
        if let refusal = status.refusal { return completion(.failure(.storage(refusal))) }
        let writer = Int(truncatingIfNeeded: random())
        let deadline = deadline(since: batch.requestStart)
        queue.append(
            Commit(
                batch, writer: writer, deadline: deadline, completion: completion))
    }

    /// Returns the deadline of work that arrives now, see `StoreStatus.deadline`.
    /// - Parameter start: the arrival of the request; nil for that of the present task.
    private func deadline(since start: ContinuousClock.Instant? = nil) -> ContinuousClock.Instant {
        let now = ContinuousClock.now
        return status.deadline(since: start ?? RequestStart.current ?? now, at: now)
    }

    // MARK: Reading

    package func read<Value: Sendable>(
        _ subject: String, _ statement: StoreStatement,
        _ decode: @escaping @Sendable (any SQLRow) throws -> Value
    ) async throws(SessionError) -> [Value] {
        try await perform(deadline: deadline()) { connection in
            let rows = try connection.run([statement, SetStatements.standbyWait()])[0]
            return Result { try rows.map { try decode($0) } }
                .mapError { .storage(StorageError(unreadable: subject, $0)) }
        }
    }

    package func versions(
        of ids: [SessionID]
    ) async throws(SessionError) -> [SessionID: RowVersion] {
        let statement = StoreStatement(
            "SELECT id, version FROM session WHERE id = ANY (?uuid[])", SQLArray(.uuid, ids))
        let rows = try await read("versions of sessions", statement) { row in
            (try row.id("id"), RowVersion(number: try row.integer("version")))
        }
        return Dictionary(uniqueKeysWithValues: rows)
    }

    package func validTokens(
        among hashes: [SecretHash], at now: Timestamp
    ) async throws(SessionError) -> Set<SecretHash> {
        let statement = StoreStatement(
            "SELECT hash FROM session_token WHERE hash = ANY (?bytea[]) AND expires_at > ?bigint",
            SQLArray(.bytea, hashes), now)
        return Set(try await read("tokens", statement) { try $0.hash("hash") })
    }

    /// Runs statements in one transaction, within `Configuration.timeout`.
    /// - Returns: the number of rows that each statement returned.
    func run(_ statements: [StoreStatement]) async throws(SessionError) -> [Int] {
        try await perform(deadline: deadline()) { connection in
            .success(try connection.run(statements).map(\.count))
        }
    }

    /// Runs a statement for which no request waits, and which therefore has no deadline. The wait for
    /// it ends if the task is cancelled.
    /// - Returns: the number of rows that the statement returned.
    func runInBackground(_ statement: StoreStatement) async throws(SessionError) -> Int {
        let waiting = Mutex<Query?>(nil)
        let reason = "the service is stopping"
        let result = await withTaskCancellationHandler { () async -> Result<Int, SessionError> in
            do throws(SessionError) {
                return .success(
                    try await perform(deadline: nil) { connection in
                        .success(try connection.run([statement])[0].count)
                    } onWait: { query in
                        waiting.withLock { $0 = query }
                        if Task.isCancelled { query.fail(reason) }
                    })
            } catch {
                return .failure(error)
            }
        } onCancel: {
            waiting.withLock(\.self)?.fail(reason)
        }
        return try result.get()
    }

    /// - Parameter onWait: is called with the query when it waits for a worker.
    private func perform<Value: Sendable>(
        deadline: ContinuousClock.Instant?,
        _ run: @escaping @Sendable (Connection) throws -> Result<Value, SessionError>,
        onWait: (Query) -> Void = { _ in }
    ) async throws(SessionError) -> Value {
        if let refusal = status.refusal { throw .storage(refusal) }
        return try await withCompletion { completion in
            let query = Query(deadline: deadline) { connection in
                let result = try run(connection)
                return { completion(result) }
            } onFailure: {
                completion(.failure(SessionError.storage($0)))
            }
            queue.append(query)
            onWait(query)
        }
    }
}

/// The metrics of a store on a PostgreSQL server.
package struct PostgresMetrics: Sendable {
    /// The histograms that every kind of store has: the duration and the size of transactions.
    package let commits: CommitMetrics
    let connected = Counter()
    let connectionFailed = Counter()
    let conflicts = Counter()

    package init(commits: CommitMetrics) { self.commits = commits }

    /// Returns the metrics of the store, with their names and descriptions.
    /// - Parameter waiting: returns the number of batches and queries that wait for a connection;
    ///   nil if the number is unknown, so that its metric has no value.
    package func families(waiting: @escaping @Sendable () -> Int?) -> [Family] {
        [
            .counter(
                "waypost_store_conflicts_total",
                "Changes and reads of a session that another node had changed.", conflicts),
            .counters(
                "waypost_store_connections_total", "Attempts to connect to the database.",
                label: "result", [("failed", connectionFailed), ("opened", connected)]),
            .gauge("waypost_store_waiting", "Changes and reads that wait for a connection.") {
                waiting()
            },
        ]
    }
}
