import NavigationRules
import SessionStoreTesting
import TestSupport
import Testing
import WaypostCore

@testable import Sessions

@Suite("Session cache", .timeLimit(.minutes(10)))
struct SessionCacheTests {
    private struct Weak {
        weak var session: Session?
    }

    private struct Known {
        let id: SessionID
        let token: Secret
        let scenes: [Scene.Name]
        let actor: Weak
    }

    private let fixture: Fixture
    private let directory: SessionDirectory

    init() throws {
        fixture = try Fixture(.withoutLogin())
        directory = fixture.restarted(cacheCapacity: 10)
    }

    private func open(pushing count: Int) async throws -> Known {
        let (record, token) = try await directory.opened()
        let session = try #require(try await directory.session(record.id, token: token.hash))
        for number in 0..<count { _ = try await session.push(number == 0 ? "detail" : "settings") }
        return Known(
            id: record.id, token: token, scenes: try await session.record().scenes,
            actor: Weak(session: session))
    }

    private func find(_ known: Known) async throws -> Session {
        try #require(try await directory.session(known.id, token: known.token.hash))
    }

    @Test("A small cache evicts most of sixty sessions, and all are found unchanged")
    func eviction() async throws {
        var all: [Known] = []
        for number in 0..<60 {
            all.append(try await open(pushing: number % 4))
            #expect(all.suffix(30).count { $0.actor.session != nil } <= 10)
        }
        #expect(all.count { $0.actor.session != nil } <= 10)
        var generator = SeededGenerator(seed: 7)
        for known in all.shuffled(using: &generator) {
            #expect(try await find(known).record().scenes == known.scenes)
        }
        // Each session is found again and changed, so the eviction lost nothing.
        for known in all.shuffled(using: &generator) { _ = try await find(known).push("settings") }
        for known in all.shuffled(using: &generator) {
            let record = try await find(known).record()
            #expect(record.scenes == known.scenes + ["settings"])
            #expect(record.revision == known.scenes.count + 1)
        }
        #expect(all.count { $0.actor.session != nil } <= 10)
    }

    @Test("A session with a reference elsewhere is not evicted and stays the same actor")
    func held() async throws {
        var held: [(known: Known, session: Session)] = []
        for number in 0..<40 {
            let known = try await open(pushing: number % 3)
            held.append((known, try await find(known)))
            #expect(held.last?.session === known.actor.session)
        }
        for _ in 0..<50 { _ = try await open(pushing: 0) }
        for (known, session) in held {
            #expect(try await find(known) === session)
            _ = try await session.push("settings")
            #expect(try await find(known).record().scenes == known.scenes + ["settings"])
        }
        let known = held.map(\.known)
        held = []
        for _ in 0..<50 { _ = try await open(pushing: 0) }
        #expect(known.allSatisfy { $0.actor.session == nil })
        for known in known {
            #expect(try await find(known).record().scenes == known.scenes + ["settings"])
        }
    }

    @Test("Concurrent use of more sessions than the cache holds loses no change")
    func concurrentUse() async throws {
        var all: [Known] = []
        for _ in 0..<30 { all.append(try await open(pushing: 0)) }
        try await withThrowingTaskGroup(of: Void.self) { [all] group in
            for seed in UInt64(0)..<16 {
                group.addTask {
                    var generator = SeededGenerator(seed: seed)
                    for _ in 0..<5 {
                        for known in all.shuffled(using: &generator) {
                            _ = try await find(known).push("settings")
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        for known in all {
            let record = try await find(known).record()
            #expect(record.revision == 1 + 16 * 5)
            #expect(record.scenes.count == 1 + 16 * 5)
        }
    }

    @Test("A slow load does not replace a session that was changed meanwhile")
    func slowLoad() async throws {
        let (record, token) = try await directory.opened()
        let directory = fixture.restarted(cacheCapacity: 2)
        let gate = Gate()
        fixture.store.holdResult(of: .session, at: gate)
        let slow = Task.immediate { try await directory.session(record.id, token: token.hash) }
        await gate.waitForArrivals(1)
        fixture.store.holdResult(of: .session, at: nil)
        // This request starts later and could finish earlier.
        let quick = Task.immediate {
            let session = try #require(try await directory.session(record.id, token: token.hash))
            return try await session.push("detail").session.revision
        }
        for _ in 0..<100 {
            _ = try await directory.opened()
            await Task.yield()
        }
        gate.open()
        let session = try #require(try await slow.value)
        #expect(try await quick.value == 2)
        let change = try await session.push("settings")
        #expect(change.session.scenes == ["home", "detail", "settings"])
    }

    @Test("An ended session is removed from either generation")
    func end() async throws {
        for later in 0..<12 {
            let known = try await open(pushing: 1)
            for _ in 0..<later { _ = try await open(pushing: 0) }
            _ = try await directory.end(find(known)).value
            #expect(try await directory.session(known.id, token: known.token.hash) == nil)
        }
    }
}

@Suite("Large sessions in the cache", .timeLimit(.minutes(10)))
struct LargeSessionCacheTests {
    private struct Weak {
        weak var session: Session?
    }

    /// Opens a session with about 100,000 bytes of texts.
    private func openLarge(_ directory: SessionDirectory) async throws -> Weak {
        let (record, token) = try await directory.opened()
        let session = try #require(try await directory.session(record.id, token: token.hash))
        try await fill(session)
        return Weak(session: session)
    }

    private func fill(_ session: Session) async throws {
        let targets = (0..<100).map { _ in Target.scene("detail", parameters: [:]) }
        let window = try await session.perform(.setViewControllers(targets)).value.session.window
        let changes = ViewControllerChanges(title: .some(String(repeating: "x", count: 1000)))
        _ = try await session.perform(
            .batch(window.viewControllers.map { .update($0.id, changes) }))
    }

    @Test("Large sessions take the places of as many small ones as they have bytes")
    func loaded() async throws {
        let fixture = try Fixture(.withoutLogin())
        let first = SessionDirectory(fixture.restartedService(nil))
        var ids: [SessionID] = []
        for _ in 0..<30 { ids.append(try #require(try await openLarge(first).session?.id)) }
        // 400 small sessions have the bytes of 8 large ones.
        let service = fixture.restartedService(nil)
        let directory = SessionDirectory(service, cacheCapacity: 400)
        for id in ids { _ = try await directory.session(id) }
        #expect(directory.cachedCount <= 8)
        #expect(service.resident.bytes <= 400 * ResidentSize.smallSession)
    }

    @Test("Sessions that grow in memory are evicted when they are not used")
    func grown() async throws {
        let fixture = try Fixture(.withoutLogin())
        let service = fixture.restartedService(nil)
        let directory = SessionDirectory(service, cacheCapacity: 400)
        var all: [Weak] = []
        for _ in 0..<40 { all.append(try await openLarge(directory)) }
        #expect(all.count { $0.session != nil } <= 12)
    }

    @Test("The size of all sessions is zero when none is left in memory")
    func none() async throws {
        let fixture = try Fixture(.withoutLogin())
        let service = fixture.restartedService(nil)
        do {
            let directory = SessionDirectory(service)
            for _ in 0..<3 { _ = try await openLarge(directory) }
            #expect(service.resident.bytes > 300_000)
        }
        #expect(service.resident.bytes == 0)
    }
}
