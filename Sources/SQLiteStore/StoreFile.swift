import Foundation

/// The files of a store or of a backup, as the file system has them: no SQLite is in the way.
enum StoreFile {
    /// The suffixes of the files that SQLite may keep beside a database's own.
    static let companions = ["-wal", "-shm", "-journal"]

    /// Makes the file before SQLite does, for this user alone. SQLite's other files follow it; those
    /// that are there already are made private, too.
    static func makePrivate(_ path: String) throws(StoreError) {
        let descriptor = try open(path, O_RDWR | O_CREAT)
        defer { close(descriptor) }
        restrict(descriptor)
        for suffix in companions {
            guard let companion = try? open(path + suffix, O_RDONLY) else { continue }
            restrict(companion)
            close(companion)
        }
    }

    /// Leaves the file of another user as it is: its mode is the other user's affair.
    static func restrict(_ descriptor: Int32) { fchmod(descriptor, 0o600) }

    /// Opens a regular file, and nothing else: a FIFO would block, a device has no end.
    private static func open(_ path: String, _ flags: Int32) throws(StoreError) -> Int32 {
        let descriptor = Glibc.open(path, flags | O_CLOEXEC | O_NONBLOCK, 0o600)
        guard descriptor >= 0 else {
            throw .cannotOpen(path, reason: String(cString: strerror(errno)))
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw .notAStore(path, reason: "not a regular file")
        }
        return descriptor
    }

    /// - Throws: `.notAStore` for what no Waypost can have written, such as an empty file; `.corrupt`
    ///   if its end is missing.
    static func checkHead(_ path: String) throws(StoreError) {
        let descriptor = try open(path, O_RDONLY)
        defer { close(descriptor) }
        var head = [UInt8](repeating: 0, count: 100)
        let count = read(descriptor, &head, head.count)
        guard count > 0 else { throw .notAStore(path, reason: "an empty file") }
        guard count == head.count, head.starts(with: "SQLite format 3\0".utf8) else {
            throw .notAStore(path, reason: "not an SQLite database")
        }
        // The last pages may be in the log, if there is one.
        guard !exists(path + "-wal") else { return }
        // The header has the sizes, of a page and of the file in pages (sqlite.org/fileformat2.html).
        func number(_ range: Range<Int>) -> Int { head[range].reduce(0) { $0 << 8 | Int($1) } }
        let pageSize = max(number(16..<18), 512)
        let pages = number(24..<28) == number(92..<96) ? number(28..<32) : 0
        let size = lseek(descriptor, 0, SEEK_END)
        guard size % pageSize == 0, size >= pages * pageSize else {
            throw .corrupt(path, reason: "the end of the file is missing")
        }
    }

    /// Copies a database that nobody writes, with the log of what is not in its own file yet.
    /// - Parameter copy: the path of the copy, which is made for this user alone. What is there is
    ///   removed.
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
        while true {
            let count = sendfile(destination, source, nil, 1 << 30)
            guard count >= 0 else {
                throw .cannotOpen(copy, reason: String(cString: strerror(errno)))
            }
            if count == 0 { return }
        }
    }

    static func exists(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    /// Whether two paths lead to one file.
    static func areSame(_ one: String, _ other: String) -> Bool {
        var first = stat()
        var second = stat()
        return stat(one, &first) == 0 && stat(other, &second) == 0
            && first.st_dev == second.st_dev && first.st_ino == second.st_ino
    }

    /// Removes a database and all that SQLite keeps beside it.
    static func remove(_ path: String) {
        for suffix in [""] + companions { unlink(path + suffix) }
    }

    /// Waits until the file, or the folder's entries, are on disk.
    static func sync(_ path: String) throws(StoreError) {
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw .cannotOpen(path, reason: String(cString: strerror(errno)))
        }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else {
            throw .cannotOpen(path, reason: String(cString: strerror(errno)))
        }
    }
}
