import Foundation
import GRDB
import SQLStore
import SessionStoreTesting
import Sessions
import Synchronization
import TestSupport
import Testing
import WaypostCore

@testable import SQLiteStore

@Suite struct BackupTests {
    private let folder: TemporaryFolder
    private var path: String { folder.file("store.sqlite") }

    init() throws { folder = try TemporaryFolder() }

    @Test("A backup is restored")
    func aBackupIsRestored() async throws {
        let backup = folder.file("backup.sqlite")
        do {
            let store = try SQLiteStore(path: path)
            try await Sample.insert(1...5, store)
            try await store.backup(to: backup)
            try await Sample.insert(6...9, store)
            #expect(throws: StoreError.self) { try SQLiteStore.restore(backup, to: path) }
            await store.close()
        }
        let old = try SQLiteStore.restore(backup, to: path)
        #expect(try await SQLiteStore(path: path).check().sessions == 5)
        #expect(try await SQLiteStore(path: #require(old)).check().sessions == 9)
    }

    @Test("A backup is restored over a damaged store")
    func aBackupIsRestoredOverAStoreThatIsBeyondRepair() async throws {
        let backup = folder.file("backup.sqlite")
        do {
            let store = try SQLiteStore(path: path)
            try await Sample.insert(1...5, store)
            try await store.backup(to: backup)
            await store.close()
        }
        let rubbish = Data(repeating: 7, count: 10_000)
        for suffix in ["", "-wal"] { try rubbish.write(to: URL(filePath: path + suffix)) }
        let old = try #require(try SQLiteStore.restore(backup, to: path))
        #expect(try await SQLiteStore(path: path).check().sessions == 5)
        for suffix in ["", "-wal"] {
            #expect(try Data(contentsOf: URL(filePath: old + suffix)) == rubbish)
        }
    }

    @Test("A backup does not replace an existing file")
    func aBackupReplacesNothing() async throws {
        let store = try SQLiteStore(path: path)
        let taken = folder.url.appending(path: "taken")
        try Data("mine".utf8).write(to: taken)
        await #expect(throws: StorageError.self) { try await store.backup(to: taken.path) }
        #expect(try Data(contentsOf: taken) == Data("mine".utf8))
    }

    @Test("A file that is not a backup is not restored")
    func whatIsNoBackupIsNotRestored() async throws {
        do {
            let store = try SQLiteStore(path: path)
            try await Sample.insert(1...5, store)
            await store.close()
        }
        let rubbish = folder.file("rubbish")
        try Data(repeating: 7, count: 10_000).write(to: URL(filePath: rubbish))
        #expect(throws: StoreError.self) { try SQLiteStore.restore(rubbish, to: path) }
        #expect(throws: StoreError.self) { try SQLiteStore.restore(rubbish + "-none", to: path) }
        #expect(try await SQLiteStore(path: path).check().sessions == 5)
    }

    // MARK: Restoring

