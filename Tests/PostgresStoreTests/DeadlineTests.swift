import SessionStoreTesting
import Sessions
import Synchronization
import Testing
import WaypostCore

@testable import PostgresStore

/// Tests of the deadlines of work, without a database.
struct DeadlineTests {
    private let results = Results()

    /// Collects the results of commits.
    private final class Results: Sendable {
        private let all = Mutex<[Result<Void, SessionError>]>([])

        func append(_ result: Result<Void, SessionError>) { all.withLock { $0.append(result) } }

        var count: Int { all.withLock(\.count) }

        /// Whether each failure says that the outcome is unknown; nil for a success.
        var areUnknown: [Bool?] {
            all.withLock { all in
                all.map { result in
                    guard case .failure(.storage(let error)) = result else { return nil }
                    return error.isOutcomeUnknown
                }
            }
        }
    }

    private func commit(
        _ change: WriteBatch.SessionChange? = nil, deadline: ContinuousClock.Instant? = nil
    ) throws -> Commit {
        let change = try change ?? .update(.stored(Sample.session(1)), replacing: .first)
        return Commit(WriteBatch(storing: change), writer: 0, deadline: deadline) {
            [results] in results.append($0)
        }
    }

    @Test("A change that was never sent fails as one that was not made, and is not sent afterwards")
    func unsent() throws {
        let commit = try commit()
        commit.fail("late")
        #expect(results.areUnknown == [false])
        #expect(!commit.send())
    }

    @Test("A change that was sent and not answered has an unknown outcome, a check has not")
    func sent() throws {
        let check = try commit(.check(Sample.id(1), version: .first))
        for commit in [try commit(), check] {
            #expect(commit.send())
            commit.fail("late")
        }
        #expect(results.areUnknown == [true, false])
    }

    @Test("A change that the server rolled back counts as not sent")
    func rolledBack() throws {
        let commit = try commit()
        #expect(commit.send())
        commit.noteUnsent()
        #expect(commit.send())
        #expect(!commit.isRepeated)
        commit.noteUnsent()
        commit.fail("late")
        #expect(results.areUnknown == [false])
    }

    @Test(
        "A change whose first attempt was lost has an unknown outcome, even if the next fails")
    func repeated() throws {
        let commit = try commit()
        #expect(commit.send())
        for _ in 0..<2 {
            #expect(commit.send())
            #expect(commit.isRepeated)
            commit.noteUnsent()
        }
        commit.fail("refused")
        #expect(results.areUnknown == [true])
    }

    @Test("A commit has one result: the one that comes first")
    func oneResult() throws {
        let late = try commit()
        #expect(late.send())
        late.fail("late")
        late.complete(.success(()))
        let punctual = try commit()
        #expect(punctual.send())
        punctual.complete(.success(()))
        punctual.fail("late")
        #expect(results.areUnknown == [true, nil])
    }

    @Test("A query has one result, and fails without an unknown outcome")
    func query() {
        let failures = Mutex<[StorageError]>([])
        let query = Query(deadline: nil) { _ in
            {}
        } onFailure: { error in
            failures.withLock { $0.append(error) }
        }
        query.fail("late")
        query.complete { Issue.record("a second result") }
        #expect(query.isDone)
        #expect(failures.withLock { $0.map(\.isOutcomeUnknown) } == [false])
    }

    @Test("Waiting work leaves the queue at its deadline, and work without one stays")
    func queue() throws {
        let queue = WorkQueue(workers: 1)
        let now = ContinuousClock.now
        for seconds in [1, 2, 3] {
            queue.append(try commit(deadline: now + .seconds(seconds)))
            queue.append(
                try commit(
                    .check(Sample.id(seconds), version: .first), deadline: now + .seconds(seconds)))
            queue.append(
                Query(deadline: now + .seconds(seconds)) { _ in
                    {}
                } onFailure: { _ in
                })
        }
        queue.append(
            Query(deadline: nil) { _ in
                {}
            } onFailure: { _ in
            })
        #expect(queue.tick(at: now).isEmpty)
        #expect(queue.tick(at: now + .seconds(2)).count == 6)
        #expect(queue.count == 4)
        #expect(queue.tick(at: now + .seconds(60)).count == 3)
        #expect(queue.count == 1)
    }

    @Test("The work of a worker is late at its deadline, and stays with the worker")
    func workInProgress() throws {
        let queue = WorkQueue(workers: 1)
        let now = ContinuousClock.now
        queue.append(try commit(deadline: now + .seconds(1)))
        _ = queue.next(for: 0)
        #expect(queue.tick(at: now).isEmpty)
        #expect(queue.tick(at: now + .seconds(1)).count == 1)
    }

    /// An object whose end closes a queue, as the end of a store does.
    private final class Closing: Sendable {
        let queue: WorkQueue
        init(_ queue: WorkQueue) { self.queue = queue }
        deinit { queue.close() }
    }

    @Test("The end of finished work may close the queue")
    func endOfFinishedWork() throws {
        let queue = WorkQueue(workers: 1)
        for number in 1...2 {
            let closing = Closing(queue)
            let check = WriteBatch(storing: .check(try Sample.id(number), version: .first))
            queue.append(Commit(check, writer: 0) { _ in _ = closing })
            _ = queue.tick(at: .now)
            #expect(queue.next(for: 0) != nil)
            _ = queue.tick(at: .now)
        }
        #expect(queue.next(for: 0) == nil)
    }

