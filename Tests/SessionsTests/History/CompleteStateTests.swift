import Navigation
import SessionStoreTesting
import TestSupport
import Testing
import WaypostCore

@testable import Sessions

@Suite("Complete states in the history", .everyStore, .timeLimit(.minutes(10)))
struct CompleteStateTests {
    private func pushAndPop(_ session: Session, times: Int) async throws {
        for _ in 0..<times {
            _ = try await session.push("detail")
            _ = try await session.perform(.pop, animated: false)
        }
    }

    /// The bytes of the complete states in a session's journal, and their revisions.
    private func states(
        of session: Session, _ fixture: Fixture
    ) async throws -> (bytes: Int, revisions: [Int]) {
        let part = try await fixture.store.journal(of: session.id, from: 1, through: .max)
        var found: (bytes: Int, revisions: [Int]) = (0, [])
        for record in try part.chunks.flatMap({ try #require(JournalRecord.decode($0)) }) {
            guard case .base(let base) = record else { continue }
            var writer = ByteWriter()
            record.write(into: &writer)
            found.bytes += writer.bytes.count
            found.revisions.append(base.window.revision)
        }
        return found
    }

    @Test("The complete states of a large session take at most 512 bytes for each small change")
    func largeSession() async throws {
        let fixture = try Fixture(.withoutLogin())
        let session = try await fixture.open()
        for number in 0..<200 {
            let top = try await session.push("detail").session.window.topViewController.id
            let title = String(repeating: "x", count: 1000) + "\(number)"
            _ = try await session.perform(
                .update(top, ViewControllerChanges(title: .some(title))), animated: false)
        }
        let before = try await states(of: session, fixture)
        try await pushAndPop(session, times: 600)
        let after = try await states(of: session, fixture)
        #expect(after.bytes - before.bytes <= 1200 * 512)
        #expect(after.revisions.count > before.revisions.count)
        // A state far from the next complete one is rebuilt as it was.
        let revisions = [after.revisions.last ?? 1, 1599, 1201, 999, 801, 700]
        for revision in revisions {
            let found = try await session.snapshot(at: revision)
            #expect(found.window.revision == revision)
            #expect(found.window.viewControllers.count == (revision.isMultiple(of: 2) ? 202 : 201))
        }
    }

    @Test("A small session has a complete state at least once in 100 changes")
    func smallSession() async throws {
        let fixture = try Fixture(.withoutLogin())
        let session = try await fixture.open()
        try await pushAndPop(session, times: 250)
        #expect(try await states(of: session, fixture).revisions == [1, 100, 200, 300, 400, 500])
    }
}
