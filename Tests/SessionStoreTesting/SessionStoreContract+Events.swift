import NavigationRules
import Sessions
import Testing

extension SessionStoreContract {
    static let eventChecks = [
        Check("Events are read as stored, in order and by session") {
            try await $0.eventRoundTrip()
        },
        Check("A page of stored events starts after any number and has any limit") {
            try await $0.eventPages()
        },
        Check("A page of a session without events is empty and says that none was dropped") {
            try await $0.noEvents()
        },
    ]

    private func eventRoundTrip() async throws {
        let store = try await emptyStore()
        let ids = [try Sample.id(1), try Sample.id(2)]
        let batches = [1...1, 2...20, 21...21, 22...60]
        for (index, batch) in batches.enumerated() {
            for (number, id) in ids.enumerated() {
                let revision = index + 1
                let events = Sample.events(batch, revision: revision)
                let session = try Sample.session(number + 1, Sample.window(revision: revision))
                #expect(session.id == id)
                if index == 0 {
                    try await store.insert(session, events)
                } else {
                    try await store.update(session, events)
                }
            }
        }
        // A change may have no events.
        try await store.update(try Sample.session(1, Sample.window(revision: 9)))
        for handle in try await handles(of: store) {
            for id in ids {
                let expected = batches.enumerated().flatMap { index, batch in
                    Sample.events(batch, revision: index + 1)
                }
                #expect(try await handle.allEvents(of: id) == expected)
            }
        }
    }

    private func eventPages() async throws {
        let store = try await emptyStore()
        let all = Sample.events(1...50)
        let session = try Sample.session(1)
        try await store.insert(session, Array(all[..<7]))
        try await store.update(session, Array(all[7..<31]))
        try await store.update(session, Array(all[31...]))
        let pages: [(after: Int, limit: Int, expected: Range<Int>)] = [
            (0, 50, 0..<50), (0, 1000, 0..<50), (0, .max, 0..<50), (0, 1, 0..<1), (0, 7, 0..<7),
            (0, 8, 0..<8), (6, 2, 6..<8), (7, 10, 7..<17), (30, 3, 30..<33), (49, 1, 49..<50),
            (49, 10, 49..<50), (50, 10, 0..<0), (51, 10, 0..<0), (1_000_000, 1, 0..<0),
            (.max, .max, 0..<0), (0, 0, 0..<0), (25, 0, 0..<0), (-5, 3, 0..<3),
        ]
        for handle in try await handles(of: store) {
            for (after, limit, expected) in pages {
                let page = try await handle.events(of: session.id, after: after, limit: limit)
                #expect(
                    page == EventPage(events: Array(all[expected]), oldest: 1),
                    "after \(after), limit \(limit)")
            }
        }
    }

    private func noEvents() async throws {
        let store = try await emptyStore()
        try await store.insert(try Sample.session(1, Sample.window(lastEvent: 0)))
        try await store.insert(try Sample.session(2), Sample.events(1...3))
        for handle in try await handles(of: store) {
            for number in [1, 3] {
                let page = try await handle.events(of: Sample.id(number), after: 0, limit: 10)
                #expect(page == EventPage(events: [], oldest: 1))
            }
        }
    }
}
