import CSQLite
import Dispatch
import Foundation
import GRDB
import NavigationRules
import SQLStore
import Sessions
import Synchronization
import WaypostCore

/// A store in one SQLite file. The store has one connection, and a lock keeps other processes out.
///
/// A commit calls its completion when the commit is on disk (WAL mode, `synchronous = FULL`),
/// unless the durability is `.relaxed`. Commits that wait at the same time share one transaction.
/// Any thread may call the public methods.
public final class SQLiteStore: SQLSessionStore {
    /// The moment from which a commit is safe from a power cut.
    public enum Durability: String, Sendable, CaseIterable {
        /// A commit is on disk when its completion is called.
        case full
        /// When the completion of a commit is called, the commit survives a crash of the process.
        /// About 100 ms later, it also survives a power cut.
        case relaxed
    }

    public let path: String
    let database: DatabaseQueue
    private let lock: StoreLock
    /// The commits that wait for the store's thread. When the thread is free, it writes all of them in
    /// one transaction with one disk sync.
    private let waiting = Mutex<[Commit]>([])
    /// The serial queue on which all database access runs. Other comments call it the store's
    /// thread or the store's database thread.
    private let queue = DispatchQueue(label: "waypost.store", qos: .userInitiated)
    let syncing: WALSync?
    public let incarnation: Int?
    let health: StoreHealth
    /// The backups in progress.
    let backups = Mutex<[OnlineBackup]>([])
    /// Whether a check is in progress. Only one can run at a time, because all checks use the same path
    /// for their copy of the store.
    let isChecking = Atomic(false)
    let purgeLimits = Mutex(PurgeLimits())
    let purgePass = Mutex(PurgePass())
    /// The number of live sessions; nil before the first count. The purge, which removes expired
    /// data, counts the sessions in each complete pass over the store. A count by SQLite would have
    /// to read the whole table.
    let sessionCounter = Mutex<Int?>(nil)
    public let expiredSessions = Counter()
    private let metrics: CommitMetrics

    /// Opens a store, and creates the file if it does not exist.
    /// - Throws: `.inUse` if another process has the file open, `.notAStore` or `.newerVersion` if
    ///   this version of Waypost cannot use the file, `.foreignObject` if the file has a trigger or
    ///   another object that is not Waypost's, and other cases of `StoreError`.
    public init(
        path: String, durability: Durability = .full, metrics: CommitMetrics = CommitMetrics()
    ) throws(StoreError) {
        self.path = path
        self.metrics = metrics
        // The check comes first, so that a file of another kind keeps its mode and gets no lock file.
        try StoreFile.checkKind(path)
        lock = try StoreLock(for: path)
        try StoreFile.makePrivate(path)
        // A killed process may have left a check's copy.
        StoreFile.remove(Self.checkedCopy(of: path))
        do {
            database = try Self.open(path, durability)
            // If the incarnation cannot be read, the cursors of change streams become invalid when
            // the process ends. Clients then have no valid cursor after a start of the service.
            incarnation = try database.inDatabase { db in
                try DatabaseValue.fetchOne(db, sql: "SELECT incarnation FROM store")
                    .flatMap(Int.fromDatabaseValue)
            }
            syncing = durability == .relaxed ? try WALSync(path: path + "-wal") : nil
        } catch {
            throw StoreError(error, at: path)
        }
        health = StoreHealth(path, syncing)
    }

    /// Turns off SQLite's memory statistics, once per process and before the first use of SQLite.
    /// To update the statistics, SQLite would take a lock at each allocation, and nothing reads
    /// them.
    private static let leanMemory: Void = waypost_sqlite_keep_no_memory_statistics()

