import Foundation
import GRDB
import NavigationRules
import SQLStore
import SessionStoreTesting
import Sessions
import TestSupport
import Testing
import WaypostCore

@testable import SQLiteStore

/// Behaviour that is specific to SQLite. `SessionStoreTesting` has the tests for every store.
@Suite struct SQLiteStoreTests {
    private let folder: TemporaryFolder
    private var path: String { folder.file("store.sqlite") }

    init() throws { folder = try TemporaryFolder() }

    @Test("Each commit is synced by default")
    func eachCommitIsSynced() async throws {
        let store = try SQLiteStore(path: path)
        let settings = try await store.access { db in
            try ["synchronous", "journal_mode", "locking_mode"].map {
                try String.fetchOne(db, sql: "PRAGMA \($0)")
            }
        }
        #expect(settings == ["2", "wal", "exclusive"])
    }

    @Test("The metrics record each commit")
    func commitsAreMeasured() async throws {
        let metrics = CommitMetrics()
        let store = try SQLiteStore(path: path, metrics: metrics)
        try await Sample.insert(1...3, store)
        #expect(metrics.duration.count == 3)
        #expect(metrics.size.count == 3)
    }

    /// SQLite reuses the number of a deleted last row.
    @Test("A change of a deleted session does not change another session in the same row")
    func aChangeOfASessionThatIsGoneChangesNoOtherThatHasItsRow() async throws {
        let store = try SQLiteStore(path: path)
        try await Sample.insert(1...2, store)
        let late = WriteBatch(
            storing: .update(
                Sample.session(2), replacing: try await store.version(of: Sample.session(2).id)),
            events: Sample.events(1...2))
        try await store.commit(late)
        try await store.commit(
            WriteBatch(
                storing: .delete(
                    Sample.session(2).id,
                    replacing: try await store.version(of: Sample.session(2).id))))
        try await store.commit(
            WriteBatch(storing: .insert(Sample.session(3)), events: Sample.events(1...3)))
        await #expect(throws: SessionError.ended) { try await store.commit(late) }
        #expect(try await store.session(Sample.session(2).id) == nil)
        #expect(try await store.content(Sample.session(3).id) == Sample.session(3))
        let log = try await store.events(of: Sample.session(3).id, after: 0, limit: 10)
        #expect(log.events == Sample.events(1...3))
        while try await store.purge(before: Timestamp(milliseconds: 0)) {}
        #expect(
            try await store.events(of: Sample.session(3).id, after: 0, limit: 10) == log)
        #expect(try await store.check().defects.isEmpty)
    }

    @Test("A session's log continues after rejected changes")
    func aLogGoesOnBehindChangesThatWereRefused() async throws {
        let store = try SQLiteStore(path: path)
        try await Sample.insert(1...1, store)
        func change(_ first: Int) async throws -> WriteBatch {
            WriteBatch(
                storing: .update(
                    Sample.session(1), replacing: try await store.version(of: Sample.session(1).id)),
                events: Sample.events(first...first + 1))
        }
        try await store.commit(try await change(1))
        try await store.access { db in
            try db.execute(
                sql: """
                    CREATE TEMP TRIGGER refuse BEFORE INSERT ON idempotency_record
                    BEGIN SELECT RAISE(ABORT, 'refused'); END
                    """)
        }
        // The idempotency record fails after the session's change was written.
        var refused = try await change(3)
        let hash = SecretHash(of: "")
        refused.idempotencyRecord = IdempotencyRecord(
            id: hash, fingerprint: hash, session: nil, sealedResponse: [], requestSize: 1,
            expiresAt: Timestamp(milliseconds: 1 << 50))
        let commit = refused
        await #expect(throws: SessionError.self) { try await store.commit(commit) }
        try await store.access { try $0.execute(sql: "DROP TRIGGER refuse") }
        try await store.commit(try await change(3))
        try await store.commit(try await change(5))
        let log = try await store.events(of: Sample.session(1).id, after: 0, limit: 10)
        #expect(log.events == Sample.events(1...6))
        #expect(try await store.check().defects.isEmpty)
    }

    @Test("The check reports a session whose log has a gap, and a page with the gap is an error")
    func aLogWithAGapIsNoticed() async throws {
        let store = try SQLiteStore(path: path)
        try await Sample.insert(1...1, store)
        // Three rows with an event each, and the state after them.
        let rows = (1...3).map { seq in
            LogRow(
                [.events(Sample.events(seq...seq))], revision: 1, firstEvent: seq)
        }
        let state = LogRow(SessionStoreTesting.Sample.state(of: .stored(Sample.session(1))))
        let tail = LogRow(
            first: 1, last: 1, firstEvent: 4, hasState: true, records: state.records)
        try await store.commit(
            WriteBatch(
                session: .update(.stored(Sample.session(1)), replacing: .first),
                log: LogWrite(movesTail: true, rows: rows, tail: tail)))
        #expect(try await store.check().defects.isEmpty)
        let page = try await store.events(of: Sample.session(1).id, after: 0, limit: 10)
        #expect(page.events.map(\.seq) == [1, 2, 3])
        try await store.access {
            try $0.execute(sql: "DELETE FROM log WHERE first_event = 2")
        }
        #expect(try await store.check().defects.count == 1)
        await #expect(throws: SessionError.self) {
            try await store.events(of: Sample.session(1).id, after: 0, limit: 10)
        }
        #expect(try await store.content(Sample.session(1).id) == Sample.session(1))
    }

    @Test("The purge counts the sessions")
    func sessionsAreCountedByThePurge() async throws {
        let store = try SQLiteStore(path: path)
        // The purge takes two steps.
        try await Sample.insert(1...600, store)
        #expect(store.sessionCount == nil)
        while try await store.purge(before: Timestamp(milliseconds: 0)) {}
        #expect(store.sessionCount == 600)
        try await store.commit(
            WriteBatch(
                storing: .delete(
                    Sample.session(7).id,
                    replacing: try await store.version(of: Sample.session(7).id))))
        while try await store.purge(before: Timestamp(milliseconds: 0)) {}
        #expect(store.sessionCount == 599)
        while try await store.purge(before: Timestamp(milliseconds: .max)) {}
        #expect(store.sessionCount == 0)
    }

    @Test("A pass of the purge ends although sessions keep being opened")
    func aPassOfThePurgeEndsThoughMoreAndMoreSessionsAreOpened() async throws {
        let store = try SQLiteStore(path: path)
        func open(_ numbers: Range<UInt64>) async throws {
            try await withThrowingTaskGroup { group in
                for number in numbers {
                    group.addTask { try await Sample.insert(number...number, store) }
                }
                try await group.waitForAll()
            }
        }
        try await open(1..<601)
        store.purgeLimits.withLock { $0 = PurgeLimits(rows: 500, clock: { .zero }) }
        var steps: UInt64 = 1
        while try await store.purge(before: Timestamp(milliseconds: 0)), steps < 5 {
            // Each step examines this number of rows.
            try await open(601 + 500 * (steps - 1)..<601 + 500 * steps)
            steps += 1
        }
        #expect(steps == 2)
        #expect(store.sessionCount == 600)
    }

    @Test("Only the user can access the store's files")
    func theFilesAreTheUsersAlone() async throws {
        let store = try SQLiteStore(path: path)
        try await Sample.insert(1...1, store)
        try await store.backup(to: folder.file("backup"))
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            let file = folder.file(name)
            let attributes = try FileManager.default.attributesOfItem(atPath: file)
            #expect(attributes[.posixPermissions] as? Int == 0o600, "\(name)")
        }
    }

    @Test("Committed data is there after the store is reopened")
    func whatWasCommittedIsThereAfterAReopen() async throws {
        do {
            let store = try SQLiteStore(path: path)
            try await Sample.insert(1...3, store)
            await store.close()
        }
        let store = try SQLiteStore(path: path)
        #expect(try await store.content(Sample.session(2).id) == Sample.session(2))
    }

    @Test("A second store on one file is rejected with the path and the holder")
    func aSecondStoreOnTheFileIsRefusedByNameAndHolder() throws {
        let first = try SQLiteStore(path: path)
        let error = #expect(throws: StoreError.self) { try SQLiteStore(path: path) }
        #expect(error == .inUse(path, holder: "\(getpid())"))
        #expect(error?.description.contains(path) == true)
        withExtendedLifetime(first) {}
    }

    @Test("A file that another program has locked is reported as in use")
    func aFileThatAnotherProgramHasOpenIsInUse() throws {
        let other = try DatabaseQueue(path: path)
        try other.inDatabase { db in
            try db.execute(sql: "PRAGMA locking_mode = EXCLUSIVE; CREATE TABLE t (x)")
        }
        #expect(throws: StoreError.inUse(path, holder: nil)) { try SQLiteStore(path: path) }
        withExtendedLifetime(other) {}
    }

    @Test("A newer database is rejected with both versions")
    func aNewerDatabaseIsRefusedWithBothVersions() async throws {
        do {
            let store = try SQLiteStore(path: path)
            try await store.access { try $0.execute(sql: "PRAGMA user_version = 99") }
            await store.close()
        }
        #expect(throws: StoreError.newerVersion(path, found: 99, known: Schema.version)) {
            try SQLiteStore(path: path)
        }
    }

    @Test("A store in a missing folder fails with its path")
    func aFolderThatIsNotThereIsSaid() {
        let missing = folder.file("none/store.sqlite")
        let error = #expect(throws: StoreError.self) { try SQLiteStore(path: missing) }
        #expect(error?.description.hasPrefix(missing) == true)
    }

    /// A limit on the file's size has the effect of a full disk.
    @Test("With a full disk commits are rejected, and stored data is unchanged")
    func whatCannotBeWrittenIsRefusedAndTheRestIsAsBefore() async throws {
        let store = try SQLiteStore(path: path)
        try await Sample.insert(1...1, store)
        try await store.access { db in
            let pages = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0
            try db.execute(sql: "PRAGMA max_page_count = \(pages)")
        }
        var refused = 0
        for number in UInt64(2)...600 {
            do {
                try await store.commit(WriteBatch(storing: .insert(Sample.session(number))))
            } catch {
                guard case .storage(let storage) = error else { throw error }
                #expect(
                    storage.reason
                        == "the change could not be written: SQLITE_FULL (13): database or disk is full"
                )
                #expect(!storage.isOutcomeUnknown)
                refused += 1
            }
        }
        #expect(refused > 0)
        let report = try await store.check()
        #expect(report.sessions == 600 - refused)
        #expect(report.defects.isEmpty)
        // The store works again once there is space.
        try await store.access { try $0.execute(sql: "PRAGMA max_page_count = 1000000") }
        try await Sample.insert(601...601, store)
        #expect(store.failure == nil)
    }

    @Test("An error of one commit does not fail others in its transaction")
    func whatOneCommitMeetsDoesNotHarmTheOthers() async throws {
        let store = try SQLiteStore(path: path)
        try await store.access { db in
            try db.execute(
                sql: """
                    CREATE TEMP TRIGGER refuse BEFORE INSERT ON session WHEN NEW.id = ?1
                    BEGIN SELECT RAISE(ABORT, 'refused'); END
                    """.replacing("?1", with: "x'\(Sample.session(7).id)'"))
        }
        let refused = await withTaskGroup(of: UInt64?.self) { group in
            for number in UInt64(1)...50 {
                group.addTask {
                    do {
                        try await store.commit(WriteBatch(storing: .insert(Sample.session(number))))
                        return nil
                    } catch {
                        return number
                    }
                }
            }
            return await group.compactMap { $0 }.reduce(into: []) { $0.append($1) }
        }
        #expect(refused == [7])
        #expect(try await store.check().sessions == 49)
        #expect(store.failure == nil)
    }

    /// Simulates a failed sync, after which the state of the disk is unknown: a deferred constraint
    /// makes SQLite reject the commit itself.
    @Test("After a failed commit the store rejects all further writes")
    func afterACommitThatFailedNothingIsClaimedAnyMore() async throws {
        do {
            let store = try SQLiteStore(path: path)
            try await Sample.insert(1...1, store)
            try await store.access { db in
                try db.execute(
                    sql: """
                        CREATE TEMP TABLE parent (id INTEGER PRIMARY KEY);
                        CREATE TEMP TABLE child (id REFERENCES parent DEFERRABLE INITIALLY DEFERRED);
                        CREATE TEMP TRIGGER orphan AFTER INSERT ON session
                        BEGIN INSERT INTO child VALUES (1); END;
                        """)
            }
            for number in UInt64(2)...3 {
                await #expect(throws: SessionError.self) {
                    try await store.commit(WriteBatch(storing: .insert(Sample.session(number))))
                }
                #expect(store.failure?.reason.contains("restart the service") == true)
            }
            await store.close()
        }
        #expect(try await SQLiteStore(path: path).check().sessions == 1)
    }

    @Test("The check reports sessions that cannot be read")
    func aCheckNamesWhatCannotBeRead() async throws {
        let store = try SQLiteStore(path: path)
        try await Sample.insert(1...2, store)
        try await store.access {
            try $0.execute(
                sql: """
                    UPDATE session SET tail = x'7b' WHERE id < x'\(Sample.session(2).id)';
                    UPDATE session SET token_hash = x'00' WHERE id = x'\(Sample.session(2).id)';
                    """)
        }
        let report = try await store.check()
        #expect(report.defects.count == 2)
        for number in UInt64(1)...2 {
            await #expect(throws: SessionError.self) {
                try await store.session(Sample.session(number).id)
            }
        }
    }
}
