import Dispatch
import NavigationRules
import SessionStoreTesting
import Synchronization
import TestSupport
import Testing
import WaypostCore

@testable import Sessions

@Suite("Commits of a session", .timeLimit(.minutes(10)))
struct CommitTests {
    /// The time and the thread at which a store calls back after a commit.
    enum CallBack: CaseIterable {
        /// The store calls back before `commit` returns, as a memory store does.
        case immediately
        /// The store calls back on a thread of its own, as SQLite does.
        case onItsThread

        func fixture() throws -> Fixture {
            switch self {
            case .immediately: try Fixture(.withoutLogin(), store: ScriptedStore(.memory))
            case .onItsThread:
                try Fixture(
                    .withoutLogin(),
                    store: ScriptedStore(
                        .memory, callingBackOn: DispatchQueue(label: "the store's")))
            }
        }
    }

    private static let push = ChangeRequest(
        .perform(.push(.scene("detail", parameters: [:])), animated: true))

    @Test(
        "With a memory store a change completes before perform returns",
        arguments: [Operation.push("detail"), .pop, .push("nowhere")])
    func synchronous(operation: Operation) async throws {
        let session = try await Fixture(.withoutLogin()).open()
        let isComplete = Mutex(false)
        session.perform(ChangeRequest(.perform(operation, animated: true))) { _ in
            isComplete.withLock { $0 = true }
        }
        #expect(isComplete.withLock { $0 })
    }

    @Test(
        "A change becomes visible and gets its response only after it is stored")
    func stored() async throws {
        let fixture = try Fixture(.withoutLogin())
        let session = try await fixture.open()
        let gate = Gate()
        fixture.store.hold(.update, at: gate)
        fixture.clock.advance(by: .seconds(1))
        let results = Mutex<[Int]>([])
        let isTold = Gate()
        session.perform(Self.push) { result in
            results.withLock { $0.append((try? result.get().value.session.revision) ?? 0) }
            Task { await isTold.pass() }
        }
        await gate.waitForArrivals(1)
        #expect(try await session.current().revision == 1)
        #expect(results.withLock { $0 }.isEmpty)
        gate.open()
        await isTold.waitForArrivals(1)
        #expect(results.withLock { $0 } == [2])
        #expect(try await session.current().revision == 2)
        #expect(try await fixture.store.base.session(session.id)?.window.revision == 2)
    }

