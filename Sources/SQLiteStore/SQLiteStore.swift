import Accounts
import CSQLite
import Dispatch
import Foundation
import GRDB
import Navigation
import Sessions
import Synchronization
import WaypostCore

/// Keeps everything in one SQLite file, with one connection, which no other process shares.
///
/// A commit returns when it is on disk (WAL, `synchronous = FULL`). Commits that wait at the same
/// time share one transaction.
public final class SQLiteStore: SessionStore {
    public enum Durability: String, Sendable, CaseIterable {
        /// A commit is on disk when it returns.
        case full
        /// A commit survives the process when it returns, and a power cut 100 ms later.
        case relaxed
    }

    public let path: String
    let database: DatabaseQueue
    private let lock: StoreLock
    let eventRetention: Int
    private let commits = CommitQueue()
    /// The one thread that uses the database.
    private let queue = DispatchQueue(label: "waypost.store", qos: .userInitiated)
    private let syncing: WALSync?
    private let failed = Mutex<StorageError?>(nil)
    /// Diagnostics at the start that an operator should know of, such as a damaged log.
    public let warnings: [String]
    private let files: OpenFiles
    let copies = Mutex(CopiesInProgress())
    let purgeLimits = Mutex(PurgeLimits())
    let purgePass = Mutex(PurgePass())
    /// On the last pass of the purge; nil before. SQLite would read the whole table to count them.
    let sessionCounter = Mutex<Int?>(nil)
    /// The locations of the rows of sessions that changed lately; used on the store's thread.
    private let rowLocations = Mutex<[SessionID: SessionWriter.RowLocation]>([:])
    private let metrics: CommitMetrics

    /// Opens the file, which is made if it does not exist.
    /// - Parameter eventRetention: how many events are kept of each session, at least.
    public init(
        path: String, durability: Durability = .full, eventRetention: Int = 10_000,
        metrics: CommitMetrics = CommitMetrics()
    ) throws(StoreError) {
        self.path = path
        self.eventRetention = eventRetention
        self.metrics = metrics
        lock = try StoreLock(for: path)
        try StoreFile.makePrivate(path)
        // A process that was killed may have left it.
        StoreFile.remove(Self.checkedCopy(of: path))
        warnings = WriteAheadLog(ofStore: path)?.damage.map { [$0.description] } ?? []
        do {
            database = try Self.open(path, durability)
            syncing = durability == .relaxed ? try WALSync(path: path + "-wal") : nil
        } catch {
            throw StoreError(error, at: path)
        }
        files = OpenFiles(
            ofStore: path, interval: durability == .full ? .zero : .milliseconds(100))
    }

    /// SQLite would lock and count at each allocation, for figures that nobody looks at. Once for
    /// the process, before SQLite is used.
    private static let leanMemory: Void = waypost_sqlite_keep_no_memory_statistics()

