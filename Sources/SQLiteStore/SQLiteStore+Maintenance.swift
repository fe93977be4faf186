import Foundation
import GRDB

// The files of a store that no service uses.

extension SQLiteStore {
    /// Reads everything in a store or a backup. Nothing is written into it: a copy beside it is read,
    /// with what its log holds, and removed afterwards.
    /// - Throws: `.inUse` if a service has it, `.notAStore` if it is none.
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

    /// Puts a backup in the place of a store that no process uses. The backup is not changed; what its
    /// log (`-wal`) holds is taken, too. The old store is kept beside the new one.
    /// - Returns: where the old file is now; nil if there was none.
    /// - Throws: `.notAStore` if the file is no backup, `.corrupt` if not all of it can be read. The
    ///   store is then as before.
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
        // Atomic, and on disk when the folder is.
        guard rename(incoming, path) == 0 else {
            throw StoreError.cannotOpen(path, reason: String(cString: strerror(errno)))
        }
        try StoreFile.sync(URL(filePath: path).deletingLastPathComponent().path)
        return old
    }

    /// Writes all that the copy holds into a file without free pages, which can give back those that
    /// it no longer needs, also if the backup is an older store's, which cannot.
    /// - Throws: `.corrupt` if not all of the copy can be read.
    private static func writeNewStore(_ incoming: String, from copy: String) throws {
        let report = try StoreCheck.report(onCopy: copy)
        guard report.defects.isEmpty else {
            throw StoreError.corrupt(copy, reason: report.defects[0])
        }
        StoreFile.remove(incoming)
        try StoreFile.makePrivate(incoming)
        let database = try StoreCheck.open(copy)
        try database.inDatabase { db in
            try db.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL")
            try db.execute(sql: "VACUUM INTO ?", arguments: [incoming])
        }
        try database.close()
    }

    /// Gives the old file a second name, which stays when the first gets the new file. Its log goes
    /// with it, as it must not be taken for the new file's. Neither is opened: a store that is beyond
    /// repair is just what a backup is restored for.
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

    /// - Returns: the name, or the name with the first number from 2 on under which there is nothing: a
    ///   second restore must not remove what the first has kept.
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
    /// The error of a copy, said of the file that was copied.
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

/// The digits of the bytes, in lower case.
func hexadecimal(_ data: Data) -> String {
    data.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
}
