import Sessions
import Testing
import WaypostCore

extension SessionStoreContract {
    static let idempotencyChecks = [
        Check("An idempotency record is read as it was stored") {
            try await $0.idempotencyRecord()
        },
        Check("A later idempotency record with the same id replaces the first") {
            try await $0.laterIdempotencyRecord()
        },
        Check("The size of a session's idempotency records excludes expired ones") {
            try await $0.idempotencyRecordSizes()
        },
        Check("The oldest idempotency records of a session make room for new ones") {
            try await $0.outdatedRecords()
        },
        Check("The end of a session removes its idempotency records and no others") {
            try await $0.recordsOfAnEndedSession()
        },
        Check("A removed history takes its session's idempotency records along, and no others") {
            try await $0.recordsOfARemovedHistory()
        },
    ]

    private func idempotencyRecord() async throws {
        let store = try await emptyStore()
        let responses: [[UInt8]] = [
            [], [0], Array(0...255), (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7) },
        ]
        let records = responses.enumerated().map { number, response in
            Sample.idempotencyRecord("\(number)", response: response)
        }
        for record in records { try await store.insert(record) }
        for handle in try await handles(of: store) {
            for record in records {
                #expect(try await handle.idempotencyRecord(record.id) == record)
            }
            #expect(try await handle.idempotencyRecord(Sample.hash("unknown")) == nil)
        }
    }

    /// Stores a record after the first one has expired, or its session has ended, and before a purge
    /// has removed it.
    private func laterIdempotencyRecord() async throws {
        let store = try await emptyStore()
        let first = Sample.idempotencyRecord("key", response: [1], expiresAt: Sample.now)
        let second = IdempotencyRecord(
            id: first.id, fingerprint: Sample.hash("another request"), session: nil,
            sealedResponse: [2, 2], requestSize: 1, expiresAt: Sample.now + .seconds(1))
        for record in [first, second] {
            try await store.insert(record)
            for handle in try await handles(of: store) {
                #expect(try await handle.idempotencyRecord(first.id) == record)
            }
        }
        // There is no session with this id any more.
        let ofEnded = Sample.idempotencyRecord("ended", of: try Sample.id(1))
        let later = Sample.idempotencyRecord("ended", response: [3])
        for record in [ofEnded, later] { try await store.insert(record) }
        for handle in try await handles(of: store) {
            #expect(try await handle.idempotencyRecord(later.id) == later)
        }
    }

    private func idempotencyRecordSizes() async throws {
        let store = try await emptyStore()
        let (one, other) = (try Sample.id(1), try Sample.id(2))
        for number in 1...2 { try await store.insert(try Sample.session(number)) }
        let expiries = [Duration.milliseconds(0), .seconds(20), .seconds(10)]
        for (number, expiry) in expiries.enumerated() {
            try await store.insert(
                Sample.idempotencyRecord(
                    "\(number)", of: one, response: Array(repeating: 7, count: 100 + number),
                    requestSize: 1000 + number, expiresAt: Sample.now + expiry))
        }
        try await store.insert(Sample.idempotencyRecord("of the other", of: other))
        try await store.insert(Sample.idempotencyRecord("of none"))
        for handle in try await handles(of: store) {
            #expect(
                try await handle.idempotencyRecordSizes(of: one, at: Sample.now)
                    == IdempotencyRecordSizes([
                        IdempotencyRecordSizes.Entry(
                            size: 101, requestSize: 1001, expiresAt: Sample.now + .seconds(20)),
                        IdempotencyRecordSizes.Entry(
                            size: 102, requestSize: 1002, expiresAt: Sample.now + .seconds(10)),
                    ]))
            #expect(
                try await handle.idempotencyRecordSizes(of: Sample.id(3), at: Sample.now)
                    == IdempotencyRecordSizes())
        }
    }

    /// All records have the same times, as those of one commit have.
    private func outdatedRecords() async throws {
        let store = try await emptyStore()
        let (one, other) = (try Sample.id(1), try Sample.id(2))
        for number in 1...2 { try await store.insert(try Sample.session(number)) }
        func record(_ number: Int) -> IdempotencyRecord {
            Sample.idempotencyRecord(
                "\(number)", of: one, expiresAt: Sample.now + .seconds(10))
        }
        let expired = Sample.idempotencyRecord("expired", of: one, expiresAt: Sample.now)
        let others = Sample.idempotencyRecord("of the other", of: other)
        for record in [expired, others] { try await store.insert(record) }
        for number in 0..<5 { try await store.insert(record(number)) }
        var batch = WriteBatch()
        batch.idempotencyRecords = (5..<8).map(record)
        batch.outdatedRecords = WriteBatch.OutdatedRecords(session: one, count: 6, now: Sample.now)
        try await store.commit(batch)
        for handle in try await handles(of: store) {
            for number in 0..<8 {
                let kept = number < 6 ? nil : record(number)
                #expect(try await handle.idempotencyRecord(record(number).id) == kept)
            }
            #expect(try await handle.idempotencyRecord(others.id) == others)
            #expect(try await handle.idempotencyRecordSizes(of: one, at: Sample.now).count == 2)
        }
    }

    private func recordsOfAnEndedSession() async throws {
        let store = try await emptyStore()
        let (ended, other) = (try Sample.id(1), try Sample.id(2))
        for number in 1...2 { try await store.insert(try Sample.session(number)) }
        for number in 0..<3 {
            try await store.insert(Sample.idempotencyRecord("\(number)", of: ended))
        }
        let kept = [
            Sample.idempotencyRecord("of the other", of: other),
            Sample.idempotencyRecord("of none"),
            Sample.idempotencyRecord("of the end"),
        ]
        for record in kept.dropLast() { try await store.insert(record) }
        var end = WriteBatch(storing: .delete(ended))
        end.idempotencyRecord = kept.last
        try await store.commit(end)
        // The result is the same before and after a purge.
        for _ in 0..<2 {
            for handle in try await handles(of: store) {
                for number in 0..<3 {
                    let record = Sample.idempotencyRecord("\(number)", of: ended)
                    #expect(try await handle.idempotencyRecord(record.id) == nil)
                }
                for record in kept {
                    #expect(try await handle.idempotencyRecord(record.id) == record)
                }
            }
            try await purgeAll(store, before: Sample.now)
        }
        let usage = try await store.idempotencyRecordSizes(of: ended, at: Sample.now)
        #expect(usage == IdempotencyRecordSizes())
    }

    private func recordsOfARemovedHistory() async throws {
        let store = try await emptyStore()
        for number in 1...2 { try await store.insert(try Sample.session(number)) }
        let account = try Sample.account("ada")
        var batch = WriteBatch()
        batch.account = .insert(account)
        try await store.commit(batch)
        let removed = Sample.idempotencyRecord("of the session", of: try Sample.id(1))
        let other = Sample.idempotencyRecord("of the other", of: try Sample.id(2))
        for record in [removed, other] { try await store.insert(record) }
        let removal = Sample.idempotencyRecord("of the removal")
        let stored = try #require(try await store.session(Sample.id(1)))
        batch.account = .delete(account, histories: [WriteBatch.HistoryRemoval(stored)])
        batch.idempotencyRecord = removal
        try await store.commit(batch)
        for handle in try await handles(of: store) {
            #expect(try await handle.idempotencyRecord(removed.id) == nil)
            for record in [other, removal] {
                #expect(try await handle.idempotencyRecord(record.id) == record)
            }
        }
    }
}

extension SessionStore {
    fileprivate func insert(_ record: IdempotencyRecord) async throws {
        var commit = WriteBatch()
        commit.idempotencyRecord = record
        try await self.commit(commit)
    }
}
