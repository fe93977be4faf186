import GRDB
import GRDBSQLite
import Synchronization
import WaypostCore

/// Copies a database in use, a few pages at a time, with SQLite's backup API. Changes that the
/// database's own connection makes in the meantime also go into the copy.
///
/// All methods must be called on the thread of that connection. The owner must call `end()`, as the
/// connection cannot be closed while a backup is open.
final class OnlineBackup: Sendable {
    /// Owns the two SQLite objects of a backup. Their addresses are stored as integers because
    /// pointers are not `Sendable`.
    private struct Handles: ~Copyable, Sendable {
        private let backupAddress: UInt
        private let destinationAddress: UInt

        init(backup: OpaquePointer, destination: OpaquePointer) {
            backupAddress = UInt(bitPattern: backup)
            destinationAddress = UInt(bitPattern: destination)
        }

        var backup: OpaquePointer? { OpaquePointer(bitPattern: backupAddress) }
        private var destination: OpaquePointer? { OpaquePointer(bitPattern: destinationAddress) }

        deinit {
            sqlite3_backup_finish(backup)
            sqlite3_close(destination)
        }
    }

    /// The open handles; nil after `end()`.
    private let handles: Mutex<Handles?>

    /// Starts a backup.
    /// - Parameter path: the path of the copy, an existing empty file.
    init(of db: Database, to path: String) throws {
        var destination: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX
        guard sqlite3_open_v2(path, &destination, flags, nil) == SQLITE_OK, let destination else {
            let error = Self.error(destination)
            sqlite3_close(destination)
            throw error
        }
        // An incomplete copy is deleted, so it needs no journal. A complete copy is synced once, at
        // its end.
        let settings = "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF"
        guard sqlite3_exec(destination, settings, nil, nil, nil) == SQLITE_OK,
            let backup = sqlite3_backup_init(destination, "main", db.sqliteConnection, "main")
        else {
            let error = Self.error(destination)
            sqlite3_close(destination)
            throw error
        }
        handles = Mutex(Handles(backup: backup, destination: destination))
    }

    /// Copies 8 pages, and more as long as `hasTime` returns true.
    /// - Returns: whether all pages are copied.
    func step(while hasTime: () -> Bool) throws -> Bool {
        try handles.withLock { handles in
            guard let backup = handles?.backup else {
                throw StorageError(reason: "the copy was given up: the service is stopping")
            }
            repeat {
                let code = sqlite3_backup_step(backup, 8)
                if code == SQLITE_DONE { return true }
                guard code == SQLITE_OK else {
                    throw DatabaseError(resultCode: ResultCode(rawValue: code))
                }
            } while hasTime()
            return false
        }
    }

    func end() { handles.withLock { $0 = nil } }

    private static func error(_ connection: OpaquePointer?) -> DatabaseError {
        DatabaseError(
            resultCode: ResultCode(rawValue: sqlite3_errcode(connection)),
            message: String(cString: sqlite3_errmsg(connection)))
    }
}

/// The backups of one store that are in progress, and whether a check is.
struct CopiesInProgress {
    private var backups: [OnlineBackup] = []
    private(set) var isChecking = false

    mutating func add(_ backup: OnlineBackup) { backups.append(backup) }

    mutating func end(_ backup: OnlineBackup) {
        backup.end()
        backups.removeAll { $0 === backup }
    }

    /// Ends all backups; called before the store's connection is closed.
    mutating func endAll() {
        for backup in backups { backup.end() }
        backups = []
    }

    /// Notes that a check begins. Checks share one path for their copy.
    /// - Returns: false if another check is running.
    mutating func beginCheck() -> Bool {
        defer { isChecking = true }
        return !isChecking
    }

    mutating func endCheck() { isChecking = false }
}
