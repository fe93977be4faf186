import NavigationRules
import Sessions
import Testing
import WaypostCore

extension SessionStoreContract {
    static let logChecks = [
        Check("A log is read from the last complete state at or below a revision on") {
            try await $0.logParts()
        },
        Check("A session that does not exist has no log, and a change without records leaves it") {
            try await $0.logAbsence()
        },
        Check("A log ends with its session") { try await $0.logEnd() },
        Check("Old rows of a log are removed, and never those that are needed") {
            try await $0.logRetention()
        },
        Check("A log is written with its change or not at all") {
            try await $0.logOfRefusedChange()
        },
        Check("Entries of any size are stored as they are") { try await $0.logSizes() },
        Check("A session is read from its newest state and the effects of the later entries") {
            try await $0.restoration()
        },
        Check("A page of events begins and ends in any row of a log") {
            try await $0.eventsInRows()
        },
        Check("The deletion of an account removes the histories of its log-ins' sessions") {
            try await $0.historyRemoval()
        },
        Check("A history that has changed meanwhile rejects the deletion of the account") {
            try await $0.outdatedHistoryRemoval()
        },
        Check("A history that is not listed rejects the deletion of the account") {
            try await $0.unlistedHistoryRemoval()
        },
    ]

    // MARK: Logs to write

    /// The entry of a change that pushes the view controller whose number is the revision, with two
    /// events.
    private func entry(_ revision: Int, size: Int = 0) -> LogEntry {
        let effect = WindowEffect(
            content: .stacks([.init(number: 1, kept: revision - 1, added: [Sample.entry(revision)])]
            ),
            lastViewController: revision, lastEvent: 2 * revision)
        return LogEntry(
            revision: revision, time: Sample.now, requestID: String(repeating: "x", count: size),
            action: .logOut, effect: effect, transition: .push,
            events: Sample.events(2 * revision - 1...2 * revision, revision: revision))
    }

    private func window(_ revision: Int) -> StoredWindow {
        Sample.window(
            revision: revision, lastEvent: 2 * revision,
            stack: (1...revision).map { Sample.entry($0) })
    }

    private func session(_ number: Int, _ revision: Int) throws -> StoredSession {
        try Sample.session(number, window(revision))
    }

    /// The write of one change.
    /// - Parameter withState: whether the state before the change comes first, in a row with it.
    private func write(
        _ revision: Int, movesTail: Bool, withState: Bool = false, keptFrom: Int = 0, size: Int = 0
    ) throws -> LogWrite {
        let entry = LogRow(
            [.entry(entry(revision, size: size))], revision: revision, firstEvent: 2 * revision - 1)
        guard withState else {
            return LogWrite(movesTail: movesTail, tail: entry, keptFrom: keptFrom)
        }
        var tail = LogRow(Sample.state(of: .stored(try session(1, revision - 1))))
        tail.append(entry)
        return LogWrite(movesTail: true, tail: tail, keptFrom: keptFrom)
    }

    /// - Parameter version: the version of the session's row; nil to read it.
    private func change(
        _ revision: Int, _ log: LogWrite?, replacing version: RowVersion? = nil,
        in store: any SessionStore
    ) async throws {
        let session = StorableSession.stored(try session(1, revision))
        var present = version
        if present == nil { present = try await store.version(of: session.id) }
        try await store.commit(
            WriteBatch(session: .update(session, replacing: present ?? .first), log: log))
    }

    /// Writes changes with a complete state before each change whose revision follows a multiple. A
    /// new row begins with each fourth change.
    private func writeChanges(
        _ revisions: ClosedRange<Int>, stateBefore multiple: Int, keeping retention: Int? = nil,
        in store: any SessionStore
    ) async throws {
        var version = try await store.version(of: Sample.id(1))
        for revision in revisions {
            let log = try write(
                revision, movesTail: revision.isMultiple(of: 4),
                withState: (revision - 1).isMultiple(of: multiple),
                keptFrom: retention.map { revision - $0 } ?? 0)
            try await change(revision, log, replacing: version, in: store)
            version = version.next
        }
    }

