import Accounts
import Dispatch
import Metrics
import Navigation
import Sessions
import StoreCoding
import WaypostCore

/// A store in a PostgreSQL database. Any number of processes may use the database at the same time.
///
/// Each change replaces a session's row only if the row still has the version on which the change
/// is based. A commit calls its completion when the commit is on the disk of the server and of the
/// synchronous standby, if there is one. With `Configuration.isRelaxed`, the call may come earlier.
/// Any thread may call the public methods.
public final class PostgresStore: SessionStore {
    /// The settings of a PostgreSQL store.
    public struct Configuration: Sendable {
        /// Says whether the store may create or migrate its tables when it is opened.
        public enum Migration: String, Sendable, CaseIterable {
            case on, off
            /// The store creates its tables in a database that has none. Existing tables are not
            /// migrated.
            case new
        }

        public var connections = 6
        /// The maximum time for which work waits for a server that cannot be reached. The work then
        /// fails.
        public var timeout = Duration.seconds(5)
        /// Whether a read waits until the synchronous standby has the data that was read. The
        /// setting has no effect if the server has no synchronous standby.
        public var confirmsReads = true
        /// Whether a commit may call its completion before the commit is on disk.
        public var isRelaxed = false
        public var migration = Migration.new
        public var eventRetention = 10_000

        public init() {}
    }

    public let isShared = true
    public let incarnation: Int?
    let target: ConnectionTarget
    let eventRetention: Int
    private let queue = WorkQueue()
    private let status: StoreStatus
    private let lanes: [Lane]
    private let monitor: Monitor
    private let settings: LaneSettings
    private let random: @Sendable () -> UInt64

    /// Opens a store, and creates or migrates its tables if `Configuration.migration` allows it.
    /// - Throws: `PostgresStoreError` if the server cannot be reached, or if the store cannot use
    ///   the database.
    public init(
        _ target: ConnectionTarget, _ configuration: Configuration = Configuration(),
        environment: Environment, metrics: PostgresMetrics = PostgresMetrics(commits: .init())
    ) throws(PostgresStoreError) {
        self.target = target
        eventRetention = configuration.eventRetention
        random = environment.random
        status = StoreStatus(timeout: configuration.timeout)
        settings = LaneSettings(
            target: target, isRelaxed: configuration.isRelaxed,
            confirmsReads: configuration.confirmsReads,
            eventRetention: configuration.eventRetention, metrics: metrics,
            now: environment.now)
        incarnation = try Self.prepare(target, configuration.migration)
        let node = String(environment.random(), radix: 36)
        lanes = (0..<configuration.connections).map { [queue, settings, status] number in
            Lane(queue, settings, status, name: "\(node).\(number)")
        }
        monitor = Monitor(lanes, settings, status)
        for lane in lanes { lane.start() }
        monitor.start()
    }

    // If `close` was not called, the threads end when the waiting work is done.
    deinit {
        monitor.end()
        queue.close()
    }

    public var failure: StorageError? { status.failure }
    public let expiredSessions = Counter()

    public var sessionCount: Int? { status.sessionCount }

    /// The number of batches and queries that wait for a connection.
    public var waitingCount: Int { queue.count }

    /// Finishes the waiting work and closes all connections. Work that is not finished within
    /// `Configuration.timeout` fails.
    public func close() async {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                self.monitor.end()
                self.monitor.waitForEnd()
                self.queue.close()
                let end = DispatchTime.now() + self.status.timeout
                let late = self.lanes.filter { !$0.waitForEnd(until: end) }
                self.status.close()
                for lane in late {
                    lane.interrupt()
                    _ = lane.waitForEnd(until: .distantFuture)
                }
                continuation.resume()
            }
        }
    }

    // MARK: Writing

    public func commit(
        _ batch: consuming WriteBatch,
        completion: @escaping @Sendable (Result<Void, CommitError>) -> Void
    ) {
        let writer = Int(truncatingIfNeeded: random())
        queue.append(PendingCommit(batch, writer: writer, completion: completion))
    }

    // MARK: Reading

    /// Reads rows with one statement and decodes them. The statement runs on a lane, a worker
    /// thread with a database connection.
    /// - Parameters:
    ///   - subject: the name of the rows for the error message, such as `session 0123…`.
    ///   - decode: makes the result from the rows.
    /// - Throws: `StorageError` if the database cannot be used, or if `decode` throws.
    func read<Value: Sendable>(
        _ subject: String, _ statement: BoundStatement,
        _ decode: @escaping @Sendable (Rows) throws -> Value
    ) async throws(StorageError) -> Value {
        let result: Result<Value, StorageError> = await withCheckedContinuation { continuation in
            let query = Query { connection, confirmation in
                let statements = [statement] + [confirmation].compactMap(\.self)
                let rows = try connection.run(statements)[0]
                let result = Result { try decode(rows) }
                    .mapError {
                        StorageError(reason: "the stored \(subject) cannot be read: \($0)")
                    }
                return { continuation.resume(returning: result) }
            } fail: {
                continuation.resume(returning: .failure($0))
            }
            queue.append(query)
        }
        return try result.get()
    }

    /// Runs statements in one transaction. Unlike `read`, this method does not wait until the
    /// standby server has the data that the statements read.
    /// - Returns: the number of rows that each statement returned.
    func run(_ statements: [BoundStatement]) async throws(StorageError) -> [Int] {
        let result: Result<[Int], StorageError> = await withCheckedContinuation { continuation in
            let query = Query { connection, _ in
                let counts = try connection.run(statements).map(\.count)
                return { continuation.resume(returning: .success(counts)) }
            } fail: {
                continuation.resume(returning: .failure($0))
            }
            queue.append(query)
        }
        return try result.get()
    }
}
