import Foundation
import SQLStore
import SessionStoreTesting
import Synchronization
import TestSupport
import Testing
import WaypostCore

@testable import PostgresStore
@testable import Sessions

/// Tests of changes whose connection breaks while the server waits for its synchronous standby. The
/// standby does not exist. It is a setting of the whole server, so these tests have a server of their
/// own and run one after another.
@Suite(.serialized, .timeLimit(.minutes(5)), .enabled(if: TestDatabase.waitingURL != nil))
struct LostConnectionTests {
    private let target: ConnectionTarget
    private let admin: Connection

    init() throws {
        target = try TestDatabase.make(on: TestDatabase.waitingURL)
        _ = try PostgresStore.migrate(target)
        admin = try PostgresStore.connect(to: target)
        _ = try admin.execute(
            """
            SET synchronous_commit = local;
            CREATE TABLE gate (is_closed boolean NOT NULL);
            INSERT INTO gate VALUES (true);
            CREATE FUNCTION pass() RETURNS void LANGUAGE plpgsql AS
              'BEGIN WHILE (SELECT is_closed FROM gate) LOOP PERFORM pg_sleep(0.01); END LOOP; END'
            """)
    }

    /// Makes all commits of the server wait for a standby that does not exist, or ends their wait.
    private func letCommitsWait(_ isWaiting: Bool) async throws {
        let standby = isWaiting ? "nobody" : ""
        _ = try admin.execute("ALTER SYSTEM SET synchronous_standby_names = '\(standby)'")
        _ = try admin.execute("SELECT pg_reload_conf()")
        try await until { try admin.execute("SHOW synchronous_standby_names") == [[standby]] }
        // The checkpointer makes commits wait, and can read the setting after this connection.
        while isWaiting, try await !commitWaits() {}
    }

    /// Makes a commit, ends its wait for the standby, and returns whether it has waited.
    private func commitWaits() async throws -> Bool {
        let isDone = Mutex(false)
        let target = target
        async let commit: Void = {
            defer { isDone.withLock { $0 = true } }
            try await Self.execute("SELECT pg_logical_emit_message(true, 'trial', '')", on: target)
        }()
        let cancelled = """
            SELECT pg_cancel_backend(pid) FROM pg_stat_activity
              WHERE wait_event = 'SyncRep' AND query LIKE '%trial%'
            """
        var waits = false
        try await until {
            waits = try admin.execute(cancelled) == [["t"]]
            return waits || isDone.withLock { $0 }
        }
        try await commit
        return waits
    }

    /// The condition for a connection that changes sessions and waits for the standby. The probe of a
    /// store also waits for it.
    private static let isWaitingCommit =
        "wait_event = 'SyncRep' AND query LIKE '%UPDATE session AS%'"

    /// Waits until a connection to the server meets a condition.
    private func wait(until condition: String) async throws {
        let found = "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE \(condition))"
        try await until { try admin.execute(found) == [["t"]] }
    }

    /// Makes the server give up the wait of a committed change for the standby.
    /// - Parameter function: the function of PostgreSQL that does so; `pg_terminate_backend` also
    ///   closes the connection of the change.
    private func endWaitingCommit(_ function: String = "pg_cancel_backend") throws {
        _ = try admin.execute(
            "SELECT \(function)(pid) FROM pg_stat_activity WHERE \(Self.isWaitingCommit)")
    }

