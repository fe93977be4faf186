import SessionStoreTesting
import TestSupport
import Testing
import WaypostCore

@testable import PostgresStore
@testable import Sessions

/// Tests of stores with more workers than the database has connections for them.
@Suite(.timeLimit(.minutes(5)), .enabled(if: TestDatabase.url != nil))
struct FewConnectionsTests {
    private let target: ConnectionTarget
    private let admin: Connection
    /// A user whose number of connections is limited, as that of a superuser is not.
    private let user: String

    init() throws {
        let url = try #require(TestDatabase.url)
        let owner = try TestDatabase.make()
        _ = try PostgresStore.migrate(owner)
        admin = try PostgresStore.connect(to: owner)
        let schema = try #require(try admin.execute("SELECT current_schema").first?.first ?? nil)
        user = "user_of_\(schema)"
        _ = try admin.execute(
            """
            CREATE ROLE \(user) LOGIN;
            GRANT USAGE ON SCHEMA \(schema) TO \(user);
            GRANT ALL ON ALL TABLES IN SCHEMA \(schema) TO \(user)
            """)
        let host = try #require(url.split(separator: "@").last)
        target = try ConnectionTarget(
            "postgres://\(user)@\(host)?options=-csearch_path%3D\(schema)")
    }

    /// Limits the connections of stores: one is that of the probe.
    private func limitConnections(to number: Int) throws {
        _ = try admin.execute("ALTER ROLE \(user) CONNECTION LIMIT \(number)")
    }

    private func store(timeout: Duration = .seconds(60)) throws -> PostgresStore {
        try PostgresStore(testing: target, connections: 4, timeout: timeout)
    }

    @Test("No work waits for a worker that cannot connect, while another one has a connection")
    func oneWorkerConnected() async throws {
        try limitConnections(to: 2)
        let store = try store()
        try await withThrowingTaskGroup { group in
            for number in 1...64 {
                group.addTask {
                    let session = try Sample.session(number)
                    try await store.insert(session)
                    try await store.update(session)
                }
            }
            try await group.waitForAll()
        }
        #expect(store.failure == nil)
        await store.close()
    }

    @Test("Work goes to the connected worker after the others have lost their connections")
    func lostConnections() async throws {
        try limitConnections(to: 5)
        let store = try store()
        let connections = "SELECT count(*) FROM pg_stat_activity WHERE usename = '\(user)'"
        try await until { try admin.execute(connections) == [["5"]] }
        try limitConnections(to: 2)
        store.interruptWorkers()
        for number in 1...16 { try await store.insert(try Sample.session(number)) }
        #expect(store.failure == nil)
        await store.close()
    }

    @Test("A store is not ready while no worker can connect, and is ready when one can")
    func noWorkerConnected() async throws {
        try limitConnections(to: 5)
        let store = try store(timeout: .seconds(2))
        try await store.insert(try Sample.session(1))
        // The probe keeps its connection.
        try limitConnections(to: 1)
        store.interruptWorkers()
        await #expect(throws: SessionError.self) { try await store.insert(try Sample.session(2)) }
        #expect(store.failure?.reason.contains("too many connections") == true)
        try limitConnections(to: 2)
        await until { store.failure == nil }
        try await store.insert(try Sample.session(2))
        await store.close()
    }
}
