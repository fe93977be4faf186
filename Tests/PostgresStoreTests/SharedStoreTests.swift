import NavigationRules
import SessionStoreTesting
import Synchronization
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
        let tasks = 16
        let changes = 20
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
            let version = try #require(try await store.session(session.id)).version
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

    private static func error(of batch: WriteBatch, in store: PostgresStore) async -> SessionError?
    {
        do throws(SessionError) { try await store.commit(batch) } catch { return error }
        return nil
    }

    @Test("Events of any size are read as they were written, with and without groups")
    func sizes() async throws {
        for (number, size) in [1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144].enumerated() {
            let session = try session(number)
            var last = 0
            try await one.insert(session)
            for _ in 0..<40 {
                try await one.update(session, Sample.events(last + 1...last + size))
                last += size
                if last.isMultiple(of: 3) { try await other.update(session) }
            }
            let all = Sample.events(1...last)
            for after in [0, 1, size - 1, size, last / 2, last - 1, last] {
                let page = try await other.events(of: session.id, after: after, limit: 50)
                #expect(page.events == Array(all.dropFirst(after).prefix(50)))
                #expect(page.oldest == 1)
            }
        }
    }

    @Test("A session that opens while its credential is revoked does not stay logged in")
    func openingDuringRevocation() async throws {
        for number in 1...100 {
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
            let (first, second) = (opening, revocation)
            async let error = Self.error(of: first, in: one)
            try await other.commit(second)
            if await error == nil {
                // The revocation has changed the version of the session that was there already.
                await #expect(throws: SessionError.conflict) {
                    try await one.commit(
                        WriteBatch(storing: .check(try Sample.id(number), version: .first)))
                }
            } else {
                #expect(await error == .accountChanged)
            }
        }
    }

    @Test("A log-in while the password changes leaves no valid credential")
    func logInDuringPasswordChange() async throws {
        for number in 1...50 {
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
            let (first, second) = (logIn, change)
            async let error = Self.error(of: first, in: one)
            try await other.commit(second)
            let isLoggedIn = await error == nil
            #expect(
                try await one.credential(credential.hash)?.isRevoked == (isLoggedIn ? true : nil))
        }
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

    @Test("Wrong passwords at two nodes count together")
    func logInFailures() async throws {
        let now = Sample.now
        let environment = Environment(now: { now }, random: { 4 })
        let nodes = [
            (LogInRateLimiter(environment: environment), one),
            (LogInRateLimiter(environment: environment), other),
        ]
        for attempt in 0..<5 {
            let (limiter, store) = nodes[attempt % 2]
            let guess = try await limiter.begin("ada", from: nil, in: store)
            await limiter.end(guess, .wrong, in: store)
        }
        for (limiter, store) in nodes {
            let error = await #expect(throws: SessionError.self) {
                _ = try await limiter.begin("ada", from: nil, in: store)
            }
            guard case .throttled(let limit) = error else {
                Issue.record("no limit, but \(String(describing: error))")
                continue
            }
            #expect(limit.policy == "log-in-username")
        }
        try await other.forgetLogInFailures(of: nodes[0].0.keys("ada", nil)[0])
        _ = try await nodes[0].0.begin("ada", from: nil, in: one)
    }

    @Test("A log-in attempt that can claim only one of its keys claims none")
    func partialClaim() async throws {
        let keys = ["username", "client"].map { SecretHash(of: $0) }
        let now = Sample.now
        try await one.noteLogInFailure(of: keys, at: now, memory: .seconds(60))
        #expect(try await one.claimLogIn(of: [keys[0]], at: now, for: .seconds(60)))
        #expect(try await !other.claimLogIn(of: keys, at: now, for: .seconds(60)))
        #expect(try await other.claimLogIn(of: [keys[1]], at: now, for: .seconds(60)))
    }

    @Test("Without a limit for each client, no failures of clients are stored")
    func noClientLimit() async throws {
        let now = Sample.now
        let environment = Environment(now: { now }, random: { 4 })
        let limiter = LogInRateLimiter(environment: environment, clientLimit: 0)
        let guess = try await limiter.begin("ada", from: "192.0.2.1", in: one)
        await limiter.end(guess, .wrong, in: one)
        let keys = LogInRateLimiter(environment: environment).keys("ada", "192.0.2.1")
        #expect(try await Set(one.logInFailures(of: keys).keys) == [keys[0]])
    }
}
