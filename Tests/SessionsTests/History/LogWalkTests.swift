import NavigationRules
import TestSupport
import Testing
import WaypostCore

@testable import Sessions

/// Tests of logs in which earlier versions recorded changes without their effects.
@Suite("Logs without effects") struct LogWalkTests {
    @Test("A state that a change no longer leads to is dropped, and the next complete one counts")
    func otherEffect() async throws {
        let fixture = try Fixture(.withoutLogin())
        let session = try await fixture.open()
        let first = try await session.current()
        let second = try await session.push("detail").session
        let present = try await session.push("settings").session
        func push(_ scene: Scene.Name, _ revision: Int) -> LogRecord {
            .entry(
                LogEntry(
                    revision: revision, time: fixture.clock.now,
                    action: .perform(.push(scene), animated: true), transition: .push))
        }
        let walk = LogWalk(
            app: fixture.service.app, sessionTTL: Fixture.sessionTTL, present: present)
        // In the first case, today's rules push another scene than the rules that made the second
        // state.
        for (scene, isSame) in [("settings", false), ("detail", true)] {
            let records = [
                .state(LogState(first)), push(scene, 2), .state(LogState(second)),
                push("settings", 3),
            ]
            let row = records.reduce(into: [UInt8]()) { $1.write(to: &$0) }
            let changes = try #require(
                try walk.run([row], revisions: 2...3, isAll: true) { $1?.revision })
            #expect(changes.map(\.entry.revision) == [2, 3])
            #expect(changes.map(\.reading) == [isSame ? 1 : nil, 2])
            #expect(changes.map { $0.states?.top?.scene } == [isSame ? "detail" : nil, "settings"])
            #expect(changes.map(\.transition) == [.push, .push])
        }
    }
}
