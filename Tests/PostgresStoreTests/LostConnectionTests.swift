import SessionStoreTesting
import Testing
import WaypostCore

@testable import PostgresStore
@testable import Sessions

/// Tests of changes whose connection breaks while the server waits for its synchronous standby. The
/// standby does not exist. It is a setting of the whole server, so these tests have a server of their
/// own.
@Suite(.timeLimit(.minutes(5)), .enabled(if: TestDatabase.waitingURL != nil))
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
    private func letCommitsWait(_ isWaiting: Bool) throws {
        let standby = isWaiting ? "nobody" : ""
        _ = try admin.execute("ALTER SYSTEM SET synchronous_standby_names = '\(standby)'")
        _ = try admin.execute("SELECT pg_reload_conf()")
        while try admin.execute("SHOW synchronous_standby_names") != [[standby]] {
            try Task.checkCancellation()
        }
    }

    private func waitUntilCommitWaits() async throws {
        let waiting = """
            SELECT FROM pg_stat_activity
            WHERE wait_event = 'SyncRep' AND query LIKE '%session%'
            """
        while try admin.execute("SELECT EXISTS (\(waiting))") != [["t"]] {
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    @Test("Changes that are committed after their connection broke are not reported as not made")
    func bothLost() async throws {
        var configuration = PostgresStore.Configuration()
        configuration.connections = 1
        configuration.timeout = .seconds(60)
        let store = try PostgresStore(
            target, configuration,
            environment: Environment(
                now: { Sample.now }, random: { .random(in: .min ... .max) }))
        let sessions = try [1, 2].map { try Sample.session($0) }
        for session in sessions { try await store.insert(session) }
        // The only connection is busy, so that both changes wait and then share a transaction.
        async let query = store.run([BoundStatement(SQLStatement("pass", "SELECT pass()"))])
        async let one = store.failure(ofUpdating: sessions[0])
        async let other = store.failure(ofUpdating: sessions[1])
        while store.waitingCount < 2 { await Task.yield() }
        let failures: [CommitError?]
        do {
            try letCommitsWait(true)
            _ = try admin.execute("UPDATE gate SET is_closed = false")
            _ = try await query
            try await waitUntilCommitWaits()
            store.interruptLanes()
            // The rows stay locked, so that both are tried together again, and then each alone. The
            // standby stays away until both have a result.
            failures = [await one, await other]
        } catch {
            try letCommitsWait(false)
            throw error
        }
        try letCommitsWait(false)
        for case .storage(let failure)? in failures {
            #expect(failure.isOutcomeUnknown, "\(failure.reason)")
        }
        #expect(failures.count { if case .storage = $0 { true } else { false } } == 2)
        for session in sessions {
            while try await store.session(session.id)?.version == .first {
                try Task.checkCancellation()
            }
        }
        await store.close()
    }
}

extension PostgresStore {
    /// Updates a session whose row has its first version.
    /// - Returns: the error; nil if the change was made.
    func failure(ofUpdating session: StoredSession) async -> CommitError? {
        let batch = WriteBatch(session: .update(.stored(session), replacing: .first))
        do throws(CommitError) { try await commit(batch) } catch { return error }
        return nil
    }
}
