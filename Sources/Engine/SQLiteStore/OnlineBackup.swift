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
    /// The addresses of the backup and of the connection to the copy, as integers because pointers are
    /// not `Sendable`; nil after `end()`.
    private let addresses: Mutex<(backup: UInt, copy: UInt)?>

    /// Starts a backup to a file, which must exist and be empty.
    /// - Throws: `DatabaseError` if SQLite cannot open the copy or start the backup.
    init(of db: Database, to path: String) throws {
        var copy: OpaquePointer?
        // An incomplete copy is deleted, so it needs no journal. A complete copy is synced once, at
        // its end.
        let settings = "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF"
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX
        guard sqlite3_open_v2(path, &copy, flags, nil) == SQLITE_OK,
            sqlite3_exec(copy, settings, nil, nil, nil) == SQLITE_OK,
            let backup = sqlite3_backup_init(copy, "main", db.sqliteConnection, "main")
        else {
            defer { sqlite3_close(copy) }
            throw DatabaseError(
                resultCode: ResultCode(rawValue: sqlite3_errcode(copy)),
                message: String(cString: sqlite3_errmsg(copy)))
        }
        addresses = Mutex((UInt(bitPattern: backup), UInt(bitPattern: copy)))
    }

    deinit { end() }

    /// Copies 8 pages, and then 8 more each time that `hasTime` returns true.
    /// - Returns: true if the copy is complete.
    /// - Throws: `DatabaseError` if SQLite fails, and `StorageError` after `end()`.
    func step(while hasTime: () -> Bool) throws -> Bool {
        try addresses.withLock { addresses in
            guard let addresses else {
                throw StorageError(reason: "the copy was cancelled: the service is stopping")
            }
            repeat {
                let code = sqlite3_backup_step(OpaquePointer(bitPattern: addresses.backup), 8)
                if code == SQLITE_DONE { return true }
                guard code == SQLITE_OK else {
                    throw DatabaseError(resultCode: ResultCode(rawValue: code))
                }
            } while hasTime()
            return false
        }
    }

    func end() {
        guard let addresses = addresses.withLock({ $0.take() }) else { return }
        sqlite3_backup_finish(OpaquePointer(bitPattern: addresses.backup))
        sqlite3_close(OpaquePointer(bitPattern: addresses.copy))
    }
}
