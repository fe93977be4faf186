import Accounts
import Foundation
import Sessions
import TestSupport
import Testing

@testable import SQLiteStore

@Suite struct BackupTests {
    private let folder: TemporaryFolder
    private var path: String { folder.file("store.sqlite") }

    init() throws { folder = try TemporaryFolder() }

    @Test func aBackupIsRestored() async throws {
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

    @Test func aBackupIsRestoredOverAStoreThatIsBeyondRepair() async throws {
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

    @Test func aBackupReplacesNothing() async throws {
        let store = try SQLiteStore(path: path)
        let taken = folder.url.appending(path: "taken")
        try Data("mine".utf8).write(to: taken)
        await #expect(throws: StorageError.self) { try await store.backup(to: taken.path) }
        #expect(try Data(contentsOf: taken) == Data("mine".utf8))
    }

    @Test func whatIsNoBackupIsNotRestored() async throws {
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
}
