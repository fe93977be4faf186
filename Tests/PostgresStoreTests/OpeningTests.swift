import Foundation
import JSON
import SQLStore
import SessionStoreTesting
import Sessions
import TestSupport
import Testing
import WaypostCore

@testable import PostgresStore

/// Tests of the start on a database, and of what an operator reads if it fails.
@Suite(.timeLimit(.minutes(5)), .enabled(if: TestDatabase.url != nil))
struct OpeningTests {
    private func open(
        _ target: ConnectionTarget, _ migration: PostgresStore.Configuration.Migration = .new
    ) throws(PostgresStoreError) {
        _ = try PostgresStore.prepare(target, migration)
    }

    @Test("A URL that libpq does not know is refused with its explanation")
    func badURL() {
        for url in ["postgres://localhost/waypost?no=1", "postgres://[::1/waypost"] {
            let error = #expect(throws: PostgresStoreError.self) { try ConnectionTarget(url) }
            #expect("\(error, default: "")".contains("expected postgres://user@host:port/database"))
        }
    }

    @Test(
        "The explanation of a wrong URL has no part of a password",
        arguments: [
            "postgres://ada:hunter%zz@h/db", "postgres://ada:a@hunter%w@h/db",
            "postgres://ada:a/b?hunter@h/db", "postgres://ada:a/b?hunter=b@h/db",
            "postgres://ada:hunter@[h/db", "postgres:/ada:hunter@h/db",
            "Postgres://ada:hunter@h/db", "postgres://ada:hunter/b@h/db",
            "postgres://ada:a@hunter@h/db", "postgres://ada:5432/hunter@h/db",
            "postgres://ada:5432,hunter/@h/db", "postgres://ada:hunter/db",
        ])
    func badURLWithPassword(_ url: String) {
        let error = #expect(throws: PostgresStoreError.self) { try ConnectionTarget(url) }
        #expect("\(error, default: "hunter")".contains("hunter") == false)
    }

    @Test("A password may have any characters that are written with a percent sign")
    func escapedPassword() throws {
        let target = try ConnectionTarget("postgres://ada:a%40b%2Fc%3A%25@h:5433/db")
        #expect(target.description == "postgres://h:5433/db")
    }

