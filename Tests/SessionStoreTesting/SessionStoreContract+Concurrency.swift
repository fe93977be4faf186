import NavigationRules
import Sessions
import Testing

extension SessionStoreContract {
    static let concurrencyChecks = [
        Check("Concurrent changes of many sessions lose no change") {
            try await $0.manySessions()
        },
        Check("Exactly one of many concurrent inserts of one username succeeds") {
            try await $0.race()
        },
        Check("A concurrent reader sees a change with its events, or neither") {
            try await $0.readers()
        },
    ]

    /// Runs 16 tasks with 20 commits each.
    private func manySessions() async throws {
        let store = try await emptyStore()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<16 {
                group.addTask {
                    try await store.insert(try Sample.session(number), Sample.events(1...2))
                    for revision in 2...20 {
                        let last = 2 * revision
                        var commit = WriteBatch(
                            storing: .update(
                                try Sample.session(
                                    number, Sample.window(revision: revision, lastEvent: last)),
                                replacing: RowVersion(number: revision - 1)))
                        commit.store(Sample.events((last - 1)...last, revision: revision))
                        commit.idempotencyRecord = Sample.idempotencyRecord("\(number) \(revision)")
                        try await store.commit(commit)
                    }
                }
            }
            try await group.waitForAll()
        }
        for handle in try await handles(of: store) {
            for number in 0..<16 {
                let session = try Sample.session(
                    number, Sample.window(revision: 20, lastEvent: 40))
                #expect(try await handle.content(session.id) == session)
                let events = try await handle.allEvents(of: session.id)
                #expect(events.map(\.seq) == Array(1...40))
                #expect(events.map(\.revision) == (2...41).map { $0 / 2 })
                for revision in 2...20 {
                    let idempotencyRecord = Sample.idempotencyRecord("\(number) \(revision)")
                    #expect(
                        try await handle.idempotencyRecord(idempotencyRecord.id)
                            == idempotencyRecord)
                }
            }
        }
    }

    private func race() async throws {
        let store = try await emptyStore()
        for number in 0..<64 { try await store.insert(try Sample.session(number)) }
        let winners = try await withThrowingTaskGroup(of: Int?.self) { group in
            for number in 0..<64 {
                group.addTask {
                    var commit = WriteBatch(
                        storing: .update(try Sample.session(number, Sample.window(revision: 2))))
                    commit.account = .insert(
                        try Sample.account(
                            number.isMultiple(of: 2) ? "ada" : "ADA", password: "\(number)"))
                    commit.newCredential = try Sample.credential("\(number)")
                    commit.idempotencyRecord = Sample.idempotencyRecord("\(number)")
                    do throws(SessionError) {
                        try await store.commit(commit)
                        return number
                    } catch {
                        #expect(error == .usernameTaken)
                        return nil
                    }
                }
            }
            return try await group.reduce(into: [Int]()) { $0 += [$1].compactMap(\.self) }
        }
        #expect(winners.count == 1)
        for handle in try await handles(of: store) {
            let account = try #require(try await handle.account(Username("Ada")))
            #expect(account.password.text == winners.first.map(String.init))
            for number in 0..<64 {
                let hasWon = winners.contains(number)
                let session = try await handle.content(Sample.id(number))
                #expect(session?.window.revision == (hasWon ? 2 : 1))
                #expect((try await handle.credential(Sample.hash("\(number)")) != nil) == hasWon)
                #expect(
                    (try await handle.idempotencyRecord(Sample.idempotencyRecord("\(number)").id)
                        != nil) == hasWon)
            }
        }
    }

    private func readers() async throws {
        let store = try await emptyStore()
        let id = try Sample.id(1)
        let last = 60
        try await store.insert(
            try Sample.session(1, Sample.window(lastEvent: 1)), Sample.events(1...1))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for number in 2...last {
                    try await store.update(
                        try Sample.session(
                            1, Sample.window(revision: number, lastEvent: number)),
                        Sample.events(number...number, revision: number))
                }
            }
            for _ in 0..<4 {
                group.addTask {
                    var seen = 0
                    while seen < last {
                        let before = try #require(try await store.content(id)).window.lastEvent
                        let events = try await store.allEvents(of: id).count
                        let after = try #require(try await store.content(id)).window.lastEvent
                        #expect(seen <= before && before <= events && events <= after)
                        seen = before
                        await Task.yield()
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}
