import SessionStoreTesting
import Testing
import WaypostCore

@testable import PostgresStore
@testable import Sessions

@Suite("Which lane takes what of the waiting work")
struct LaneScheduleTests {
    private var schedule = LaneSchedule(WaitingWork(WaitingWork.Limits()))

    private func check(_ number: Int) throws -> PendingCommit {
        pending(WriteBatch(storing: .check(try Sample.id(number), version: .first)))
    }

    private func change(_ number: Int) throws -> PendingCommit {
        pending(
            WriteBatch(
                storing: .update(.stored(try Sample.session(number)), replacing: .first)))
    }

    private func pending(_ batch: WriteBatch) -> PendingCommit {
        PendingCommit(batch, writer: 0) { _ in }
    }

    /// Appends changes and returns the lanes that they wake.
    private mutating func append(changes numbers: ClosedRange<Int>) throws
        -> [LaneSchedule.WokenLane?]
    {
        try numbers.map { schedule.append(try change($0)) }
    }

    @Test("A lane without work waits, and the first change wakes it")
    mutating func firstChange() throws {
        #expect(schedule.next(after: nil).kind == .wait)
        #expect(schedule.append(try change(1)) == .idle)
        #expect(schedule.nextOfWoken().kind == .perform(changes: 1, checks: 0))
    }

    @Test("Checks wait for the lane that checks, which then takes all of them")
    mutating func checks() throws {
        _ = schedule.append(try check(1))
        let first = schedule.next(after: nil)
        #expect(first.kind == .perform(changes: 0, checks: 1))
        _ = schedule.append(try check(2))
        _ = schedule.append(try check(3))
        #expect(schedule.next(after: nil).kind == .watch)
        #expect(schedule.next(after: first.work).kind == .perform(changes: 0, checks: 2))
    }

    @Test("A check does not wait for a lane that writes")
    mutating func checkBesideChange() throws {
        _ = schedule.append(try change(1))
        #expect(schedule.next(after: nil).kind == .perform(changes: 1, checks: 0))
        #expect(schedule.next(after: nil).kind == .watch)
        #expect(schedule.next(after: nil).kind == .wait)
        #expect(schedule.append(try check(2)) == .idle)
        #expect(schedule.nextOfWoken().kind == .perform(changes: 0, checks: 1))
    }

    @Test("Changes wake another lane when as many wait as lanes have under way")
    mutating func changes() throws {
        _ = try append(changes: 1...3)
        #expect(schedule.next(after: nil).kind == .perform(changes: 3, checks: 0))
        #expect(schedule.next(after: nil).kind == .watch)
        #expect(schedule.next(after: nil).kind == .wait)
        #expect(try append(changes: 4...6) == [nil, nil, .idle])
        #expect(schedule.nextOfWoken().kind == .perform(changes: 3, checks: 0))
    }

    @Test("The watcher takes what no lane has taken while it waited")
    mutating func stuckLane() throws {
        _ = try append(changes: 1...2)
        #expect(schedule.next(after: nil).kind == .perform(changes: 2, checks: 0))
        let watch = schedule.next(after: nil)
        #expect(schedule.append(try change(3)) == nil)
        #expect(
            schedule.nextOfWatcher(since: try #require(watch.takes), isTimedOut: true).kind
                == .perform(changes: 1, checks: 0))
    }

    @Test("The watcher goes on waiting while other lanes take work")
    mutating func quickLanes() throws {
        _ = try append(changes: 1...4)
        let first = schedule.next(after: nil)
        let watch = schedule.next(after: nil)
        _ = try append(changes: 5...7)
        #expect(schedule.next(after: first.work).kind == .perform(changes: 3, checks: 0))
        _ = schedule.append(try change(8))
        #expect(
            schedule.nextOfWatcher(since: try #require(watch.takes), isTimedOut: true).kind
                == .watch)
    }

    @Test("The last idle lane is the watcher, which new work wakes as well")
    mutating func wakingTheWatcher() throws {
        _ = schedule.append(try change(1))
        _ = schedule.next(after: nil)
        let watch = schedule.next(after: nil)
        #expect(schedule.append(try change(2)) == .watcher)
        // The time was over just before the signal, which must not be left for the next watcher.
        let takes = try #require(watch.takes)
        #expect(schedule.nextOfWatcher(since: takes, isTimedOut: true).kind == .waitForSignal)
        #expect(schedule.nextOfWoken().kind == .perform(changes: 1, checks: 0))
    }

    @Test("A lane without a watcher beside it leaves no changes waiting")
    mutating func alone() throws {
        _ = try append(changes: 1...9)
        _ = schedule.next(after: nil)
        _ = schedule.append(try check(10))
        let checks = schedule.next(after: nil)
        #expect(checks.kind == .perform(changes: 0, checks: 1))
        _ = schedule.append(try change(11))
        #expect(schedule.next(after: checks.work).kind == .perform(changes: 1, checks: 0))
    }

    @Test("Two changes of one session are never under way at the same time")
    mutating func oneSession() throws {
        _ = schedule.append(try change(1))
        let first = schedule.next(after: nil)
        _ = schedule.append(try change(1))
        #expect(schedule.next(after: nil).kind == .watch)
        guard case .set(let changes, _) = first.work else {
            Issue.record("no changes")
            return
        }
        schedule.waiting.release(changes)
        #expect(schedule.next(after: first.work).kind == .perform(changes: 1, checks: 0))
    }

    @Test("All lanes end after the queue was closed, and not before the work is done")
    mutating func close() throws {
        _ = schedule.append(try change(1))
        let first = schedule.next(after: nil)
        _ = schedule.append(try change(1))
        #expect(schedule.next(after: nil).kind == .watch)
        #expect(schedule.next(after: nil).kind == .wait)
        #expect(schedule.close() == .idle)
        // The change waits for the one before it.
        #expect(schedule.nextOfWoken().kind == .wait)
        guard case .set(let changes, _) = first.work else {
            Issue.record("no changes")
            return
        }
        schedule.waiting.release(changes)
        let second = schedule.next(after: first.work)
        #expect(second.kind == .perform(changes: 1, checks: 0))
        #expect(schedule.next(after: second.work).kind == .end(waking: .idle))
        #expect(schedule.nextOfWoken().kind == .end(waking: .watcher))
        #expect(schedule.nextOfWoken().kind == .end(waking: nil))
    }
}

extension LaneSchedule.Step {
    /// A step without the work, which cannot be compared.
    fileprivate enum Kind: Equatable {
        case perform(changes: Int, checks: Int)
        case other
        case wait, watch, waitForSignal
        case end(waking: LaneSchedule.WokenLane?)
    }

    fileprivate var kind: Kind {
        switch self {
        case .perform(.set(let changes, let checks), _):
            .perform(changes: changes.count, checks: checks.count)
        case .perform: .other
        case .wait: .wait
        case .watch: .watch
        case .waitForSignal: .waitForSignal
        case .end(let other): .end(waking: other)
        }
    }

    fileprivate var work: Work? {
        if case .perform(let work, _) = self { work } else { nil }
    }

    fileprivate var takes: LaneSchedule.Takes? {
        if case .watch(let takes) = self { takes } else { nil }
    }
}
