import SQLStore
import SessionStoreTesting
import Synchronization
import TestSupport
import Testing
import WaypostCore

@testable import PostgresStore
@testable import Sessions

/// Tests of changes that the server does not finish in time. Triggers hold statements at gates
/// after their rows were written, and before the commit.
@Suite(.timeLimit(.minutes(5)), .enabled(if: TestDatabase.url != nil))
struct StuckCommitTests {
    private let target: ConnectionTarget
    private let admin: Connection

    init() throws {
        target = try TestDatabase.make()
        _ = try PostgresStore.migrate(target)
        admin = try PostgresStore.connect(to: target)
        _ = try admin.execute(
            """
            CREATE TABLE gate (name text PRIMARY KEY, is_closed boolean NOT NULL);
            INSERT INTO gate VALUES ('session', false), ('store', false), ('query', false);
            CREATE FUNCTION pass(gate_name text) RETURNS void LANGUAGE plpgsql AS
              'BEGIN WHILE (SELECT is_closed FROM gate WHERE name = gate_name) LOOP
                 PERFORM pg_sleep(0.01); END LOOP; END';
            CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS
              'BEGIN PERFORM pass(TG_TABLE_NAME); RETURN NULL; END';
            CREATE TRIGGER hold AFTER UPDATE ON session
              FOR EACH STATEMENT EXECUTE FUNCTION hold();
            CREATE TRIGGER hold AFTER UPDATE ON store
              FOR EACH STATEMENT EXECUTE FUNCTION hold()
            """)
    }

    private func store(timeout: Duration) throws -> PostgresStore {
        try PostgresStore(testing: target, connections: 1, timeout: timeout)
    }

    private func set(_ gates: String..., isClosed: Bool) throws {
        for gate in gates {
            _ = try admin.execute("UPDATE gate SET is_closed = \(isClosed) WHERE name = '\(gate)'")
        }
    }

    /// Waits until a change of sessions is held before its commit.
    private func waitUntilHeld() async throws {
        let held = """
            SELECT FROM pg_stat_activity JOIN pg_locks USING (pid)
            WHERE relation = 'session'::regclass AND mode = 'RowExclusiveLock'
              AND wait_event = 'PgSleep'
            """
        try await until { try admin.execute("SELECT EXISTS (\(held))") == [["t"]] }
    }

    private func isOutcomeUnknown(_ error: SessionError?) -> Bool {
        guard case .storage(let error) = error else {
            Issue.record("no failure of the store: \(String(describing: error))")
            return false
        }
        return error.isOutcomeUnknown
    }

    @Test("A purge ends when its task is cancelled, although the server does not respond")
    func cancelledPurge() async throws {
        let store = try store(timeout: .seconds(60))
        _ = try admin.execute(
            """
            INSERT INTO gate VALUES ('log_in_failures', true);
            CREATE TRIGGER hold AFTER DELETE ON log_in_failures
              FOR EACH STATEMENT EXECUTE FUNCTION hold()
            """)
        let purge = Task { try await store.purge(before: Sample.now) }
        let isHeld = """
            SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database()
              AND wait_event = 'PgSleep' AND query LIKE '%log_in_failures%')
            """
        try await until { try admin.execute(isHeld) == [["t"]] }
        purge.cancel()
        await #expect(throws: SessionError.self) { try await purge.value }
        #expect(try admin.execute(isHeld) == [["t"]])
        try set("log_in_failures", isClosed: false)
        #expect(try await store.purge(before: Sample.now) == false)
        await store.close()
    }