    @Test(
        "A rejected change, or one without effect, completes without a commit",
        arguments: CallBack.allCases)
    func nothingToStore(callBack: CallBack) async throws {
        let fixture = try callBack.fixture()
        let session = try await fixture.open()
        let before = try await session.current()
        fixture.clock.advance(by: .seconds(1))
        let change = try await session.perform(.pop).value
        #expect(!change.outcome.changed)
        #expect(change.session.revision == before.revision)
        #expect(change.session.expiresAt == before.expiresAt)
        await #expect(throws: SessionError.navigation(.sceneNotFound("nowhere"))) {
            try await session.push("nowhere")
        }
        await #expect(throws: SessionError.revisionMismatch(present: 1)) {
            try await session.perform(.push("detail"), if: revision(2))
        }
        #expect(fixture.store.count(.update) == 0)
        #expect(try await session.current().scenes == ["home"])
        #expect(try await session.push("detail").session.revision == 2)
        #expect(fixture.store.count(.update) == 1)
    }

    // MARK: Folding

    /// Starts changes. The first waits for the store, and the others wait for the first.
    private func start(
        _ requests: [ChangeRequest], on session: Session, _ gate: Gate
    ) async -> [Task<ChangeResult, any Error>] {
        var tasks: [Task<ChangeResult, any Error>] = []
        for request in requests {
            tasks.append(Task.immediate { try await session.perform(request).value })
            if tasks.count == 1 { await gate.waitForArrivals(1) }
        }
        return tasks
    }

    /// Starts three changes. The first is stored, and the common commit of the others waits at the
    /// gate.
    private func startFolded(
        on session: Session, _ store: ScriptedStore
    ) async -> (tasks: [Task<ChangeResult, any Error>], gate: Gate) {
        let first = Gate()
        store.hold(.update, at: first)
        let tasks = await start([Self.push, Self.push, Self.push], on: session, first)
        let second = Gate()
        store.hold(.update, at: second)
        first.open()
        await second.waitForArrivals(1)
        return (tasks, second)
    }

    @Test("Waiting changes share one commit, each with its own result")
    func shared() async throws {
        let fixture = try Fixture(.withoutLogin())
        let session = try await fixture.open()
        let gate = Gate()
        fixture.store.hold(.update, at: gate)
        let scenes = ["detail", "settings", "nowhere", "detail", "home"]
        let requests = scenes.map { ChangeRequest(.perform(.push($0), animated: true)) }
        let tasks = await start(requests, on: session, gate)
        gate.open()
        var revisions: [Int?] = []
        for task in tasks { revisions.append(try? await task.value.session.revision) }
        #expect(revisions == [2, 3, nil, 4, 5])
        await #expect(throws: SessionError.navigation(.sceneNotFound("nowhere"))) {
            try await tasks[2].value
        }
        #expect(fixture.store.count(.update) == 2)
        #expect(
            try await session.current().scenes == ["home", "detail", "settings", "detail", "home"])
        let events = try await session.allEvents()
        #expect(events.map(\.seq) == Array(1...events.count))
        #expect(Set(events.map(\.revision)) == Set(1...5))
        #expect(try await fixture.store.base.session(session.id)?.window.revision == 5)
    }

    @Test("A change is applied when it arrives, and again if the commit before it fails")
    func appliedAtOnce() async throws {
        let fixture = try Fixture(.withoutLogin())
        let session = try await fixture.open()
        for fails in [false, true] {
            let before = try await session.current()
            let gate = Gate()
            fixture.store.hold(.update, at: gate)
            let tasks = await start([Self.push, Self.push], on: session, gate)
            let arrival = fixture.clock.now
            fixture.clock.advance(by: .seconds(5))
            if fails { fixture.store.conflict(count: 1) }
            fixture.store.hold(.update, at: nil)
            gate.open()
            for task in tasks { _ = try await task.value }
            let after = try await session.current()
            #expect(after.revision == before.revision + 2)
            let time = fails ? fixture.clock.now : arrival
            #expect(after.expiresAt == time + Fixture.sessionTTL)
        }
    }

    @Test("Changes that share a commit are not visible before it")
    func foldedVisibility() async throws {
        let fixture = try Fixture(.withoutLogin())
        let session = try await fixture.open()
        let (tasks, second) = await startFolded(on: session, fixture.store)
        _ = try await tasks[0].value
        #expect(try await session.current().revision == 2)
        second.open()
        #expect(try await tasks[1].value.session.revision == 3)
        #expect(try await tasks[2].value.session.revision == 4)
        #expect(try await session.current().revision == 4)
    }

    @Test("If a shared commit fails, each of its changes fails and the session is unchanged")
    func foldedFailure() async throws {
        let fixture = try Fixture(.withoutLogin())
        let session = try await fixture.open()
        let (tasks, second) = await startFolded(on: session, fixture.store)
        fixture.store.fail(.update)
        second.open()
        #expect(try await tasks[0].value.session.revision == 2)
        for task in tasks[1...] {
            await #expect(throws: SessionError.storage(ScriptedStore.failure)) {
                try await task.value
            }
        }
        #expect(try await session.current().revision == 2)
        fixture.store.fail()
        #expect(try await session.push("settings").session.revision == 3)
    }

    @Test("If a shared commit repeats a stored request, its changes are made one by one")
    func foldedRepetition() async throws {
        let fixture = try Fixture(.withoutLogin())
        let session = try await fixture.open()
        let (tasks, second) = await startFolded(on: session, fixture.store)
        fixture.store.refuse(.update, .recordExists, count: 1)
        second.open()
        for (number, task) in tasks.enumerated() {
            #expect(try await task.value.session.revision == number + 2)
        }
        // Two alone after the common commit.
        #expect(fixture.store.count(.update) == 4)
    }

    @Test("A commit has at most 64 changes; the others follow")
    func commitLimit() async throws {
        let fixture = try Fixture(.withoutLogin())
        let session = try await fixture.open()
        let gate = Gate()
        fixture.store.hold(.update, at: gate)
        // The first has a commit of its own.
        let requests = Array(repeating: Self.push, count: 66)
        let tasks = await start(requests, on: session, gate)
        gate.open()
        for (number, task) in tasks.enumerated() {
            #expect(try await task.value.session.revision == number + 2)
        }
        #expect(fixture.store.count(.update) == 3)
    }

    @Test("A log-out among waiting changes gets its own commit, in order")
    func alone() async throws {
        let fixture = try Fixture(.withLogin())
        let session = try await fixture.open(for: "ada")
        let gate = Gate()
        fixture.store.hold(.update, at: gate)
        let requests = [Self.push, Self.push, ChangeRequest(.logOut), Self.push]
        let tasks = await start(requests, on: session, gate)
        gate.open()
        #expect(try await tasks[1].value.session.scenes == ["home", "detail", "detail"])
        #expect(try await tasks[2].value.session.window.root == .login)
        await #expect(throws: SessionError.self) { try await tasks[3].value }
        #expect(fixture.store.count(.update) == 3)
        #expect(try await session.current().window.root == .login)
    }

    @Test("Changes that wait when the session ends fail with ended")
    func end() async throws {
        let fixture = try Fixture(.withoutLogin())
        let session = try await fixture.open()
        let gate = Gate()
        fixture.store.hold(.delete, at: gate)
        let requests = [ChangeRequest(.end()), Self.push, ChangeRequest(.logOut), Self.push]
        let tasks = await start(requests, on: session, gate)
        gate.open()
        _ = try await tasks[0].value
        for task in tasks[1...] {
            await #expect(throws: SessionError.ended) { try await task.value }
        }
        #expect(fixture.store.count(.update) == 0)
        #expect(try await session.isOver)
        #expect(try await fixture.store.base.session(session.id) == nil)
    }

    // MARK: Another writer

    @Test("A change is applied again after another writer has changed the session")
    func conflict() async throws {
        let fixture = try Fixture(.withoutLogin())
        let session = try await fixture.open()
        let other = try #require(
            try await fixture.restarted().session(session.id, token: session.tokenHash))
        _ = try await other.push("settings")
        let change = try await session.push("detail")
        #expect(change.session.revision == 3)
        #expect(change.session.scenes == ["home", "settings", "detail"])
        let events = try await session.allEvents()
        #expect(events.map(\.seq) == Array(1...events.count))
        _ = try await session.perform(.pop)
        #expect(try await other.push("detail").session.scenes == ["home", "settings", "detail"])
    }

    @Test("A precondition is checked against the state that another writer has stored")
    func conflictWithPrecondition() async throws {
        let fixture = try Fixture(.withoutLogin())
        let session = try await fixture.open()
        let other = try #require(
            try await fixture.restarted().session(session.id, token: session.tokenHash))
        _ = try await other.push("settings")
        await #expect(throws: SessionError.revisionMismatch(present: 2)) {
            try await session.perform(.push("detail"), if: revision(1))
        }
    }

    @Test("A change of a session that another writer has ended fails with ended")
    func endedElsewhere() async throws {
        let fixture = try Fixture(.withoutLogin())
        let session = try await fixture.open()
        let directory = fixture.restarted()
        let other = try #require(
            try await directory.session(session.id, token: session.tokenHash))
        _ = try await directory.end(other)
        await #expect(throws: SessionError.ended) { try await session.push("detail") }
        #expect(try await session.isOver)
    }

    @Test("A change fails as busy after repeated version conflicts, and later ones succeed")
    func endlessConflict() async throws {
        let fixture = try Fixture(.withoutLogin())
        let session = try await fixture.open()
        fixture.store.conflict(count: 9)
        await #expect(throws: SessionError.conflict) { try await session.push("detail") }
        #expect(fixture.store.count(.update) == 9)
        fixture.store.conflict(count: 8)
        #expect(try await session.push("detail").session.revision == 2)
    }

    // MARK: Contention

    @Test(
        "Changes from many threads are each made once, in one order", arguments: CallBack.allCases)
    func many(callBack: CallBack) async throws {
        let fixture = try callBack.fixture()
        let session = try await fixture.open()
        let results = try await withThrowingTaskGroup(of: [ChangeResult].self) { group in
            for _ in 0..<8 {
                group.addTask {
                    var results: [ChangeResult] = []
                    for number in 0..<100 {
                        let operation: Operation = number % 2 == 0 ? .push("detail") : .popToRoot
                        results.append(try await session.perform(operation).value)
                    }
                    return results
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        let changes = results.filter(\.outcome.changed)
        let last = try await session.current().revision
        #expect(changes.map(\.session.revision).sorted() == Array(2...last))
        #expect(try await fixture.store.base.session(session.id)?.window.revision == last)
        let events = changes.flatMap(\.outcome.events).sorted { $0.seq < $1.seq }
        #expect(
            events.map(\.seq)
                == Array((events.first?.seq ?? 0)..<(events.first?.seq ?? 0) + events.count))
        let log = try await session.allEvents()
        let count = min(log.count, events.count)
        #expect(log.suffix(count) == events.suffix(count))
    }

    @Test("Changes beyond the waiting limit fail as busy, and the waiting ones are made")
    func limit() async throws {
        let fixture = try Fixture(.withoutLogin(), waitingLimit: 2)
        let session = try await fixture.open()
        let gate = Gate()
        fixture.store.hold(.update, at: gate)
        let tasks = await start(
            Array(repeating: Self.push, count: 5), on: session, gate)
        gate.open()
        var revisions: [Int?] = []
        for task in tasks { revisions.append(try? await task.value.session.revision) }
        #expect(revisions == [2, 3, 4, nil, nil])
        await #expect(throws: SessionError.sessionBusy) { try await tasks[4].value }
    }

    @Test("A session whose change is being stored is not evicted")
    func cached() async throws {
        let fixture = try Fixture(.withoutLogin(), cacheCapacity: 2)
        let gate = Gate()
        fixture.store.hold(.update, at: gate)
        let (record, token) = try await fixture.directory.opened()
        let isTold = Gate()
        fixture.directory.cachedSession(record.id, token: token.hash)?.perform(Self.push) { _ in
            Task { await isTold.pass() }
        }
        await gate.waitForArrivals(1)
        for _ in 0..<20 { _ = try await fixture.directory.opened() }
        let session = try #require(fixture.directory.cachedSession(record.id, token: token.hash))
        gate.open()
        await isTold.waitForArrivals(1)
        #expect(try await session.current().revision == 2)
    }
}