    /// Makes the files of a store whose process was killed: nearly all data is in the write-ahead log.
    private func killedStore(sessions: ClosedRange<UInt64>) async throws -> String {
        let store = try SQLiteStore(path: folder.file("running.sqlite"))
        try await Sample.insert(sessions, store)
        let copy = folder.file("killed.sqlite")
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: store.path + suffix, toPath: copy + suffix)
        }
        await store.close()
        return copy
    }

    /// Returns the names and contents of the files whose names start with a path.
    private func files(of path: String) throws -> [String: Data] {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter { folder.file($0).hasPrefix(path) }
        return try Dictionary(
            uniqueKeysWithValues: names.map {
                ($0, try Data(contentsOf: URL(filePath: folder.file($0))))
            })
    }

    @Test("A restore includes the backup's write-ahead log and does not change the backup")
    func restoreWithLog() async throws {
        let backup = try await killedStore(sessions: 1...7)
        let before = try files(of: backup)
        #expect(before.count == 2)
        #expect(try SQLiteStore.check(backup).sessions == 7)
        #expect(try SQLiteStore.restore(backup, to: path) == nil)
        #expect(try files(of: backup) == before)
        #expect(try await SQLiteStore(path: path).check().sessions == 7)
        #expect(try !files(of: path).keys.contains { $0.contains("restoring") })
    }

    @Test("A restore does not apply the log that is left of a store whose file was removed")
    func restoreBesideALog() async throws {
        let killed = try await killedStore(sessions: 1...7)
        let source = try SQLiteStore(path: folder.file("source.sqlite"))
        try await Sample.insert(1...3, source)
        let backup = folder.file("backup.sqlite")
        try await source.backup(to: backup)
        try FileManager.default.moveItem(atPath: killed + "-wal", toPath: path + "-wal")
        #expect(try SQLiteStore.restore(backup, to: path) == nil)
        #expect(
            try files(of: path).keys.sorted() == [
                "store.sqlite", "store.sqlite.before-restore-wal", "store.sqlite.lock",
            ])
        #expect(try SQLiteStore.check(path).sessions == 3)
    }

    /// Only root can give files away.
    @Test(
        "A restored store belongs to the owner of the store that it replaces",
        .enabled(if: geteuid() == 0))
    func ownerOfARestoredStore() async throws {
        let backup = try await killedStore(sessions: 1...2)
        do {
            let store = try SQLiteStore(path: path)
            await store.close()
        }
        try #require(chown(path, 1234, 1235) == 0)
        unlink(path + ".lock")
        let old = try #require(try SQLiteStore.restore(backup, to: path))
        for file in [path, path + ".lock", old] {
            var status = stat()
            try #require(stat(file, &status) == 0)
            #expect(status.st_uid == 1234 && status.st_gid == 1235, "\(file)")
            #expect(status.st_mode & 0o777 == 0o600, "\(file)")
        }
    }

    @Test("A read-only backup in a read-only folder is restored")
    func readOnlyBackup() async throws {
        let store = try SQLiteStore(path: path)
        try await Sample.insert(1...3, store)
        let backup = folder.file("backup.sqlite")
        try await store.backup(to: backup)
        await store.close()
        // SQLite's header says that the file has no write-ahead log.
        let head = try Data(contentsOf: URL(filePath: backup)).prefix(20)
        #expect(Array(head.suffix(2)) == [1, 1])
        #expect(try files(of: backup).count == 1)
        try FileManager.default.setAttributes([.posixPermissions: 0o400], ofItemAtPath: backup)
        _ = try SQLiteStore.restore(backup, to: path)
        #expect(try await SQLiteStore(path: path).check().sessions == 3)
    }

    @Test("A restore rejects an empty file, a device, a folder, a FIFO and a truncated file")
    func noBackups() async throws {
        var content: Data
        do {
            let store = try SQLiteStore(path: path)
            try await Sample.insert(1...5, store)
            await store.close()
            content = try Data(contentsOf: URL(filePath: path))
        }
        try folder.write("", to: "empty")
        try #require(mkfifo(folder.file("fifo"), 0o600) == 0)
        try folder.write(content.dropLast(1), to: "short")
        try folder.write(content.prefix(content.count / 2), to: "half")
        let cases = [
            (folder.file("empty"), "an empty file"), ("/dev/null", "not a regular file"),
            (folder.path, "not a regular file"), (folder.file("fifo"), "not a regular file"),
            (folder.file("none"), "No such file"), (folder.file("short"), "end of the file"),
            (folder.file("half"), "end of the file"), (path, "the store itself"),
        ]
        for (backup, text) in cases {
            for _ in 1...2 {
                let error = #expect(throws: StoreError.self) {
                    try SQLiteStore.restore(backup, to: path)
                }
                #expect(error?.description.contains(text) == true, "\(error as Any)")
                #expect(error?.description.hasPrefix(backup) == true)
            }
        }
        #expect(try Data(contentsOf: URL(filePath: path)) == content)
        #expect(try files(of: path).keys.sorted() == ["store.sqlite", "store.sqlite.lock"])
    }

    @Test("Each restore keeps the replaced store and those kept before")
    func severalRestores() async throws {
        var backups: [String] = []
        for sessions in [1...1, 1...2, 1...3, 1...4] as [ClosedRange<UInt64>] {
            let backup = folder.file("backup\(sessions.count)")
            let store = try SQLiteStore(path: folder.file("source\(sessions.count)"))
            try await Sample.insert(sessions, store)
            try await store.backup(to: backup)
            await store.close()
            backups.append(backup)
        }
        let kept = try backups.map { try SQLiteStore.restore($0, to: path) }
        let name = path + ".before-restore"
        #expect(kept == [nil, name, name + "-2", name + "-3"])
        for (index, kept) in kept.dropFirst().enumerated() {
            #expect(try SQLiteStore.check(#require(kept)).sessions == index + 1)
        }
        #expect(try SQLiteStore.check(path).sessions == 4)
    }

    @Test("A restore rejects the file of a store in use as a backup")
    func restoreOfARunningStore() async throws {
        let store = try SQLiteStore(path: path)
        try await Sample.insert(1...3, store)
        let error = #expect(throws: StoreError.self) {
            try SQLiteStore.restore(path, to: folder.file("new"))
        }
        #expect(error?.description.contains("waypost backup") == true)
        #expect(!FileManager.default.fileExists(atPath: folder.file("new")))
        #expect(throws: StoreError.inUse(path, holder: "\(getpid())")) {
            try SQLiteStore.check(path)
        }
        #expect(try await store.check().sessions == 3)
    }

    @Test("A check of a stopped store changes nothing and leaves no files")
    func checkOfAStoppedStore() async throws {
        let killed = try await killedStore(sessions: 1...4)
        let before = try files(of: killed)
        #expect(try SQLiteStore.check(killed) == StoreReport(sessions: 4, accounts: 0, defects: []))
        #expect(try files(of: killed) == before)
    }

    @Test("A damaged page ends the check of its table, and the check goes on after it")
    func damagedPage() async throws {
        let store = try SQLiteStore(path: path)
        try await Sample.insert(1...4, store)
        await store.close()
        let database = try DatabaseQueue(path: path)
        let (page, size) = try await database.read { db in
            let root = "SELECT rootpage FROM sqlite_schema WHERE name = 'account'"
            return (
                try #require(try Int.fetchOne(db, sql: root)),
                try #require(try Int.fetchOne(db, sql: "PRAGMA page_size"))
            )
        }
        try database.close()
        let file = try FileHandle(forWritingTo: URL(filePath: path))
        try file.seek(toOffset: UInt64((page - 1) * size))
        try file.write(contentsOf: Data(repeating: 0xFF, count: size))
        try file.close()
        let report = try SQLiteStore.check(path)
        #expect(report.sessions == 4)
        let found = report.defects.filter { $0.hasPrefix("the table account cannot be read") }
        #expect(found.count == 1, "\(report.defects)")
        #expect(found.first?.contains("malformed") == true, "\(report.defects)")
    }

    // MARK: While the store is in use

    @Test("A backup and a check succeed while sessions are opened")
    func copiesDuringChanges() async throws {
        let store = try SQLiteStore(path: path)
        try await Sample.insert(1...300, store)
        let isEnough = Atomic(false)
        async let opened = {
            var last: UInt64 = 300
            while !isEnough.load(ordering: .relaxed) {
                last += 1
                var commit = WriteBatch(storing: .insert(Sample.session(last)))
                commit.store(Sample.events(1...3))
                try await store.commit(commit)
            }
            return Int(last)
        }()
        let backup = folder.file("backup")
        try await store.backup(to: backup)
        let report = try await store.check()
        isEnough.store(true, ordering: .relaxed)
        let last = try await opened
        #expect(report.defects.isEmpty)
        #expect((300...last).contains(report.sessions))
        let copied = try SQLiteStore.check(backup)
        #expect(copied.defects.isEmpty)
        #expect((300...report.sessions).contains(copied.sessions))
        #expect(try await store.check().sessions == last)
        #expect(
            try files(of: path).keys.sorted()
                == ["store.sqlite", "store.sqlite-wal", "store.sqlite.lock"])
    }

    @Test("A backup proceeds in steps and contains changes made between them")
    func stepsOfACopy() async throws {
        let store = try SQLiteStore(path: path)
        try await Sample.insert(1...300, store)
        // The store needs more pages than a few steps copy.
        var large = WriteBatch()
        large.idempotencyRecord = IdempotencyRecord(
            id: SecretHash(of: ""), fingerprint: SecretHash(of: ""),
            session: nil, sealedResponse: Array(repeating: 7, count: 800_000), requestSize: 1,
            expiresAt: Timestamp(milliseconds: 1))
        try await store.commit(large)
        let copy = folder.file("copy")
        try StoreFile.makePrivate(copy)
        let backup = try await store.access { try OnlineBackup(of: $0, to: copy) }
        var steps = 0
        while try await !store.access({ _ in try backup.step { false } }) {
            steps += 1
            // The changes are in pages that are already copied and in pages that are not.
            try await store.commit(
                WriteBatch(
                    storing: .delete(
                        Sample.session(UInt64(steps)).id,
                        replacing: try await store.version(of: Sample.session(UInt64(steps)).id))))
            try await Sample.insert(UInt64(300 + steps)...UInt64(300 + steps), store)
        }
        try await store.access { _ in backup.end() }
        #expect(steps > 10)
        #expect(
            try SQLiteStore.check(copy) == StoreReport(sessions: 300, accounts: 0, defects: []))
        let store2 = try SQLiteStore(path: copy)
        #expect(try await store2.session(Sample.session(1).id) == nil)
        #expect(
            try await store2.content(Sample.session(UInt64(300 + steps)).id)
                == Sample.session(UInt64(300 + steps)))
    }

    @Test("A store can be closed during a backup")
    func closeDuringACopy() async throws {
        let store = try SQLiteStore(path: path)
        try await Sample.insert(1...300, store)
        let copy = folder.file("copy")
        try StoreFile.makePrivate(copy)
        let backup = try await store.access { db in
            let backup = try OnlineBackup(of: db, to: copy)
            store.backups.withLock { $0.append(backup) }
            return backup
        }
        _ = try await store.access { _ in try backup.step { false } }
        await store.close()
        #expect(throws: StorageError.self) { try backup.step { false } }
        #expect(try await SQLiteStore(path: path).check().sessions == 300)
    }

    @Test("Only one check of a store runs at a time, and another can follow")
    func checksAtOnce() async throws {
        let store = try SQLiteStore(path: path)
        try await Sample.insert(1...3, store)
        store.isChecking.store(true, ordering: .relaxed)
        await #expect(throws: StorageError.self) { try await store.check() }
        store.isChecking.store(false, ordering: .relaxed)
        #expect(try await store.check().sessions == 3)
        #expect(try await store.check().sessions == 3)
    }

    @Test(
        "The file of a store is damaged if a defect is not of a row, however many rows are damaged")
    func damagedFile() {
        for count in [0, 1, 999, 1000, 1001, 2000] {
            var report = StoreReport()
            for number in 0..<count { report.add(damagedRow: "\(number)") }
            let before = report.isFileDamaged
            report.add("a page")
            let after = report.isFileDamaged
            #expect(!before && after, "\(count) rows")
        }
    }

    @Test("A report describes a thousand defects and counts the others")
    func manyDefects() {
        var report = StoreReport()
        for number in 1...1000 { report.add("defect \(number)") }
        #expect(report.defects.count == 1000)
        #expect(report.defects.last == "defect 1000")
        report.add("defect 1001")
        report.add("defect 1002")
        #expect(report.defects.suffix(2) == ["defect 1000", "and 2 more"])
    }
}
