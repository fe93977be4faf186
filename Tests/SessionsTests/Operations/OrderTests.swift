import NavigationRules
import SessionStoreTesting
import TestSupport
import Testing

@testable import Sessions

@Suite("Concurrent changes", .everyStore, .timeLimit(.minutes(10)))
struct OrderTests {
    private let fixture: Fixture

    init() throws {
        fixture = try Fixture(.withoutLogin())
    }

    /// Starts a change, and returns when the change is in the session's queue. The session handles
    /// requests in order, so a later read proves that.
    private func line(
        up session: Session,
        _ change: @escaping @Sendable (Session) async throws -> ChangeResult
    ) async throws -> Task<ChangeResult, any Error> {
        let task = Task.immediate { try await change(session) }
        _ = try await session.current()
        return task
    }

    @Test("Readers see the old state until the new one is stored")
    func readers() async throws {
        let session = try await fixture.open()
        let gate = Gate()
        fixture.store.hold(.update, at: gate)
        let push = Task { try await session.push("detail") }
        await gate.waitForArrivals(1)
        #expect(try await session.record().scenes == ["home"])
        #expect(try await session.record().revision == 1)
        gate.open()
        #expect(try await push.value.session.scenes == ["home", "detail"])
        #expect(try await session.record().scenes == ["home", "detail"])
        #expect(try await session.record().revision == 2)
    }

    @Test("Changes wait for the commit in progress and are made in their order")
    func order() async throws {
        let session = try await fixture.open()
        let gate = Gate()
        fixture.store.hold(.update, at: gate)
        let scenes = (0..<20).map { $0 % 3 == 0 ? "detail" : "settings" }
        var pushes: [Task<ChangeResult, any Error>] = []
        for scene in scenes {
            pushes.append(try await line(up: session) { try await $0.push(scene) })
        }
        await gate.waitForArrivals(1)
        #expect(fixture.store.count(.update) == 1)
        gate.open()
        for (number, push) in pushes.enumerated() {
            let change = try await push.value
            #expect(change.session.revision == number + 2)
            #expect(change.session.scenes == ["home"] + scenes[...number])
        }
        let events = try await session.allEvents()
        #expect(events.map(\.seq) == Array(1...events.count))
    }

    @Test("The next change is made after one that fails")
    func failure() async throws {
        let session = try await fixture.open()
        let gate = Gate()
        fixture.store.hold(.update, at: gate)
        let first = try await line(up: session) { try await $0.push("detail") }
        let refused = try await line(up: session) { try await $0.push("nowhere") }
        let mismatch = try await line(up: session) { session in
            try await session.perform(.pop, animated: true, if: { _, _ in false }).value
        }
        let last = try await line(up: session) { try await $0.push("settings") }
        gate.open()
        _ = try await first.value
        await #expect(throws: SessionError.navigation(.sceneNotFound("nowhere"))) {
            try await refused.value
        }
        await #expect(throws: SessionError.revisionMismatch(present: 2)) {
            try await mismatch.value
        }
        #expect(try await last.value.session.scenes == ["home", "detail", "settings"])
    }

    @Test("A precondition is checked when its change is made, not before")
    func precondition() async throws {
        let session = try await fixture.open()
        let gate = Gate()
        fixture.store.hold(.update, at: gate)
        let first = try await line(up: session) { try await $0.push("detail") }
        let second = try await line(up: session) { session in
            try await session.perform(
                .push("settings"), animated: true, if: { revision, _ in revision == 1 }
            ).value
        }
        gate.open()
        _ = try await first.value
        await #expect(throws: SessionError.revisionMismatch(present: 2)) {
            try await second.value
        }
    }

    @Test("A request that waits when the session ends fails with ended")
    func end() async throws {
        let session = try await fixture.open()
        let gate = Gate()
        fixture.store.hold(.delete, at: gate)
        let end = Task { [fixture] in try await fixture.directory.end(session) }
        await gate.waitForArrivals(1)
        let pushes = [
            try await line(up: session) { try await $0.push("detail") },
            try await line(up: session) { try await $0.logOut().value },
        ]
        gate.open()
        _ = try await end.value.value
        for push in pushes {
            await #expect(throws: SessionError.ended) { try await push.value }
        }
        #expect(try await session.isOver)
        #expect(fixture.store.count(.update) == 0)
    }

    @Test("Hundreds of concurrent changes are all made, each with its own revision")
    func many() async throws {
        let session = try await fixture.open()
        let revisions = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<500 {
                group.addTask { try await session.push("detail").session.revision }
            }
            return try await group.reduce(into: [Int]()) { $0.append($1) }
        }
        #expect(revisions.sorted() == Array(2...501))
        #expect(try await session.record().scenes.count == 501)
    }
}
