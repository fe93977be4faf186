import NavigationRules
import SessionStoreTesting
import TestSupport
import Testing
import WaypostCore

@testable import Sessions

@Suite("Session directory", .everyStore, .timeLimit(.minutes(10)))
struct SessionDirectoryTests {
    private let fixture: Fixture

    init() throws {
        fixture = try Fixture(.withoutLogin())
    }

    @Test("A new session has its first display's events and is found by id and token")
    func open() async throws {
        let (record, token) = try await fixture.directory.opened(lifecycle: .native)
        #expect(record.revision == 1)
        #expect(record.window.lifecycle == .native)
        #expect(token.text.hasPrefix("wps_"))
        #expect(record.tokenHash == token.hash)
        let session = try #require(
            try await fixture.directory.session(record.id, token: token.hash))
        #expect(session.id == record.id)
        #expect(try await session.allEvents().map(\.kind).first == .viewDidLoad)
    }

    @Test("Each session has its own id, token and state")
    func separate() async throws {
        let sessions = [try await fixture.open(), try await fixture.open()]
        #expect(sessions[0].id != sessions[1].id)
        _ = try await sessions[0].push("detail")
        #expect(try await sessions[1].record().scenes == ["home"])
    }

    @Test("A session with a chosen id that another node opens first is there already")
    func chosenIDOnTwoNodes() async throws {
        let token = Secret.make(for: .session, fixture.clock.environment)
        let id = try #require(SessionID("0123456789abcdef0123456789abcdef"))
        let other = try Fixture(
            .withoutLogin(), store: ScriptedStore(before: fixture.store.base))
        @Sendable func open(_ id: SessionID, on node: SessionDirectory) async throws -> Bool {
            try await node.open(
                id, token: token, account: nil, name: nil, lifecycle: nil, isStrict: nil,
                at: nil)
        }
        let gate = Gate()
        fixture.store.hold(.insert, at: gate)
        let opening = Task { [fixture] in try await open(id, on: fixture.directory) }
        await gate.waitForArrivals(1)
        #expect(try await open(id, on: other.directory))
        // A shared store refuses the second row with the same key as it refuses any faulty write.
        fixture.store.fail(.insert)
        gate.open()
        #expect(try await opening.value == false)
        #expect(try await fixture.directory.session(id, token: token.hash) != nil)
        let unused = SessionID.make(fixture.clock.environment)
        await #expect(throws: SessionError.storage(ScriptedStore.failure)) {
            try await open(unused, on: fixture.directory)
        }
    }

    @Test("A wrong token and an unknown id give the same result, cached or not")
    func notFound() async throws {
        let (one, oneToken) = try await fixture.directory.opened()
        let (other, otherToken) = try await fixture.directory.opened()
        let unknown = try #require(SessionID(String(repeating: "0", count: 32)))
        for directory in [fixture.directory, fixture.restarted()] {
            #expect(try await directory.session(one.id, token: otherToken.hash) == nil)
            #expect(try await directory.session(other.id, token: oneToken.hash) == nil)
            #expect(try await directory.session(unknown, token: oneToken.hash) == nil)
            #expect(try await directory.session(one.id, token: oneToken.hash) != nil)
        }
    }

    @Test("An ended session is removed from memory and from the store")
    func end() async throws {
        let (record, token) = try await fixture.directory.opened()
        let session = try #require(
            try await fixture.directory.session(record.id, token: token.hash))
        _ = try await fixture.directory.end(session).value
        #expect(try await session.isOver)
        #expect(try await fixture.directory.session(record.id, token: token.hash) == nil)
        #expect(try await fixture.restarted().session(record.id, token: token.hash) == nil)
        await #expect(throws: SessionError.ended) { try await fixture.directory.end(session) }
        await #expect(throws: SessionError.ended) { try await session.push("detail") }
    }

    @Test("After a restart a session is as it was stored")
    func restart() async throws {
        let (record, token) = try await fixture.directory.opened(lifecycle: .native)
        let before = try #require(try await fixture.directory.session(record.id, token: token.hash))
        _ = try await before.push("detail")
        let after = try #require(
            try await fixture.restarted().session(record.id, token: token.hash))
        #expect(after !== before)
        let stored = try await after.record()
        #expect(stored.scenes == ["home", "detail"])
        #expect(stored.revision == 2)
        #expect(stored.window.lifecycle == .native)
        _ = try await after.push("settings")
        let events = try await after.allEvents()
        #expect(events.map(\.seq) == Array(1...events.count))
        let ids = try await after.record().window.viewControllers.map(\.id.number)
        #expect(ids == [1, 2, 3])
    }

    @Test("Concurrent loads of one session return the same actor")
    func oneActor() async throws {
        let (record, token) = try await fixture.directory.opened()
        let directory = fixture.restarted()
        let gate = Gate()
        fixture.store.hold(.session, at: gate)
        let lookups = (0..<50).map { _ in
            Task.immediate { try await directory.session(record.id, token: token.hash) }
        }
        await gate.waitForArrivals(1)
        gate.open()
        var actors: Set<ObjectIdentifier> = []
        for lookup in lookups {
            actors.insert(ObjectIdentifier(try #require(try await lookup.value)))
        }
        #expect(actors.count == 1)
        // The first request read from the store; later ones do not.
        _ = try await directory.session(record.id, token: token.hash)
        #expect(fixture.store.count(.session) == 1)
    }
}
