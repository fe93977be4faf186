import Dispatch
import Foundation
import GRDB
import Sessions
import WaypostCore

extension SQLiteStore {
    /// How long one step of a copy may keep changes waiting.
    private static let copyTime = Duration.milliseconds(2)

    /// Reading all of a store takes seconds to minutes: on a thread of its own.
    private static let checkQueue = DispatchQueue(label: "waypost.store.check", qos: .utility)

    /// Returns the path of the copy that a check reads: on the disk that has room for a backup, in
    /// a folder of the user's.
    static func checkedCopy(of path: String) -> String { path + ".checking" }

    /// Copies the store as it is at the end of the copying into a new file, and syncs it. Changes go on
    /// in the meantime.
    /// - Throws: also if the file exists: a backup never replaces one.
    public func backup(to path: String) async throws(StorageError) {
        guard !StoreFile.exists(path) else {
            throw StorageError(reason: "\(path) exists already: name a new file")
        }
        do {
            try await copy(to: path)
            try await Self.onCheckQueue {
                // One file, which can be read where nothing can be written.
                try Self.leaveWAL(path)
                try StoreFile.sync(path)
                try StoreFile.sync(URL(filePath: path).deletingLastPathComponent().path)
            }
        } catch {
            StoreFile.remove(path)
            throw error
        }
    }

    /// Reads everything: SQLite's own check, and each session and its log, account and credential. A
    /// copy is checked, so that no change waits, and removed afterwards.
    public func check() async throws(StorageError) -> StoreReport {
        guard copies.withLock({ $0.beginCheck() }) else {
            throw StorageError(reason: "a check is running already: wait for its end")
        }
        defer { copies.withLock { $0.endCheck() } }
        let path = Self.checkedCopy(of: path)
        StoreFile.remove(path)
        defer { StoreFile.remove(path) }
        try await copy(to: path)
        return try await Self.onCheckQueue { try StoreCheck.report(onCopy: path) }
    }

    private func copy(to path: String) async throws(StorageError) {
        let backup = try await access { db in
            do {
                try StoreFile.makePrivate(path)
                let backup = try OnlineBackup(of: db, to: path)
                self.copies.withLock { $0.add(backup) }
                return backup
            } catch {
                throw StorageError(reason: "\(path) cannot be made: \(storageCause(error))")
            }
        }
        do {
            while try await !step(backup) {}
            try await access { _ in self.copies.withLock { $0.end(backup) } }
        } catch {
            try? await access { _ in self.copies.withLock { $0.end(backup) } }
            throw error
        }
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

    /// The copy says of itself that it has a log, as the store has.
    private static func leaveWAL(_ path: String) throws {
        var configuration = Configuration()
        configuration.prepareDatabase { db in
            try db.execute(sql: "PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = DELETE")
        }
        try DatabaseQueue(path: path, configuration: configuration).close()
    }

    private static func onCheckQueue<Value: Sendable>(
        _ work: @escaping @Sendable () throws -> Value
    ) async throws(StorageError) -> Value {
        let result: Result<Value, StorageError> = await withCheckedContinuation { continuation in
            checkQueue.async {
                continuation.resume(
                    returning: Result(catching: work).mapError { error in
                        error as? StorageError ?? StorageError(reason: storageCause(error))
                    })
            }
        }
        return try result.get()
    }
}
