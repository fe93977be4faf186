import NavigationRules
import SessionStoreTesting
import Testing

@testable import Sessions

@Suite("Operations on a session", .everyStore, .timeLimit(.minutes(10)))
struct PerformTests {
    private let fixture: Fixture

    init() throws {
        fixture = try Fixture(.withoutLogin())
    }

    @Test("A change returns the session right after it and is kept")
    func change() async throws {
        let session = try await fixture.open()
        let change = try await session.push("detail")
        #expect(change.outcome.changed)
        #expect(change.session.scenes == ["home", "detail"])
        #expect(change.session.revision == 2)
        #expect(change.credential == nil)
        #expect(try await session.record().scenes == ["home", "detail"])
        #expect(fixture.store.count(.update) == 1)
    }

    @Test("A precondition is checked with the present revision")
    func preconditionHolds() async throws {
        let session = try await fixture.open()
        _ = try await session.push("detail")
        let change = try await session.perform(
            .pop, animated: true, if: revision(2)
        ).value
        #expect(change.session.revision == 3)
    }

    @Test("A failed precondition changes nothing and returns the present revision")
    func preconditionFails() async throws {
        let session = try await fixture.open()
        _ = try await session.push("detail")
        await #expect(throws: SessionError.revisionMismatch(present: 2)) {
            try await session.perform(.pop, animated: true, if: revision(1))
        }
        // The precondition is checked before the navigation rules.
        await #expect(throws: SessionError.revisionMismatch(present: 2)) {
            try await session.perform(.push("nowhere"), animated: true, if: revision(0))
        }
        await #expect(throws: SessionError.revisionMismatch(present: 2)) {
            try await fixture.directory.end(session, if: revision(0))
        }
        #expect(try await session.record().scenes == ["home", "detail"])
        #expect(fixture.store.count(.update) == 1)
        #expect(fixture.store.count(.delete) == 0)
    }

    @Test("A session's events are numbered from 1 without gaps")
    func eventNumbers() async throws {
        let session = try await fixture.open()
        _ = try await session.push("detail")
        await #expect(throws: SessionError.self) { try await session.push("nowhere") }
        fixture.store.fail(.update)
        await #expect(throws: SessionError.self) { try await session.push("settings") }
        fixture.store.fail()
        _ = try await session.push("settings")
        _ = try await session.perform(.popToRoot, animated: false)
        _ = try await session.perform(.pop, animated: false)
        let events = try await session.allEvents()
        #expect(events.count > 15)
        #expect(events.map(\.seq) == Array(1...events.count))
        #expect(events.last?.seq == (try await session.record().window.lastEvent))
        #expect(Set(events.map(\.revision)) == [1, 2, 3, 4])
        #expect(events.map(\.revision) == events.map(\.revision).sorted())
    }

    @Test("A page of events starts after any number and has any limit")
    func eventPages() async throws {
        let session = try await fixture.open()
        _ = try await session.push("detail")
        let all = try await session.allEvents()
        #expect(
            try await session.history.events(after: 3, limit: 2).page.events == Array(all[3..<5]))
        let last = try await session.history.events(after: all.count - 1, limit: 10)
        #expect(last.page == EventPage(events: [all[all.count - 1]], oldest: 1))
        #expect(last.last == all.count)
        #expect(try await session.history.events(after: all.count, limit: 10).page.events.isEmpty)
        #expect(try await session.history.events(after: .max, limit: 10).page.events.isEmpty)
        #expect(try await session.history.events(after: 0, limit: 0).page.events.isEmpty)
        #expect(try await session.history.events(after: -5, limit: 1).page.events == [all[0]])
    }
}
