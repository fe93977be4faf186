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

    /// Starts a change, and returns when the change is in the session's queue. `perform` suspends
    /// nowhere before that.
    private func line(
        up session: Session, _ operation: Operation, if precondition: Precondition? = nil
    ) -> Task<ChangeResult, any Error> {
        let request = ChangeRequest(.perform(operation, animated: true), if: precondition)
        return Task.immediate { try await session.perform(request).value }
    }

    @Test("Changes wait for the commit in progress and are made in their order")
    func order() async throws {
        let session = try await fixture.open()
        let gate = Gate()
        fixture.store.hold(.update, at: gate)
        let scenes = (0..<20).map { $0 % 3 == 0 ? "detail" : "settings" }
        var pushes: [Task<ChangeResult, any Error>] = []
        for scene in scenes {
            pushes.append(line(up: session, .push(scene)))
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

    @Test("A commit of changes that waited has the time limit of the request that came first")
    func requestStart() async throws {
        let store = try ScriptedStore(.memory, isShared: true)
        let session = try await Fixture(.withoutLogin(), store: store).open()
        let gate = Gate()
        store.hold(.update, at: gate)
        let now = ContinuousClock.now
        let tasks = [0, 3, 2, 4].map { seconds in
            RequestStart.$current.withValue(now + .seconds(seconds)) {
                line(up: session, .push("detail"))
            }
        }
        #expect(store.lastRequestStart == now)
        gate.open()
        for task in tasks { _ = try await task.value }
        #expect(store.count(.update) == 2)
        #expect(store.lastRequestStart == now + .seconds(2))
    }

    @Test("The next change is made after one that fails")
    func failure() async throws {
        let session = try await fixture.open()
        let gate = Gate()
        fixture.store.hold(.update, at: gate)
        let first = line(up: session, .push("detail"))
        let refused = line(up: session, .push("nowhere"))
        let mismatch = line(up: session, .pop, if: revision(0))
        let last = line(up: session, .push("settings"))
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
        let first = line(up: session, .push("detail"))
        let second = line(up: session, .push("settings"), if: revision(1))
        gate.open()
        _ = try await first.value
        await #expect(throws: SessionError.revisionMismatch(present: 2)) {
            try await second.value
        }
    }
}