    /// Runs SQL text on another connection, on a thread of its own.
    private static func execute(_ sql: String, on target: ConnectionTarget) async throws {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(with: Result { try PostgresStore.execute(sql, on: target) })
            }
        }
    }

    private func store() throws -> PostgresStore {
        try PostgresStore(testing: target, connections: 1, timeout: .seconds(60))
    }

    @Test("A store is not ready while commits wait for the standby, and is ready afterwards")
    func readiness() async throws {
        let store = try store()
        #expect(store.failure == nil)
        try await letCommitsWait(true)
        await until { store.failure != nil }
        try await letCommitsWait(false)
        await until { store.failure == nil }
        await store.close()
    }

    @Test("A read has no result before the standby has what it found")
    func read() async throws {
        let store = try store()
        let session = try Sample.session(1)
        try await store.insert(session)
        let isRead = Mutex(false)
        let isHeld = """
            SELECT EXISTS (SELECT FROM pg_stat_activity
              WHERE wait_event = 'SyncRep' AND query LIKE '%pg_logical_emit_message%')
            """
        try await letCommitsWait(true)
        do {
            // The probe waits. The admin's commits do not.
            try await wait(until: "wait_event = 'SyncRep'")
            _ = try admin.execute("UPDATE session SET version = 2 WHERE id = '\(session.id)'")
            async let version = {
                defer { isRead.withLock { $0 = true } }
                return try await store.session(session.id)?.version
            }()
            try await until { try isRead.withLock { $0 } || admin.execute(isHeld) == [["t"]] }
            #expect(!isRead.withLock { $0 })
            try await letCommitsWait(false)
            #expect(try await version?.number == 2)
        } catch {
            try await letCommitsWait(false)
            throw error
        }
        await store.close()
    }

    /// Changes two sessions in one transaction. The connection breaks while the transaction waits for
    /// the standby.
    /// - Parameters:
    ///   - breakConnection: makes the store give up its connection.
    ///   - check: checks the results of the changes. The commits wait until then, unless
    ///     `breakConnection` has let them go on.
    private func loseChanges(
        breakConnection: (PostgresStore) async throws -> Void,
        check: (PostgresStore, [StoredSession]) async throws -> Void
    ) async throws {
        let store = try store()
        let sessions = try [1, 2].map { try Sample.session($0) }
        for session in sessions { try await store.insert(session) }
        // The only connection is busy, so that both changes wait and then share a transaction.
        async let query = store.run([SQLText("SELECT pass()")()])
        try await wait(until: "wait_event = 'PgSleep'")
        async let one = store.failure(ofUpdating: sessions[0])
        async let other = store.failure(ofUpdating: sessions[1])
        await until { store.waitingCount >= 2 }
        let failures: [SessionError?]
        do {
            try await letCommitsWait(true)
            _ = try admin.execute("UPDATE gate SET is_closed = false")
            _ = try await query
            try await wait(until: Self.isWaitingCommit)
            try await breakConnection(store)
            failures = [await one, await other]
        } catch {
            try await letCommitsWait(false)
            throw error
        }
        try await letCommitsWait(false)
        for failure in failures {
            guard case .storage(let error)? = failure else {
                Issue.record("no failure of the store: \(String(describing: failure))")
                continue
            }
            #expect(error.isOutcomeUnknown, "\(error.reason)")
        }
        try await check(store, sessions)
        await store.close()
    }

    @Test("Changes that are committed after their connection broke are not reported as not made")
    func bothLost() async throws {
        try await loseChanges { store in
            // The rows stay locked, so that both are tried together again, and then each alone. The
            // standby stays away until both have a result.
            store.interruptWorkers()
        } check: { store, sessions in
            for session in sessions {
                try await until { try await store.session(session.id)?.version != .first }
            }
        }
    }

    @Test(
        "A change whose wait for the standby the server gives up is found, and not made again",
        arguments: ["pg_cancel_backend", "pg_terminate_backend"])
    func endedWait(function: String) async throws {
        let store = try store()
        let session = try Sample.session(1)
        try await store.insert(session)
        let failure: SessionError?
        try await letCommitsWait(true)
        do {
            async let change = store.failure(ofUpdating: session)
            try await wait(until: Self.isWaitingCommit)
            try endWaitingCommit(function)
            try await letCommitsWait(false)
            failure = await change
        } catch {
            try await letCommitsWait(false)
            throw error
        }
        #expect(failure == nil)
        #expect(try await store.session(session.id)?.version == RowVersion.first.next)
        await store.close()
    }

    @Test("Changes that another node has replaced after their connection broke are not repeated")
    func replaced() async throws {
        try await loseChanges { [target] store in
            // The other node waits for the table before the store tries again, so that it comes first. The
            // locks of single rows would not do: after a wait they are taken anew, in any order.
            async let other: Void = Self.execute(
                """
                SET synchronous_commit = local;
                SET lock_timeout = '60s';
                BEGIN;
                LOCK TABLE session IN EXCLUSIVE MODE;
                UPDATE session SET version = version + 1, writer = 0;
                COMMIT
                """, on: target)
            try await wait(until: "wait_event_type = 'Lock' AND query LIKE '%writer = 0%'")
            store.interruptWorkers()
            // Without its connection, the store tries again, behind the other node. Before that, it
            // could still read that the canceled wait has ended.
            try await wait(
                until: "wait_event_type = 'Lock' AND query LIKE '%UPDATE session AS%'")
            try endWaitingCommit()
            try await other
            // The store reports no result before the standby has what it found.
            try await letCommitsWait(false)
        } check: { store, sessions in
            for session in sessions {
                let version = try await store.session(session.id)?.version
                #expect(version == RowVersion.first.next.next)
            }
        }
    }
}

extension PostgresStore {
    /// Updates a session whose row has its first version.
    /// - Returns: the error; nil if the change was made.
    func failure(ofUpdating session: StoredSession) async -> SessionError? {
        let batch = WriteBatch(storing: .update(.stored(session), replacing: .first))
        do throws(SessionError) { try await commit(batch) } catch { return error }
        return nil
    }
}
