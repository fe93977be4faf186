import Dispatch
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

        func awaiting(_ change: Change) -> @Sendable (Result<Void, SessionError>) -> Void {
            { result in self.results.withLock { $0.append(result.map { change }) } }
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
        return try #require(directory.residentSession(record.id, token: token.hash))
    }

    private func perform(
        _ operation: Operation, on session: Session, if precondition: Precondition? = nil
    ) throws -> Bool {
        try session.perform(
            operation, animated: true, if: precondition, preparing: results.awaiting)
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

    @Test("From many threads, some of which wait: each change is made once, one after another")
    func many() async throws {
        let store = HeldStore(writingOn: DispatchQueue(label: "the store's"))
        let directory = SessionDirectory(
            SessionService(
                app: fixture.service.app, accounts: fixture.accounts, store: store,
                environment: fixture.clock.environment))
        let (record, token) = try await directory.opened()
        let session = try #require(directory.residentSession(record.id, token: token.hash))
        let revisions = try await withThrowingTaskGroup(of: [Int].self) { group in
            // Few enough that the turn is often free.
            for _ in 0..<3 {
                group.addTask {
                    var revisions: [Int] = []
                    for number in 0..<2000 {
                        revisions.append(try await change(session, number))
                    }
                    return revisions
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        // What pops at the root changes nothing.
        let last = try #require(session.currentAtOnce()).revision
        #expect(Set(revisions).union([1]) == Set(1...last))
        #expect(store.session(session.id)?.window.revision == last)
    }

    /// - Returns: the revision after it.
    private func change(_ session: Session, _ number: Int) async throws -> Int {
        let operation: Operation = number % 2 == 0 ? .push("detail") : .popToRoot
        if number % 3 > 0, let change = try await called(back: operation, session) {
            return change.session.revision
        }
        return try await session.perform(operation, animated: true).value.session.revision
    }

    /// - Returns: nil if something else had to be waited for.
    private func called(back operation: Operation, _ session: Session) async throws -> Change? {
        try await withCheckedThrowingContinuation { continuation in
            do {
                let hasBegun = try session.perform(operation, animated: true) { change in
                    { result in
                        continuation.resume(
                            with: result.map { change }.mapError { $0 as any Error })
                    }
                }
                if !hasBegun { continuation.resume(returning: nil) }
            } catch {
                continuation.resume(throwing: error)
            }
        }
    }

    @Test("Who comes to wait in the moment in which the turn ends does not wait for ever")
    func lastMoment() async throws {
        let session = try await open()
        for round in 1...3000 {
            #expect(try perform(.push("detail"), on: session))
            let isOver = Mutex(false)
            async let pop: Void = {
                _ = try await session.perform(.pop, animated: true)
                isOver.withLock { $0 = true }
            }()
            while !isOver.withLock({ $0 }) {
                store.release()
                await Task.yield()
            }
            try await pop
            #expect(results.all.count == round)
        }
    }

    @Test("What changes nothing is called back at once, and nothing is stored")
    func unchanged() async throws {
        let session = try await open()
        #expect(try perform(.pop, on: session))
        #expect(try results.all.first?.get().outcome.changed == false)
        #expect(store.heldCount == 0)
        #expect(try perform(.push("detail"), on: session))
        store.release()
        #expect(session.currentAtOnce()?.revision == 2)
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
        store.release()
        #expect(session.currentAtOnce()?.revision == 2)
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
        let hasBegun = try directory.residentSession(record.id, token: token.hash)?
            .perform(.push("detail"), animated: true, preparing: results.awaiting)
        #expect(hasBegun == true)
        for _ in 0..<20 { _ = try await directory.opened() }
        let session = try #require(directory.residentSession(record.id, token: token.hash))
        store.release()
        #expect(session.currentAtOnce()?.revision == 2)
    }
}
