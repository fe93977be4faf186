import NavigationRules
import SessionStoreTesting
import Testing
import WaypostCore

@testable import PostgresStore
@testable import Sessions

@Suite("Which worker takes what of the waiting work")
struct WaitingWorkTests {
    private var waiting = WaitingWork(workers: 4)

    private func check(_ number: Int) throws -> Commit {
        pending(WriteBatch(storing: .check(try Sample.id(number), version: .first)))
    }

    private func change(_ number: Int) throws -> Commit {
        pending(
            WriteBatch(
                storing: .update(.stored(try Sample.session(number)), replacing: .first)))
    }

    private func deletion(_ number: Int) throws -> Commit {
        pending(WriteBatch(storing: .delete(try Sample.id(number), replacing: .first)))
    }

    private func query() -> Query {
        Query(deadline: nil) { _ in
            {}
        } onFailure: { _ in
        }
    }

    private func pending(_ batch: WriteBatch) -> Commit {
        Commit(batch, writer: 0) { _ in }
    }

    /// Appends changes and returns whether each of them wakes a worker.
    private mutating func append(changes numbers: ClosedRange<Int>) throws -> [Bool] {
        try numbers.map { waiting.append(try change($0)) }
    }

    private mutating func next(_ worker: Int) -> Kind { Kind(waiting.next(for: worker)) }

    /// Whether a worker whose step this is wakes another one; nil if it waits.
    private mutating func wakesAnother(_ worker: Int) -> Bool? {
        switch waiting.next(for: worker) {
        case .perform(_, let wakesAnother), .end(let wakesAnother): wakesAnother
        case .wait: nil
        }
    }

    private mutating func tick() -> Bool { waiting.tick(at: .now).wakesWorker }

    @Test("A worker without work waits, and the first change wakes it")
    mutating func firstChange() throws {
        #expect(next(0) == .wait)
        #expect(waiting.append(try change(1)) == true)
        #expect(next(0) == .changes(1))
    }

    @Test("Work that arrives before a woken worker has begun wakes no other one")
    mutating func burst() throws {
        #expect(next(0) == .wait)
        #expect(next(1) == .wait)
        #expect(try append(changes: 1...3) == [true, false, false])
        #expect(next(0) == .changes(3))
    }

    @Test("Checks wait for the worker that checks, which then takes all of them")
    mutating func checks() throws {
        _ = waiting.append(try check(1))
        #expect(next(0) == .checks(1))
        _ = waiting.append(try check(2))
        _ = waiting.append(try check(3))
        #expect(next(1) == .wait)
        #expect(next(0) == .checks(2))
    }

    @Test("Checks and queries do not wait for a worker that writes, or behind waiting changes")
    mutating func readsBesideChanges() throws {
        _ = try append(changes: 1...4)
        #expect(next(0) == .changes(4))
        _ = try append(changes: 5...6)
        _ = waiting.append(try check(1))
        _ = waiting.append(query())
        #expect(next(1) == .query)
        #expect(next(2) == .checks(1))
        #expect(next(3) == .changes(2))
    }

    @Test("A single worker performs checks and changes by turns")
    mutating func turns() throws {
        waiting = WaitingWork(workers: 1)
        var steps: [Kind] = []
        for number in 1...4 {
            _ = waiting.append(try check(number))
            _ = waiting.append(try change(number))
            steps.append(next(0))
        }
        #expect(steps == [.checks(1), .changes(2), .checks(2), .changes(2)])
    }

    @Test("Changes do not wait for a worker that writes")
    mutating func changes() throws {
        _ = try append(changes: 1...3)
        #expect(next(0) == .changes(3))
        #expect(next(1) == .wait)
        #expect(waiting.append(try change(4)) == true)
        #expect(next(1) == .changes(1))
    }

    @Test("Checks that have waited for a whole period are taken, though others may be stuck")
    mutating func stuckChecks() throws {
        _ = waiting.append(try check(1))
        #expect(next(0) == .checks(1))
        #expect(next(1) == .wait)
        #expect(waiting.append(try check(2)) == false)
        #expect(tick() == false)
        #expect(tick() == true)
        #expect(next(1) == .checks(1))
    }