    private static func open(_ path: String, _ durability: Durability) throws -> DatabaseQueue {
        _ = leanMemory
        var configuration = Configuration()
        configuration.prepareDatabase { db in
            // SQLite 3.40 can lose pages when two connections use one WAL file.
            try db.execute(sql: "PRAGMA locking_mode = EXCLUSIVE")
            // Before anything is written: the file may be another program's.
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
            // Here, as GRDB sets NORMAL after it has prepared a database that is in WAL mode.
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

    /// Looks after the files, too: a store whose file was removed goes on as if nothing had happened,
    /// and all that it writes is lost when the service ends.
    public var failure: StorageError? {
        failed.withLock { failure in
            if failure == nil, !files.areInPlace(at: .now) {
                failure = StorageError(
                    reason: """
                        the file of the store was removed or replaced while the service used it; \
                        take a backup with waypost backup, stop the service, and restore the backup
                        """)
            }
            return failure
        }
    }

    public var sessionCount: Int? { sessionCounter.withLock { $0 } }

    // MARK: Writing

    public func commit(
        _ batch: consuming WriteBatch,
        completion: @escaping @Sendable (Result<Void, CommitError>) -> Void
    ) {
        if commits.append(CommitQueue.Entry(batch, completion: completion)) {
            queue.async { self.commitAll() }
        }
    }

    private func commitAll() {
        let group = commits.takeAll()
        let results = write(group)
        // On this thread, though the next commit waits for it: to wake another thread takes longer than
        // to hand the results over.
        for (entry, result) in zip(group, results) { entry.completion(result) }
    }

    private func write(_ group: [CommitQueue.Entry]) -> [Result<Void, CommitError>] {
        do {
            return try transaction(group)
        } catch  where group.count > 1 && failure == nil {
            // The error of one change must not fail the others.
            return group.flatMap { write([$0]) }
        } catch {
            let error =
                error as? StorageError
                ?? StorageError(reason: "the change could not be written: \(storageCause(error))")
            return group.map { _ in .failure(.storage(error)) }
        }
    }

    /// - Throws: what SQLite throws; nothing is written then.
    private func transaction(
        _ group: [CommitQueue.Entry]
    ) throws -> [Result<Void, CommitError>] {
        if let failure { throw failure }
        let start = ContinuousClock.now
        return try database.inDatabase { db in
            var results: [Result<Void, CommitError>] = []
            // Given back when they are on disk: a transaction that fails leaves none.
            var known: [SessionID: SessionWriter.RowLocation] = [:]
            rowLocations.withLock { swap(&$0, &known) }
            var sessions = try SessionWriter(db, locations: consume known)
            try db.beginTransaction(.immediate)
            do {
                for entry in group { results.append(try write(entry, &sessions, db)) }
            } catch {
                try? db.rollback()
                throw error
            }
            do {
                try db.commit()
            } catch {
                // Whether it is on disk nobody knows now: nothing may be claimed any more.
                try? db.rollback()
                let reason = "a commit failed: \(storageCause(error)); restart the service"
                failed.withLock { $0 = StorageError(reason: reason) }
                throw StorageError(reason: reason, isOutcomeUnknown: true)
            }
            rowLocations.withLock { $0 = sessions.locations }
            syncing?.noteWrite()
            metrics.duration.record(start.duration(to: .now))
            metrics.size.record(group.count)
            return results
        }
    }

    private func write(
        _ entry: CommitQueue.Entry, _ sessions: inout SessionWriter, _ db: Database
    ) throws -> Result<Void, CommitError> {
        let batch = entry.batch
        if let writes = batch.accountWrites {
            // Everything that can be refused comes first: nothing else of the batch is written yet.
            if let refusal = try sessions.refusal(of: batch.session) { return .failure(refusal) }
            if let account = writes.account, let refusal = try write(account, db) {
                return .failure(refusal)
            }
            if let revocation = writes.revocation { try write(revocation, db) }
            if let credential = writes.newCredential { try insert(credential, db) }
            if let use = writes.credentialUse { try write(use, db) }
        }
        switch (batch.session, entry.row) {
        case (.insert, let row?): try sessions.insert(row)
        case (.update(_, let version), let row?):
            if let refusal = try sessions.update(row, replacing: version) {
                return .failure(refusal)
            }
        case (.delete(let id, let version), _):
            if let refusal = try sessions.delete(id, replacing: version) {
                return .failure(refusal)
            }
        case (.insert, nil), (.update, nil), (nil, _): break
        }
        for record in batch.idempotencyRecords { try insert(record, db) }
        return .success(())
    }

    /// Another store may be opened on the file when this returns, which the end of the object's life
    /// does not tell: the store's thread may have it for a moment longer.
    public func close() async {
        await withCheckedContinuation { continuation in
            queue.async {
                self.copies.withLock { $0.endAll() }
                try? self.database.close()
                self.lock.release()
                continuation.resume()
            }
        }
    }

    // MARK: Reading

    /// Runs on the store's thread, after all commits that were made before.
    func access<Value: Sendable>(
        _ work: @escaping @Sendable (Database) throws -> Value
    ) async throws(StorageError) -> Value {
        let result: Result<Value, StorageError> = await withCheckedContinuation { continuation in
            queue.async {
                let result = Result { try self.database.inDatabase(work) }
                continuation.resume(
                    returning: result.mapError { error in
                        error as? StorageError ?? StorageError(reason: storageCause(error))
                    })
            }
        }
        return try result.get()
    }

    public func session(_ id: SessionID) async throws(StorageError) -> StoredSession? {
        try await access { try self.session(id, $0) }
    }

    public func events(
        of id: SessionID, after: Int, limit: Int
    ) async throws(StorageError) -> EventPage {
        try await access { try self.events(of: id, after: after, limit: limit, $0) }
    }

    public func idempotencyRecord(_ id: SecretHash) async throws(StorageError) -> IdempotencyRecord?
    {
        try await access { try self.idempotencyRecord(id, $0) }
    }

    public func idempotencyUsage(
        of session: SessionID, at now: Timestamp
    ) async throws(StorageError) -> IdempotencyUsage {
        try await access { try self.idempotencyUsage(of: session, at: now, $0) }
    }

    public func account(_ username: Username) async throws(StorageError) -> Account? {
        try await access { try self.account(username, $0) }
    }

    public func credential(_ hash: SecretHash) async throws(StorageError) -> Credential? {
        try await access { try self.credential(hash, $0) }
    }

    public func credential(_ id: CredentialID) async throws(StorageError) -> Credential? {
        try await access { try self.credential(id, $0) }
    }

    public func accounts(
        after: Username?, limit: Int
    ) async throws(StorageError) -> [Account] {
        try await access { try self.accounts(after: after, limit: limit, $0) }
    }

    public func credentials(
        of username: Username, at now: Timestamp, after: CredentialPosition?, limit: Int
    ) async throws(StorageError) -> [Credential] {
        try await access {
            try self.credentials(of: username, at: now, after: after, limit: limit, $0)
        }
    }
}
