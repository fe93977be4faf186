import NavigationRules
import Sessions
import Testing
import WaypostCore

extension SessionStoreContract {
    static let sessionChecks = [
        Check("An inserted session is read as it was stored") { try await $0.insertedSession() },
        Check("An updated session is read with its latest state") { try await $0.updatedSession() },
        Check("A deleted session is gone, with its events") {
            try await $0.deletedSession()
        },
        Check("A new session with the id of an ended one inherits nothing") {
            try await $0.reusedID()
        },
        Check("A missing session is read as nil and cannot be deleted") {
            try await $0.unknownSession()
        },
    ]

    private func insertedSession() async throws {
        let store = try await emptyStore()
        var sessions: [StoredSession] = []
        for window in Sample.windows {
            sessions.append(try Sample.session(sessions.count, window))
        }
        for refusal in [CredentialRefusal.unknown, .expired] {
            sessions.append(try Sample.session(sessions.count, refusal: refusal))
        }
        sessions.append(try Sample.session(sessions.count, credential: Sample.hash("credential")))
        sessions.append(
            try Sample.session(
                sessions.count, expiresAt: Timestamp(milliseconds: Sample.bigNumber)))
        for session in sessions { try await store.insert(session) }
        for handle in try await handles(of: store) {
            for session in sessions { #expect(try await handle.content(session.id) == session) }
        }
    }

    private func updatedSession() async throws {
        let store = try await emptyStore()
        let other = try Sample.session(2)
        try await store.insert(try Sample.session(1, expiresAt: Sample.now))
        try await store.insert(other)
        for (number, window) in (Sample.windows + Sample.windows.reversed()).enumerated() {
            let session = try Sample.session(
                1, window, expiresAt: Sample.now + .milliseconds(number),
                credential: number.isMultiple(of: 2) ? Sample.hash("\(number)") : nil,
                refusal: number.isMultiple(of: 3) ? .expired : nil)
            try await store.update(session)
            #expect(try await store.content(session.id) == session)
        }
        let last = try await store.content(try Sample.id(1))
        for handle in try await handles(of: store) {
            #expect(try await handle.content(try Sample.id(1)) == last)
            #expect(try await handle.content(other.id) == other)
        }
    }

    private func deletedSession() async throws {
        let store = try await emptyStore()
        let session = try Sample.session(1)
        let other = try Sample.session(2)
        for session in [session, other] {
            try await store.insert(session, Sample.events(1...4))
            try await store.update(session, Sample.events(5...9, revision: 2))
        }
        for isThere in [true, false] {
            if isThere {
                try await store.delete(session.id)
            } else {
                await #expect(throws: SessionError.ended) {
                    try await store.delete(session.id)
                }
            }
            for handle in try await handles(of: store) {
                #expect(try await handle.content(session.id) == nil)
                #expect(
                    try await handle.events(of: session.id, after: 0, limit: 10)
                        == EventPage(events: [], oldest: 1))
                #expect(try await handle.content(other.id) == other)
                #expect(try await handle.allEvents(of: other.id).count == 9)
            }
        }
    }

    private func reusedID() async throws {
        let store = try await emptyStore()
        let session = try Sample.session(1)
        let records = (0...2).map { Sample.idempotencyRecord("\($0)", of: session.id) }
        func insert(_ record: IdempotencyRecord, _ events: ClosedRange<Int>) async throws {
            try await store.commit(
                WriteBatch(
                    storing: .insert(session), events: Sample.events(events),
                    idempotencyRecords: [record]))
        }
        let token = SessionToken(
            hash: Sample.hash("token"), session: session.id, name: "phone",
            credential: Sample.hash("one"), createdAt: Sample.now,
            expiresAt: Sample.now + .seconds(60))
        try await insert(records[0], 1...4)
        var batch = WriteBatch(idempotencyRecords: [records[1]])
        batch.newCredential = try Sample.credential("one")
        try await store.commit(batch)
        batch = WriteBatch()
        batch.token = .insert(token, loggedInWith: nil)
        try await store.commit(batch)
        try await store.delete(session.id)
        try await insert(records[2], 1...2)
        for handle in try await handles(of: store) {
            #expect(try await handle.content(session.id) == session)
            #expect(try await handle.allEvents(of: session.id) == Sample.events(1...2))
            for (record, expected) in zip(records, [nil, nil, records[2]]) {
                #expect(try await handle.idempotencyRecord(record.id) == expected)
            }
            #expect(
                try await handle.idempotencyRecordSizes(of: session.id, at: Sample.now).count == 1)
            #expect(try await handle.sessionToken(token.hash, at: Sample.now) == nil)
        }
    }

    private func unknownSession() async throws {
        let store = try await emptyStore()
        #expect(store.failure == nil)
        #expect(try await store.content(try Sample.id(1)) == nil)
        try await store.insert(try Sample.session(1))
        #expect(try await store.content(try Sample.id(2)) == nil)
        await #expect(throws: SessionError.ended) {
            try await store.delete(try Sample.id(2))
        }
        #expect(try await store.content(try Sample.id(1)) == Sample.session(1))
    }
}
