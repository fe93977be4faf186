import Synchronization
import TestSupport
import Testing
import WaypostCore

@testable import Sessions

@Suite("Log-in rate limiter", .timeLimit(.minutes(10)))
struct LogInRateLimiterTests {
    private let clock = TestEnvironment()
    private let throttle: LogInRateLimiter

    init() {
        throttle = LogInRateLimiter(environment: clock.environment)
    }

    /// Makes one attempt.
    /// - Returns: the error if the attempt came too early; else nil.
    @discardableResult
    private func guess(
        _ username: String, from client: String? = nil, _ result: LogInRateLimiter.Result = .wrong
    ) -> RateLimitExceeded? {
        do throws(RateLimitExceeded) {
            throttle.end(try throttle.begin(username, from: client), result)
            return nil
        } catch {
            return error
        }
    }

    /// Returns the time until the next attempt is allowed; zero if it is allowed now.
    private func wait(_ username: String, from client: String? = nil) -> Duration {
        guess(username, from: client, .unknown)?.retryAfter ?? .zero
    }

    /// Makes failed attempts, each as early as it is allowed.
    private func fail(_ count: Int, _ username: String, from client: String? = nil) {
        for _ in 0..<count {
            clock.advance(by: wait(username, from: client))
            #expect(guess(username, from: client) == nil)
        }
    }

    // MARK: Failures of other processes

