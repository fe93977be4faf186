import SQLStore
import SessionStoreTesting
import TestSupport
import Testing
import WaypostCore

@testable import PostgresStore
@testable import Sessions

/// Tests of two stores on one database, like those of two nodes.
@Suite(.timeLimit(.minutes(5)), .enabled(if: TestDatabase.url != nil))
struct SharedStoreTests {
    private let one: PostgresStore
    private let other: PostgresStore

    init() throws {
        let target = try TestDatabase.make()
        one = try TestDatabase.open(target)
        other = try TestDatabase.open(target)
    }

    private func session(
        _ number: Int, credential: SecretHash? = nil
    ) throws -> StoredSession {
        try Sample.session(number, credential: credential)
    }

    @Test("A batch against an old version leaves the session, its events and its record alone")
    func staleVersion() async throws {
        let session = try session(1)
        try await one.insert(session, Sample.events(1...3))
        try await other.update(session, Sample.events(4...5))
        var batch = WriteBatch(
            storing: .update(.stored(session), replacing: .first), events: Sample.events(4...9))
        await #expect(throws: SessionError.conflict) { try await one.commit(batch) }
        batch.idempotencyRecords = [Sample.idempotencyRecord("one", of: session.id)]
        var writes = WriteBatch.AccountWrites()
        writes.newCredential = try Sample.credential("new")
        batch.accountWrites = writes
        await #expect(throws: SessionError.conflict) { try await one.commit(batch) }
        #expect(try await one.session(session.id)?.version == RowVersion.first.next)
        #expect(
            try await one.events(of: session.id, after: 0, limit: 100).events
                == Sample.events(1...5))
        #expect(try await one.idempotencyRecord(Sample.hash("id one")) == nil)
        #expect(try await one.credential(Sample.hash("new")) == nil)
    }

    @Test("The metrics count the connections and the conflicts of a store")
    func metrics() async throws {
        let metrics = PostgresMetrics(commits: CommitMetrics())
        var configuration = PostgresStore.Configuration()
        configuration.connections = 2
        let target = try TestDatabase.make()
        let store = try PostgresStore(
            target, configuration,
            environment: Environment(now: { Sample.now }, random: { .random(in: .min ... .max) }),
            metrics: metrics)
        let session = try session(1)
        try await store.insert(session)
        try await store.update(session)
        let stale = WriteBatch(storing: .update(.stored(session), replacing: .first))
        await #expect(throws: SessionError.conflict) { try await store.commit(stale) }
        let text = try PrometheusText(Exposition.text(of: metrics.families { 3 }))
        #expect(text.value("waypost_store_conflicts_total") == 1)
        #expect(text.value("waypost_store_connections_total", ["result": "failed"]) == 0)
        #expect(
            try #require(text.value("waypost_store_connections_total", ["result": "opened"])) > 0)
        #expect(text.value("waypost_store_waiting") == 3)
    }

    @Test("A check passes for the stored version only, and tells an old one from a missing session")
    func checks() async throws {
        let session = try session(1)
        try await one.insert(session)
        try await other.commit(WriteBatch(storing: .check(session.id, version: .first)))
        try await one.update(session)
        await #expect(throws: SessionError.conflict) {
            try await other.commit(WriteBatch(storing: .check(session.id, version: .first)))
        }
        try await one.delete(session.id)
        await #expect(throws: SessionError.ended) {
            try await other.commit(WriteBatch(storing: .check(session.id, version: .first)))
        }
    }

    @Test("Two stores change one session many times at once, and its log has no gap")
    func concurrentChanges() async throws {
        let session = try session(1)
        try await one.insert(session)
        let tasks = 8
        let changes = 10
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<tasks {
                let store = task.isMultiple(of: 2) ? one : other
                group.addTask {
                    for _ in 0..<changes { try await Self.append(to: session, in: store) }
                }
            }
            try await group.waitForAll()
        }
        let stored = try await one.session(session.id)
        #expect(stored?.version.number == 1 + tasks * changes)
        let events = try await other.events(of: session.id, after: 0, limit: .max).events
        #expect(events.map(\.seq) == Array(1...tasks * changes))
    }

    /// Adds one event to a session, as often as another writer is faster.
    private static func append(to session: StoredSession, in store: PostgresStore) async throws {
        while true {
            let version = try await store.version(of: session.id)
            let batch = WriteBatch(
                storing: .update(.stored(session), replacing: version),
                events: Sample.events(version.number...version.number))
            do throws(SessionError) {
                return try await store.commit(batch)
            } catch {
                guard error == .conflict else { throw error }
            }
        }
    }

    @Test("A change against an old version does not touch the others of its transaction")
    func oneStaleAmongMany() async throws {
        let sessions = try (1...32).map { try session($0) }
        for session in sessions { try await one.insert(session) }
        try await other.update(sessions[7])
        let results = await withTaskGroup(of: (Int, SessionError?).self) { group in
            for (number, session) in sessions.enumerated() {
                group.addTask { [one] in
                    let batch = WriteBatch(storing: .update(.stored(session), replacing: .first))
                    do throws(SessionError) { try await one.commit(batch) } catch {
                        return (number, error)
                    }
                    return (number, nil)
                }
            }
            return await group.reduce(into: [:]) { $0[$1.0] = .some($1.1) }
        }
        for number in sessions.indices {
            #expect(results[number] == .some(number == 7 ? .conflict : nil))
        }
    }

    @Test("Of two requests with one idempotency key on two stores, one is carried out")
    func idempotencyKeys() async throws {
        for number in 1...20 {
            let session = try session(number)
            try await one.insert(session)
            var batch = WriteBatch(storing: .update(.stored(session), replacing: .first))
            batch.idempotencyRecords = [
                Sample.idempotencyRecord(
                    "\(number)", of: session.id, expiresAt: Timestamp(milliseconds: 1 << 50))
            ]
            let first = batch
            async let result = Self.error(of: first, in: one)
            let errors = [await Self.error(of: first, in: other), await result]
            #expect(errors.count { $0 == nil } == 1)
            let refusal = try #require(errors.compactMap(\.self).first)
            #expect([.recordExists, .conflict].contains(refusal))
            await #expect(throws: SessionError.recordExists) { try await other.commit(first) }
        }
    }

    @Test("One of two openings of a session with one idempotency key on two stores is carried out")
    func openingsWithOneKey() async throws {
        for number in 1...20 {
            let sessions = [try session(number), try session(100 + number)]
            let batches = sessions.map { session in
                let record = Sample.idempotencyRecord(
                    "\(number)", of: session.id, expiresAt: Timestamp(milliseconds: 1 << 50))
                return WriteBatch(storing: .insert(session), idempotencyRecords: [record])
            }
            async let error = Self.error(of: batches[0], in: one)
            let errors = [await Self.error(of: batches[1], in: other), await error]
            #expect(errors.count { $0 == nil } == 1)
            #expect(errors.compactMap(\.self) == [.recordExists])
            let opened = try await one.versions(of: sessions.map(\.id))
            let record = try await one.idempotencyRecord(Sample.hash("id \(number)"))
            #expect(Array(opened.keys) == [record?.session])
        }
    }

    private static func error(of batch: WriteBatch, in store: PostgresStore) async -> SessionError?
    {
        do throws(SessionError) { try await store.commit(batch) } catch { return error }
        return nil
    }

    @Test("A revocation of all credentials gives their sessions new versions, and no others")
    func versionsAfterRevocation() async throws {
        for (text, name) in [("1", "Ada"), ("2", "Ada"), ("3", "Bob")] {
            var batch = WriteBatch()
            batch.newCredential = try Sample.credential(text, of: name)
            try await one.commit(batch)
        }
        for number in 1...3 {
            try await one.insert(try session(number, credential: Sample.hash("\(number)")))
        }
        try await one.insert(try session(4))
        var revocation = WriteBatch()
        revocation.revocation = .all(of: try Username("ada"), except: Sample.hash("2"))
        try await other.commit(revocation)
        let versions = try await one.versions(of: (1...4).map { try Sample.id($0) })
        #expect(
            try versions == [
                Sample.id(1): RowVersion.first.next, Sample.id(2): .first, Sample.id(3): .first,
                Sample.id(4): .first,
            ])
    }

    /// The order of two commits on two stores.
    enum Order: CaseIterable {
        case first, second, atOnce

        /// Makes two commits.
        /// - Returns: the error of the first one; nil if it was made.
        func commit(
            _ batch: WriteBatch, _ one: PostgresStore, _ next: WriteBatch, _ other: PostgresStore
        ) async throws -> SessionError? {
            guard self != .second else {
                try await other.commit(next)
                return await SharedStoreTests.error(of: batch, in: one)
            }
            if self == .first {
                let error = await SharedStoreTests.error(of: batch, in: one)
                try await other.commit(next)
                return error
            }
            async let error = SharedStoreTests.error(of: batch, in: one)
            try await other.commit(next)
            return await error
        }

        /// - Returns: whether the first commit may have this result.
        func allows(_ error: SessionError?) -> Bool {
            switch self {
            case .first: error == nil
            case .second: error == .accountChanged
            case .atOnce: error == nil || error == .accountChanged
            }
        }
    }

    @Test(
        "A session that opens while its credential is revoked does not stay logged in",
        arguments: Order.allCases)
    func openingDuringRevocation(order: Order) async throws {
        for number in 1...(order == .atOnce ? 20 : 1) {
            let credential = try Sample.credential("\(number)")
            var batch = WriteBatch()
            batch.newCredential = credential
            try await one.commit(batch)
            var opening = WriteBatch(
                storing: .insert(.stored(try session(number, credential: credential.hash))))
            opening.credentialUse = WriteBatch.CredentialUse(
                hash: credential.hash, time: Sample.now)
            var revocation = WriteBatch()
            revocation.revocation = .credentials([credential.hash])
            let error = try await order.commit(opening, one, revocation, other)
            #expect(order.allows(error))
            if error == nil {
                // The revocation has changed the version of the session that was there already.
                await #expect(throws: SessionError.conflict) {
                    try await one.commit(
                        WriteBatch(storing: .check(try Sample.id(number), version: .first)))
                }
            }
        }
    }

    @Test(
        "A log-in while the password changes leaves no valid credential",
        arguments: Order.allCases)
    func logInDuringPasswordChange(order: Order) async throws {
        for number in 1...(order == .atOnce ? 20 : 1) {
            let account = try Sample.account("user\(number)")
            var batch = WriteBatch()
            batch.account = .insert(account)
            try await one.commit(batch)
            let credential = try Sample.credential("\(number)", of: "user\(number)")
            var logIn = WriteBatch()
            logIn.account = .update(account, from: account)
            logIn.newCredential = credential
            var changed = account
            changed.password = PasswordHash(text: "another")
            var change = WriteBatch()
            change.account = .update(changed, from: account)
            change.revocation = .all(of: account.username, except: nil)
            let error = try await order.commit(logIn, one, change, other)
            #expect(order.allows(error))
            #expect(
                try await one.credential(credential.hash)?.isRevoked == (error == nil ? true : nil))
        }
    }

    @Test("The removal of an account removes the response to a change that it waits for")
    func removalDuringChange() async throws {
        let account = try Sample.account("ada")
        let credential = try Sample.credential("one", of: "ada")
        var batch = WriteBatch(
            storing: .insert(.stored(try session(1, credential: credential.hash))))
        batch.account = .insert(account)
        batch.newCredential = credential
        try await one.commit(batch)
        let slow = try PostgresStore(testing: one.target, connections: 1, timeout: .seconds(60))
        let change = try PostgresStore.connect(to: one.target)
        try change.execute(
            """
            BEGIN;
            UPDATE session SET version = version + 1;
            INSERT INTO idempotency_record
              SELECT 'id', id, 'request', 1, expires_at, 'response' FROM session
            """)
        var removal = WriteBatch()
        removal.account = .delete(account)
        let waiting = removal
        async let isRemoved: Void = slow.commit(waiting)
        // The commit must come before the wait for the lock ends, see `ConnectionSettings`.
        try await until {
            let isBlocked = "NOT granted AND pg_backend_pid() = ANY (pg_blocking_pids(pid))"
            return try change.numbers("SELECT count(*) FROM pg_locks WHERE \(isBlocked)") != [0]
        }
        try change.execute("COMMIT")
        try await isRemoved
        let rest = "(SELECT count(*) FROM session), (SELECT count(*) FROM idempotency_record)"
        #expect(try change.numbers("SELECT \(rest)") == [0, 0])
    }

    @Test("Two stores purge at once while sessions change, and remove only what has expired")
    func purges() async throws {
        for number in 1...60 {
            let isExpired = number.isMultiple(of: 3)
            try await one.insert(
                try Sample.session(
                    number, expiresAt: Sample.now + .seconds(isExpired ? -10 : 60)),
                Sample.events(1...4))
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for store in [one, other] {
                group.addTask {
                    while try await store.purge(before: Sample.now) {}
                }
            }
            group.addTask { [one] in
                for number in 1...60 where !number.isMultiple(of: 3) {
                    try await one.update(try Sample.session(number), Sample.events(5...6))
                }
            }
            try await group.waitForAll()
        }
        for number in 1...60 {
            let isKept = !number.isMultiple(of: 3)
            #expect((try await other.session(Sample.id(number)) != nil) == isKept)
            let page = try await other.events(of: Sample.id(number), after: 0, limit: 100)
            #expect(page.events.count == (isKept ? 6 : 0))
        }
    }
}
