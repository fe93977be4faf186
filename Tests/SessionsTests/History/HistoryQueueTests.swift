import Synchronization
import TestSupport
import Testing
import WaypostCore

@testable import Sessions

@Suite("The queue of reads of the history", .timeLimit(.minutes(10)))
struct HistoryQueueTests {
    private func reader(_ client: String?) -> HistoryReader {
        HistoryReader(client: client) { false }
    }

    /// Begins requests that stay in progress until `body` has returned.
    private func holding(
        _ count: Int, for client: String?, in queue: HistoryQueue,
        _ body: @escaping @Sendable () async throws -> Void
    ) async throws {
        let (arrivals, arrive) = AsyncStream.makeStream(of: Void.self)
        let (end, finish) = AsyncStream.makeStream(of: Void.self)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<count {
                group.addTask {
                    try await queue.withPlace(for: reader(client)) {
                        () async throws(SessionError) in
                        arrive.yield()
                        for await _ in end {}
                    }
                }
            }
            var arrived = arrivals.makeAsyncIterator()
            for _ in 0..<count { await arrived.next() }
            try await body()
            finish.finish()
            try await group.waitForAll()
        }
    }

    private func isAccepted(_ client: String?, by queue: HistoryQueue) async -> Bool {
        do throws(SessionError) {
            return try await queue.withPlace(for: reader(client)) {
                () async throws(SessionError) in
                try await queue.run(for: reader(client)) { true }
            }
        } catch {
            #expect(error == .historyBusy)
            return false
        }
    }

    @Test("A client with eight reads in progress is refused a ninth, and another client is not")
    func perClient() async throws {
        let queue = HistoryQueue()
        try await holding(HistoryQueue.perClient, for: "192.0.2.1", in: queue) {
            #expect(await !isAccepted("192.0.2.1", by: queue))
            #expect(await isAccepted("192.0.2.2", by: queue))
        }
        #expect(await isAccepted("192.0.2.1", by: queue))
    }

    @Test("With 32 reads in progress every further one is refused")
    func total() async throws {
        let queue = HistoryQueue()
        try await holding(HistoryQueue.total, for: nil, in: queue) {
            #expect(await !isAccepted("192.0.2.1", by: queue))
            #expect(await !isAccepted(nil, by: queue))
        }
        #expect(await isAccepted("192.0.2.1", by: queue))
    }

    @Test("A stopped queue gives up the requests in progress, and refuses others")
    func stop() async throws {
        let queue = HistoryQueue()
        try await queue.withPlace(for: .patient) { () async throws(SessionError) in
            queue.stop()
            await #expect(throws: SessionError.historyBusy) {
                try await queue.run(for: .patient) {}
            }
        }
        #expect(await !isAccepted(nil, by: queue))
    }

    @Test("A history whose reader leaves is given up at the next 250 changes")
    func leavingReader() async throws {
        let fixture = try Fixture(.withoutLogin())
        let session = try await fixture.open()
        for _ in 0..<250 {
            _ = try await session.push("detail")
            _ = try await session.perform(.pop, animated: false)
        }
        let checks = Mutex(0)
        let reader = HistoryReader(client: nil) {
            checks.withLock { checks in
                checks += 1
                return checks > 3
            }
        }
        await #expect(throws: SessionError.historyBusy) {
            _ = try await session.history.page(after: 0, limit: 1000, for: reader)
        }
        // Each piece of 250 changes checks before it reads them and before it repeats them.
        #expect(checks.withLock { $0 } == 4)
        #expect(try await session.history.page(after: 0, limit: 1000).changes.count == 500)
    }
}
