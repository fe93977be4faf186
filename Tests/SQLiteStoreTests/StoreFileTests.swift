import Foundation
import GRDB
import Sessions
import TestSupport
import Testing
import WaypostCore

@testable import SQLiteStore

/// The files around the store: their modes, their loss, and their damage.
@Suite(.timeLimit(.minutes(10))) struct StoreFileTests {
    private let folder: TemporaryFolder
    private var path: String { folder.file("store.sqlite") }

    init() throws { folder = try TemporaryFolder() }

    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test("A store's files are made private, even if others could read them before")
    func modes() async throws {
        for suffix in ["", ".lock"] {
            _ = FileManager.default.createFile(
                atPath: path + suffix, contents: nil, attributes: [.posixPermissions: 0o644])
        }
        let store = try SQLiteStore(path: path)
        try await Sample.insert(1...1, store)
        for suffix in ["", "-wal", ".lock"] { #expect(try mode(path + suffix) == 0o600) }
        let backup = folder.file("backup")
        try await store.backup(to: backup)
        await store.close()
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: backup)
        _ = try SQLiteStore.restore(backup, to: path)
        #expect(try mode(path) == 0o600)
    }

    @Test("One of several backups to one path at once succeeds, and the others change nothing")
    func backupsAtOnce() async throws {
        let store = try SQLiteStore(path: path)
        try await Sample.insert(1...3, store)
        for round in 1...20 {
            let backup = folder.file("backup\(round)")
            let refusals = await withTaskGroup { tasks in
                for _ in 1...4 {
                    tasks.addTask { () async -> String? in
                        do throws(StorageError) {
                            try await store.backup(to: backup)
                            return nil
                        } catch {
                            return error.reason
                        }
                    }
                }
                return await tasks.reduce(into: []) { $0.append($1) }.compactMap(\.self)
            }
            #expect(
                refusals
                    == Array(repeating: "\(backup) exists already: name a new file", count: 3))
            #expect(try SQLiteStore.check(backup).sessions == 3)
            #expect(try mode(backup) == 0o600)
        }
    }

    @Test("The copy of a check that was killed is removed when the store is opened")
    func copyOfCheck() async throws {
        let files = ["", "-wal", "-shm", "-journal"].map {
            SQLiteStore.checkedCopy(of: path) + $0
        }
        for file in files { _ = FileManager.default.createFile(atPath: file, contents: nil) }
        let store = try SQLiteStore(path: path)
        #expect(files.filter(FileManager.default.fileExists(atPath:)) == [])
        await store.close()
    }

    @Test("A write-ahead log that others can read is made private")
    func modeOfALog() async throws {
        let store = try SQLiteStore(path: path)
        try await Sample.insert(1...1, store)
        let copy = folder.file("copy")
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: path + suffix, toPath: copy + suffix)
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o644], ofItemAtPath: copy + suffix)
        }
        let other = try SQLiteStore(path: copy)
        #expect(try await other.check().sessions == 1)
        for suffix in ["", "-wal"] { #expect(try mode(copy + suffix) == 0o600) }
    }

    @Test("A store path that is not a regular file is rejected and left unchanged")
    func noRegularFile() throws {
        let fifo = folder.file("fifo")
        try #require(mkfifo(fifo, 0o644) == 0)
        for path in [fifo, folder.path, "/dev/null"] {
            #expect(throws: StoreError.self) { try SQLiteStore(path: path) }
        }
        #expect(try mode(fifo) == 0o644)
        #expect(try mode("/dev/null") == 0o666)
    }

    @Test("A file that is no database is rejected and left unchanged, without a lock file")
    func text() throws {
        for content in ["notes", String(repeating: "notes ", count: 100)] {
            try Data(content.utf8).write(to: URL(filePath: path))
            chmod(path, 0o644)
            #expect(throws: StoreError.notAStore(path, reason: "not an SQLite database")) {
                try SQLiteStore(path: path)
            }
            #expect(try mode(path) == 0o644)
            #expect(try String(contentsOfFile: path, encoding: .utf8) == content)
            #expect(!FileManager.default.fileExists(atPath: path + ".lock"))
        }
    }

    @Test("A lock file that cannot be created is refused with the reason of the system")
    func folderWithoutWriteAccess() throws {
        // Even root cannot create files in this folder.
        try FileManager.default.createSymbolicLink(
            atPath: path + ".lock", withDestinationPath: "/sys/none")
        let error = #expect(throws: StoreError.self) { try SQLiteStore(path: path) }
        let reasons = ["Permission denied", "Read-only file system"].map {
            StoreError.cannotOpen(path + ".lock", reason: $0)
        }
        #expect(error.map(reasons.contains) == true, "\(error as Any)")
    }

    @Test("The database of another program is rejected and left unchanged")
    func foreignDatabase() async throws {
        for version in [0, 3] {
            let foreign = folder.file("foreign\(version)")
            let database = try DatabaseQueue(path: foreign)
            try database.inDatabase {
                try $0.execute(sql: "CREATE TABLE mine (a); PRAGMA user_version = \(version)")
            }
            try database.close()
            let content = try Data(contentsOf: URL(filePath: foreign))
            for open in [
                { _ = try SQLiteStore(path: foreign) },
                { _ = try SQLiteStore.check(foreign) },
                { _ = try SQLiteStore.restore(foreign, to: folder.file("new")) },
            ] {
                let error = #expect(throws: StoreError.self, performing: open)
                #expect(error?.description.contains("without Waypost's tables") == true)
                #expect(try Data(contentsOf: URL(filePath: foreign)) == content)
            }
        }
        #expect(!FileManager.default.fileExists(atPath: folder.file("new")))
    }

    @Test(
        "A store whose file or log was removed or replaced rejects changes with the reason",
        arguments: ["", "-wal"], [false, true])
    func lostFile(_ suffix: String, _ isReplaced: Bool) async throws {
        let store = try SQLiteStore(path: path)
        try await Sample.insert(1...2, store)
        #expect(store.failure == nil)
        try FileManager.default.moveItem(
            atPath: path + suffix, toPath: folder.file("elsewhere"))
        if isReplaced {
            try FileManager.default.copyItem(
                atPath: folder.file("elsewhere"), toPath: path + suffix)
        }
        let error = await #expect(throws: SessionError.self) {
            try await Sample.insert(3...3, store)
        }
        guard case .storage(let storage) = error else {
            Issue.record("\(error as Any)")
            return
        }
        #expect(storage.reason.contains("was removed or replaced"))
        #expect(store.failure == storage)
        await #expect(throws: SessionError.storage(storage)) {
            try await store.purge(before: Timestamp(milliseconds: 0))
        }
        // The data can still be saved with a backup.
        let backup = folder.file("backup")
        try await store.backup(to: backup)
        #expect(try SQLiteStore.check(backup).sessions == 2)
    }

    @Test(
        "After a full disk, commits succeed again soon after there is room",
        arguments: [false, true])
    func roomAgain(_ hasProbes: Bool) async throws {
        let store = try SQLiteStore(path: path)
        try await Sample.insert(1...1, store)
        _ = store.health.noteFailedCommit(DatabaseError(resultCode: .SQLITE_FULL))
        await #expect(throws: SessionError.self) { try await Sample.insert(2...2, store) }
        if hasProbes {
            await until { store.failure == nil }
            try await Sample.insert(2...2, store)
        } else {
            await until { (try? await Sample.insert(2...2, store)) != nil }
            #expect(store.failure == nil)
        }
        #expect(try await store.check().sessions == 2)
        #expect(try await store.check().defects == [])
    }

    @Test("With relaxed durability a lost file is detected a little later")
    func lostFileOfARelaxedStore() async throws {
        let store = try SQLiteStore(path: path, durability: .relaxed)
        try await Sample.insert(1...1, store)
        try FileManager.default.removeItem(atPath: path)
        await until { store.failure != nil }
        await #expect(throws: SessionError.self) { try await Sample.insert(2...2, store) }
    }

    @Test("With relaxed durability a failed sync of the log stops all further writes")
    func failedSync() async throws {
        let store = try SQLiteStore(path: path, durability: .relaxed)
        let syncing = try #require(store.syncing)
        // Only files can be synced: `fdatasync` reports EINVAL for a device.
        let device = open("/dev/null", O_RDONLY)
        defer { close(device) }
        try #require(dup2(device, syncing.descriptor) == syncing.descriptor)
        #expect(store.failure == nil)
        try await Sample.insert(1...1, store)
        await until { store.failure != nil }
        let failure = try #require(store.failure)
        #expect(
            failure.reason
                == "the write-ahead log could not be synced: Invalid argument; restart the service")
        await #expect(throws: SessionError.storage(failure)) {
            try await Sample.insert(2...2, store)
        }
        await #expect(throws: SessionError.storage(failure)) {
            try await store.purge(before: Timestamp(milliseconds: 0))
        }
        #expect(try await store.check().sessions == 1)
    }

    @Test(
        "Opening a store maps SQLite's errors to distinct store errors",
        arguments: [
            (ResultCode.SQLITE_FULL, "the disk is full"), (.SQLITE_IOERR, "SQLITE_IOERR (10)"),
            (.SQLITE_BUSY, "in use by another process"), (.SQLITE_CORRUPT, "restore a backup"),
        ])
    func openingErrors(_ code: ResultCode, _ text: String) {
        let error = StoreError(DatabaseError(resultCode: code), at: "store")
        #expect(error.description.hasPrefix("store: "))
        #expect(error.description.contains(text))
        #expect(error.description.contains("restore") == (code == .SQLITE_CORRUPT))
    }

    // MARK: The log

    /// Makes a store with its write-ahead log, as a killed process leaves it.
    private func killedStore() async throws -> String {
        // The tables are in the database file itself.
        await (try SQLiteStore(path: path)).close()
        let store = try SQLiteStore(path: path)
        try await Sample.insert(1...20, store)
        let copy = folder.file("killed")
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: path + suffix, toPath: copy + suffix)
        }
        await store.close()
        return copy
    }

    private func flipByte(at offset: UInt64, of path: String) throws {
        let file = try FileHandle(forUpdating: URL(filePath: path))
        try file.seek(toOffset: offset)
        let byte = try #require(try file.read(upToCount: 1)?.first)
        try file.seek(toOffset: offset)
        try file.write(contentsOf: [byte ^ 1])
        try file.close()
    }

    @Test(
        "A store opens with the transactions before the first damaged frame of its log",
        arguments: [
            (frame: 0, byte: 16, kept: 0...0), (frame: 0, byte: 0, kept: 0...0),
            (frame: 5, byte: 2000, kept: 1...4), (frame: 5, byte: 10, kept: 1...4),
            (frame: .max, byte: 4000, kept: 19...19),
        ])
    func damagedLog(_ frame: Int, _ byte: Int, _ kept: ClosedRange<Int>) async throws {
        let killed = try await killedStore()
        #expect(try SQLiteStore.check(killed).sessions == 20)
        let size = try #require(
            try FileManager.default.attributesOfItem(atPath: killed + "-wal")[.size] as? Int)
        let frames = (size - 32) / 4120
        let start = frame == 0 ? 0 : 32 + (min(frame, frames) - 1) * 4120
        try flipByte(at: UInt64(start + byte), of: killed + "-wal")
        let report = try SQLiteStore.check(killed)
        #expect(kept.contains(report.sessions))
        #expect(report.defects.isEmpty)
        let store = try SQLiteStore(path: killed)
        for number in 1...20 {
            let session = try await store.session(Sample.session(UInt64(number)).id)
            #expect((session != nil) == (number <= report.sessions))
        }
    }
}
