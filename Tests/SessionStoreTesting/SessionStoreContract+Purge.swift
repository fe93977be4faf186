import Sessions
import Testing
import WaypostCore

extension SessionStoreContract {
    static let purgeChecks = [
        Check("A purge removes exactly the expired values") { try await $0.purge() },
        Check("Repeated purges remove everything that has expired, however much it is") {
            try await $0.purgeOfMany()
        },
        Check("An expired credential is kept for its retention, revoked or not") {
            try await $0.retention()
        },
        Check("A purge removes nothing if nothing has expired") { try await $0.idlePurge() },
    ]

    /// Purges until the store reports that nothing is left. The test fails if that never happens.
    func purgeAll(_ store: any SessionStore, before now: Timestamp) async throws {
        for _ in 0..<100_000 {
            guard try await store.purge(before: now) else { return }
        }
        Issue.record("a purge that never ends")
    }

    /// Makes a commit with one value of each kind, all of which expire at this time.
    private func commit(_ number: Int, expiresAt: Timestamp) throws -> WriteBatch {
        var commit = WriteBatch(storing: .insert(try Sample.session(number, expiresAt: expiresAt)))
        commit.store(Sample.events(1...3))
        // The store keeps the credential for its retention. Each credential has its own account, so
        // that the limit per account removes none.
        commit.newCredential = try Sample.credential(
            "\(number)", of: "ada\(number)",
            expiresAt: expiresAt + (.zero - Credential.retention))
        commit.idempotencyRecord = Sample.idempotencyRecord("\(number)", expiresAt: expiresAt)
        return commit
    }

    private func expect(
        _ number: Int, isThere: Bool, in store: any SessionStore,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let kept = [
            try await store.content(Sample.id(number)) != nil,
            try await store.allEvents(of: Sample.id(number)).count == 3,
            try await store.credential(Sample.hash("\(number)")) != nil,
            try await store.idempotencyRecord(Sample.idempotencyRecord("\(number)").id) != nil,
        ]
        #expect(
            kept == Array(repeating: isThere, count: 4), "number \(number)",
            sourceLocation: sourceLocation)
    }

    private func purge() async throws {
        let store = try await emptyStore()
        // At its expiry time a value already counts as expired.
        let offsets = [-86_400_000, -1, 0, 1, 86_400_000]
        for (number, offset) in offsets.enumerated() {
            try await store.commit(
                commit(number, expiresAt: Sample.now + .milliseconds(offset)))
        }
        var account = WriteBatch()
        account.account = .insert(try Sample.account("Ada"))
        try await store.commit(account)
        let counted = store.expiredSessions.value
        try await purgeAll(store, before: Sample.now)
        #expect(store.expiredSessions.value == counted + 3)
        for handle in try await handles(of: store) {
            for (number, offset) in offsets.enumerated() {
                try await expect(number, isThere: offset > 0, in: handle)
            }
            #expect(try await handle.account(Username("ada")) != nil)
            #expect(
                try await handle.events(of: Sample.id(0), after: 0, limit: 10)
                    == EventPage(events: [], oldest: 1))
        }
        // A session whose expiry was moved stays.
        try await store.update(
            try Sample.session(3, expiresAt: Sample.now + .seconds(60)))
        try await purgeAll(store, before: Sample.now + .seconds(1))
        #expect(try await store.content(Sample.id(3)) != nil)
        #expect(try await store.idempotencyRecord(Sample.idempotencyRecord("3").id) == nil)
        #expect(try await store.credential(Sample.hash("3")) == nil)
    }

    private func purgeOfMany() async throws {
        let store = try await emptyStore()
        for number in 0..<1000 {
            let isKept = number.isMultiple(of: 10)
            try await store.commit(
                commit(number, expiresAt: Sample.now + .seconds(isKept ? 1 : -1)))
        }
        let counted = store.expiredSessions.value
        try await purgeAll(store, before: Sample.now)
        #expect(store.expiredSessions.value == counted + 900)
        for handle in try await handles(of: store) {
            for number in stride(from: 0, to: 1000, by: 7) {
                try await expect(number, isThere: number.isMultiple(of: 10), in: handle)
            }
        }
    }

    private func retention() async throws {
        let store = try await emptyStore()
        let expiry = Sample.now + .seconds(60)
        for text in ["good", "revoked"] {
            var commit = WriteBatch()
            commit.newCredential = try Sample.credential(text, expiresAt: expiry)
            if text == "revoked" { commit.newCredential?.isRevoked = true }
            try await store.commit(commit)
        }
        let end = expiry + Credential.retention
        for (time, isThere) in [(expiry, true), (end + .milliseconds(-1), true), (end, false)] {
            try await purgeAll(store, before: time)
            for handle in try await handles(of: store) {
                for text in ["good", "revoked"] {
                    let credential = try await handle.credential(Sample.hash(text))
                    #expect((credential != nil) == isThere)
                }
            }
        }
    }

    private func idlePurge() async throws {
        let store = try await emptyStore()
        #expect(try await !store.purge(before: Sample.now))
        try await store.commit(commit(1, expiresAt: Sample.now + .milliseconds(1)))
        #expect(try await !store.purge(before: Sample.now))
        try await expect(1, isThere: true, in: store)
    }
}
