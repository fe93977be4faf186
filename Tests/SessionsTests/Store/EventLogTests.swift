import Navigation
import Testing

@testable import Sessions

@Suite("Event log in memory", .timeLimit(.minutes(10)))
struct EventLogTests {
    /// The events of one change, for these view controllers in turn.
    private func change(
        from first: Int, revision: Int = 1, of numbers: [Int], scene: String = "home"
    ) -> [LifecycleEvent] {
        numbers.enumerated().map { index, number in
            LifecycleEvent(
                seq: first + index, revision: revision,
                kind: LifecycleEvent.Kind.allCases[(first + index) % 7],
                viewController: ViewController.ID(number: number), scene: "\(scene) \(number)",
                animated: index.isMultiple(of: 3))
        }
    }

    @Test("An event log returns the events that were appended")
    func whatIsWrittenIsRead() {
        let changes = [
            change(from: 1, of: [1, 1, 1]),
            // The distance to the same view controller's last event is large, just too large for a
            // code, and large again.
            change(from: 4, revision: 2, of: [2] + Array(10..<24) + [2, 10]),
            change(from: 21, revision: 3, of: [3] + Array(30..<45) + [3, 3, 1 << 40]),
            // One call appends events of two revisions.
            change(from: 40, revision: 127, of: [4]) + change(from: 41, revision: 128, of: [4]),
            change(from: 42, revision: .max, of: [.max], scene: String(repeating: "é", count: 200)),
            change(from: 43, of: Array(repeating: 7, count: 300)),
        ]
        var log = EventLog()
        for change in changes { log.append(change, retention: 10_000) }
        let all = changes.flatMap { $0 }
        #expect(log.oldest == 1)
        #expect(log.events(after: 0, limit: .max) == all)
        for after in 0...all.count {
            #expect(log.events(after: after, limit: 5) == Array(all.dropFirst(after).prefix(5)))
        }
    }

    /// Each change drops about as many events as it adds.
    @Test(
        "An event log drops about as many old events per change as the change adds",
        arguments: [1, 10, 1000])
    func whatIsForgottenGoesLittleByLittle(retention: Int) {
        var log = EventLog()
        var all: [LifecycleEvent] = []
        var oldest = 1
        for revision in 1...3000 {
            let size = revision % 7
            let new = change(
                from: all.count + 1, revision: revision,
                of: Array(repeating: revision, count: size))
            all += new
            log.append(new, retention: retention)
            let kept = all.count + 1 - log.oldest
            #expect(kept >= min(retention, all.count))
            #expect(kept < retention + 7)
            #expect(log.oldest - oldest <= 12)
            oldest = log.oldest
            guard revision.isMultiple(of: 100) else { continue }
            #expect(log.events(after: 0, limit: .max) == Array(all.dropFirst(oldest - 1)))
        }
    }

    @Test("A change without events leaves the event log unchanged")
    func changesWithoutEventsLeaveNothing() {
        var log = EventLog()
        log.append([], retention: 1)
        #expect(log.oldest == 1)
        #expect(log.events(after: 0, limit: 10) == [])
        log.append(change(from: 5, of: [1]), retention: 1)
        log.append([], retention: 1)
        #expect(log.oldest == 5)
        #expect(log.events(after: 4, limit: 10) == change(from: 5, of: [1]))
    }
}
