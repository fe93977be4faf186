import NavigationRules
import SessionStoreTesting
import Testing
import WaypostCore

@testable import Sessions

@Suite("Session expiry", .everyStore, .timeLimit(.minutes(10)))
struct ExpiryTests {
    private let fixture: Fixture

    init() throws {
        fixture = try Fixture(.withoutLogin())
    }

    @Test("A session lives until its expiry and is then gone")
    func expiry() async throws {
        let session = try await fixture.open()
        let record = try await session.record()
        #expect(record.createdAt == fixture.clock.now)
        #expect(record.expiresAt == fixture.clock.now + Fixture.sessionTTL)
        fixture.clock.advance(by: Fixture.sessionTTL - .milliseconds(1))
        #expect(try await !session.isOver)
        fixture.clock.advance(by: .milliseconds(1))
        #expect(try await session.isOver)
        await #expect(throws: SessionError.ended) { try await session.push("detail") }
        await #expect(throws: SessionError.ended) { try await session.logOut() }
        await #expect(throws: SessionError.ended) { try await fixture.directory.end(session) }
        #expect(fixture.store.count(.update) == 0)
    }

    @Test("A change restarts a session's time to live; a read does not")
    func renewal() async throws {
        let session = try await fixture.open()
        fixture.clock.advance(by: Fixture.sessionTTL - .seconds(1))
        let change = try await session.push("detail")
        #expect(change.session.expiresAt == fixture.clock.now + Fixture.sessionTTL)
        fixture.clock.advance(by: Fixture.sessionTTL - .seconds(1))
        #expect(try await !session.isOver)
        fixture.clock.advance(by: .seconds(1))
        #expect(try await session.isOver)
    }

    @Test("A new name restarts a session's time to live; the same name does not")
    func renaming() async throws {
        let session = try await fixture.open()
        let first = fixture.clock.now
        for (name, later) in [("a", 1), ("a", 1), ("b", 3)] {
            fixture.clock.advance(by: .seconds(1))
            let renamed = try await session.perform(ChangeRequest(.rename(.some(name)))).value
            #expect(renamed.session.expiresAt == first + .seconds(later) + Fixture.sessionTTL)
        }
    }

    @Test("A session with a chosen id is opened again after it has expired")
    func chosenID() async throws {
        let id = try #require(SessionID("0123456789abcdef0123456789abcdef"))
        let token = Secret.make(for: .session, fixture.clock.environment)
        func open() async throws -> Bool {
            try await fixture.directory.open(
                id, token: token, account: nil, name: nil, lifecycle: nil, isStrict: nil, at: nil
            )
        }
        #expect(try await open())
        #expect(try await !open())
        #expect(try await fixture.directory.isOpen(id))
        fixture.clock.advance(by: Fixture.sessionTTL)
        #expect(try await !fixture.directory.isOpen(id))
        #expect(try await open())
        let session = try await fixture.directory.session(id, token: token.hash)
        #expect(try await session?.isOver == false)
    }

    @Test("An expired session in memory is not taken for one that was opened with its id since")
    func reopenedElsewhere() async throws {
        let id = try #require(SessionID("0123456789abcdef0123456789abcdef"))
        let token = Secret.make(for: .session, fixture.clock.environment)
        let other = fixture.restarted()
        for directory in [fixture.directory, other] {
            let isNew = try await directory.open(
                id, token: token, account: nil, name: nil, lifecycle: nil, isStrict: nil,
                at: nil)
            #expect(isNew)
            if directory === fixture.directory { fixture.clock.advance(by: Fixture.sessionTTL) }
        }
        #expect(try await fixture.directory.isOpen(id))
        for directory in [fixture.directory, other] {
            #expect(try await directory.session(id)?.isOver == false)
        }
    }

    @Test("A session in memory that the purge has removed is not open")
    func purged() async throws {
        let session = try await fixture.open()
        #expect(try await fixture.directory.isOpen(session.id))
        fixture.clock.advance(by: Fixture.sessionTTL * 2)
        while try await fixture.store.purge(before: fixture.clock.now) {}
        #expect(try await fixture.store.base.session(session.id) == nil)
        #expect(try await !fixture.directory.isOpen(session.id))
        #expect(fixture.directory.cachedCount == 0)
    }

    @Test("A session's expiry survives a restart of the service")
    func restart() async throws {
        let (record, token) = try await fixture.directory.opened()
        fixture.clock.advance(by: Fixture.sessionTTL)
        let session = try await fixture.restarted().session(record.id, token: token.hash)
        #expect(try await session?.isOver == true)
    }
}
