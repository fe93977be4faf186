import Foundation
import GRDB
import SQLStore

// The maintenance of store files that no service has open.

extension SQLiteStore {
    /// Checks a store or a backup without changing it: the check reads a temporary copy.
    /// - Throws: `.inUse` if a service has the store open, `.notAStore` if the file is not a store,
    ///   `.foreignObject` if the file has a trigger or another object that is not Waypost's,
    ///   `.corrupt` if the end of the file or an object is missing.
    public static func check(_ path: String) throws(StoreError) -> StoreReport {
        try StoreFile.checkHead(path)
        let lock = try StoreLock(ifPresentFor: path)
        defer { withExtendedLifetime(lock) {} }
        let copy = checkedCopy(of: path)
        defer { StoreFile.remove(copy) }
        do {
            try StoreFile.copy(path, to: copy)
            return try report(onCopy: copy, of: path)
        } catch {
            throw StoreError(error, at: path)
        }
    }

    /// Replaces a store with a backup. The old store stays in the same folder under another name.
    /// The backup is only read. The new store belongs to the owner of the old one, so that the
    /// service can open a store that root has restored.
    /// - Parameter accept: called with the descriptions of the damaged rows of the backup if there are
    ///   any. Returns whether to restore the backup with these rows as they are.
    /// - Returns: the new path of the old store; nil if there was no old store.
    /// - Throws: `.inUse` if a process uses the store, `.notAStore` if `backup` is not a backup,
    ///   `.foreignObject` if the backup has a trigger or another object that is not Waypost's,
    ///   `.corrupt` if a part of the file of the backup cannot be read, `.damagedRows` if `accept`
    ///   returns false, `.cannotOpen` if a service uses the backup, if a file cannot be written, or if
    ///   the old store belongs to another user and the current user may not give files away. The
    ///   store is then unchanged. The exception is a failure in the last step, in which the new file
    ///   takes the name of the store. After such a failure, or if the process ends in this step, the
    ///   complete old store is at the path with the suffix `.before-restore`, followed by a number if
    ///   this path was in use.
    public static func restore(
        _ backup: String, to path: String,
        acceptingDamagedRows accept: ([String]) -> Bool = { _ in false }
    ) throws(StoreError) -> String? {
        try StoreFile.checkHead(backup)
        guard StoreFile.Identity(of: backup) != StoreFile.Identity(of: path) else {
            throw .cannotOpen(backup, reason: "this is the store itself; name a backup")
        }
        let lock = try StoreLock(for: path)
        let backupLock: StoreLock?
        do {
            backupLock = try StoreLock(ifPresentFor: backup)
        } catch {
            guard case .inUse = error else { throw error }
            throw .cannotOpen(backup, reason: "a service uses it; copy it with waypost backup")
        }
        defer { withExtendedLifetime((lock, backupLock)) {} }
        let copy = path + ".restoring-copy"
        let incoming = path + ".restoring"
        defer {
            StoreFile.remove(copy)
            StoreFile.remove(incoming)
        }
        do {
            try StoreFile.copy(backup, to: copy)
            try writeNewStore(incoming, from: copy, of: backup, accept)
        } catch {
            throw StoreError(error, at: backup)
        }
        try StoreFile.sync(incoming)
        try StoreFile.copyOwner(of: path, to: [incoming, path + ".lock"])
        let old = try setAside(path)
        // The rename is atomic, and durable once the folder is synced.
        guard rename(incoming, path) == 0 else { throw .lastSystemError(path) }
        try StoreFile.sync(URL(filePath: path).deletingLastPathComponent().path)
        return old
    }

    /// Deletes the store of a stopped service, with its write-ahead log. The next start of the
    /// service creates a new store. A damaged store is deleted, too, and so is a write-ahead log that
    /// is left of a store whose file somebody has removed.
    /// - Returns: false if there is no store.
    /// - Throws: `.inUse` if a process uses the store, `.notAStore` if the file is not an SQLite
    ///   database or has the tables of another program.
    @discardableResult
    public static func remove(_ path: String) throws(StoreError) -> Bool {
        guard StoreFile.hasFiles(path) else { return false }
        do {
            if StoreFile.exists(path) { try StoreFile.checkHead(path) }
        } catch {
            guard case .corrupt = error else { throw error }
        }
        try checkTables(path)
        let lock = try StoreLock(for: path)
        defer { withExtendedLifetime(lock) {} }
        StoreFile.remove(path)
        try StoreFile.sync(URL(filePath: path).deletingLastPathComponent().path)
        return true
    }

    /// Throws `.notAStore` if a database can be read and belongs to another program.
    private static func checkTables(_ path: String) throws(StoreError) {
        var configuration = Configuration()
        configuration.readonly = true
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA trusted_schema = OFF") }
        do {
            let database = try DatabaseQueue(path: path, configuration: configuration)
            _ = try database.read { try Schema.checkVersion($0, path: path, mayBeEmpty: true) }
        } catch let error as StoreError {
            guard case .notAStore = error else { return }
            throw error
        } catch {
            // The database is missing, damaged, or in use, which the lock shows.
        }
    }

    /// Writes the content of a copy of a backup, which may be changed, into a new file without free
    /// pages. The new file can shrink later, even if that of the backup cannot.
    /// - Throws: `.corrupt` if a part of the copy cannot be read, `.damagedRows` if `accept` returns
    ///   false.
    private static func writeNewStore(
        _ incoming: String, from copy: String, of backup: String, _ accept: ([String]) -> Bool
    ) throws {
        let report = try report(onCopy: copy, of: backup)
        if report.isFileDamaged, let defect = report.defects.first {
            throw StoreError.corrupt(backup, reason: defect)
        }
        if report.damagedRows > 0, !accept(report.defects) {
            throw StoreError.damagedRows(backup, count: report.damagedRows)
        }
        StoreFile.remove(incoming)
        try StoreFile.create(incoming)
        let database = try open(copy: copy)
        try database.inDatabase { db in
            try Schema.renewIncarnation(db)
            try db.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL")
            try db.execute(sql: "VACUUM INTO ?", arguments: [incoming])
        }
        try database.close()
    }

    /// Gives the old store a second name (a hard link), which remains when the new store takes the
    /// first name. The old write-ahead log is renamed, so that SQLite does not apply it to the new
    /// store. The log remains without its store if somebody has removed the file of the store.
    /// - Returns: the path with the second name; nil if there is no old store.
    private static func setAside(_ path: String) throws(StoreError) -> String? {
        let old = unusedName(path + ".before-restore")
        let hasStore = StoreFile.exists(path)
        do {
            if hasStore { try FileManager.default.linkItem(atPath: path, toPath: old) }
            for suffix in StoreFile.companions where StoreFile.exists(path + suffix) {
                try FileManager.default.moveItem(atPath: path + suffix, toPath: old + suffix)
            }
        } catch {
            throw .cannotOpen(old, reason: "\(error)")
        }
        return hasStore ? old : nil
    }

    /// Returns a path at which no file exists: `name`, or else `name-2`, `name-3` and so on. A
    /// second restore thus does not overwrite the old store that the first restore has kept.
    private static func unusedName(_ name: String) -> String {
        var candidate = name
        var number = 1
        while StoreFile.hasFiles(candidate) {
            number += 1
            candidate = "\(name)-\(number)"
        }
        return candidate
    }
}
