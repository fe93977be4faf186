import NavigationRules
import SessionStoreTesting
import TestSupport
import Testing
import WaypostCore

@testable import Sessions

@Suite("Complete states in the log", .timeLimit(.minutes(10)))
struct CompleteStateTests {
    private func pushAndPop(_ session: Session, times: Int) async throws {
        for _ in 0..<times {
            _ = try await session.push("detail")
            _ = try await session.perform(.pop, animated: false)
        }
    }

    /// The sizes of the records in a session's log, in bytes, and the revisions of the states.
    private func sizes(
        of session: Session, _ fixture: Fixture
    ) async throws -> (states: Int, entries: Int, revisions: [Int], sinceState: Int) {
        let part = try await fixture.store.log(of: session.id, from: 1, through: .max)
        var found: (states: Int, entries: Int, revisions: [Int], sinceState: Int) = (0, 0, [], 0)
        for record in try part.rows.flatMap({ try #require(LogRecord.decode($0)) }) {
            var bytes: [UInt8] = []
            record.write(to: &bytes)
            guard case .state(let state) = record else {
                found.entries += bytes.count
                found.sinceState += bytes.count
                continue
            }
            found.states += bytes.count
            found.revisions.append(state.revision)
            found.sinceState = 0
        }
        return found
    }

    @Test("The complete states of a large session take no more space than its changes")
    func largeSession() async throws {
        let fixture = try Fixture(.withoutLogin())
        let session = try await fixture.open()
        for number in 0..<200 {
            let top = try await session.push("detail").session.window.topViewController.id
            let title = String(repeating: "x", count: 1000) + "\(number)"
            _ = try await session.perform(
                .update(top, ViewControllerChanges(title: .some(title))), animated: false)
        }
        let before = try await sizes(of: session, fixture)
        try await pushAndPop(session, times: 600)
        let after = try await sizes(of: session, fixture)
        // One state of 200 kB may be due at the start.
        #expect(after.states - before.states <= after.entries - before.entries + 220_000)
        #expect(after.revisions.count > before.revisions.count)
        // A state far from the next complete one is rebuilt as it was.
        let revisions = [after.revisions.last ?? 1, 1599, 1201, 999, 801, 700]
        for revision in revisions {
            let found = try await session.history.state(at: revision)
            #expect(found.window.revision == revision)
            #expect(found.window.viewControllers.count == (revision.isMultiple(of: 2) ? 202 : 201))
        }
    }

    @Test("The newest state of a small session is within two kilobytes of the end of its log")
    func smallSession() async throws {
        let fixture = try Fixture(.withoutLogin())
        let session = try await fixture.open()
        for _ in 0..<50 {
            try await pushAndPop(session, times: 2)
            let found = try await sizes(of: session, fixture)
            #expect(found.sinceState <= 2048)
        }
    }

    @Test("A change of a stack of 950 view controllers adds at most twice what one of 10 adds")
    func depth() async throws {
        let fixture = try Fixture(.withoutLogin())
        var added: [Int] = []
        for depth in [10, 950] {
            let session = try await fixture.open()
            let targets = (0..<depth).map { _ in Target.scene("detail", parameters: [:]) }
            _ = try await session.perform(.setViewControllers(targets))
            try await pushAndPop(session, times: 100)
            let before = try await sizes(of: session, fixture)
            try await pushAndPop(session, times: 500)
            let after = try await sizes(of: session, fixture)
            added.append(after.states + after.entries - before.states - before.entries)
        }
        #expect(added[1] <= 2 * added[0])
    }
}