    private static func open(_ path: String, _ durability: Durability) throws -> DatabaseQueue {
        _ = leanMemory
        var configuration = Configuration()
        configuration.prepareDatabase { db in
            try db.execute(sql: Schema.settings)
            db.add(function: Database.sessionID)
            // The version is checked before anything is written, as the file may belong to another
            // program.
            try Schema.checkVersion(db, path: path, mayBeEmpty: true)
            try db.execute(
                sql: """
                    -- A new store can give pages back that it no longer needs. Without effect later.
                    PRAGMA auto_vacuum = INCREMENTAL;
                    PRAGMA journal_mode = WAL;
                    -- What is removed is overwritten: a backup copies free pages, too.
                    PRAGMA secure_delete = ON;
                    PRAGMA cache_size = -32768;
                    -- 32 MiB of log: pages that change often are written to the file seldom.
                    PRAGMA wal_autocheckpoint = 8192;
                    PRAGMA temp_store = MEMORY;
                    """)
        }
        let database = try DatabaseQueue(path: path, configuration: configuration)
        try database.inDatabase { db in
            // The level is set here because GRDB sets NORMAL after it has prepared a database in
            // WAL mode.
            let level = durability == .full ? 2 : 1
            try db.execute(sql: "PRAGMA synchronous = \(level)")
            guard try Int.fetchOne(db, sql: "PRAGMA synchronous") == level,
                try String.fetchOne(db, sql: "PRAGMA journal_mode") == "wal",
                try String.fetchOne(db, sql: "PRAGMA locking_mode") == "exclusive"
            else { throw StoreError.notDurable(path) }
            try Schema.migrate(db, path: path)
        }
        return database
    }

    /// The reason why the store cannot write; nil if it can. If no commit has ended for a second, each
    /// read of the property begins one, so that a later read knows whether commits end.
    public var failure: StorageError? {
        if health.needsProbe() { add(Commit(statements: [Self.probe()])) }
        return health.refusal ?? health.stall
    }

    public var sessionCount: Int? { sessionCounter.withLock { $0 } }

    // MARK: Writing

    public func commit(
        _ batch: consuming WriteBatch,
        completion: @escaping @Sendable (Result<Void, SessionError>) -> Void
    ) {
        let batch = batch
        let statements = BatchStatements(batch, shared: nil) {
            SessionUpdate.add($0, $1, batch.log, to: &$2)
        }
        add(
            Commit(
                statements: statements.all, session: batch.session?.id,
                needsSavepoint: batch.accountWrites != nil, completion: completion))
    }

    private func add(_ commit: Commit) {
        let isFirst = waiting.withLock { waiting in
            waiting.append(commit)
            if waiting.count == 1 { health.noteStart() }
            return waiting.count == 1
        }
        if isFirst { queue.async { self.commitAll() } }
    }

    /// A batch as the statements that write it. The thread that calls `commit` makes them, so that the
    /// store's thread has less work.
    private struct Commit: Sendable {
        let statements: [StoreStatement]
        var session: SessionID?
        /// Whether the batch may be rejected after its first write.
        var needsSavepoint = false
        var completion: @Sendable (Result<Void, SessionError>) -> Void = { _ in }
    }

    private func commitAll() {
        let group = waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
        let results = write(group)
        waiting.withLock { health.noteEnd(isIdle: $0.isEmpty) }
        // The completions run on this thread although the next commit waits for them. To wake
        // another thread would take longer.
        for (entry, result) in zip(group, results) { entry.completion(result) }
    }

    private func write(_ group: [Commit]) -> [Result<Void, SessionError>] {
        do {
            return try transaction(group)
        } catch  where group.count > 1 && health.refusal == nil {
            // The error may concern only one change of the group, so each change is tried alone.
            return group.flatMap { write([$0]) }
        } catch {
            let error =
                error as? StorageError
                ?? StorageError(reason: "the change could not be written: \(storageCause(error))")
            return group.map { _ in .failure(.storage(error)) }
        }
    }

    /// A statement that changes nothing, but makes its commit write to the disk. SQLite writes the page
    /// with this number even if the number stays the same, which it does not do for a row.
    private static let probe = SQLText("PRAGMA user_version = \(Schema.version)")

