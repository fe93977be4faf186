import Navigation
import Sessions
import Testing

extension SessionStoreContract {
    static let journalChecks = [
        Check("A journal is read from the last complete state at or below a revision on") {
            try await $0.journalParts()
        },
        Check("A session without a journal has none, and a change without one leaves it") {
            try await $0.journalAbsence()
        },
        Check("A journal ends with its session") { try await $0.journalEnd() },
        Check("Old parts of a journal are removed, and never those that are needed") {
            try await $0.journalRetention()
        },
        Check("A journal is written with its change or not at all") {
            try await $0.journalOfRefusedChange()
        },
        Check("A journal of any bytes and sizes is stored as it is") {
            try await $0.journalBytes()
        },
    ]

    /// The journal of one change, in bytes that name their revision.
    private func batch(
        _ revision: Int, base: Int? = nil, size: Int = 40, keptFrom: Int = 0, digest: Int = 7
    ) -> JournalBatch {
        let number = [UInt8(revision >> 8 & 0xFF), UInt8(revision & 0xFF)]
        return JournalBatch(
            bytes: number + Array(repeating: base == nil ? 0 : 1, count: size - 2),
            first: revision, last: revision, base: base, digest: digest, keptFrom: keptFrom)
    }

    private func change(
        _ number: Int, _ journal: JournalBatch?, in store: any SessionStore
    ) async throws {
        let id = try Sample.id(number)
        let revision = journal?.last ?? 1
        var batch = WriteBatch(
            session: .update(
                .stored(try Sample.session(number, Sample.window(revision: revision))),
                replacing: try await store.version(of: id)))
        batch.journal = journal
        try await store.commit(batch)
    }

    private func journal(
        _ number: Int = 1, from first: Int, through last: Int, in store: any SessionStore
    ) async throws -> (bytes: [UInt8], oldest: Int?) {
        let part = try await store.journal(of: Sample.id(number), from: first, through: last)
        return (part.chunks.flatMap(\.self), part.oldest)
    }

    /// Writes changes with a complete state before each change whose revision follows a multiple.
    private func write(
        _ revisions: ClosedRange<Int>, baseBefore multiple: Int, keeping retention: Int? = nil,
        in store: any SessionStore
    ) async throws -> [Int: JournalBatch] {
        var batches: [Int: JournalBatch] = [:]
        for revision in revisions {
            let isBase = (revision - 1).isMultiple(of: multiple) || revision == revisions.lowerBound
            let batch = batch(
                revision, base: isBase ? revision - 1 : nil,
                keptFrom: retention.map { revision - $0 } ?? 0)
            batches[revision] = batch
            try await change(1, batch, in: store)
        }
        return batches
    }

    private func journalParts() async throws {
        let store = try await emptyStore()
        try await store.insert(try Sample.session(1))
        let batches = try await write(2...130, baseBefore: 25, in: store)
        for handle in try await handles(of: store) {
            for first in [1, 2, 24, 25, 26, 27, 50, 99, 100, 101, 125, 129, 130] {
                for last in [first, first + 1, first + 30, 1 << 40] {
                    let (bytes, oldest) = try await journal(from: first, through: last, in: handle)
                    #expect(oldest == 1)
                    let base = max(first / 25 * 25, 1)
                    // All changes behind the state, in order; more may follow.
                    let expected = (base + 1...130).flatMap { batches[$0]?.bytes ?? [] }
                    #expect(expected.starts(with: bytes), "from \(first) to \(last)")
                    let needed = (min(last, 130) - base) * 40
                    #expect(bytes.count >= needed, "from \(first) to \(last)")
                }
            }
            #expect(
                try await handle.session(Sample.id(1))?.journal
                    == JournalPosition(last: 130, digest: 7))
        }
    }

    private func journalAbsence() async throws {
        let store = try await emptyStore()
        try await store.insert(try Sample.session(1))
        #expect(try await store.session(Sample.id(1))?.journal == nil)
        #expect(
            try await store.journal(of: Sample.id(1), from: 0, through: 100) == JournalPart.none)
        #expect(
            try await store.journal(of: Sample.id(9), from: 0, through: 100) == JournalPart.none)
        _ = try await write(2...3, baseBefore: 100, in: store)
        try await change(1, nil, in: store)
        for handle in try await handles(of: store) {
            #expect(try await journal(from: 0, through: 9, in: handle).bytes.count == 80)
            #expect(try await handle.session(Sample.id(1))?.journal?.last == 3)
        }
    }

    private func journalEnd() async throws {
        let store = try await emptyStore()
        try await store.insert(try Sample.session(1))
        _ = try await write(2...60, baseBefore: 10, in: store)
        try await store.delete(Sample.id(1))
        for handle in try await handles(of: store) {
            #expect(
                try await handle.journal(of: Sample.id(1), from: 0, through: 100)
                    == JournalPart.none)
        }
        try await purgeAll(store, before: Sample.now)
        // A session of the same id begins without the journal of the one before.
        try await store.insert(try Sample.session(1))
        #expect(
            try await store.journal(of: Sample.id(1), from: 0, through: 100) == JournalPart.none)
    }

    private func journalRetention() async throws {
        let store = try await emptyStore()
        try await store.insert(try Sample.session(1))
        let batches = try await write(2...1500, baseBefore: 20, keeping: 200, in: store)
        for handle in try await handles(of: store) {
            let (bytes, oldest) = try await journal(from: 1320, through: 1500, in: handle)
            #expect(bytes == (1321...1500).flatMap { batches[$0]?.bytes ?? [] })
            let found = try #require(oldest)
            #expect((1200...1320).contains(found), "the oldest is \(found)")
            // A part and the one before it may be kept beyond.
            let all = try await journal(from: 0, through: 1500, in: handle).bytes
            #expect(all.count < 400 * 40)
        }
    }

    private func journalOfRefusedChange() async throws {
        let store = try await emptyStore()
        try await store.insert(try Sample.session(1))
        _ = try await write(2...14, baseBefore: 100, in: store)
        let before = try await store.journal(of: Sample.id(1), from: 0, through: 100)
        for base in [nil, 14] {
            var batch = WriteBatch(
                session: .update(
                    .stored(try Sample.session(1, Sample.window(revision: 15))),
                    replacing: .first))
            batch.journal = self.batch(15, base: base)
            await #expect(throws: CommitError.conflict) { try await store.commit(batch) }
        }
        for handle in try await handles(of: store) {
            #expect(try await handle.journal(of: Sample.id(1), from: 0, through: 100) == before)
        }
        _ = try await write(15...16, baseBefore: 100, in: store)
    }

    private func journalBytes() async throws {
        let store = try await emptyStore()
        try await store.insert(try Sample.session(1))
        var expected: [UInt8] = []
        for (index, size) in [1, 511, 2, 600, 70_000, 1, 40].enumerated() {
            // All bytes occur, the zero in the first place too.
            let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0) }
            let journal = JournalBatch(
                bytes: bytes, first: index + 2, last: index + 2, base: index == 0 ? 1 : nil,
                digest: 1, keptFrom: 0)
            try await change(1, journal, in: store)
            expected += bytes
        }
        for handle in try await handles(of: store) {
            #expect(try await journal(from: 1, through: 100, in: handle).bytes == expected)
        }
    }
}
