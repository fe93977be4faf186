import GRDB

/// Why a store cannot be opened.
public enum StoreError: Error, Sendable, Equatable, CustomStringConvertible {
    case cannotOpen(String, reason: String)
    /// Another process has it. The holder is its process id, where that is known.
    case inUse(String, holder: String?)
    case newerVersion(String, found: Int, known: Int)
    /// The setting that makes a commit safe from a power cut did not take.
    case notDurable(String)
    case corrupt(String, reason: String)
    /// The file is something else, such as the database of another program. The reason is a noun.
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
            "\(path): has schema version \(found), and this waypost knows up to \(known): "
                + "run the waypost that wrote it, or a later one"
        case .notDurable(let path):
            "\(path): SQLite does not sync each commit: sessions would not survive a power cut"
        case .corrupt(let path, let reason):
            "\(path): \(reason); restore a backup with waypost restore"
        case .notAStore(let path, let reason):
            "\(path): \(reason), which is neither a store nor a backup of Waypost; "
                + "name a file that waypost serve or waypost backup has made"
        case .diskFull(let path):
            "\(path): the disk is full; free some space, or name a file on another disk"
        }
    }

    /// - Parameter error: what SQLite said when it opened or read the file.
    init(_ error: any Error, at path: String) {
        switch error {
        case let error as StoreError: self = error
        case let error as DatabaseError:
            switch error.resultCode {
            // A program that does not know the lock file, such as a database browser.
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