    /// Throws the reason why the store refuses all commits, if it does. After a full disk, it first
    /// tries whether there is room again.
    private func requireAdmission() throws {
        guard let refusal = health.refusal else { return }
        guard health.admitsAttempt() else { throw refusal }
        do {
            try database.inDatabase { db in
                try commit(on: db) { try db.execute(sql: Self.probe.sqlite) }
            }
        } catch {
            throw refusal
        }
    }

    /// Runs `write` in a transaction and commits it. If one of them fails, the transaction is rolled
    /// back.
    private func commit(on db: Database, _ write: () throws -> Void) throws {
        try db.beginTransaction(.immediate)
        do { try write() } catch {
            try? db.rollback()
            throw error
        }
        do {
            try db.commit()
        } catch {
            try? db.rollback()
            throw health.noteFailedCommit(error)
        }
        health.noteSuccess()
    }

    /// Writes batches in one transaction. The rejection of one does not affect the others.
    /// - Returns: the result of each batch.
    /// - Throws: SQLite's errors and `StorageError`. Nothing was written then, unless the error
    ///   says that the outcome is unknown.
    private func transaction(_ group: [Commit]) throws -> [Result<Void, SessionError>] {
        try requireAdmission()
        let start = ContinuousClock.now
        return try database.inDatabase { db in
            var results: [Result<Void, SessionError>] = []
            var runner = BatchRunner(db)
            try commit(on: db) {
                for entry in group {
                    let refusal = try write(entry, &runner, db)
                    results.append(refusal.map { .failure($0) } ?? .success(()))
                }
            }
            syncing?.noteWrite()
            metrics.duration.record(start.duration(to: .now))
            metrics.size.record(group.count)
            return results
        }
    }

    /// Writes a batch. If the batch is rejected, its writes are undone, and those of the other batches
    /// stay.
    private func write(
        _ commit: Commit, _ runner: inout BatchRunner, _ db: Database
    ) throws -> SessionError? {
        guard commit.needsSavepoint else {
            return try runner.run(commit.statements, of: commit.session)
        }
        try db.cachedStatement(sql: "SAVEPOINT batch").run()
        let refusal = try runner.run(commit.statements, of: commit.session)
        if refusal != nil { try db.cachedStatement(sql: "ROLLBACK TO batch").run() }
        try db.cachedStatement(sql: "RELEASE batch").run()
        return refusal
    }

    /// Closes the database and releases the lock. When this method returns, the file can be opened
    /// again. If the caller only releases its last reference to the store, there is no such
    /// guarantee: the store's queue may still hold a reference.
    public func close() async {
        await withCheckedContinuation { continuation in
            queue.async {
                for backup in self.backups.withLock(\.self) { backup.end() }
                try? self.database.close()
                self.lock.release()
                continuation.resume()
            }
        }
    }

    // MARK: Reading

    package func read<Value: Sendable>(
        _ subject: String, _ statement: StoreStatement,
        _ decode: @escaping @Sendable (any SQLRow) throws -> Value
    ) async throws(SessionError) -> [Value] {
        do throws(StorageError) {
            return try await access { db in
                let rows = try db.rows(statement)
                do {
                    return try rows.map(decode)
                } catch {
                    throw StorageError(unreadable: subject, error)
                }
            }
        } catch {
            throw .storage(error)
        }
    }

    /// Runs `work` on the store's database thread, after all earlier commits.
    /// - Throws: a `StorageError` of `work`, or one that describes its other error.
    func access<Value: Sendable>(
        _ work: @escaping @Sendable (Database) throws -> Value
    ) async throws(StorageError) -> Value {
        try await Self.run(on: queue) { try self.database.inDatabase(work) }
    }

    static func run<Value: Sendable>(
        on queue: DispatchQueue, _ work: @escaping @Sendable () throws -> Value
    ) async throws(StorageError) -> Value {
        try await withCompletion { completion in
            queue.async {
                completion(
                    Result(catching: work).mapError { error in
                        error as? StorageError ?? StorageError(reason: storageCause(error))
                    })
            }
        }
    }
}
