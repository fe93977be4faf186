import Foundation

/// Operations on the files of a store or a backup that do not use SQLite.
enum StoreFile {
    /// The suffixes that SQLite appends to the path of a database for its additional files.
    static let companions = ["-wal", "-shm", "-journal"]

    /// Creates an empty file with access for the current user only.
    /// - Throws: `.cannotOpen` if a file with this path exists, or if it cannot be created.
    static func create(_ path: String) throws(StoreError) {
        close(try open(path, O_RDWR | O_CREAT | O_EXCL))
    }

    /// Creates the database file, if it does not exist, with access for the current user only. The
    /// caller must call this method before SQLite opens the file: SQLite gives its additional files
    /// the same permissions. The method also restricts the permissions of existing files.
    static func makePrivate(_ path: String) throws(StoreError) {
        let descriptor = try open(path, O_RDWR | O_CREAT)
        close(descriptor)
        for suffix in [""] + companions {
            guard let descriptor = try? open(path + suffix, O_RDONLY) else { continue }
            // This has no effect on a file of another user.
            fchmod(descriptor, 0o600)
            close(descriptor)
        }
    }

    /// Opens a regular file.
    /// - Returns: the file descriptor.
    /// - Throws: `.notAStore` for another kind of file: a FIFO would block the reader, and a device
    ///   has no end. `.cannotOpen` if the file cannot be opened.
    private static func open(_ path: String, _ flags: Int32) throws(StoreError) -> Int32 {
        let descriptor = Glibc.open(path, flags | O_CLOEXEC | O_NONBLOCK, 0o600)
        guard descriptor >= 0 else { throw .lastSystemError(path) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw .notAStore(path, reason: "not a regular file")
        }
        return descriptor
    }

    /// Checks that a file can become a store or is a database, and does not change it.
    /// - Throws: `.notAStore` if the file exists, and is neither empty nor an SQLite database.
    static func checkKind(_ path: String) throws(StoreError) {
        guard Identity(of: path) != nil else { return }
        let descriptor = try open(path, O_RDONLY)
        defer { close(descriptor) }
        _ = try head(descriptor, path)
    }

    /// Reads the header of an SQLite database.
    /// - Returns: the first 100 bytes; an empty array if the file is empty.
    private static func head(
        _ descriptor: Int32, _ path: String
    ) throws(StoreError) -> [UInt8] {
        var head = [UInt8](repeating: 0, count: 100)
        let count = read(descriptor, &head, head.count)
        guard count != 0 else { return [] }
        guard count == head.count, head.starts(with: "SQLite format 3\0".utf8) else {
            throw .notAStore(path, reason: "not an SQLite database")
        }
        return head
    }

    /// Checks the header and the size of a database file.
    /// - Throws: `.notAStore` if the file is empty or is not an SQLite database; `.corrupt` if the
    ///   end of the file is missing.
    static func checkHead(_ path: String) throws(StoreError) {
        let descriptor = try open(path, O_RDONLY)
        defer { close(descriptor) }
        let head = try head(descriptor, path)
        guard !head.isEmpty else { throw .notAStore(path, reason: "an empty file") }
        // If there is a write-ahead log, the last pages may be in the log only.
        guard !exists(path + "-wal") else { return }
        // The header holds the page size and the number of pages (sqlite.org/fileformat2.html).
        func number(_ range: Range<Int>) -> Int { head[range].reduce(0) { $0 << 8 | Int($1) } }
        let pageSize = max(number(16..<18), 512)
        let pages = number(24..<28) == number(92..<96) ? number(28..<32) : 0
        let size = lseek(descriptor, 0, SEEK_END)
        guard size % pageSize == 0, size >= pages * pageSize else {
            throw .corrupt(path, reason: "the end of the file is missing")
        }
    }

    /// Copies a database with its write-ahead log, which no process may write meanwhile. An existing
    /// copy is replaced. Only the current user can read the copy.
    static func copy(_ path: String, to copy: String) throws(StoreError) {
        remove(copy)
        try copyFile(path, to: copy)
        for suffix in ["-wal", "-journal"] where exists(path + suffix) {
            try copyFile(path + suffix, to: copy + suffix)
        }
    }

    private static func copyFile(_ path: String, to copy: String) throws(StoreError) {
        let source = try open(path, O_RDONLY)
        defer { close(source) }
        let destination = try open(copy, O_WRONLY | O_CREAT | O_EXCL)
        defer { close(destination) }
        var count = 0
        repeat { count = sendfile(destination, source, nil, 1 << 30) } while count > 0
        guard count == 0 else { throw .lastSystemError(copy) }
    }

    /// Gives files the owner and the group of an existing file. Without this file, does nothing. The
    /// rights of the files stay as they are: nobody but the owner has any.
    /// - Throws: `.cannotOpen` for `path` if the files belong to another user than `path`, and the
    ///   current user may not give them away.
    static func copyOwner(of path: String, to files: [String]) throws(StoreError) {
        var status = stat()
        guard stat(path, &status) == 0 else { return }
        for file in files where chown(file, status.st_uid, status.st_gid) != 0 {
            let reason = String(cString: strerror(errno))
            var own = stat()
            // A group that the user is not in does not matter, because it has no rights.
            if stat(file, &own) == 0, own.st_uid == status.st_uid { continue }
            throw .cannotOpen(
                path,
                reason: "the new file cannot be given to its owner (user \(status.st_uid)): "
                    + "\(reason): run the command as this user or as root")
        }
    }

    static func exists(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    /// Returns whether a database file or one of its additional files exists.
    static func hasFiles(_ path: String) -> Bool {
        ([""] + companions).contains { exists(path + $0) }
    }

    /// The identity of a file, which tells whether the file was removed or replaced.
    struct Identity: Equatable, Sendable {
        private let device: dev_t
        private let inode: ino_t

        /// - Returns: nil if the file does not exist.
        init?(of path: String) {
            var status = stat()
            guard stat(path, &status) == 0 else { return nil }
            device = status.st_dev
            inode = status.st_ino
        }
    }

    /// Removes a database file and the additional files that SQLite keeps for it.
    static func remove(_ path: String) {
        for suffix in [""] + companions { unlink(path + suffix) }
    }

    /// Syncs a file's content, or a folder's entries, to disk.
    static func sync(_ path: String) throws(StoreError) {
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .lastSystemError(path) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw .lastSystemError(path) }
    }
}