    @Test(
        "A change that hangs has an unknown outcome at its deadline, and is found when it commits")
    func stuckChange() async throws {
        // Long enough for a busy machine to send the change before its deadline.
        let store = try store(timeout: .seconds(5))
        let sessions = try [1, 2].map { try Sample.session($0) }
        for session in sessions { try await store.insert(session) }
        try set("session", isClosed: true)
        async let stuck = store.failure(ofUpdating: sessions[0])
        try await waitUntilHeld()
        // From now on, the probe hangs, too.
        try set("store", isClosed: true)
        async let behind = store.failure(ofUpdating: sessions[1])
        let read = await #expect(throws: SessionError.self) {
            _ = try await store.session(sessions[1].id)
        }
        #expect(!isOutcomeUnknown(read))
        #expect(isOutcomeUnknown(await stuck))
        #expect(!isOutcomeUnknown(await behind))
        await until { store.failure != nil }
        // Refused at once: no connection is free for it.
        #expect(!isOutcomeUnknown(await store.failure(ofUpdating: sessions[1])))
        try set("session", "store", isClosed: false)
        await until { store.failure == nil }
        // The next change of the session waits for the late one, and does not replace it.
        #expect(await store.failure(ofUpdating: sessions[0]) == .conflict)
        #expect(try await store.session(sessions[0].id)?.version == RowVersion.first.next)
        #expect(try await store.session(sessions[1].id)?.version == .first)
        await store.close()
    }

    @Test("A change that was lost in a common transaction is not reported as one that was not made")
    func splitSet() async throws {
        let store = try store(timeout: .seconds(60))
        let sessions = try [1, 2].map { try Sample.session($0) }
        for session in sessions { try await store.insert(session) }
        // The only connection is busy, so that both changes wait and then share a transaction.
        try set("session", "query", isClosed: true)
        async let query = store.run([SQLText("SELECT pass('query')")()])
        async let one = store.failure(ofUpdating: sessions[0])
        async let other = store.failure(ofUpdating: sessions[1])
        await until { store.waitingCount >= 2 }
        try set("query", isClosed: false)
        try await waitUntilHeld()
        // The node gives the connection up. The server goes on, and keeps the rows locked.
        store.interruptWorkers()
        #expect(isOutcomeUnknown(await one))
        #expect(isOutcomeUnknown(await other))
        _ = try await query
        try set("session", isClosed: false)
        for session in sessions {
            try await until { try await store.session(session.id)?.version != .first }
        }
        await store.close()
    }

    @Test("A change whose row is locked does not delay those that were sent with it")
    func lockedRow() async throws {
        // A busy machine can take minutes for the steps of this test. A deadline would end both changes
        // in the order of their arrival.
        let store = try store(timeout: .seconds(600))
        let sessions = try [1, 2].map { try Sample.session($0) }
        for session in sessions { try await store.insert(session) }
        let locker = try PostgresStore.connect(to: target)
        let id = sessions[0].id
        _ = try locker.execute("BEGIN; SELECT FROM session WHERE id = '\(id)' FOR UPDATE")
        let completed = try await commitTogether(sessions, in: store)
        #expect(completed.map(\.id) == [sessions[1].id, id])
        #expect(completed.map(\.isMade) == [true, false])
        #expect(try await store.session(sessions[1].id)?.version == RowVersion.first.next)
        _ = try locker.execute("ROLLBACK")
        await store.close()
    }

    @Test("A change whose row was locked for a moment does not wait for one whose row stays locked")
    func lockedRows() async throws {
        let store = try store(timeout: .seconds(600))
        let sessions = try [1, 2].map { try Sample.session($0) }
        for session in sessions { try await store.insert(session) }
        // The row of the second session is locked at the first two attempts to write it. A sequence
        // keeps its number when the transaction is rolled back.
        _ = try admin.execute(
            """
            CREATE SEQUENCE attempt;
            CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
              'BEGIN IF NEW.id = ''\(sessions[0].id)'' OR nextval(''attempt'') <= 2 THEN
                 RAISE EXCEPTION USING MESSAGE = ''locked'', ERRCODE = ''55P03'';
               END IF; RETURN NEW; END';
            CREATE TRIGGER refuse BEFORE UPDATE ON session
              FOR EACH ROW EXECUTE FUNCTION refuse()
            """)
        let completed = try await commitTogether(sessions, in: store)
        #expect(completed.map(\.id) == [sessions[1].id, sessions[0].id])
        #expect(completed.map(\.isMade) == [true, false])
        await store.close()
    }

    /// Commits changes of sessions. The store's only connection is busy at first, so that the changes
    /// wait and then share a transaction.
    /// - Returns: whether each change was made, in the order in which they were completed.
    private func commitTogether(
        _ sessions: [StoredSession], in store: PostgresStore
    ) async throws -> [(id: SessionID, isMade: Bool)] {
        try set("query", isClosed: true)
        async let query = store.run([SQLText("SELECT pass('query')")()])
        let isRunning = """
            SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database()
              AND wait_event = 'PgSleep' AND query LIKE '%pass(''query'')%')
            """
        try await until { try admin.execute(isRunning) == [["t"]] }
        let completed = Mutex<[(id: SessionID, isMade: Bool)]>([])
        for session in sessions {
            let batch = WriteBatch(
                storing: .update(.stored(session), replacing: .first), events: Sample.events(1...1))
            store.commit(batch) { result in
                let isMade = (try? result.get()) != nil
                completed.withLock { $0.append((session.id, isMade)) }
            }
        }
        await until { store.waitingCount >= sessions.count }
        try set("query", isClosed: false)
        _ = try await query
        await until { completed.withLock(\.count) == sessions.count }
        return completed.withLock(\.self)
    }

    @Test("A store whose disk is full is not usable again after a check, but after a write")
    func fullDisk() async throws {
        let store = try store(timeout: .seconds(60))
        let session = try Sample.session(1)
        try await store.insert(session)
        _ = try admin.execute(
            """
            CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
              'BEGIN RAISE EXCEPTION USING MESSAGE = ''no room'', ERRCODE = ''53100''; END';
            CREATE TRIGGER refuse BEFORE UPDATE ON session
              FOR EACH STATEMENT EXECUTE FUNCTION refuse()
            """)
        // The store is unusable for some seconds after each refusal, in which a busy machine may not
        // come to the check.
        var isKept = false
        for _ in 0..<100 where !isKept {
            #expect(await store.failure(ofUpdating: session) != nil)
            try await store.commit(WriteBatch(storing: .check(session.id, version: .first)))
            isKept = store.failure?.reason.contains("no room") == true
        }
        #expect(isKept)
        _ = try admin.execute("DROP TRIGGER refuse ON session")
        try await store.update(session)
        #expect(store.failure == nil)
        await store.close()
    }

    @Test("A connection that the server has closed is noticed before a change is sent")
    func closedConnection() throws {
        let connection = try PostgresStore.connect(to: target)
        let rows = try connection.execute("SELECT pg_backend_pid()")
        let process = try #require(rows.first?.first ?? nil)
        _ = try admin.execute("SELECT pg_terminate_backend(\(process), 60000)")
        let failure = #expect(throws: DatabaseFailure.self) {
            _ = try connection.run([SetStatements.writers(SQLArray(.uuid, [SessionID]()))])
        }
        #expect(failure?.mayBeCommitted == false)
    }
}
