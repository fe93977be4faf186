import NavigationRules
import SessionStoreTesting
import TestSupport
import Testing
import WaypostCore

@testable import Sessions

/// Changes that arrive during a commit and are applied to the state after it.
@Suite("Changes during a commit", .timeLimit(.minutes(10)))
struct FollowingChangeTests {
    private let fixture: Fixture

    init() throws { fixture = try Fixture(.withLogin()) }

    private func request(_ key: String) -> IdempotentRequest<ChangeResult> {
        IdempotentRequest(key: key, token: "wps_1", request: "push", requestSize: 9) { change, _ in
            Array("revision \(change.session.revision)".utf8)
        }
    }

    /// Starts a change whose commit waits at a gate.
    private func startChange(
        of session: Session
    ) async -> (change: Task<ChangeResult, any Error>, gate: Gate) {
        let gate = Gate()
        fixture.store.hold(.update, at: gate)
        let change = Task { try await session.push("detail") }
        await gate.waitForArrivals(1)
        return (change, gate)
    }

    @Test(
        "A change with a key reads the sizes of the session's records once, also during a commit",
        arguments: [false, true])
    func key(areSizesKnown: Bool) async throws {
        let session = try await fixture.open(for: "ada")
        if areSizesKnown {
            _ = try await session.perform(.push("settings"), idempotency: request("first")).value
        }
        let (first, gate) = await startChange(of: session)
        let reads = fixture.store.count(.idempotencyRecord)
        let second = Task { [request] in
            try await session.perform(.push("settings"), idempotency: request("second"))
        }
        // Without the sizes, the change waits for the end of the commit.
        await until { await areSizesKnown ? session.hasNext : session.waiting.count == 1 }
        gate.open()
        let revision = try await first.value.session.revision
        #expect(try await second.value.value.session.revision == revision + 1)
        // One read looks for the response to an earlier request.
        #expect(fixture.store.count(.idempotencyRecord) == reads + (areSizesKnown ? 1 : 2))
        let again = try await session.perform(
            .push("settings"), idempotency: request("second"))
        #expect(try again.replay == Array("revision \(revision + 1)".utf8))
    }

    @Test("A change with a key that arrives during a commit counts towards the limit of records")
    func recordLimit() async throws {
        var policy = IdempotencyPolicy()
        policy.maximumRecords = 2
        let service = SessionDependencies(
            app: fixture.service.app, accounts: fixture.accounts, store: fixture.store,
            environment: fixture.clock.environment, idempotency: policy)
        let opened = try await fixture.open(for: "ada").id
        let session = try #require(try await SessionDirectory(service).session(opened))
        func push(_ key: String) async throws -> IdempotentResult<ChangeResult> {
            try await session.perform(.push("settings"), idempotency: request(key))
        }
        _ = try await push("first").value
        fixture.clock.advance(by: .seconds(1))
        let second = try await push("second").value.session.revision
        fixture.clock.advance(by: .seconds(1))
        let (change, gate) = await startChange(of: session)
        let third = Task { try await push("third") }
        await until { await session.hasNext }
        gate.open()
        _ = try await change.value
        let last = try await third.value.value.session.revision
        // The oldest of three records is forgotten.
        #expect(try await push("second").replay == Array("revision \(second)".utf8))
        #expect(try await push("first").value.session.revision == last + 1)
    }

    @Test("A change is checked again if the credential is revoked during the commit before it")
    func revocation() async throws {
        try await fixture.signUp("ada", "countess!")
        let session = try await fixture.logIn("ada", "countess!").session
        let (first, gate) = await startChange(of: session)
        let second = Task { try await session.push("settings") }
        await until { await session.hasNext }
        try await fixture.accountDirectory.setDisabled("ada", true)
        gate.open()
        #expect(try await first.value.session.scenes == ["home", "detail"])
        let refused = SessionError.navigation(.loginRequired("settings"))
        await #expect(throws: refused) { try await second.value }
        #expect(try await session.current().scenes == ["logIn"])
    }
}

extension Session {
    /// Whether a change has been applied to the state after the commit in progress.
    fileprivate var hasNext: Bool { present?.next != nil }
}
