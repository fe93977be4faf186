import Foundation
import GRDB
import SQLStore
import Sessions
import Synchronization
import TestSupport
import Testing
import WaypostCore

@testable import SQLiteStore

/// Tests of the limits of a purge step. Changes wait while a step runs, so it must be short.
@Suite(.timeLimit(.minutes(10))) struct PurgeTests {
    private let folder: TemporaryFolder
    private var path: String { folder.file("store.sqlite") }

    init() throws { folder = try TemporaryFolder() }

    private func insertRecords(_ count: Int, bytes: Int, _ store: SQLiteStore) async throws {
        for number in 0..<count {
            var commit = WriteBatch()
            commit.idempotencyRecord = IdempotencyRecord(
                id: SecretHash(of: "\(number)"), fingerprint: SecretHash(of: ""),
                session: nil, sealedResponse: Array(repeating: 7, count: bytes), requestSize: 1,
                expiresAt: Timestamp(milliseconds: 5))
            try await store.commit(commit)
        }
    }

    /// Purges everything that has expired by timestamp 10.
    /// - Returns: the number of rows that each step removed from the table.
    private func steps(_ store: SQLiteStore, _ table: String) async throws -> [Int] {
        func count() async throws -> Int {
            try await store.access {
                try Int.fetchOne($0, sql: "SELECT count(*) FROM \(table)") ?? 0
            }
        }
        var removed: [Int] = []
        var left = try await count()
        var isAtEnd = false
        while !isAtEnd {
            isAtEnd = try await !store.purge(before: Timestamp(milliseconds: 10))
            let now = try await count()
            removed.append(left - now)
            left = now
            try #require(removed.count < 10_000)
        }
        return removed
    }

    @Test("A purge step ends at its time limit, and the next step continues there")
    func time() async throws {
        let store = try SQLiteStore(path: path)
        try await insertRecords(100, bytes: 100, store)
        let clock = Mutex(Duration.zero)
        store.purgeLimits.withLock { limits in
            limits.clock = {
                // The clock advances as if each row took half a millisecond.
                clock.withLock { time in
                    time += .microseconds(500)
                    return time
                }
            }
        }
        let removed = try await steps(store, "idempotency_record")
        #expect(removed.reduce(0, +) == 100)
        #expect(removed.allSatisfy { $0 <= 8 }, "\(removed)")
    }

    @Test("A purge removes the logs of ended sessions, and no others")
    func logs() async throws {
        let store = try SQLiteStore(path: path)
        try await Sample.insert(1...2, store)
        // The tail of each session becomes a row of its own.
        for number in 1...2 {
            let session = Sample.session(UInt64(number))
            var batch = WriteBatch(
                storing: .update(session, replacing: try await store.version(of: session.id)))
            let tail = try #require(batch.log?.tail)
            batch.log = LogWrite(movesTail: true, rows: [], tail: tail)
            try await store.commit(batch)
        }
        let ended = Sample.session(1).id
        try await store.commit(
            WriteBatch(
                storing: .delete(ended, replacing: try await store.version(of: ended))))
        let removed = try await steps(store, "log").reduce(0, +)
        #expect(removed == 1)
        let left = try await store.access { db in
            try Data.fetchAll(db, sql: "SELECT session FROM log")
        }
        #expect(left.map { Array($0) } == [Sample.session(2).id.bytes])
    }

    @Test("A purge step makes progress however slow the disk is")
    func slowDisk() async throws {
        let store = try SQLiteStore(path: path)
        try await insertRecords(20, bytes: 100, store)
        let clock = Mutex(Duration.zero)
        store.purgeLimits.withLock { limits in
            limits.clock = {
                clock.withLock { time in
                    time += .seconds(1)
                    return time
                }
            }
        }
        let removed = try await steps(store, "idempotency_record")
        #expect(removed.reduce(0, +) == 20)
        #expect(removed.allSatisfy { $0 <= 1 })
    }

    @Test(
        "A purge step removes few large rows or many small ones")
    func bytes() async throws {
        let store = try SQLiteStore(path: path)
        store.purgeLimits.withLock { limits in
            limits.clock = { .zero }
            limits.bytes = 500_000
        }
        try await insertRecords(40, bytes: 100_000, store)
        let large = try await steps(store, "idempotency_record")
        #expect(large.reduce(0, +) == 40)
        #expect(large.allSatisfy { $0 <= 6 }, "\(large)")
        try await insertRecords(40, bytes: 10, store)
        #expect(try await steps(store, "idempotency_record").max() == 40)
    }

    @Test("A purge makes a checkpoint when it has written as much as its limit")
    func checkpoints() async throws {
        let store = try SQLiteStore(path: path)
        store.purgeLimits.withLock { limits in
            limits.clock = { .zero }
            limits.bytes = 500_000
            limits.checkpointBytes = 1_000_000
        }
        try await insertRecords(40, bytes: 100_000, store)
        // A checkpoint is a step that removes nothing.
        let removed = try await steps(store, "idempotency_record").drop { $0 == 0 }
        let last = try #require(removed.lastIndex { $0 > 0 })
        let removals = removed[...last].split(separator: 0)
        #expect(removals.count >= 3, "\(removed)")
        #expect(removals.allSatisfy { $0.count <= 3 }, "\(removed)")
    }

    @Test("A purge step examines no more rows than its limit")
    func rows() async throws {
        let store = try SQLiteStore(path: path)
        store.purgeLimits.withLock { $0 = PurgeLimits(rows: 30, clock: { .zero }) }
        try await insertRecords(100, bytes: 10, store)
        let removed = try await steps(store, "idempotency_record")
        #expect(removed.reduce(0, +) == 100)
        #expect(removed.max() == 30)
    }

    @Test("The purge gives freed pages back to the file system, a few in each step")
    func pages() async throws {
        let store = try SQLiteStore(path: path)
        store.purgeLimits.withLock { limits in
            limits.clock = { .zero }
            limits.freePages = 10
            limits.bytes = 400_000
        }
        func pages() async throws -> Int {
            try await store.access { try Int.fetchOne($0, sql: "PRAGMA page_count") ?? 0 }
        }
        try await Sample.insert(1...10, store)
        try await insertRecords(100, bytes: 100_000, store)
        var last = try await pages()
        #expect(last > 2400)
        while try await store.purge(before: Timestamp(milliseconds: 10)) {
            let now = try await pages()
            #expect(last - now <= 128)
            last = now
        }
        #expect(try await pages() < 100)
        #expect(try await store.check() == StoreReport(sessions: 10, accounts: 0, defects: []))
        await store.close()
        let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
        #expect(try #require(size) < 400_000)
    }

    @Test("A store of an earlier version keeps its free pages, and a restore drops them")
    func olderStore() async throws {
        let older = try DatabaseQueue(path: path)
        try older.inDatabase { try $0.execute(sql: "PRAGMA auto_vacuum = NONE; VACUUM") }
        try older.close()
        var store = try SQLiteStore(path: path)
        store.purgeLimits.withLock { $0.freePages = 10 }
        try await insertRecords(20, bytes: 100_000, store)
        while try await store.purge(before: Timestamp(milliseconds: 10)) {}
        func freePages() async throws -> Int? {
            try await store.access { try Int.fetchOne($0, sql: "PRAGMA freelist_count") }
        }
        #expect(try #require(try await freePages()) > 400)
        let backup = folder.file("backup")
        try await store.backup(to: backup)
        await store.close()
        _ = try SQLiteStore.restore(backup, to: path)
        store = try SQLiteStore(path: path)
        #expect(try await freePages() == 0)
        #expect(try await store.access { try Int.fetchOne($0, sql: "PRAGMA auto_vacuum") } == 2)
    }
}
