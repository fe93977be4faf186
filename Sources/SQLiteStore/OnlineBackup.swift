import GRDB
import GRDBSQLite
import Synchronization
import WaypostCore

/// Copies a database that is in use, a few pages at a time, with SQLite's backup API. Changes between
/// two steps are made in the copy, too, if they are made through the connection that is copied.
///
/// All is done on the thread of that connection. Whoever makes one ends it: what is not ended keeps the
/// connection from being closed.
final class OnlineBackup: Sendable {
    /// Owns both objects of SQLite. They are kept as addresses, which may go from thread to thread as
    /// pointers may not.
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

    /// Nil when it has ended.
    private let handles: Mutex<Handles?>

    /// - Parameter path: of the copy, a file that is empty.
    init(of db: Database, to path: String) throws {
        var destination: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX
        guard sqlite3_open_v2(path, &destination, flags, nil) == SQLITE_OK, let destination else {
            let error = Self.error(destination)
            sqlite3_close(destination)
            throw error
        }
        // A copy that is not complete is removed: it needs no journal, and is synced once, at its end.
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

    /// Copies as many pages as it can while `hasTime` says so; at least a few.
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

/// The copies of one store that are being made.
struct CopiesInProgress {
    private var backups: [OnlineBackup] = []
    private(set) var isChecking = false

    mutating func add(_ backup: OnlineBackup) { backups.append(backup) }

    mutating func end(_ backup: OnlineBackup) {
        backup.end()
        backups.removeAll { $0 === backup }
    }

    /// Before the store's connection is closed.
    mutating func endAll() {
        for backup in backups { backup.end() }
        backups = []
    }

    /// - Returns: false if a check is running: its copy has one place.
    mutating func beginCheck() -> Bool {
        defer { isChecking = true }
        return !isChecking
    }

    mutating func endCheck() { isChecking = false }
}
