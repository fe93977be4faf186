import GRDB
import GRDBSQLite
import Navigation
import SessionStoreTesting
import Sessions
import Synchronization
import TestSupport
import Testing
import WaypostCore

@testable import SQLiteStore

@Suite(.timeLimit(.minutes(10))) struct EventChainTests {
    private let folder: TemporaryFolder
    private var path: String { folder.file("store.sqlite") }
    private let id = Sample.session(1).id

    init() throws { folder = try TemporaryFolder() }

    /// Changes session 1 in one transaction, with these numbers of events per change.
    private func append(_ sizes: [Int], from first: Int, _ store: SQLiteStore)
        async throws
    {
        try await store.access { db in
            try db.inTransaction {
                var writer = try SessionWriter(db, locations: [:])
                var next = first
                for size in sizes {
                    let events = Sample.events(next...next + size - 1)
                    let found = try Int.fetchOne(db, sql: "SELECT version FROM session")
                    let version = RowVersion(number: try #require(found))
                    let refusal = try writer.update(
                        SessionRow(.stored(Sample.session(1)), version.next, events),
                        replacing: version)
                    #expect(refusal == nil)
                    next += size
                }
                return .commit
            }
        }
    }

    /// Returns the number of SQLite operations, in units of some hundred, that a read of a page takes.
    private func cost(_ store: SQLiteStore, after: Int, limit: Int) async throws -> Int {
        try await store.access { db in
            let count = Mutex(0)
            try withUnsafePointer(to: count) { pointer in
                sqlite3_progress_handler(
                    db.sqliteConnection, 100,
                    { context in
                        context?.assumingMemoryBound(to: Mutex<Int>.self).pointee
                            .withLock { $0 += 1 }
                        return 0
                    }, UnsafeMutableRawPointer(mutating: pointer))
                defer { sqlite3_progress_handler(db.sqliteConnection, 0, nil, nil) }
                _ = try store.events(of: id, after: after, limit: limit, db)
            }
            return count.withLock { $0 }
        }
    }

    @Test("Finding the oldest of 30,000 events takes hardly more steps than of 1,000")
    func costOfTheOldest() async throws {
        let store = try SQLiteStore(path: path, eventRetention: 100_000)
        try await Sample.insert(1...1, store)
        try await append(Array(repeating: 5, count: 200), from: 1, store)
        let short = try await cost(store, after: 0, limit: 1)
        try await append(Array(repeating: 5, count: 5800), from: 1001, store)
        let long = try await cost(store, after: 0, limit: 1)
        #expect(long < 4 * short, "\(long) after \(short)")
        #expect(try await cost(store, after: 14_000, limit: 1) < 4 * short)
    }

    @Test(
        "A page of a long log is right wherever it begins, even if old rows have no jumps",
        arguments: [false, true])
    func pages(_ hasOldRows: Bool) async throws {
        var random = SeededGenerator(seed: 7)
        let sizes = (0..<1500).map { _ in Int.random(in: 1...9, using: &random) }
        let last = sizes.reduce(0, +)
        var store = try SQLiteStore(path: path, eventRetention: 100_000)
        try await Sample.insert(1...1, store)
        let half = Array(sizes[..<700])
        try await append(half, from: 1, store)
        if hasOldRows {
            try await store.access { try $0.execute(sql: "UPDATE event_group SET jump = NULL") }
        }
        await store.close()
        // A restart clears the cached targets of the jumps.
        store = try SQLiteStore(path: path, eventRetention: 100_000)
        try await append(Array(sizes[700...]), from: half.reduce(0, +) + 1, store)
        for _ in 0..<200 {
            let after = Int.random(in: 0...last, using: &random)
            let limit = Int.random(in: 1...100, using: &random)
            let page = try await store.events(of: id, after: after, limit: limit)
            #expect(page.oldest == 1)
            #expect(page.events.map(\.seq) == Array((after + 1)..<min(after + limit, last) + 1))
        }
        #expect(try await store.check().defects.isEmpty)
        // The older events have been purged.
        store.purgeLimits.withLock { $0.clock = { .zero } }
        await store.close()
        store = try SQLiteStore(path: path, eventRetention: 2000)
        while try await store.purge(before: Timestamp(milliseconds: 0)) {}
        for after in [0, last - 2001, last - 2000, last - 1000, last - 1] {
            let page = try await store.events(of: id, after: after, limit: 50)
            let first = max(after + 1, last - 1999)
            #expect(page.oldest == last - 1999)
            #expect(page.events.map(\.seq) == Array(first...min(first + 49, last)))
        }
        #expect(try await store.check().defects.isEmpty)
    }

    @Test("An event group's jump leads to the group with the previous multiple of its width")
    func levels() {
        let cases: [(first: Int, last: Int, level: Int?, target: Int?)] = [
            (1, 63, nil, nil), (60, 64, 0, 0), (64, 64, 0, 0), (65, 127, nil, nil),
            (127, 130, 0, 64), (120, 200, 0, 128), (1020, 1030, 1, 0), (2040, 2050, 1, 1024),
            (16_384, 16_384, 2, 0), (32_000, 33_000, 2, 16_384),
        ]
        for (first, last, level, target) in cases {
            #expect(EventChain.level(first: first, last: last) == level)
            #expect(level.map { EventChain.target(last: last, level: $0) } == target)
        }
    }
}
