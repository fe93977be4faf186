import Navigation
import Synchronization
import Testing

@testable import Sessions

@Suite("Changes that need not wait", .timeLimit(.minutes(10)))
struct AtOnceTests {
    private let fixture: Fixture
    /// On a store in memory.
    private let store = MemoryStore()
    private let directory: SessionDirectory

    init() throws {
        fixture = try Fixture(.withoutLogin())
        directory = SessionDirectory(
            SessionService(
                app: fixture.service.app, accounts: fixture.accounts, store: store,
                environment: fixture.clock.environment, sessionTTL: Fixture.sessionTTL))
    }

    private func open() async throws -> Session {
        let (record, token) = try await directory.opened()
        return try #require(directory.residentSession(record.id, token: token.hash))
    }

    @Test("They are what they are where they wait")
    func same() async throws {
        let session = try await open()
        let other = try await fixture.open()
        fixture.clock.advance(by: .seconds(1))
        let operations: [Operation] = [
            .push("detail"), .pop, .pop,
            .setRootViewController(.scene("settings", parameters: [:])),
        ]
        for operation in operations {
            let change = try #require(try session.performAtOnce(operation, animated: true))
            let expected = try await other.perform(operation, animated: true).value
            #expect(change.outcome.changed == expected.outcome.changed)
            #expect(change.outcome.events == expected.outcome.events)
            #expect(change.session.scenes == expected.session.scenes)
            #expect(change.session.revision == expected.session.revision)
            #expect(change.session.expiresAt == expected.session.expiresAt)
        }
        #expect(try await session.record().scenes == ["settings"])
        #expect(try await session.allEvents() == other.allEvents())
        // And it is stored.
        #expect(store.session(session.id)?.window.revision == 4)
    }

    @Test("What the rules refuse, and a precondition that does not hold, change nothing")
    func refused() async throws {
        let session = try await open()
        #expect(throws: SessionError.navigation(.sceneNotFound("nowhere"))) {
            try session.performAtOnce(.push("nowhere"), animated: true)
        }
        #expect(throws: SessionError.revisionMismatch(present: 1)) {
            try session.performAtOnce(.push("detail"), animated: true, if: { $0 == 2 })
        }
        #expect(try await session.record().revision == 1)
    }

    @Test(
        "Nothing is done while another change has its turn, or where the store is to be waited for")
    func nothing() async throws {
        let session = try await open()
        let result = Mutex<Change??>(nil)
        let change = try await session.perform(
            .push("detail"), animated: true,
            if: { _ in
                // In the middle of the turn.
                result.withLock { $0 = try? session.performAtOnce(.pop, animated: true) }
                return true
            }
        ).value
        #expect(result.withLock { $0 != nil && $0! == nil })
        #expect(change.session.revision == 2)
        #expect(try await session.record().revision == 2)

        let slow = try await fixture.open()
        #expect(try slow.performAtOnce(.push("detail"), animated: true) == nil)
        #expect(try await slow.record().revision == 1)
    }

    @Test("Nothing is done to a session that is over")
    func over() async throws {
        let session = try await open()
        fixture.clock.advance(by: Fixture.sessionTTL)
        #expect(try session.performAtOnce(.push("detail"), animated: true) == nil)
        let ended = try await open()
        _ = try await directory.end(ended)
        #expect(try ended.performAtOnce(.push("detail"), animated: true) == nil)
    }

    @Test("From many threads, some of which wait: each change is made once, one after another")
    func many() async throws {
        let session = try await open()
        let count = 400
        let revisions = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<count {
                group.addTask {
                    if number % 3 > 0,
                        let change = try session.performAtOnce(.push("detail"), animated: true)
                    {
                        return change.session.revision
                    }
                    return try await session.push("detail").session.revision
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(revisions.sorted() == Array(2...count + 1))
        #expect(try await session.record().scenes.count == count + 1)
    }
}