    @Test(
        "A commit with other writes has a transaction of its own, and wakes a worker for the rest")
    mutating func otherWrites() throws {
        #expect(next(0) == .wait)
        #expect(next(1) == .wait)
        _ = waiting.append(try deletion(1))
        _ = try append(changes: 2...3)
        #expect(wakesAnother(0) == true)
        #expect(next(1) == .changes(2))
    }

    @Test("Two changes of one session are never in progress at the same time")
    mutating func oneSession() throws {
        _ = try append(changes: 1...1)
        _ = try append(changes: 1...1)
        #expect(next(0) == .changes(1))
        #expect(next(1) == .wait)
        #expect(next(0) == .changes(1))
        #expect(waiting.count == 0)
    }

    @Test("Work that a worker puts back goes to a waiting worker, before later work of its session")
    mutating func putBack() throws {
        #expect(next(1) == .wait)
        let earlier = try [change(1), change(2)]
        for commit in earlier { _ = waiting.append(commit) }
        #expect(next(0) == .changes(2))
        _ = try append(changes: 1...3)
        #expect(waiting.putBack(workOf: 0) == false)
        guard case .perform(.changes(let taken), _) = waiting.next(for: 1) else {
            Issue.record("no changes")
            return
        }
        #expect(taken.count == 3 && earlier.allSatisfy { one in taken.contains { $0 === one } })
        #expect(waiting.count == 2)
        #expect(next(2) == .wait)
        #expect(waiting.putBack(workOf: 1) == true)
        #expect(next(2) == .changes(3))
    }

    @Test("Checks and queries that a worker puts back are performed before those that came later")
    mutating func putBackReads() throws {
        _ = waiting.append(query())
        #expect(next(0) == .query)
        _ = waiting.append(query())
        #expect(waiting.putBack(workOf: 0) == false)
        #expect(waiting.count == 2)
        #expect(next(0) == .query)
        #expect(next(1) == .query)
        _ = waiting.append(try check(1))
        #expect(next(2) == .checks(1))
        _ = waiting.append(try check(2))
        #expect(waiting.putBack(workOf: 2) == false)
        #expect(next(3) == .checks(2))
    }

    @Test("A transaction has at most 128 changes and 2000 checks; the others follow")
    mutating func limits() throws {
        _ = try append(changes: 1...130)
        #expect(next(0) == .changes(128))
        #expect(next(0) == .changes(2))
        for number in 1...2001 { _ = waiting.append(try check(number)) }
        #expect(next(0) == .checks(2000))
        #expect(next(0) == .checks(1))
    }

    @Test("A transaction gets no further change when it has a mebibyte")
    mutating func sizes() throws {
        let parameters: Parameters = ["text": String(repeating: "x", count: 1 << 18)]
        for number in 1...5 {
            let window = Sample.window(stack: [Sample.entry(1, parameters)])
            let session = try Sample.session(number, window)
            let batch = WriteBatch(storing: .update(.stored(session), replacing: .first))
            _ = waiting.append(pending(batch))
        }
        #expect(next(0) == .changes(4))
        #expect(next(0) == .changes(1))
    }

    @Test("All workers end after the queue was closed, and not before the work is done")
    mutating func close() throws {
        _ = try append(changes: 1...1)
        _ = try append(changes: 1...1)
        #expect(next(0) == .changes(1))
        #expect(next(1) == .wait)
        #expect(next(2) == .wait)
        #expect(waiting.close() == true)
        // The change waits for the one before it.
        #expect(next(1) == .wait)
        #expect(wakesAnother(0) == true)
        #expect(wakesAnother(1) == true)
        #expect(next(2) == .end)
        #expect(next(0) == .end)
    }
}

/// A step without the work, which cannot be compared.
private enum Kind: Equatable {
    case changes(Int)
    case checks(Int)
    case query
    case wait
    case end

    init(_ step: WaitingWork.Step) {
        switch step {
        case .perform(.changes(let commits), _): self = .changes(commits.count)
        case .perform(.checks(let commits), _): self = .checks(commits.count)
        case .perform(.query, _): self = .query
        case .wait: self = .wait
        case .end: self = .end
        }
    }
}
