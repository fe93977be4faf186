import Foundation
import SessionStoreTesting
import Testing
import WaypostCore

@testable import PostgresStore
@testable import Sessions

/// Tests of two changes that share a transaction, and whose connection breaks while the server
/// waits for its synchronous standby. The server of these tests waits for a standby that does not
/// exist, a setting of the whole server.
@Suite(.timeLimit(.minutes(5)), .enabled(if: TestDatabase.waitingURL != nil))
struct LostConnectionTests {
    private let target: ConnectionTarget
    private let admin: Connection
    private let store: PostgresStore
    private let sessions: [StoredSession]

    init() async throws {
        target = try TestDatabase.make(on: TestDatabase.waitingURL)
        _ = try PostgresStore.migrate(target)
        admin = try PostgresStore.connect(to: target)
        _ = try admin.execute(
            """
            SET synchronous_commit = local;
            CREATE TABLE gate (is_closed boolean NOT NULL);
            INSERT INTO gate VALUES (true);
            CREATE FUNCTION pass() RETURNS void LANGUAGE plpgsql AS
              'BEGIN WHILE (SELECT is_closed FROM gate) LOOP PERFORM pg_sleep(0.01); END LOOP; END';
            CREATE SEQUENCE attempt;
            CREATE FUNCTION count_attempt() RETURNS trigger LANGUAGE plpgsql AS
              'BEGIN PERFORM nextval(''attempt''); RETURN NULL; END';
            CREATE TRIGGER count_attempt BEFORE UPDATE ON session
              FOR EACH STATEMENT EXECUTE FUNCTION count_attempt()
            """)
        var configuration = PostgresStore.Configuration()
        configuration.connections = 1
        configuration.timeout = .seconds(60)
        store = try PostgresStore(
            target, configuration,
            environment: Environment(
                now: { Sample.now }, random: { .random(in: .min ... .max) }))
        sessions = try [1, 2].map { try Sample.session($0) }
        for session in sessions { try await store.insert(session) }
    }

    /// Makes all commits of the server wait for a standby that does not exist, or ends their wait.
    private func letCommitsWait(_ isWaiting: Bool) throws {
        _ = try admin.execute(
            "ALTER SYSTEM SET synchronous_standby_names = '\(isWaiting ? "nobody" : "")'")
        _ = try admin.execute("SELECT pg_reload_conf()")
        while try admin.execute("SHOW synchronous_standby_names") != [[isWaiting ? "nobody" : ""]] {
            try Task.checkCancellation()
        }
    }

    private func wait(until condition: String) async throws {
        while try admin.execute("SELECT \(condition)") != [["t"]] {
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    /// Changes both sessions in one transaction, and calls `interference` when the server waits for
    /// the standby at its commit.
    /// The standby stays away until both changes have a result.
    /// - Returns: the errors of the two changes; nil for a change that was made.
    private func changeBoth(
        _ interference: () async throws -> Void
    ) async throws -> [CommitError?] {
        let (store, sessions) = (store, sessions)
        // The only connection is busy, so that both changes wait and then share a transaction.
        async let query = store.run([BoundStatement(SQLStatement("pass", "SELECT pass()"))])
        async let one = Self.update(sessions[0], in: store)
        async let other = Self.update(sessions[1], in: store)
        while store.waitingCount < 2 { await Task.yield() }
        try letCommitsWait(true)
        do {
            _ = try admin.execute("UPDATE gate SET is_closed = false")
            _ = try await query
            try await wait(
                until: """
                    EXISTS (SELECT FROM pg_stat_activity
                      WHERE wait_event = 'SyncRep' AND query LIKE '%session%')
                    """)
            try await interference()
            _ = await (one, other)
        } catch {
            try letCommitsWait(false)
            throw error
        }
        try letCommitsWait(false)
        return [await one, await other]
    }

    private static func update(
        _ session: StoredSession, in store: PostgresStore
    ) async -> CommitError? {
        let batch = WriteBatch(session: .update(.stored(session), replacing: .first))
        do throws(CommitError) { try await store.commit(batch) } catch { return error }
        return nil
    }

    private func expectUnknown(_ errors: [CommitError?]) {
        for error in errors {
            guard case .storage(let failure) = error else {
                Issue.record("no failure of the store: \(String(describing: error))")
                continue
            }
            #expect(failure.isOutcomeUnknown, "\(failure.reason)")
        }
    }

    @Test("Changes that are committed after their connection broke are not reported as not made")
    func bothLost() async throws {
        // The rows stay locked, so that both are tried together again, and then each alone.
        let errors = try await changeBoth { store.interruptLanes() }
        expectUnknown(errors)
        for session in sessions {
            while try await store.session(session.id)?.version == .first {
                try Task.checkCancellation()
            }
        }
        await store.close()
    }
}
