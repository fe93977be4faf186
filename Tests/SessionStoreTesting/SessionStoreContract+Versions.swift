import NavigationRules
import Sessions
import Testing
import WaypostCore

extension SessionStoreContract {
    static let versionChecks = [
        Check("A new session has the first version, and each change gives its row the next one") {
            try await $0.counting()
        },
        Check("An update or deletion with another version changes nothing") {
            try await $0.stale()
        },
        Check("A session is deleted whatever its version if the batch says so") {
            try await $0.unread()
        },
        Check("A session is deleted only after its expiry if the batch says so") {
            try await $0.expired()
        },
        Check("One of many concurrent updates of the same version succeeds") {
            try await $0.versionRace()
        },
    ]

    private func counting() async throws {
        let store = try await emptyStore()
        let id = try Sample.id(1)
        try await store.insert(try Sample.session(1))
        #expect(try await store.session(id)?.version == .first)
        var version = RowVersion.first
        for revision in [2, 2, 3] {
            // The version also counts writes that keep the revision.
            let session = try Sample.session(1, Sample.window(revision: revision))
            try await store.commit(
                WriteBatch(storing: .update(session, replacing: version)))
            version = version.next
        }
        for handle in try await handles(of: store) {
            #expect(try await handle.session(id)?.version == RowVersion(number: 4))
            let versions = try await handle.versions(of: [id, Sample.id(2)])
            #expect(versions == [id: RowVersion(number: 4)])
            #expect(try await handle.versions(of: []) == [:])
        }
    }

    private func stale() async throws {
        let store = try await emptyStore()
        let id = try Sample.id(1)
        try await store.insert(try Sample.session(1), Sample.events(1...3))
        try await store.update(
            try Sample.session(1, Sample.window(revision: 2)), Sample.events(4...5, revision: 2))
        let before = try await store.session(id)
        let late = try Sample.session(1, Sample.window(revision: 3))
        for version in [RowVersion.first, RowVersion(number: 3)] {
            for change in [
                WriteBatch.SessionChange.update(late, replacing: version),
                .delete(id, replacing: version),
            ] {
                var alone = WriteBatch(storing: change)
                if case .update = change { alone.store(Sample.events(6...7, revision: 3)) }
                var whole = alone
                whole.idempotencyRecord = Sample.idempotencyRecord("key", of: id)
                whole.account = .insert(try Sample.account("ada"))
                whole.newCredential = try Sample.credential("new")
                for batch in [alone, whole] {
                    await #expect(throws: SessionError.conflict) { try await store.commit(batch) }
                }
            }
        }
        for handle in try await handles(of: store) {
            #expect(try await handle.session(id) == before)
            #expect(try await handle.allEvents(of: id).map(\.seq) == Array(1...5))
            #expect(try await handle.account(Username("ada")) == nil)
            #expect(try await handle.credential(Sample.hash("new")) == nil)
            let record = Sample.idempotencyRecord("key", of: id)
            #expect(try await handle.idempotencyRecord(record.id) == nil)
        }
    }

    private func unread() async throws {
        let store = try await emptyStore()
        let id = try Sample.id(1)
        for number in 1...2 { try await store.insert(try Sample.session(number)) }
        try await store.update(try Sample.session(1, Sample.window(revision: 2)))
        let record = Sample.idempotencyRecord("key", of: id)
        var other = WriteBatch()
        other.idempotencyRecord = record
        try await store.commit(other)
        try await store.commit(WriteBatch(session: .deleteUnread(id)))
        for handle in try await handles(of: store) {
            #expect(try await handle.session(id) == nil)
            #expect(try await handle.idempotencyRecord(record.id) == nil)
            #expect(try await handle.session(Sample.id(2)) != nil)
        }
        await #expect(throws: SessionError.ended) {
            try await store.commit(WriteBatch(session: .deleteUnread(id)))
        }
    }

    private func expired() async throws {
        let store = try await emptyStore()
        let session = try Sample.session(1)
        try await store.insert(session)
        let cases: [(milliseconds: Int, error: SessionError?)] = [
            (-1, .conflict), (0, nil), (0, .ended),
        ]
        for (milliseconds, error) in cases {
            let time = session.expiresAt + .milliseconds(milliseconds)
            let batch = WriteBatch(session: .deleteUnread(session.id, expiredAt: time))
            if let error {
                await #expect(throws: error) { try await store.commit(batch) }
            } else {
                try await store.commit(batch)
            }
            for handle in try await handles(of: store) {
                #expect((try await handle.session(session.id) != nil) == (error == .conflict))
            }
        }
    }

    private func versionRace() async throws {
        let store = try await emptyStore()
        let id = try Sample.id(1)
        try await store.insert(try Sample.session(1))
        for version in 1...20 {
            let winners = try await withThrowingTaskGroup(of: Int?.self) { group in
                for writer in 0..<8 {
                    group.addTask {
                        let session = try Sample.session(
                            1, Sample.window(revision: 100 * version + writer))
                        do throws(SessionError) {
                            try await store.commit(
                                WriteBatch(
                                    storing: .update(
                                        session, replacing: RowVersion(number: version))))
                            return session.window.revision
                        } catch {
                            #expect(error == .conflict)
                            return nil
                        }
                    }
                }
                return try await group.reduce(into: [Int]()) { $0 += [$1].compactMap(\.self) }
            }
            #expect(winners.count == 1)
            #expect(try await store.session(id)?.window.revision == winners.first)
        }
    }
}