    @Test("An attempt that the store cannot claim ends, and the next one can begin")
    func failedClaim() async throws {
        let store = FailureStore(lastFailure: clock.now)
        clock.advance(by: .seconds(60))
        for _ in 0..<2 {
            await #expect(throws: SessionError.storage(StorageError(reason: "the disk is full"))) {
                try await throttle.begin("ada", from: nil, in: store)
            }
        }
        store.claimFailure.withLock { $0 = nil }
        _ = try await throttle.begin("ada", from: nil, in: store)
        // This attempt has not ended.
        await #expect {
            try await throttle.begin("ada", from: nil, in: store)
        } throws: {
            if case SessionError.throttled = $0 { true } else { false }
        }
    }

    // MARK: By username

    @Test("Five log-in failures are free; each further one doubles the delay, up to five minutes")
    func doubling() {
        for _ in 0..<4 {
            fail(1, "ada")
            #expect(wait("ada") == .zero)
        }
        for seconds in [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300] {
            fail(1, "ada")
            #expect(
                guess("ada")
                    == RateLimitExceeded(
                        policy: "log-in-username", quota: 5, window: nil,
                        retryAfter: .seconds(seconds)))
        }
    }

    @Test("A log-in attempt that comes too early is not counted and does not extend the delay")
    func early() {
        fail(6, "ada")
        clock.advance(by: .milliseconds(1500))
        for _ in 0..<50 { #expect(wait("ada") == .milliseconds(500)) }
        for _ in 0..<50 { #expect(guess("ada")?.retryAfter == .milliseconds(500)) }
        clock.advance(by: .milliseconds(499))
        #expect(wait("ada") == .milliseconds(1))
        clock.advance(by: .milliseconds(1))
        #expect(wait("ada") == .zero)
    }

    @Test("Log-in failures are counted per username")
    func otherNames() {
        fail(8, "ada")
        #expect(wait("ada") > .zero)
        #expect(wait("adam") == .zero)
        #expect(wait("ad") == .zero)
    }

    @Test("A right password resets a username's failures")
    func success() {
        fail(7, "ada")
        clock.advance(by: wait("ada"))
        #expect(guess("ada", .right) == nil)
        fail(4, "ada")
        #expect(wait("ada") == .zero)
        fail(1, "ada")
        #expect(wait("ada") == .seconds(1))
    }

    @Test("A log-in whose password was not checked changes no count")
    func unknown() {
        for _ in 0..<50 { guess("ada", from: "192.0.2.1", .unknown) }
        #expect(wait("ada", from: "192.0.2.1") == .zero)
        fail(6, "ada")
        clock.advance(by: .seconds(2))
        #expect(guess("ada", .unknown) == nil)
        fail(1, "ada")
        #expect(wait("ada") == .seconds(4))
    }

    @Test("Log-in failures are forgotten an hour after the last one")
    func memory() {
        fail(9, "ada")
        clock.advance(by: .seconds(3600) - .milliseconds(1))
        fail(1, "ada")
        #expect(wait("ada") == .seconds(32))
        clock.advance(by: .seconds(3600))
        fail(4, "ada")
        #expect(wait("ada") == .zero)
    }

    @Test("A clock that was set back does not extend a log-in delay")
    func clockSetBack() {
        fail(7, "ada")
        clock.advance(by: .seconds(-86_400))
        #expect(wait("ada") == .seconds(4))
        clock.advance(by: .seconds(4))
        #expect(wait("ada") == .zero)
    }

    // MARK: By client

    @Test("Twenty failures per client are free; the delay then grows up to 15 minutes")
    func client() {
        for number in 0..<20 {
            #expect(wait("user \(number)", from: "192.0.2.1") == .zero)
            fail(1, "user \(number)", from: "192.0.2.1")
        }
        for (number, seconds) in [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900].enumerated() {
            #expect(
                guess("other \(number)", from: "192.0.2.1")
                    == RateLimitExceeded(
                        policy: "log-in-address", quota: 20, window: nil,
                        retryAfter: .seconds(seconds)))
            #expect(wait("other \(number)", from: "192.0.2.2") == .zero)
            #expect(wait("other \(number)") == .zero)
            fail(1, "other \(number)", from: "192.0.2.1")
        }
    }

    @Test("A log-in with one username does not reset a client's failures")
    func successOfAClient() {
        for number in 0..<20 { fail(1, "user \(number)", from: "192.0.2.1") }
        clock.advance(by: .seconds(1))
        #expect(guess("mine", from: "192.0.2.1", .right) == nil)
        fail(1, "other", from: "192.0.2.1")
        #expect(wait("another", from: "192.0.2.1") == .seconds(2))
    }

    @Test("Failures of a username count from any address")
    func manyClients() {
        for number in 0..<6 { fail(1, "ada", from: "192.0.2.\(number)") }
        #expect(wait("ada", from: "198.51.100.1") == .seconds(2))
        #expect(wait("ada") == .seconds(2))
    }

    @Test("A username that looks like an address is counted separately from it")
    func confusion() {
        fail(8, "192.0.2.1")
        fail(8, "client 192.0.2.1")
        #expect(wait("ada", from: "192.0.2.1") == .zero)
    }

    // MARK: At once

    @Test("Concurrent log-ins with right passwords are not delayed")
    func rightAtOnce() throws {
        let guesses = try (0..<100).map { _ in try throttle.begin("ada", from: "192.0.2.1") }
        for guess in guesses { throttle.end(guess, .right) }
        #expect(wait("ada", from: "192.0.2.1") == .zero)
    }

    @Test("Concurrent log-in failures are all counted")
    func wrongAtOnce() throws {
        let guesses = try (0..<12).map { _ in try throttle.begin("ada", from: nil) }
        for guess in guesses { throttle.end(guess, .wrong) }
        #expect(wait("ada") == .seconds(128))
    }

    @Test(
        "After the free failures only one log-in attempt is in progress at a time",
        arguments: [5, 6, 9])
    func oneAtATime(failures: Int) throws {
        fail(failures, "ada")
        clock.advance(by: wait("ada"))
        let first = try throttle.begin("ada", from: nil)
        for _ in 0..<10 { #expect(guess("ada")?.retryAfter == .seconds(1)) }
        throttle.end(first, .unknown)
        let second = try throttle.begin("ada", from: nil)
        #expect(guess("ada") != nil)
        throttle.end(second, .right)
        #expect(guess("ada") == nil)
    }

    @Test("An attempt rejected for its client does not delay other clients with that username")
    func refusedForItsClient() throws {
        for number in 0..<21 { fail(1, "user \(number)", from: "192.0.2.1") }
        fail(5, "ada")
        clock.advance(by: .seconds(1))
        #expect(guess("ada", from: "192.0.2.1")?.policy == "log-in-address")
        _ = try throttle.begin("ada", from: "192.0.2.2")
    }

    @Test("Of many concurrent guesses hardly any is allowed after the free ones")
    func concurrent() async {
        fail(5, "ada")
        clock.advance(by: .seconds(1))
        let admitted = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<500 { group.addTask { guess("ada") == nil } }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(admitted == 1)
        #expect(wait("ada") == .seconds(2))
    }

    @Test("The log-in limit applies to a username of any length")
    func longNames() {
        let name = String(repeating: "x", count: 60_000)
        fail(6, name)
        #expect(wait(name) == .seconds(2))
        #expect(wait(name + "x") == .zero)
    }

    @Test("Without a limit per address only a username's failures are counted")
    func noClientLimit() throws {
        let throttle = LogInRateLimiter(environment: clock.environment, clientLimit: 0)
        for number in 0..<100 {
            throttle.end(try throttle.begin("user-\(number)", from: "192.0.2.1"), .wrong)
        }
        for _ in 0..<5 { throttle.end(try throttle.begin("ada", from: "192.0.2.1"), .wrong) }
        let refusal = #expect(throws: RateLimitExceeded.self) {
            try throttle.begin("ada", from: "192.0.2.1")
        }
        #expect(refusal?.policy == "log-in-username")
    }

    @Test(
        "Failed log-ins are delayed at any time of the clock",
        arguments: [
            Timestamp(milliseconds: .min), Timestamp(milliseconds: .max),
            Timestamp.range.lowerBound, Timestamp.range.upperBound,
        ])
    func extremeClock(now: Timestamp) throws {
        let time = Mutex(now)
        let throttle = LogInRateLimiter(
            environment: Environment(now: { time.withLock(\.self) }, random: { 0 }))
        let guesses = try (0..<6).map { _ in try throttle.begin("ada", from: "192.0.2.1") }
        for guess in guesses { throttle.end(guess, .wrong) }
        let refusal = #expect(throws: RateLimitExceeded.self) {
            try throttle.begin("ada", from: "192.0.2.1")
        }
        #expect(refusal?.retryAfter == .seconds(2))
        // The clock is set to the other end of time.
        time.withLock { $0 = Timestamp(milliseconds: now.milliseconds < 0 ? .max : .min) }
        if now.milliseconds < 0 {
            _ = try throttle.begin("ada", from: "192.0.2.1")
        } else {
            #expect(throws: RateLimitExceeded.self) { try throttle.begin("ada", from: "192.0.2.1") }
        }
    }
}
