import Accounts
import Foundation
import GRDB
import Sessions

extension SQLiteStore {
    /// Copies the store as it is between two commits into a new file, and syncs it. Changes wait in
    /// the meantime.
    /// - Throws: also if the file exists: a backup never replaces one.
    public func backup(to path: String) async throws(StorageError) {
        try await access { db in
            guard !FileManager.default.fileExists(atPath: path) else {
                throw StorageError(reason: "\(path) exists already: name a new file")
            }
            do {
                try Self.makePrivate(path)
                try db.execute(sql: "VACUUM INTO ?", arguments: [path])
                try Self.sync(path)
            } catch {
                try? FileManager.default.removeItem(atPath: path)
                throw error
            }
        }
    }

    /// Reads everything: SQLite's own check, and each session and its log.
    public func check() async throws(StorageError) -> StoreReport {
        try await access { try StoreCheck.report($0) }
    }

    /// Puts a backup in the place of a store that no process uses. The old file is kept beside it.
    /// - Returns: where the old file is now; nil if there was none.
    public static func restore(
        _ backup: String, to path: String
    ) throws(StoreError) -> String? {
        let lock = try StoreLock(for: path)
        defer { withExtendedLifetime(lock) {} }
        do {
            var configuration = Configuration()
            configuration.readonly = true
            let copy = try DatabaseQueue(path: backup, configuration: configuration)
            try copy.inDatabase { _ = try Schema.checkVersion($0, path: backup) }
            let files = FileManager.default
            let incoming = path + ".restoring"
            try? files.removeItem(atPath: incoming)
            do {
                try files.copyItem(atPath: backup, toPath: incoming)
                try bringUpToDate(incoming, from: backup)
            } catch {
                try? files.removeItem(atPath: incoming)
                throw error
            }
            try sync(incoming)
            let old = try setAside(path)
            // Atomic, and on disk when the folder is.
            guard rename(incoming, path) == 0 else {
                throw StoreError.cannotOpen(path, reason: String(cString: strerror(errno)))
            }
            try sync(URL(filePath: path).deletingLastPathComponent().path)
            return old
        } catch let error as StoreError {
            throw error
        } catch {
            throw .cannotOpen(backup, reason: "\(error)")
        }
    }

    /// - Throws: `.corrupt` if not all of it can be read.
    private static func bringUpToDate(_ incoming: String, from backup: String) throws {
        let database = try DatabaseQueue(path: incoming)
        let report = try database.inDatabase { db in
            try Schema.migrate(db, path: backup)
            return try StoreCheck.report(db)
        }
        try database.close()
        guard report.defects.isEmpty else {
            throw StoreError.corrupt(backup, reason: report.defects[0])
        }
    }

    /// Gives the old file a second name, which stays when the first gets the new file. Its log goes
    /// with it, as it must not be taken for the new file's. Neither is opened: a store that is beyond
    /// repair is just what a backup is restored for.
    private static func setAside(_ path: String) throws -> String? {
        let files = FileManager.default
        guard files.fileExists(atPath: path) else { return nil }
        let old = path + ".before-restore"
        for suffix in ["", "-wal", "-shm"] { try? files.removeItem(atPath: old + suffix) }
        try files.linkItem(atPath: path, toPath: old)
        for suffix in ["-wal", "-shm"] where files.fileExists(atPath: path + suffix) {
            try files.moveItem(atPath: path + suffix, toPath: old + suffix)
        }
        return old
    }

    private static func sync(_ path: String) throws {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw StorageError(reason: String(cString: strerror(errno))) }
        defer { Glibc.close(descriptor) }
        guard fsync(descriptor) == 0 else {
            throw StorageError(reason: String(cString: strerror(errno)))
        }
    }
}

/// The digits of the bytes, in lower case.
func hexadecimal(_ data: Data) -> String {
    data.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
}
