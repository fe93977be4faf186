import Navigation
import Synchronization
import TestSupport
import Testing

@testable import Sessions

@Suite("Changes that are called back", .timeLimit(.minutes(10)))
struct CallBackTests {
    /// What `perform` has called back with.
    private final class Results: Sendable {
        private let results = Mutex<[Result<Change, SessionError>]>([])

        var all: [Result<Change, SessionError>] { results.withLock { $0 } }

        @Sendable func note(_ result: Result<Change, SessionError>) {
            results.withLock { $0.append(result) }
        }
    }

    private let fixture: Fixture
    private let store = HeldStore()
    private let directory: SessionDirectory
    private let results = Results()

    init() throws {
        fixture = try Fixture(.withoutLogin())
        directory = SessionDirectory(
            SessionService(
                app: fixture.service.app, accounts: fixture.accounts, store: store,
                environment: fixture.clock.environment, sessionTTL: Fixture.sessionTTL))
    }

    private func open() async throws -> Session {
        let (record, token) = try await directory.opened()
        return try #require(directory.residentSession(record.id, token: token))
    }

    private func perform(
        _ operation: Operation, on session: Session, if precondition: Precondition? = nil
    ) throws -> Bool {
        try session.perform(operation, animated: true, if: precondition, then: results.note)
    }

    @Test("A change is seen, and called back, when it is stored and not before")
    func stored() async throws {
        let session = try await open()
        fixture.clock.advance(by: .seconds(1))
        #expect(try perform(.push("detail"), on: session))
        #expect(results.all.isEmpty)
        #expect(session.currentAtOnce()?.revision == 1)
        store.release()
        let change = try #require(try results.all.first?.get())
        #expect(results.all.count == 1)
        let other = try await fixture.open()
        let expected = try await other.perform(.push("detail"), animated: true).value
        #expect(change.outcome.changed)
        #expect(change.outcome.events == expected.outcome.events)
        #expect(change.session.scenes == expected.session.scenes)
        #expect(change.session.expiresAt == expected.session.expiresAt)
        #expect(session.currentAtOnce()?.revision == 2)
        #expect(store.session(session.id)?.window.revision == 2)
        #expect(try await session.allEvents() == other.allEvents())
    }

    @Test("A change that could not be stored has not been made, and the next one is")
    func failed() async throws {
        let session = try await open()
        #expect(try perform(.push("detail"), on: session))
        store.fail()
        guard case .failure(.storage(TestStore.failure)) = results.all.first else {
            Issue.record("\(results.all)")
            return
        }
        #expect(session.currentAtOnce()?.revision == 1)
        #expect(try perform(.push("settings"), on: session))
        store.release()
        #expect(session.currentAtOnce()?.scenes.last == "settings")
    }

    @Test("While one is being stored no other one begins: who waits comes next")
    func turns() async throws {
        let session = try await open()
        #expect(try perform(.push("detail"), on: session))
        #expect(try !perform(.pop, on: session))
        let waiting = Task { try await session.perform(.pop, animated: true).value }
        // It has its turn after the first one is stored, and is then held itself.
        while !waiting.isCancelled, session.currentAtOnce()?.revision != 3 {
            store.release()
            await Task.yield()
        }
        #expect(try await waiting.value.session.revision == 3)
        #expect(results.all.count == 1)
        #expect(session.currentAtOnce()?.scenes.count == 1)
        // The turn is free again.
        #expect(try perform(.push("detail"), on: session))
        store.release()
        #expect(session.currentAtOnce()?.revision == 4)
    }

    @Test("What changes nothing is called back at once, and nothing is stored")
    func unchanged() async throws {
        let session = try await open()
        #expect(try perform(.pop, on: session))
        #expect(try results.all.first?.get().outcome.changed == false)
        #expect(store.heldCount == 0)
        #expect(try perform(.push("detail"), on: session))
    }

    @Test("What the rules refuse, and a precondition that does not hold, change nothing")
    func refused() async throws {
        let session = try await open()
        #expect(throws: SessionError.navigation(.sceneNotFound("nowhere"))) {
            try perform(.push("nowhere"), on: session)
        }
        #expect(throws: SessionError.revisionMismatch(present: 1)) {
            try perform(.push("detail"), on: session, if: { $0 == 2 })
        }
        #expect(results.all.isEmpty)
        #expect(store.heldCount == 0)
        #expect(try perform(.push("detail"), on: session, if: { $0 == 1 }))
    }

    @Test("Nothing is done to a session that is over, nor where the store does not call back")
    func nothing() async throws {
        let session = try await open()
        fixture.clock.advance(by: Fixture.sessionTTL)
        #expect(try !perform(.push("detail"), on: session))
        let slow = try await fixture.open()
        #expect(try !perform(.push("detail"), on: slow))
        #expect(results.all.isEmpty)
        #expect(store.heldCount == 0)
    }

    @Test("A session whose change is being stored is not forgotten")
    func resident() async throws {
        let directory = SessionDirectory(
            SessionService(
                app: fixture.service.app, accounts: fixture.accounts, store: store,
                environment: fixture.clock.environment), residentLimit: 2)
        let (record, token) = try await directory.opened()
        let hasBegun = try directory.residentSession(record.id, token: token)?
            .perform(.push("detail"), animated: true, then: results.note)
        #expect(hasBegun == true)
        for _ in 0..<20 { _ = try await directory.opened() }
        let session = try #require(directory.residentSession(record.id, token: token))
        store.release()
        #expect(session.currentAtOnce()?.revision == 2)
    }
}
