import Synchronization
import TestSupport
import Testing
import WaypostCore

@testable import Sessions

@Suite("Request rate limiter", .timeLimit(.minutes(10)))
struct RequestRateLimiterTests {
    private static let window = Duration.seconds(600)
    private let clock = TestEnvironment()

    private func throttle(_ quota: Int) -> RequestRateLimiter {
        RequestRateLimiter(
            policy: "test", quota: quota, window: Self.window, environment: clock.environment)
    }

    /// Makes a request.
    /// - Returns: nil if the request is allowed.
    private func refusal(
        _ throttle: RequestRateLimiter, _ client: String? = "192.0.2.1"
    ) -> RateLimitExceeded? {
        do throws(RateLimitExceeded) {
            try throttle.admit(client)
            return nil
        } catch {
            return error
        }
    }

    /// Makes `count` requests at once and returns the number of allowed ones.
    private func admitted(_ throttle: RequestRateLimiter, of count: Int) -> Int {
        (0..<count).count { _ in refusal(throttle) == nil }
    }

    @Test(
        "A request limiter allows its whole quota at once and no more",
        arguments: [1, 2, 3, 7, 9, 11, 13, 49, 600, 601, 6000, 9973])
    func quota(quota: Int) {
        let throttle = throttle(quota)
        #expect(admitted(throttle, of: quota + 5) == quota)
    }

    @Test("A rejected request gets the limit and the time until the next allowed one")
    func refused() throws {
        let throttle = throttle(10)
        #expect(admitted(throttle, of: 10) == 10)
        let refused = RateLimitExceeded(
            policy: "test", quota: 10, window: Self.window, retryAfter: .seconds(60))
        #expect(refusal(throttle) == refused)
        // A rejected request uses no quota.
        #expect(refusal(throttle) == refused)
        clock.advance(by: .milliseconds(59_999))
        #expect(refusal(throttle)?.retryAfter == .milliseconds(1))
        clock.advance(by: .milliseconds(1))
        #expect(refusal(throttle) == nil)
        #expect(refusal(throttle)?.retryAfter == .seconds(60))
    }

    @Test(
        "A limited client that waits for the given time is allowed",
        arguments: [1, 3, 7, 11, 601, 6000, 9973])
    func wait(quota: Int) throws {
        let throttle = throttle(quota)
        #expect(admitted(throttle, of: quota) == quota)
        for _ in 0..<20 {
            let wait = try #require(refusal(throttle)).retryAfter
            #expect(wait > .zero)
            clock.advance(by: .milliseconds((wait / .milliseconds(1)).rounded(.up)))
            #expect(refusal(throttle) == nil)
        }
    }

    @Test(
        "A request quota recovers during the window and never exceeds its size",
        arguments: [(0, 0), (60, 1), (119, 1), (300, 5), (599, 9), (600, 10), (86_400, 10)])
    func refill(seconds: Int, count: Int) {
        let throttle = throttle(10)
        #expect(admitted(throttle, of: 10) == 10)
        clock.advance(by: .seconds(seconds))
        #expect(admitted(throttle, of: 20) == count)
    }

    @Test("Requests are counted per client")
    func others() {
        let throttle = throttle(2)
        #expect(admitted(throttle, of: 3) == 2)
        for client in ["192.0.2.2", "2001:db8::", ""] {
            #expect(refusal(throttle, client) == nil)
            #expect(refusal(throttle, client) == nil)
            #expect(refusal(throttle, client) != nil)
        }
    }

    @Test("Requests without a quota or without an address are not limited")
    func noLimit() {
        let unlimited = throttle(0)
        #expect(admitted(unlimited, of: 1000) == 1000)
        let throttle = throttle(1)
        #expect((0..<1000).allSatisfy { _ in refusal(throttle, nil) == nil })
        #expect(refusal(throttle) == nil)
    }

    @Test("Of many concurrent requests exactly the quota is allowed")
    func concurrent() async {
        let throttle = throttle(100)
        let admitted = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<500 { group.addTask { (try? throttle.admit("192.0.2.1")) != nil } }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(admitted == 100)
    }

    @Test("A clock that was set back delays requests by at most the window")
    func clockSetBack() {
        let throttle = throttle(10)
        #expect(admitted(throttle, of: 10) == 10)
        clock.advance(by: .seconds(-86_400))
        #expect(refusal(throttle)?.retryAfter == .seconds(60))
        clock.advance(by: Self.window)
        #expect(admitted(throttle, of: 20) == 10)
    }

    @Test(
        "A request quota is counted at any time of the clock",
        arguments: [
            0, Int.min, Int.max, Timestamp.range.lowerBound.milliseconds,
            Timestamp.range.upperBound.milliseconds,
            // At these times nanoseconds since 1970 overflow 64 bits: the years 2262 and 1677.
            9_223_372_036_855, -9_223_372_036_855,
        ])
    func extremeClock(milliseconds: Int) {
        let throttle = RequestRateLimiter(
            policy: "test", quota: 3, window: Self.window,
            environment: Environment(
                now: { Timestamp(milliseconds: milliseconds) }, random: { 0 }))
        #expect(admitted(throttle, of: 5) == 3)
        #expect(refusal(throttle)?.retryAfter == .seconds(200))
    }

    @Test("A request that counts for several uses as much of the quota")
    func weight() throws {
        let throttle = throttle(10)
        try throttle.admit("192.0.2.1", weight: 7)
        #expect(throws: RateLimitExceeded.self) { try throttle.admit("192.0.2.1", weight: 4) }
        #expect(admitted(throttle, of: 5) == 3)
        // A request that counts for more than the quota needs the whole quota.
        try throttle.admit("192.0.2.2", weight: .max)
        #expect(throws: RateLimitExceeded.self) { try throttle.admit("192.0.2.2") }
        try throttle.admit("192.0.2.3")
        #expect(throws: RateLimitExceeded.self) { try throttle.admit("192.0.2.3", weight: 11) }
    }
}
