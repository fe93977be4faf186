import GRDB

extension DatabaseError {
    /// SQLite's name and number of the error and its message, for a log: `SQLITE_FULL (13): database
    /// or disk is full`. Neither the statement nor its values are in it.
    var cause: String {
        let name = Self.names.first { $0.code == resultCode }?.name ?? "SQLite error"
        return "\(name) (\(extendedResultCode.rawValue)): \(message ?? "no message")"
    }

    private static let names: [(code: ResultCode, name: String)] = [
        (.SQLITE_ERROR, "SQLITE_ERROR"), (.SQLITE_PERM, "SQLITE_PERM"),
        (.SQLITE_ABORT, "SQLITE_ABORT"), (.SQLITE_BUSY, "SQLITE_BUSY"),
        (.SQLITE_LOCKED, "SQLITE_LOCKED"), (.SQLITE_NOMEM, "SQLITE_NOMEM"),
        (.SQLITE_READONLY, "SQLITE_READONLY"), (.SQLITE_INTERRUPT, "SQLITE_INTERRUPT"),
        (.SQLITE_IOERR, "SQLITE_IOERR"), (.SQLITE_CORRUPT, "SQLITE_CORRUPT"),
        (.SQLITE_FULL, "SQLITE_FULL"), (.SQLITE_CANTOPEN, "SQLITE_CANTOPEN"),
        (.SQLITE_PROTOCOL, "SQLITE_PROTOCOL"), (.SQLITE_SCHEMA, "SQLITE_SCHEMA"),
        (.SQLITE_TOOBIG, "SQLITE_TOOBIG"), (.SQLITE_CONSTRAINT, "SQLITE_CONSTRAINT"),
        (.SQLITE_MISMATCH, "SQLITE_MISMATCH"), (.SQLITE_MISUSE, "SQLITE_MISUSE"),
        (.SQLITE_NOLFS, "SQLITE_NOLFS"), (.SQLITE_AUTH, "SQLITE_AUTH"),
        (.SQLITE_RANGE, "SQLITE_RANGE"), (.SQLITE_NOTADB, "SQLITE_NOTADB"),
    ]
}

/// Returns the text for the log of an error that the store met.
func storageCause(_ error: any Error) -> String {
    (error as? DatabaseError)?.cause ?? "\(error)"
}
