import GRDB
import GRDBSQLite
import Synchronization
import WaypostCore

/// Copies a database while it is in use, a few pages at a time, with SQLite's online backup API. If
/// the database's own connection changes the database during the backup, SQLite adds the change to
/// the copy.
///
/// All methods must be called on the thread that uses this connection. The owner must call `end()`
/// before it closes the connection, because SQLite does not close a connection with an open backup.
final class OnlineBackup: Sendable {
    /// Owns the two SQLite objects of a backup, the backup handle and the connection to the copy.
    /// Their addresses are stored as integers because pointers are not `Sendable`.
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

    /// The SQLite objects of the backup; nil after `end()`.
    private let handles: Mutex<Handles?>

    /// Starts a backup.
    /// - Parameters:
    ///   - db: the database to copy.
    ///   - path: the path of the copy. The file must exist and be empty.
    /// - Throws: `DatabaseError` if SQLite cannot open the copy or start the backup.
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

    /// Copies 8 pages, and then 8 more each time that `hasTime` returns true.
    /// - Returns: true if the copy is complete.
    /// - Throws: `DatabaseError` if SQLite fails, and `StorageError` after `end()`.
    func step(while hasTime: () -> Bool) throws -> Bool {
        try handles.withLock { handles in
            guard let backup = handles?.backup else {
                throw StorageError(reason: "the copy was cancelled: the service is stopping")
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

/// The backups of one store that are in progress, and whether a check of the store is in progress.
struct CopiesInProgress {
    private var backups: [OnlineBackup] = []
    private(set) var isChecking = false

    mutating func add(_ backup: OnlineBackup) { backups.append(backup) }

    mutating func end(_ backup: OnlineBackup) {
        backup.end()
        backups.removeAll { $0 === backup }
    }

    /// Ends all backups. The store calls this method before it closes its connection.
    mutating func endAll() {
        for backup in backups { backup.end() }
        backups = []
    }

    /// Records that a check of the store begins. Only one check can run at a time, because all
    /// checks use the same path for their copy of the store.
    /// - Returns: false if another check is in progress.
    mutating func beginCheck() -> Bool {
        defer { isChecking = true }
        return !isChecking
    }

    mutating func endCheck() { isChecking = false }
}