    /// The records of a part of a log.
    private func records(
        from first: Int, through last: Int, in store: any SessionStore
    ) async throws -> (records: [LogRecord], oldest: Int?) {
        let part = try await store.log(of: Sample.id(1), from: first, through: last)
        let records = try part.rows.flatMap { try #require(LogRecord.decode($0)) }
        return (records, part.oldest)
    }

    private func revisions(_ records: [LogRecord]) -> (states: [Int], entries: [Int]) {
        var found: (states: [Int], entries: [Int]) = ([], [])
        for record in records {
            switch record {
            case .state(let state): found.states.append(state.revision)
            case .entry(let entry): found.entries.append(entry.revision)
            case .events: break
            }
        }
        return found
    }

    // MARK: Checks

    private func logParts() async throws {
        let store = try await emptyStore()
        try await store.insert(try session(1, 1))
        try await writeChanges(2...130, stateBefore: 25, in: store)
        for handle in try await handles(of: store) {
            for first in [1, 2, 24, 25, 26, 27, 50, 99, 100, 101, 125, 129, 130] {
                for last in [first, first + 1, first + 30, 1 << 40] {
                    let (records, oldest) = try await records(
                        from: first, through: last, in: handle)
                    #expect(oldest == 1)
                    let state = max(first / 25 * 25, 1)
                    let found = revisions(records)
                    #expect(found.states.contains(state), "from \(first) to \(last)")
                    // All changes behind the state, in order; more may follow.
                    let needed = found.entries.filter { $0 > state }
                    #expect(needed == Array((state + 1)..<(state + 1 + needed.count)))
                    #expect(needed.last ?? state >= min(last, 130), "from \(first) to \(last)")
                }
            }
        }
    }

    private func logAbsence() async throws {
        let store = try await emptyStore()
        try await store.insert(try session(1, 1))
        #expect(try await store.log(of: Sample.id(9), from: 0, through: 100) == LogSlice.none)
        try await writeChanges(2...3, stateBefore: 100, in: store)
        let before = try await store.log(of: Sample.id(1), from: 0, through: 100)
        try await change(3, nil, in: store)
        for handle in try await handles(of: store) {
            #expect(try await handle.log(of: Sample.id(1), from: 0, through: 100) == before)
        }
    }

    private func logEnd() async throws {
        let store = try await emptyStore()
        try await store.insert(try session(1, 1))
        try await writeChanges(2...60, stateBefore: 10, in: store)
        try await store.delete(Sample.id(1))
        for handle in try await handles(of: store) {
            #expect(try await handle.log(of: Sample.id(1), from: 0, through: 100) == LogSlice.none)
        }
        // A session of the same id begins without the log of the one before.
        try await store.insert(try session(1, 1))
        let found = try await records(from: 0, through: 100, in: store)
        #expect(revisions(found.records).states == [1])
        #expect(revisions(found.records).entries == [])
        #expect(try await store.content(Sample.id(1)) == session(1, 1))
    }

    private func logRetention() async throws {
        let store = try await emptyStore()
        try await store.insert(try session(1, 1))
        try await writeChanges(2...200, stateBefore: 20, keeping: 50, in: store)
        for handle in try await handles(of: store) {
            let (records, oldest) = try await records(from: 160, through: 200, in: handle)
            let entries = revisions(records).entries.filter { $0 > 160 }
            #expect(entries == Array(161...200))
            let found = try #require(oldest)
            #expect((120...150).contains(found), "the oldest is \(found)")
            let all = try await self.records(from: 0, through: 200, in: handle).records
            #expect(all.count < 100)
            let page = try await handle.events(of: Sample.id(1), after: 0, limit: 1)
            #expect(page.events.map(\.seq) == [page.oldest])
            #expect(page.oldest > 240)
        }
    }

    private func logOfRefusedChange() async throws {
        let store = try await emptyStore()
        try await store.insert(try session(1, 1))
        try await writeChanges(2...14, stateBefore: 100, in: store)
        let before = try await store.log(of: Sample.id(1), from: 0, through: 100)
        for movesTail in [false, true] {
            let batch = WriteBatch(
                session: .update(.stored(try session(1, 15)), replacing: .first),
                log: try write(15, movesTail: movesTail, withState: movesTail))
            await #expect(throws: SessionError.conflict) { try await store.commit(batch) }
        }
        for handle in try await handles(of: store) {
            #expect(try await handle.log(of: Sample.id(1), from: 0, through: 100) == before)
        }
        try await writeChanges(15...16, stateBefore: 100, in: store)
    }

    private func logSizes() async throws {
        let store = try await emptyStore()
        try await store.insert(try session(1, 1))
        let sizes = [1, 511, 2, 600, 70_000, 1, 40]
        for (index, size) in sizes.enumerated() {
            let log = try write(index + 2, movesTail: size > 500, size: size)
            try await change(index + 2, log, in: store)
        }
        for handle in try await handles(of: store) {
            let found = try await records(from: 1, through: 100, in: handle).records
            let entries = sizes.enumerated().map { LogRecord.entry(entry($0 + 2, size: $1)) }
            #expect(found.filter { if case .entry = $0 { true } else { false } } == entries)
        }
    }

    private func restoration() async throws {
        let store = try await emptyStore()
        try await store.insert(try session(1, 1))
        // The state is in the tail, in a row before it, and several rows before it.
        for revision in 2...20 {
            let log = try write(
                revision, movesTail: revision.isMultiple(of: 3), withState: revision == 8)
            try await change(revision, log, in: store)
            for handle in try await handles(of: store) {
                #expect(try await handle.content(Sample.id(1)) == session(1, revision))
            }
        }
        // A state in a row of its own, before a tail without one.
        let entry = try write(21, movesTail: true).tail
        let rows = [LogRow(Sample.state(of: .stored(try session(1, 20))))]
        try await change(21, LogWrite(movesTail: true, rows: rows, tail: entry), in: store)
        for handle in try await handles(of: store) {
            #expect(try await handle.content(Sample.id(1)) == session(1, 21))
        }
    }

    private func eventsInRows() async throws {
        let store = try await emptyStore()
        try await store.insert(try session(1, 1), Sample.events(1...2))
        try await writeChanges(2...40, stateBefore: 7, in: store)
        let all = (1...40).flatMap { revision in
            Sample.events(2 * revision - 1...2 * revision, revision: revision)
        }
        for handle in try await handles(of: store) {
            for after in 0...80 {
                for limit in [1, 2, 9, 80] {
                    let page = try await handle.events(of: Sample.id(1), after: after, limit: limit)
                    let expected = Array(all.dropFirst(after).prefix(limit))
                    #expect(page == EventPage(events: expected, oldest: 1))
                }
            }
        }
    }

    /// Makes a store with an account, one session that is logged in to it, and one that was.
    private func storeWithLogIns() async throws -> any SessionStore {
        let store = try await emptyStore()
        var batch = WriteBatch()
        batch.account = .insert(try Sample.account("Ada"))
        try await store.commit(batch)
        for number in 1...3 {
            var batch = WriteBatch()
            batch.newCredential = Credential(
                hash: Sample.hash("\(number)"), username: try Username("Ada"),
                session: try Sample.id(number).description, createdAt: Sample.now,
                expiresAt: Sample.now + .seconds(60))
            try await store.commit(batch)
        }
        try await store.insert(try session(1, 1), Sample.events(1...2))
        try await writeChanges(2...9, stateBefore: 4, in: store)
        try await store.insert(try Sample.session(2, credential: Sample.hash("2")))
        return store
    }

    private func historyRemoval() async throws {
        let store = try await storeWithLogIns()
        // The third session no longer exists.
        let ids = try await store.sessionsWithHistory(of: Username("ada"))
        #expect(try ids == [Sample.id(1)])
        let stored = try #require(try await store.session(Sample.id(1)))
        var batch = WriteBatch()
        batch.account = .delete(
            try Sample.account("Ada"), histories: [WriteBatch.HistoryRemoval(stored)])
        try await store.commit(batch)
        for handle in try await handles(of: store) {
            #expect(try await handle.account(Username("Ada")) == nil)
            #expect(try await handle.session(Sample.id(2)) == nil)
            #expect(try await handle.content(Sample.id(1)) == session(1, 9))
            #expect(try await handle.session(Sample.id(1))?.version == stored.version.next)
            let found = try await records(from: 0, through: 100, in: handle).records
            #expect(revisions(found).states == [9])
            #expect(revisions(found).entries == [])
            let page = try await handle.events(of: Sample.id(1), after: 0, limit: 10)
            #expect(page == EventPage(events: [], oldest: 19))
        }
    }

    private func outdatedHistoryRemoval() async throws {
        let store = try await storeWithLogIns()
        let stored = try #require(try await store.session(Sample.id(1)))
        try await writeChanges(10...10, stateBefore: 100, in: store)
        try await expectNoRemoval(of: stored, in: store)
    }

    private func unlistedHistoryRemoval() async throws {
        let store = try await storeWithLogIns()
        try await store.insert(session(3, 1), [])
        let stored = try #require(try await store.session(Sample.id(1)))
        try await expectNoRemoval(of: stored, in: store)
        for handle in try await handles(of: store) {
            for number in 1...3 {
                #expect(try await handle.credential(Sample.hash("\(number)")) != nil)
            }
        }
    }

    /// Deletes the account with the history of one session, and expects a conflict that changes
    /// nothing.
    private func expectNoRemoval(of stored: StoredSession, in store: any SessionStore) async throws
    {
        let before = try await store.log(of: Sample.id(1), from: 0, through: 100)
        var batch = WriteBatch()
        batch.account = .delete(
            try Sample.account("Ada"), histories: [WriteBatch.HistoryRemoval(stored)])
        await #expect(throws: SessionError.conflict) { try await store.commit(batch) }
        for handle in try await handles(of: store) {
            #expect(try await handle.account(Username("Ada")) != nil)
            #expect(try await handle.session(Sample.id(2)) != nil)
            #expect(try await handle.log(of: Sample.id(1), from: 0, through: 100) == before)
        }
    }
}
