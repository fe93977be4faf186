import Dispatch
import Foundation
import GRDB
import SQLStore
import Sessions
import WaypostCore

extension SQLiteStore {
    /// The time after which the copying of a store pauses, so that waiting changes can run.
    private static let copyTime = Duration.milliseconds(2)

    /// The queue on which a check reads its copy of a store. The queue also finishes each backup:
    /// it turns WAL mode off in the copy and syncs the copy to disk. A separate queue is needed
    /// because the reading of a whole store takes seconds to minutes.
    private static let checkQueue = DispatchQueue(label: "waypost.store.check", qos: .utility)

    /// Returns the path of the temporary copy that a check of the store reads. The copy is in the
    /// folder of the store, in which the service is allowed to write. The disk is expected to have
    /// space for a backup.
    static func checkedCopy(of path: String) -> String { path + ".checking" }

    /// Copies the store into a new file and syncs the file to disk. Changes are still accepted
    /// during the copying. The backup contains all changes that were committed before the end of
    /// the copying.
    /// - Throws: `StorageError` if the copying fails, or if a file with this path exists. A backup
    ///   never replaces a file.
    public func backup(to path: String) async throws(StorageError) {
        try Self.create(path)
        do {
            try await copy(to: path)
            try await Self.run(on: Self.checkQueue) {
                // Without WAL mode, the backup is one file that can be read on a read-only disk.
                try Self.leaveWAL(path)
                try StoreFile.sync(path)
                try StoreFile.sync(URL(filePath: path).deletingLastPathComponent().path)
            }
        } catch {
            StoreFile.remove(path)
            throw error
        }
    }

    /// Runs SQLite's own check, and reads all rows of the store. The check reads a temporary copy, so
    /// that changes do not wait for it.
    /// - Throws: `StorageError` if the copy cannot be made or opened, or if another check is in
    ///   progress.
    public func check() async throws(StorageError) -> StoreReport {
        if isChecking.exchange(true, ordering: .relaxed) {
            throw StorageError(reason: "a check is running already: wait for its end")
        }
        defer { isChecking.store(false, ordering: .relaxed) }
        let path = Self.checkedCopy(of: path)
        StoreFile.remove(path)
        defer { StoreFile.remove(path) }
        try Self.create(path)
        try await copy(to: path)
        return try await Self.run(on: Self.checkQueue) { try Self.report(onCopy: path, of: path) }
    }

    /// Creates the empty file of a copy, which no other copy uses.
    private static func create(_ path: String) throws(StorageError) {
        do throws(StoreError) {
            try StoreFile.create(path)
        } catch {
            if StoreFile.exists(path) {
                throw StorageError(reason: "\(path) exists already: name a new file")
            }
            // The description of the error begins with the path, and says that it cannot be opened.
            guard case .cannotOpen(_, let cause) = error else {
                throw StorageError(reason: "\(error)")
            }
            throw StorageError(reason: "\(path) cannot be created: \(cause)")
        }
    }

    /// Copies the store into an empty file.
    private func copy(to path: String) async throws(StorageError) {
        let backup = try await access { db in
            do {
                let backup = try OnlineBackup(of: db, to: path)
                self.backups.withLock { $0.append(backup) }
                return backup
            } catch {
                throw StorageError(reason: "\(path) cannot be created: \(storageCause(error))")
            }
        }
        let result: Result<Void, StorageError>
        do throws(StorageError) {
            while try await !step(backup) {}
            result = .success(())
        } catch {
            result = .failure(error)
        }
        try? await access { _ in
            backup.end()
            self.backups.withLock { $0.removeAll { $0 === backup } }
        }
        try result.get()
    }

    private func step(_ backup: OnlineBackup) async throws(StorageError) -> Bool {
        try await access { _ in
            let end = ContinuousClock.now + Self.copyTime
            do {
                return try backup.step { ContinuousClock.now < end }
            } catch let error as DatabaseError {
                throw StorageError(reason: "the copy cannot be completed: \(error.cause)")
            }
        }
    }

    /// Turns WAL mode off in a backup, which has it because the mode is stored in the database file.
    private static func leaveWAL(_ path: String) throws {
        let database = try open(copy: path)
        try database.inDatabase { try $0.execute(sql: "PRAGMA journal_mode = DELETE") }
        try database.close()
    }
}