    @Test("The description of a target has its hosts and no password")
    func description() throws {
        let target = try ConnectionTarget(
            "postgres://ada:secret@db1:5433,db2:5434/waypost?sslmode=require")
        #expect(target.description == "postgres://db1:5433,db2:5434/waypost")
        #expect(
            try ConnectionTarget("postgres://db1/waypost").description == "postgres://db1/waypost")
        #expect(
            try ConnectionTarget("postgres:///waypost?hostaddr=192.0.2.1&port=5433").description
                == "postgres://192.0.2.1:5433/waypost")
    }

    @Test("A server that does not listen is named with its host and the reason")
    func noServer() throws {
        let target = try ConnectionTarget("postgres://ada:secret@127.0.0.1:1/waypost")
        let error = #expect(throws: PostgresStoreError.self) { try open(target) }
        let text = "\(error, default: "")"
        #expect(text.hasPrefix("postgres://127.0.0.1:1/waypost: cannot be opened: "))
        #expect(text.contains("Connection refused"))
        #expect(!text.contains("secret"))
    }

    @Test("A database that does not exist is named")
    func noDatabase() throws {
        let url = try #require(TestDatabase.url.flatMap { URLComponents(string: $0) })
        var components = url
        components.path = "/none"
        let target = try ConnectionTarget(try #require(components.string))
        let error = #expect(throws: PostgresStoreError.self) { try open(target) }
        #expect("\(error, default: "")".contains(#"database "none" does not exist"#))
    }

    @Test("A removed session has no log left")
    func removal() async throws {
        let target = try TestDatabase.make()
        let store = try TestDatabase.open(target)
        let session = try Sample.session(1)
        try await store.insert(session)
        let tail = LogRow(Sample.state(of: .stored(session)))
        try await store.commit(
            WriteBatch(
                session: .update(.stored(session), replacing: .first),
                log: LogWrite(movesTail: true, tail: tail)))
        try PostgresStore.execute("SELECT 1 / count(*) FROM log", on: target)
        try PostgresStore.execute("DELETE FROM session", on: target)
        try PostgresStore.execute("SELECT 1 / (count(*) = 0)::integer FROM log", on: target)
    }

    @Test("A database of the first version is migrated")
    func firstVersion() async throws {
        let target = try TestDatabase.make()
        try Schema.migrate(try PostgresStore.connect(to: target), through: 1)
        #expect(throws: PostgresStoreError.self) { try open(target, .new) }
        let versions = try PostgresStore.migrate(target)
        #expect(versions.before == 1 && versions.after == Schema.version)
        let store = try TestDatabase.open(target)
        try await store.insert(try Sample.session(1))
        #expect(try await store.content(try Sample.session(1).id) == Sample.session(1))
    }

    @Test("A database that a service of an earlier release uses is not migrated")
    func migrationInUse() async throws {
        let target = try TestDatabase.make()
        let earlier = try PostgresStore.connect(to: target)
        try Schema.migrate(earlier, through: 4)
        try Schema.markInUse(earlier)
        #expect(throws: PostgresStoreError.inUse(target.description)) {
            try PostgresStore.migrate(target)
        }
        try PostgresStore.execute("SELECT state FROM session", on: target)
    }

    @Test("Tables of another version of the schema are not reset", arguments: [1, 99])
    func resetOfOtherVersion(_ version: Int) throws {
        let target = try TestDatabase.make()
        _ = try PostgresStore.migrate(target)
        try PostgresStore.execute("UPDATE store SET version = \(version)", on: target)
        let known = Schema.version
        let expected: PostgresStoreError =
            version < known
            ? .olderVersion(target.description, found: version, known: known)
            : .newerVersion(target.description, oldestProgram: version, known: known)
        #expect(throws: expected) { try PostgresStore.reset(target) }
    }

    @Test("A database of an earlier version is not checked", arguments: [0, 4])
    func checkOfEarlierVersion(_ version: Int) throws {
        let target = try TestDatabase.make()
        try Schema.migrate(try PostgresStore.connect(to: target), through: version)
        let expected: PostgresStoreError =
            version == 0
            ? .noSchema(target.description)
            : .olderVersion(target.description, found: version, known: Schema.version)
        #expect(throws: expected) { try PostgresStore.check(target) }
    }

    // A seed can choose the id of 32 zeros, which sorts before all others.
    @Test("A check names each row that cannot be read, and goes on after it", arguments: [0, 1])
    func check(session number: Int) async throws {
        let target = try TestDatabase.make()
        let store = try TestDatabase.open(target)
        let session = try Sample.session(number)
        var batch = WriteBatch(storing: .insert(session), events: Sample.events(1...3))
        batch.idempotencyRecords = [Sample.idempotencyRecord("one", of: session.id)]
        batch.accountWrites = .init(
            account: .insert(try Sample.account("ada")), newCredential: try Sample.credential("c"))
        try await store.commit(batch)
        batch = WriteBatch()
        batch.accountWrites = .init()
        batch.accountWrites?.token = .insert(
            SessionToken(
                hash: Sample.hash("token"), session: session.id, name: "phone",
                credential: Sample.hash("c"), createdAt: Sample.now,
                expiresAt: Sample.now + .seconds(60)), loggedInWith: nil)
        try await store.commit(batch)
        #expect(try PostgresStore.check(target).defects == [])
        for (damage, name) in [
            ("session SET tail = 'x'", "session \(session.id)"),
            ("account SET username = 'a b'", "account ada"),
            ("credential SET expires_at = -9000000000000000000", "credential "),
            ("session_token SET credential = 'x'", "token "),
            ("idempotency_record SET fingerprint = 'x'", "idempotency record "),
        ] {
            try PostgresStore.execute("UPDATE \(damage)", on: target)
            let report = try PostgresStore.check(target)
            #expect(report.defects.contains { $0.hasPrefix(name) }, "\(report.defects)")
            #expect(report.sessions == 1 && report.accounts == 1)
        }
        #expect(try PostgresStore.check(target).defects.count == 5)
    }

    @Test("Reads that are prepared go on after a migration that adds a column to each table")
    func addedColumns() async throws {
        let target = try TestDatabase.make()
        let store = try PostgresStore(testing: target, connections: 1, timeout: .seconds(60))
        let session = try Sample.session(1)
        var batch = WriteBatch(storing: .insert(session), events: Sample.events(1...3))
        batch.idempotencyRecords = [Sample.idempotencyRecord("one", of: session.id)]
        try await store.commit(batch)
        let account = try Sample.account("ada")
        let credential = try Sample.credential("new")
        var accounts = WriteBatch()
        accounts.accountWrites = .init(account: .insert(account), newCredential: credential)
        try await store.commit(accounts)
        func read() async throws {
            // The first round prepares each statement on the only connection.
            for _ in 0..<2 {
                #expect(try await store.session(session.id)?.id == session.id)
                #expect(
                    try await store.events(of: session.id, after: 0, limit: 9).events.count == 3)
                #expect(try await store.idempotencyRecord(Sample.hash("id one")) != nil)
                #expect(try await store.account(account.username) == account)
                #expect(try await store.accounts(after: nil, limit: 9) == [account])
                #expect(try await store.credential(credential.hash) == credential)
                let now = Timestamp(milliseconds: 0)
                _ = try await store.credentials(
                    of: account.username, at: now, after: nil, limit: 9)
                _ = try await store.sessionToken(credential.hash, at: now)
                _ = try await store.sessionTokens(of: session.id, at: now, after: nil, limit: 9)
            }
        }
        try await read()
        for table in [
            "session", "log", "idempotency_record", "account", "credential", "session_token",
            "log_in_failures",
        ] {
            try PostgresStore.execute(
                "ALTER TABLE \(table) ADD COLUMN later text DEFAULT ''", on: target)
        }
        try await read()
    }

    @Test("A session is purged at most a sixteenth of its life after its expiry")
    func purge() async throws {
        let store = try PostgresStore(
            testing: try TestDatabase.make(), connections: 1, timeout: .seconds(60))
        for number in 1...2 {
            let expiry = Sample.now + .seconds(16_000)
            try await store.insert(try Sample.session(number, expiresAt: expiry))
            if number == 2 {
                try await store.update(try Sample.session(number, expiresAt: expiry + .seconds(1)))
            }
            _ = try await store.purge(before: expiry + .milliseconds(-1))
            #expect(try await store.session(Sample.id(number)) != nil)
            _ = try await store.purge(before: expiry + .seconds(1001))
            #expect(try await store.session(Sample.id(number)) == nil)
        }
        await store.close()
    }

    @Test("A session that an earlier release wrote is listed with its summary", arguments: [0, 1])
    func previousRelease(session number: Int) async throws {
        let target = try TestDatabase.make()
        let connection = try PostgresStore.connect(to: target)
        try Schema.migrate(connection, through: 2)
        let session = try Sample.session(
            number, Sample.window(auth: .loggedIn(username: "Ada")), credential: Sample.hash("one"))
        var json = JSONWriter()
        json.window(session.window)
        let state = json.bytes
        _ = try connection.execute(
            """
            INSERT INTO session (id, version, writer, revision, last_event, created_at, expires_at,
              purge_after, token_hash, credential, state, tail_first, tail)
            VALUES ('\(session.id)', 1, 1, 1, 0, 1, \(session.expiresAt.milliseconds), 1,
              '\\x\(hexadecimal(session.tokenHash.bytes))',
              '\\x\(hexadecimal(Sample.hash("one").bytes))', '\\x\(hexadecimal(state))', 1, '')
            """)
        #expect(throws: PostgresStoreError.self) { try open(target, .off) }
        #expect(try PostgresStore.migrate(target) == (2, Schema.version))
        let store = try TestDatabase.open(target)
        var batch = WriteBatch()
        batch.accountWrites = .init(newCredential: try Sample.credential("one"))
        try await store.commit(batch)
        func list() async throws -> [ListedSession] {
            try await store.sessions(of: try Username("ada"), at: Sample.now, after: nil, limit: 9)
        }
        #expect(try await list().map(\.id) == [session.id])
        #expect(try await list().map(\.summary) == [session.window.stack[0].summary])
    }

    @Test("A store is reset when no service uses it, and no other store of the database is")
    func reset() async throws {
        let target = try TestDatabase.make()
        let other = try TestDatabase.open(try TestDatabase.make())
        try await other.insert(try Sample.session(1))
        #expect(throws: PostgresStoreError.noSchema(target.description)) {
            try PostgresStore.reset(target)
        }
        let store = try TestDatabase.open(target)
        for number in 1...3 { try await store.insert(try Sample.session(number)) }
        // The probe of the store takes its lock on a thread of its own.
        let isMarked = """
            SELECT 1 / count(*) FROM pg_locks WHERE locktype = 'advisory' AND classid = 719302651
              AND objid = 'store'::regclass::oid
            """
        await until { (try? PostgresStore.execute(isMarked, on: target)) != nil }
        #expect(throws: PostgresStoreError.inUse(target.description)) {
            try PostgresStore.reset(target)
        }
        await store.close()
        #expect(try PostgresStore.reset(target) == (3, 0))
        #expect(try PostgresStore.reset(target) == (0, 0))
        let later = try TestDatabase.open(target)
        #expect(later.incarnation != store.incarnation)
        #expect(try await later.session(try Sample.session(1).id) == nil)
        #expect(try await other.session(try Sample.session(1).id) != nil)
    }

    @Test("An empty database gets its tables, unless the start may make none")
    func emptyDatabase() throws {
        let target = try TestDatabase.make()
        #expect(throws: PostgresStoreError.noSchema(target.description)) {
            try open(target, .off)
        }
        try open(target, .new)
        try open(target, .off)
        #expect(try PostgresStore.migrate(target) == (Schema.version, Schema.version))
    }

    @Test("A database that needs a later program is refused")
    func newerSchema() throws {
        let target = try TestDatabase.make()
        try open(target)
        let later = Schema.version + 7
        try PostgresStore.execute(
            "UPDATE store SET version = \(later), oldest_program = \(later)", on: target)
        let expected = PostgresStoreError.newerVersion(
            target.description, oldestProgram: later, known: Schema.version)
        for migration in [PostgresStore.Configuration.Migration.new, .on, .off] {
            #expect(throws: expected) { try open(target, migration) }
        }
        #expect(throws: expected) { try PostgresStore.migrate(target) }
        // A later version alone is one that this program can still use.
        try PostgresStore.execute("UPDATE store SET oldest_program = 1", on: target)
        try open(target, .off)
    }

    @Test("A service whose database was migrated for a later program is not ready, and says so")
    func laterSchema() async throws {
        let target = try TestDatabase.make()
        let store = try TestDatabase.open(target)
        try PostgresStore.execute("UPDATE store SET oldest_program = 99", on: target)
        // The probe reads the number within a second.
        await until { store.failure != nil }
        let reason =
            "the database needs a waypost that supports schema version 99: run a later one"
        #expect(store.failure?.reason.contains(reason) == true, "\(store.failure?.reason ?? "")")
    }

    @Test("A statement that the server refuses is an error with the database and the reason")
    func refusedStatement() throws {
        let target = try TestDatabase.make()
        let error = #expect(throws: PostgresStoreError.self) {
            try PostgresStore.execute("SELECT none", on: target)
        }
        let text = "\(error, default: "")"
        #expect(text.hasPrefix(target.description))
        #expect(text.contains(#"column "none" does not exist"#), "\(text)")
    }

    @Test("Two services may make the tables of one database at once")
    func concurrentMigration() async throws {
        let target = try TestDatabase.make()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<6 { group.addTask { try open(target) } }
            try await group.waitForAll()
        }
        let connection = try PostgresStore.connect(to: target)
        #expect(try connection.execute("SELECT version FROM store") == [["\(Schema.version)"]])
    }
}
