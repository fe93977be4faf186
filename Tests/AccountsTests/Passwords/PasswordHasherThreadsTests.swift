import Foundation
import TestSupport
import Testing
import WaypostCore

@testable import Sessions

@Suite("Hashing threads", .timeLimit(.minutes(10)))
struct PasswordHasherThreadsTests {
    @Test("Blocking work on hashing threads does not block the cooperative pool")
    func ownThreads() async throws {
        let count = 4 * ProcessInfo.processInfo.activeProcessorCount
        let hasher = try PasswordHasher(
            cost: .least, threads: count, limits: .init(total: count))
        let (arrivals, arrive) = AsyncStream.makeStream(of: Void.self)
        let release = DispatchSemaphore(value: 0)
        let blocked = (0..<count).map { _ in
            Task {
                try await hasher.run(of: .unknown) {
                    arrive.yield()
                    release.wait()
                }
            }
        }
        // The cooperative pool has one thread per core, so it could not run them all at once.
        var arrived = arrivals.makeAsyncIterator()
        for _ in 0..<count { await arrived.next() }
        #expect(await Task.detached { 7 }.value == 7)
        for _ in 0..<count { release.signal() }
        for task in blocked { try await task.value }
    }

    @Test("Hashing threads do all work once, and each caller gets its own result")
    func results() async throws {
        let hasher = try PasswordHasher(
            cost: .least, threads: 3, limits: .init(total: 1000))
        let results = try await withThrowingTaskGroup(of: (Int, Int).self) { group in
            for number in 0..<500 {
                group.addTask { (number, try await hasher.run(of: .unknown) { number * number }) }
            }
            return try await group.reduce(into: [(Int, Int)]()) { $0.append($1) }
        }
        #expect(results.count == 500)
        #expect(results.allSatisfy { $0.1 == $0.0 * $0.0 })
    }

    @Test(
        "With a full hashing queue more work is rejected, and the waiting work is done",
        arguments: [1, 5])
    func busy(limit: Int) async throws {
        let metrics = HashingMetrics()
        let hasher = try PasswordHasher(
            cost: .least, threads: 1, limits: .init(total: limit), metrics: metrics)
        let (begun, isBusy) = AsyncStream.makeStream(of: Void.self)
        let release = DispatchSemaphore(value: 0)
        let first = Task {
            try await hasher.run(of: .unknown) {
                isBusy.finish()
                release.wait()
            }
        }
        for await _ in begun {}
        // The only thread is busy: the queue takes work up to its limit and rejects three more.
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<(limit + 3) {
                group.addTask {
                    do throws(SessionError) {
                        try await hasher.run(of: .unknown) {}
                        return true
                    } catch {
                        #expect(error == .passwordsBusy)
                        return false
                    }
                }
            }
            for _ in 0..<3 { #expect(await group.next() == false) }
            await until { metrics.waiting.value == limit }
            release.signal()
            for await isDone in group { #expect(isDone) }
        }
        try await first.value
        #expect(try await hasher.run(of: .unknown) { 7 } == 7)
        #expect(metrics.waiting.value == 0)
        // Work in progress is counted when it ends.
        #expect(metrics.duration.count >= limit + 1)
    }
}
