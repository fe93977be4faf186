import Foundation
import GRDB
import StoreCoding

// The maintenance of store files that no service has open.

extension SQLiteStore {
    /// Checks a store or a backup without changing it. The check copies the file and its
    /// write-ahead log, reads the copy, and then deletes the copy.
    /// - Throws: `.inUse` if a service has the store open, `.notAStore` if the file is not a store,
    ///   `.corrupt` if the end of the file is missing.
    public static func check(_ path: String) throws(StoreError) -> StoreReport {
        try StoreFile.checkHead(path)
        let lock = try StoreLock(ifPresentFor: path)
        defer { withExtendedLifetime(lock) {} }
        let copy = checkedCopy(of: path)
        defer { StoreFile.remove(copy) }
        do {
            try StoreFile.copy(path, to: copy)
            return try StoreCheck.report(onCopy: copy)
        } catch {
            throw StoreError(error, at: path, insteadOf: copy)
        }
    }

    /// Replaces a store that no process uses with a backup. The backup and its write-ahead log are
    /// read and not changed. The old store is kept beside the new one.
    /// - Returns: the new path of the old store; nil if there was none.
    /// - Throws: `.inUse` if a process uses the store, `.notAStore` if `backup` is not a backup,
    ///   `.corrupt` if a part of the backup cannot be read. The store is then unchanged. `.cannotOpen` if
    ///   the new store cannot take the name of the old one. The old store is then complete under its
    ///   second name, as it is if the process ends during the restore.
    public static func restore(
        _ backup: String, to path: String
    ) throws(StoreError) -> String? {
        try StoreFile.checkHead(backup)
        guard !StoreFile.areSame(backup, path) else {
            throw .cannotOpen(backup, reason: "it is the store that it is to replace")
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
            try writeNewStore(incoming, from: copy)
        } catch {
            throw StoreError(error, at: backup, insteadOf: copy)
        }
        try StoreFile.sync(incoming)
        let old = try setAside(path)
        // The rename is atomic, and durable once the folder is synced.
        guard rename(incoming, path) == 0 else {
            throw StoreError.cannotOpen(path, reason: String(cString: strerror(errno)))
        }
        try StoreFile.sync(URL(filePath: path).deletingLastPathComponent().path)
        return old
    }

    /// Removes the store of a stopped service, with its write-ahead log. The next start makes a new one.
    /// A damaged store is removed, too.
    /// - Throws: `.inUse` if a process uses the store, and `.notAStore` if the file is not an SQLite
    ///   database or has the tables of another program.
    public static func remove(_ path: String) throws(StoreError) {
        try StoreFile.checkHead(path)
        try checkTables(path)
        let lock = try StoreLock(for: path)
        defer { withExtendedLifetime(lock) {} }
        StoreFile.remove(path)
        try StoreFile.sync(URL(filePath: path).deletingLastPathComponent().path)
    }

    /// - Throws: `.notAStore` if the database can be read and is not a store.
    private static func checkTables(_ path: String) throws(StoreError) {
        var configuration = Configuration()
        configuration.readonly = true
        do {
            let database = try DatabaseQueue(path: path, configuration: configuration)
            _ = try database.read { try Schema.checkVersion($0, path: path, mayBeEmpty: true) }
        } catch let error as StoreError {
            guard case .notAStore = error else { return }
            throw error
        } catch {
            // An unreadable database is damaged or in use. The lock tells whether it is in use.
        }
    }

    /// Writes the content of a backup's copy into a new file without free pages. The new file can
    /// shrink later, even if the backup comes from an old version of Waypost whose files cannot
    /// shrink.
    /// - Throws: `.corrupt` if a part of the copy cannot be read.
    private static func writeNewStore(_ incoming: String, from copy: String) throws {
        let report = try StoreCheck.report(onCopy: copy)
        guard report.defects.isEmpty else {
            throw StoreError.corrupt(copy, reason: report.defects[0])
        }
        StoreFile.remove(incoming)
        try StoreFile.makePrivate(incoming)
        let database = try StoreCheck.open(copy)
        try database.inDatabase { db in
            try Schema.renewIncarnation(db)
            try db.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL")
            try db.execute(sql: "VACUUM INTO ?", arguments: [incoming])
        }
        try database.close()
    }

    /// Adds a second name (a hard link) to the old store. The old store keeps this name when the
    /// new store takes the first name. The old write-ahead log is renamed, so that SQLite does not
    /// apply it to the new store. Neither file is opened, as the old store may be damaged.
    /// - Returns: the second name; nil if there is no old store.
    private static func setAside(_ path: String) throws(StoreError) -> String? {
        guard StoreFile.exists(path) else { return nil }
        let old = unusedName(path + ".before-restore")
        do {
            try FileManager.default.linkItem(atPath: path, toPath: old)
            for suffix in StoreFile.companions where StoreFile.exists(path + suffix) {
                try FileManager.default.moveItem(atPath: path + suffix, toPath: old + suffix)
            }
        } catch {
            throw .cannotOpen(old, reason: "\(error)")
        }
        return old
    }

    /// Returns a name that no file has: the name itself, or the name with the lowest free number from
    /// 2 on. A second restore thus does not replace the file that the first restore has set aside.
    private static func unusedName(_ name: String) -> String {
        var candidate = name
        var number = 1
        while ([""] + StoreFile.companions).contains(where: { StoreFile.exists(candidate + $0) }) {
            number += 1
            candidate = "\(name)-\(number)"
        }
        return candidate
    }
}

extension StoreError {
    /// Makes an error about the original file from an error about its copy.
    fileprivate init(_ error: any Error, at path: String, insteadOf copy: String) {
        let error = StoreError(error, at: copy)
        self =
            switch error {
            case .corrupt(copy, let reason): .corrupt(path, reason: reason)
            case .notAStore(copy, let reason): .notAStore(path, reason: reason)
            case .newerVersion(copy, let found, let known):
                .newerVersion(path, found: found, known: known)
            default: error
            }
    }
}
