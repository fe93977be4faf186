import SessionStoreTesting
import TestSupport
import Testing
import WaypostCore

@testable import PostgresStore
@testable import Sessions

/// Tests of the limits on log-ins of two nodes with one database.
@Suite(.timeLimit(.minutes(5)), .enabled(if: TestDatabase.url != nil))
struct SharedLogInLimitTests {
    private let clock = TestEnvironment()
    private let one: PostgresStore
    private let other: PostgresStore

    init() throws {
        let target = try TestDatabase.make()
        one = try TestDatabase.open(target)
        other = try TestDatabase.open(target)
    }

    /// Expects that a log-in of Ada would come too early at a node.
    private func expectLimit(
        _ limiter: LogInRateLimiter, _ store: PostgresStore,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        let error = await #expect(throws: SessionError.self, sourceLocation: sourceLocation) {
            _ = try await limiter.begin("ada", from: nil, in: store)
        }
        guard case .throttled(let limit) = error else {
            Issue.record("no limit", sourceLocation: sourceLocation)
            return
        }
        #expect(limit.policy == "log-in-username", sourceLocation: sourceLocation)
    }

    @Test("Wrong passwords at two nodes count together, and then one attempt is made at a time")
    func failures() async throws {
        let nodes = [
            (LogInRateLimiter(environment: clock.environment), one),
            (LogInRateLimiter(environment: clock.environment), other),
        ]
        for attempt in 0..<5 {
            let (limiter, store) = nodes[attempt % 2]
            let guess = try await limiter.begin("ada", from: nil, in: store)
            await limiter.end(guess, .wrong, in: store)
        }
        for (limiter, store) in nodes { await expectLimit(limiter, store) }
        clock.advance(by: .seconds(1))
        let guess = try await nodes[0].0.begin("ada", from: nil, in: one)
        await expectLimit(nodes[1].0, other)
        await nodes[0].0.end(guess, .unknown, in: one)
        let next = try await nodes[1].0.begin("ada", from: nil, in: other)
        await nodes[1].0.end(next, .right, in: other)
        // The right password ends the limit, for both nodes.
        #expect(try await one.logInFailures(of: next.keys) == [:])
        for (limiter, store) in nodes { _ = try await limiter.begin("ada", from: nil, in: store) }
    }

    @Test("Failures count until an hour after the last one, and the purge then removes them")
    func memory() async throws {
        let keys = [SecretHash(of: "ada")]
        func count() async throws -> Int? {
            try await other.logInFailures(of: keys)[keys[0]]?.count
        }
        func fail(at time: Timestamp) async throws {
            try await one.noteLogInFailure(of: keys, at: time, memory: LogInRateLimiter.memory)
        }
        for _ in 0..<6 { try await fail(at: clock.now) }
        let almost = clock.now + .milliseconds(3_599_999)
        try await fail(at: almost)
        #expect(try await count() == 7)
        let last = almost + .seconds(3600)
        try await fail(at: last)
        #expect(try await count() == 1)
        _ = try await one.purge(before: last + .milliseconds(3_599_999))
        #expect(try await count() == 1)
        _ = try await one.purge(before: last + .seconds(3600))
        #expect(try await count() == nil)
    }

    @Test("A log-in attempt that can claim only one of its keys claims none")
    func partialClaim() async throws {
        let keys = ["username", "client"].map { SecretHash(of: $0) }
        let now = clock.now
        try await one.noteLogInFailure(of: keys, at: now, memory: .seconds(60))
        #expect(try await one.claimLogIn(of: [keys[0]], at: now, for: .seconds(60)))
        #expect(try await !other.claimLogIn(of: keys, at: now, for: .seconds(60)))
        #expect(try await other.claimLogIn(of: [keys[1]], at: now, for: .seconds(60)))
    }

    @Test("Without a limit for each client, no failures of clients are stored")
    func noClientLimit() async throws {
        let limiter = LogInRateLimiter(environment: clock.environment, clientLimit: 0)
        let guess = try await limiter.begin("ada", from: "192.0.2.1", in: one)
        await limiter.end(guess, .wrong, in: one)
        let keys = LogInRateLimiter(environment: clock.environment).keys("ada", "192.0.2.1")
        #expect(try await Set(one.logInFailures(of: keys).keys) == [keys[0]])
    }
}
