import GRDB
import Glibc

/// The reason why a store cannot be opened, checked, restored or removed. The first value of each
/// case is the path of the file.
public enum StoreError: Error, Sendable, Equatable, CustomStringConvertible {
    case cannotOpen(String, reason: String)
    /// Another process has the store open. `holder` is the id of that process; nil if it is
    /// unknown.
    case inUse(String, holder: String?)
    case newerVersion(String, found: Int, known: Int)
    /// The store has a table, an index, a view or a trigger that no version of Waypost makes.
    /// `others` is the number of further such objects.
    case foreignObject(String, object: String, others: Int)
    /// SQLite did not accept the settings that make commits survive a power cut.
    case notDurable(String)
    case corrupt(String, reason: String)
    /// A backup has rows with values that Waypost cannot have written.
    case damagedRows(String, count: Int)
    /// The file is not a store. `reason` is a noun phrase that says what the file is, such as "an
    /// empty file".
    case notAStore(String, reason: String)
    case diskFull(String)

    public var description: String {
        switch self {
        case .cannotOpen(let path, let reason): "\(path): cannot be opened: \(reason)"
        case .inUse(let path, let holder):
            "\(path): in use by "
                + (holder.map { "process \($0)" } ?? "another process")
                + "; stop it, or name another file with --store sqlite:FILE"
        case .newerVersion(let path, let found, let known):
            "\(path): the store has schema version \(found), but this waypost supports only "
                + "versions up to \(known): run the waypost that wrote the store, or a later one"
        case .foreignObject(let path, let object, let others):
            "\(path): the store has \(object)"
                + (others == 0 ? "" : " and \(others) more objects")
                + " that Waypost does not make, and that may read or change its data: restore an "
                + "earlier backup with waypost restore, or remove the object with the sqlite3 program"
        case .notDurable(let path):
            "\(path): SQLite does not sync each commit: sessions would not survive a power cut"
        case .corrupt(let path, let reason):
            "\(path): \(reason); restore a backup with waypost restore"
        case .damagedRows(let path, let count):
            "\(path): \(count) \(count == 1 ? "row is" : "rows are") damaged; restore another backup, "
                + "or add --keep-damaged-rows to restore this one with these rows as they are"
        case .notAStore(let path, let reason):
            "\(path): \(reason), which is neither a store nor a backup of Waypost; "
                + "name a file that waypost serve or waypost backup has made"
        case .diskFull(let path):
            "\(path): the disk is full; free some space, or name a file on another disk"
        }
    }

    /// The error for a file for which a call of the system has just failed.
    static func lastSystemError(_ path: String) -> StoreError {
        .cannotOpen(path, reason: String(cString: strerror(errno)))
    }

    /// Converts an error that was thrown while a store file was opened or read. A `StoreError`
    /// stays the same.
    init(_ error: any Error, at path: String) {
        switch error {
        case let error as StoreError: self = error
        case let error as DatabaseError:
            switch error.resultCode {
            // Another program, such as a database browser, has the database open without the lock
            // file.
            case .SQLITE_BUSY: self = .inUse(path, holder: nil)
            case .SQLITE_FULL: self = .diskFull(path)
            case .SQLITE_CORRUPT, .SQLITE_NOTADB:
                self = .corrupt(path, reason: "SQLite says: \(error.message ?? error.cause)")
            default: self = .cannotOpen(path, reason: error.cause)
            }
        default: self = .cannotOpen(path, reason: "\(error)")
        }
    }
}

extension DatabaseError {
    /// A description of an SQLite error for the log, with its name, number and message:
    /// `SQLITE_FULL (13): database or disk is full`. The text contains neither the statement nor
    /// its values.
    var cause: String {
        let code = Int(resultCode.rawValue)
        let name = Self.names.indices.contains(code) ? "SQLITE_\(Self.names[code])" : "SQLite error"
        return "\(name) (\(extendedResultCode.rawValue)): \(message ?? "no message")"
    }

    /// The names of the primary result codes, the first of which is 0.
    private static let names = """
        OK ERROR INTERNAL PERM ABORT BUSY LOCKED NOMEM READONLY INTERRUPT IOERR CORRUPT NOTFOUND FULL \
        CANTOPEN PROTOCOL EMPTY SCHEMA TOOBIG CONSTRAINT MISMATCH MISUSE NOLFS AUTH FORMAT RANGE NOTADB
        """.split(separator: " ")
}

/// Returns the description of an error for the log: `cause` for an error of SQLite, and the error's
/// own description for any other error.
func storageCause(_ error: any Error) -> String {
    (error as? DatabaseError)?.cause ?? "\(error)"
}