    @Test("A store is not ready after its probe failed, and refuses work after the timeout")
    func down() {
        for (timeout, isRefused) in [(Duration.seconds(60), false), (.zero, true)] {
            let status = StoreStatus(timeout: timeout)
            status.noteDown("a standby", host: 1, isConnected: true)
            #expect(status.failure == nil)
            status.noteDown("no route", host: 0, isConnected: false)
            #expect(status.failure?.reason.contains("no route; a standby") == true)
            #expect((status.refusal != nil) == isRefused)
            #expect(status.refusal?.isOutcomeUnknown != true)
            status.noteConfirmed(host: 0)
            #expect(status.failure == nil)
            #expect(status.refusal == nil)
        }
    }

    @Test("A store is not ready while no worker can connect, and refuses work after the timeout")
    func noWorker() {
        for (timeout, isRefused) in [(Duration.seconds(60), false), (.zero, true)] {
            let status = StoreStatus(timeout: timeout)
            #expect(status.failure == nil)
            status.noteWorker(isConnected: true)
            status.noteConnectionFailure("too many clients")
            #expect(status.failure == nil)
            status.noteWorker(isConnected: false)
            // The connection of the probe says nothing about those of the workers.
            status.noteConfirmed(host: 0)
            #expect(status.failure?.reason.contains("too many clients") == true)
            #expect((status.refusal != nil) == isRefused)
            status.noteWorker(isConnected: true)
            #expect(status.failure == nil)
            #expect(status.refusal == nil)
        }
    }

    @Test("Workers connect after the probe, and also while its commits do not finish")
    func probeFirst() {
        let status = StoreStatus(timeout: .seconds(60))
        #expect(!status.acceptsWorkers)
        status.noteConfirmed(host: 0)
        #expect(status.acceptsWorkers)
        status.noteDown("a standby", host: 1, isConnected: false)
        #expect(status.acceptsWorkers)
        status.noteDown("no response", host: 0, isConnected: true)
        #expect(status.acceptsWorkers)
        status.noteDown("too many connections", host: 0, isConnected: false)
        #expect(!status.acceptsWorkers)
        status.noteConfirmed(host: 1)
        #expect(status.acceptsWorkers)
    }

    @Test("Connections are given up when the database is usable again or another server is primary")
    func connectionPeriod() {
        let status = StoreStatus(timeout: .seconds(60))
        let first = status.connectionPeriod
        status.noteConfirmed(host: 0)
        #expect(status.connectionPeriod == first)
        status.noteDown("no route", host: 0, isConnected: false)
        #expect(status.connectionPeriod == first)
        status.noteConfirmed(host: 0)
        #expect(status.connectionPeriod == first + 1)
        status.noteConfirmed(host: 1)
        #expect(status.connectionPeriod == first + 2)
        #expect(status.host == 1)
    }

    @Test("A full disk makes the store not ready, but refuses no work, which shows when it ends")
    func fullDisk() {
        let status = StoreStatus(timeout: .seconds(5))
        status.note(fault: "no space")
        #expect(status.failure?.reason == "no space")
        #expect(status.refusal == nil)
        status.note(fault: "no space", at: .now - .seconds(6))
        #expect(status.failure == nil)
    }

    @Test("Work ends a timeout after its request, or a fifth of it after its own arrival")
    func deadline() {
        let status = StoreStatus(timeout: .seconds(5))
        let now = ContinuousClock.now
        for (seconds, expected) in [(0, 5), (3, 2), (4, 1), (60, 1)] {
            let deadline = status.deadline(since: now - .seconds(seconds), at: now)
            #expect(deadline == now + .seconds(expected), "\(seconds)")
        }
    }

    @Test("Another server is looked for after a failure of the probe, and when it is silent")
    func otherHost() {
        let status = StoreStatus(timeout: .seconds(60))
        for time in [ContinuousClock.now + .seconds(60), .now - .seconds(3)] {
            status.noteConfirmed(host: 0, at: time)
            let isSilent = time < .now
            #expect(status.needsOtherHost == isSilent)
            #expect(status.needsProbe(of: 0))
            #expect(status.needsProbe(of: 1) == isSilent)
            status.noteSilence(host: 1)
            #expect(status.failure == nil)
            status.noteSilence(host: 0)
            #expect((status.failure != nil) == isSilent)
        }
        status.noteConfirmed(host: 0, at: .now + .seconds(60))
        status.noteDown("a standby", host: 1, isConnected: true)
        #expect(!status.needsOtherHost)
        status.noteDown("no route", host: 0, isConnected: false)
        #expect(status.needsOtherHost && status.needsProbe(of: 1))
    }

    @Test("Work is not late before the process has had time to read the responses after a pause")
    func pausedProcess() throws {
        let queue = WorkQueue(workers: 1)
        let timer = DeadlineTimer(queue, StoreStatus(timeout: .seconds(5)))
        let now = ContinuousClock.now
        queue.append(try commit(deadline: now + .seconds(5)))
        timer.check(at: now + .seconds(60), after: .seconds(60))
        #expect(results.count == 0)
        // The next check finds the commit late.
        timer.check(at: now + .seconds(61), after: .milliseconds(100))
        #expect(results.areUnknown == [false])
    }
}
