import Foundation
import GRDB
import NavigationRules
import SessionStoreTesting
import Sessions
import TestSupport
import Testing
import WaypostCore

@testable import SQLiteStore

/// Store files in which another program, or a disk, has changed single values.
@Suite(.timeLimit(.minutes(10))) struct DamagedRowTests {
    private let folder: TemporaryFolder
    private var path: String { folder.file("store.sqlite") }

    init() throws { folder = try TemporaryFolder() }

    /// A column of a table, and the SQL of a value that Waypost never writes there.
    struct Damage: CustomTestStringConvertible {
        let table: String
        let column: String
        let value: String

        var testDescription: String { "\(table).\(column) = \(value.prefix(60))" }
    }

    private static let huge = "9223372036854775807"

    private static func windows() -> [String] {
        let stack = #""stack":[{"n":1,"s":"a"}]"#
        return [
            #""stack":[],"event":1,"vc":1"#,
            #"\#(stack),"event":\#(huge),"vc":1"#,
            #"\#(stack),"event":1,"vc":\#(huge)"#,
            #"\#(stack),"event":-1,"vc":1"#,
            #""stack":[{"n":\#(huge),"s":"a"}],"event":1,"vc":1"#,
            #""stack":[{"n":2,"s":"a"}],"event":1,"vc":1"#,
            #""stack":[{"n":1,"s":"a"},{"n":1,"s":"a"}],"event":1,"vc":1"#,
            #"\#(stack),"event":1,"vc":1,"selected":1,"roots":[1],"kept":[]"#,
            #"\#(stack),"event":1,"vc":1,"selected":-1,"roots":[1],"kept":[]"#,
            #"\#(stack),"event":1,"vc":1,"selected":"0","roots":[1],"kept":[]"#,
            #"\#(stack),"event":1,"vc":1,"selected":0,"roots":[\#(huge)],"kept":[]"#,
            #"\#(stack),"event":1,"vc":1,"selected":0,"roots":[1],"kept":[{"n":1,"s":"a"}]"#,
        ].map { record(#"{"lifecycle":"forwarded",\#($0)}"#) }
            + layers().map {
                record(#"{"lifecycle":"native","stack":[],\#($0),"event":1,"vc":2}"#)
            }
    }

    /// The tail of a log that is a complete state with this window.
    private static func record(_ window: String) -> String {
        #"CAST('{"revision":1,"state":\#(window),"expires":1}' AS BLOB)"#
    }

    /// Damaged layers; two holders and two view controllers have been made.
    private static func layers() -> [String] {
        let one = #"{"n":1,"stack":[{"n":1,"s":"a"}]}"#
        let two = #"{"n":2,"stack":[{"n":2,"s":"a"}]}"#
        return [
            #""lastNC":2,"layers":[]"#,
            #""lastNC":2,"layers":[{"holders":[]}]"#,
            #""lastNC":2,"layers":[{}]"#,
            #""lastNC":2,"layers":[7]"#,
            #""lastNC":2,"layers":7"#,
            #""lastNC":2,"layers":[{"holders":[{"n":1,"stack":[]}]}]"#,
            #""lastNC":2,"layers":[{"holders":[\#(one),{"n":1,"stack":[{"n":2,"s":"a"}]}]}]"#,
            #""lastNC":2,"layers":[{"holders":[\#(one),{"n":2,"stack":[{"n":1,"s":"a"}]}]}]"#,
            #""lastNC":1,"layers":[{"holders":[\#(one),\#(two)]}]"#,
            #""layers":[{"holders":[\#(one),\#(two)]}]"#,
            #""lastNC":2,"layers":[{"holders":[\#(one)]},{"holders":[{"n":\#(huge),"stack":[{"n":2,"s":"a"}]}]}]"#,
            #""lastNC":2,"layers":[{"holders":[\#(one)]},{"holders":[{"n":2,"stack":[{"n":3,"s":"a"}]}]}]"#,
            #""lastNC":2,"layers":[{"holders":[\#(one),\#(two)],"selected":2}]"#,
            #""lastNC":2,"layers":[{"holders":[\#(one),\#(two)],"selected":-1}]"#,
            #""lastNC":2,"layers":[{"holders":[\#(one),\#(two)],"selected":"1"}]"#,
            #""lastNC":2,"layers":[{"holders":[\#(one)]},{"style":"sideways","holders":[\#(two)]}]"#,
            #""nc":3,"lastNC":2,"layers":[{"holders":[\#(one),\#(two)]}]"#,
        ]
    }

    private static let ofSessions =
        windows().map { Damage(table: "session", column: "tail", value: $0) }
        + [
            ("tail", "NULL"), ("tail", "'text'"), ("revision", "NULL"), ("revision", "-5"),
            ("revision", huge), ("revision", "'text'"), ("revision", "1.5"), ("token_hash", "NULL"),
            ("token_hash", "x'00'"), ("token_hash", "zeroblob(31)"),
            ("token_hash", "zeroblob(33)"), ("created_at", "NULL"),
            ("created_at", "4611686018427387904"), ("expires_at", "NULL"), ("expires_at", huge),
            ("expires_at", "x'00'"),
            ("credential", "x'00'"), ("credential", "7"), ("credential_refusal", "x'00'"),
        ].map { Damage(table: "session", column: $0, value: $1) }

    private static let ofLogs =
        [
            ("first", "NULL"), ("first", huge), ("first", "'text'"), ("last", "NULL"),
            ("last", "-9223372036854775808"), ("last", huge), ("last", "2"),
            ("first_event", "NULL"), ("first_event", huge), ("first_event", "9"),
            ("has_state", "NULL"),
            ("has_state", "7"), ("records", "NULL"), ("records", "x'7b'"), ("session", "NULL"),
        ].map { Damage(table: "log", column: $0, value: $1) }

    private static let ofAccounts =
        [
            ("username", "NULL"), ("username", "'a b'"), ("username", "x'00'"),
            ("password", "NULL"), ("created_at", "NULL"), ("created_at", huge),
            ("is_disabled", "NULL"), ("is_disabled", "7"),
        ].map { Damage(table: "account", column: $0, value: $1) }

    private static let ofCredentials =
        [
            ("username", "NULL"), ("session", "x'00'"), ("created_at", "NULL"),
            ("expires_at", "NULL"),
            ("expires_at", huge), ("last_used_at", "'text'"), ("is_revoked", "NULL"),
            ("is_revoked", "-1"),
        ].map { Damage(table: "credential", column: $0, value: $1) }

    private static let ofTokens =
        [
            ("session", "NULL"), ("session", "x'00'"), ("session", "'text'"), ("name", "NULL"),
            ("name", "x'00'"), ("credential", "NULL"), ("credential", "x'00'"),
            ("created_at", "NULL"), ("created_at", huge), ("expires_at", huge),
        ].map { Damage(table: "session_token", column: $0, value: $1) }

    private static let tokenHash = SecretHash(of: "further token")
    private static let credential = SecretHash(of: "credential")
    private static let record = SecretHash(of: "key")

    /// Makes a store with one row of each kind, and changes one value.
    private func damagedStore(_ damage: Damage) async throws -> SQLiteStore {
        let store = try SQLiteStore(path: path)
        var commit = WriteBatch(storing: .insert(Sample.session(1)), events: Sample.events(1...3))
        commit.account = .insert(
            Account(
                username: try Username("Ada"), password: PasswordHash(text: "$argon2id$"),
                createdAt: Timestamp(milliseconds: 1)))
        commit.newCredential = Credential(
            hash: SecretHash(of: "credential"), username: try Username("Ada"), session: nil,
            createdAt: Timestamp(milliseconds: 1), expiresAt: Timestamp(milliseconds: 1 << 50))
        commit.idempotencyRecords = [
            IdempotencyRecord(
                id: SecretHash(of: "key"), fingerprint: SecretHash(of: "request"),
                session: Sample.session(1).id, sealedResponse: [1], requestSize: 1,
                expiresAt: Timestamp(milliseconds: 1 << 50))
        ]
        try await store.commit(commit)
        commit = WriteBatch()
        commit.token = .insert(
            SessionToken(
                hash: Self.tokenHash, session: Sample.session(1).id, name: "phone",
                credential: SecretHash(of: "credential"), createdAt: Timestamp(milliseconds: 1),
                expiresAt: Timestamp(milliseconds: 1 << 50)), loggedInWith: nil)
        try await store.commit(commit)
        // The events move to a row of the log.
        let state = SessionStoreTesting.Sample.state(of: .stored(Sample.session(1)))
        try await store.commit(
            WriteBatch(
                session: .update(.stored(Sample.session(1)), replacing: .first),
                log: LogWrite(movesTail: true, tail: LogRow(state))))
        await store.close()
        let database = try DatabaseQueue(path: path)
        let table = damage.table
        let schema = try database.inDatabase { db in
            try String.fetchOne(
                db, sql: "SELECT sql FROM sqlite_schema WHERE name = ?", arguments: [table])
        }
        // SQLite itself would reject most of these values.
        let lax = try #require(schema)
            .replacing("STRICT, ", with: "").replacing("STRICT", with: "")
            .replacing("NOT NULL", with: "")
        try rewrite(database, table, lax)
        try database.inDatabase { db in
            try db.execute(sql: "UPDATE \(table) SET \(damage.column) = \(damage.value)")
        }
        try rewrite(database, table, try #require(schema))
        try database.close()
        return try SQLiteStore(path: path)
    }

    private func rewrite(_ database: DatabaseQueue, _ table: String, _ sql: String) throws {
        try database.inDatabase { db in
            let version = try #require(try Int.fetchOne(db, sql: "PRAGMA schema_version"))
            try db.execute(sql: "PRAGMA writable_schema = ON")
            try db.execute(
                sql: "UPDATE sqlite_schema SET sql = ? WHERE name = ?", arguments: [sql, table])
            try db.execute(
                sql: "PRAGMA schema_version = \(version + 1); PRAGMA writable_schema = RESET")
        }
    }

    /// Expects that the check names the damaged row, and that a purge keeps it.
    private func expectDefect(_ damage: Damage, in store: SQLiteStore) async throws {
        let report = try await store.check()
        let row =
            switch damage.table {
            case "log" where damage.column == "session": "row 1 of the logs"
            case "session", "log": "session \(Sample.session(1).id)"
            case "account" where damage.column == "key": "account eve"
            case "account": "account ada"
            case "credential": "credential \(hexadecimal(Self.credential.bytes.prefix(16)))"
            case "session_token": "token \(hexadecimal(Self.tokenHash.bytes.prefix(16)))"
            default: "idempotency record \(hexadecimal(Self.record.bytes.prefix(16)))"
            }
        // Some defects are those that SQLite itself finds.
        #expect(report.defects.contains { $0.hasPrefix("\(row): ") }, "\(report.defects)")
        #expect(report.damagedRows == 1)
        while try await store.purge(before: Timestamp(milliseconds: 0)) {}
        let count = try await store.access {
            try Int.fetchOne($0, sql: "SELECT count(*) FROM \(damage.table)")
        }
        #expect(count == 1)
        await store.close()
    }

    @Test(
        "A damaged session row fails to read, is reported by the check and skipped by the purge",
        arguments: ofSessions)
    func damagedSession(_ damage: Damage) async throws {
        let store = try await damagedStore(damage)
        let error = await #expect(throws: SessionError.self) {
            try await store.session(Sample.session(1).id)
        }
        guard case .storage(let failure) = try #require(error) else {
            Issue.record("no failure of the store")
            return
        }
        #expect(failure.reason.contains("session 00000000"))
        #expect(failure.reason.contains(damage.column))
        try await expectDefect(damage, in: store)
    }

    @Test(
        "Damaged rows of a log are reported by the check and skipped by the purge",
        arguments: ofLogs)
    func damagedLog(_ damage: Damage) async throws {
        let store = try await damagedStore(damage)
        let id = Sample.session(1).id
        for after in [0, 2, Int.max] {
            _ = try? await store.events(of: id, after: after, limit: 10)
            _ = try? await store.log(of: id, from: after, through: 10)
        }
        let events = try? await store.events(of: id, after: 0, limit: 10).events
        if damage.column == "records" { #expect(events != Sample.events(1...3)) }
        // The session itself can be read and changed.
        #expect(try await store.content(id) == Sample.session(1))
        try await expectDefect(damage, in: store)
    }

    @Test(
        "A damaged account row fails to read and is reported by the check",
        arguments: ofAccounts)
    func damagedAccount(_ damage: Damage) async throws {
        let store = try await damagedStore(damage)
        await #expect(throws: SessionError.self) { try await store.account(Username("ada")) }
        await #expect(throws: SessionError.self) {
            try await store.accounts(after: nil, limit: 10)
        }
        try await expectDefect(damage, in: store)
    }

    @Test("An account under the key of another name fails to read")
    func otherKey() async throws {
        let damage = Damage(table: "account", column: "key", value: "'eve'")
        let store = try await damagedStore(damage)
        await #expect {
            try await store.account(Username("eve"))
        } throws: {
            guard case SessionError.storage(let failure) = $0 else { return false }
            return failure.reason.contains("another name's key")
        }
        try await expectDefect(damage, in: store)
    }

    @Test(
        "A damaged credential row fails to read and is reported by the check",
        arguments: ofCredentials)
    func damagedCredential(_ damage: Damage) async throws {
        let store = try await damagedStore(damage)
        await #expect(throws: SessionError.self) {
            try await store.credential(SecretHash(of: "credential"))
        }
        try await expectDefect(damage, in: store)
    }

    @Test(
        "A damaged token row fails to read, is reported by the check and skipped by the purge",
        arguments: ofTokens)
    func damagedToken(_ damage: Damage) async throws {
        let store = try await damagedStore(damage)
        await #expect(throws: SessionError.self) {
            try await store.sessionToken(Self.tokenHash, at: Timestamp(milliseconds: 2))
        }
        try await expectDefect(damage, in: store)
    }

    @Test("The check names an idempotency record with a damaged expiry time by its id")
    func damagedRecord() async throws {
        let damage = Damage(table: "idempotency_record", column: "expires_at", value: "'text'")
        let store = try await damagedStore(damage)
        try await expectDefect(damage, in: store)
    }

    @Test("A backup with a damaged row is restored with this row, if the caller accepts it")
    func restoreWithDamagedRow() async throws {
        let store = try await damagedStore(
            Damage(table: "session", column: "tail", value: "x'7b'"))
        let (backup, restored) = (folder.file("backup"), folder.file("restored"))
        try await store.backup(to: backup)
        await store.close()
        #expect(throws: StoreError.damagedRows(backup, count: 1)) {
            try SQLiteStore.restore(backup, to: restored)
        }
        #expect(!FileManager.default.fileExists(atPath: restored))
        var rows: [String] = []
        _ = try SQLiteStore.restore(backup, to: restored) {
            rows = $0
            return true
        }
        try #require(rows.count == 1)
        #expect(rows[0].hasPrefix("session \(Sample.session(1).id): "))
        #expect(try SQLiteStore.check(restored).defects == rows)
    }

    @Test("A backup with a value of a wrong type is not restored, whatever the caller accepts")
    func restoreOfDamagedFile() async throws {
        let store = try await damagedStore(
            Damage(table: "session", column: "revision", value: "'text'"))
        let backup = folder.file("backup")
        try await store.backup(to: backup)
        await store.close()
        let error = #expect(throws: StoreError.self) {
            try SQLiteStore.restore(backup, to: folder.file("restored")) { _ in true }
        }
        guard case .corrupt = error else {
            Issue.record("another error: \(error as Any)")
            return
        }
    }

    @Test("A session with a damaged name can be read, and is reported by the check")
    func damagedName() async throws {
        let damage = Damage(table: "session", column: "name", value: "x'00'")
        let store = try await damagedStore(damage)
        #expect(try await store.content(Sample.session(1).id) == Sample.session(1))
        try await expectDefect(damage, in: store)
    }

    /// - Parameter isListed: whether the summary is still in the list.
    @Test(
        "A damaged window or summary leaves the list of an account's sessions readable",
        arguments: [
            ("tail", "x'7b'", true), ("summary", "x'7b'", false), ("summary", "x''", false),
            ("summary", #"CAST('{"revision":2,"top":{"n":1,"s":"a"}}' AS BLOB)"#, false),
            ("summary", #"CAST('{"revision":1,"top":{"n":\#(huge),"s":"a"}}' AS BLOB)"#, false),
            ("summary", #"CAST('{"revision":1,"top":{"n":1}}' AS BLOB)"#, false),
        ])
    func damagedSummary(_ column: String, _ value: String, isListed: Bool) async throws {
        let store = try SQLiteStore(path: path)
        var batch = WriteBatch()
        batch.newCredential = try SessionStoreTesting.Sample.credential("one")
        try await store.commit(batch)
        let session = try SessionStoreTesting.Sample.session(
            1, SessionStoreTesting.Sample.window(auth: .loggedIn(username: "Ada")),
            credential: SecretHash(of: "one"))
        try await store.insert(session)
        try await store.access {
            try $0.execute(sql: "UPDATE session SET \(column) = \(value)")
        }
        let listed = try await store.sessions(
            of: Username("ada"), at: SessionStoreTesting.Sample.now, after: nil, limit: 9)
        #expect(listed.map(\.id) == [session.id])
        #expect(listed[0].summary == (isListed ? session.window.stack[0].summary : nil))
    }

    @Test(
        "A session with a damaged tail cannot be read, and other sessions can",
        arguments: ["x''", "x'00'", "x'7b7d0a'", #"CAST('{"revision":1,"events":[]}' AS BLOB)"#])
    func damagedTail(_ value: String) async throws {
        let store = try await damagedStore(
            Damage(table: "session", column: "tail", value: value))
        let id = Sample.session(1).id
        await #expect(throws: SessionError.self) { try await store.session(id) }
        try await Sample.insert(2...2, store)
        #expect(try await store.content(Sample.session(2).id) == Sample.session(2))
        #expect(store.failure == nil)
        #expect(try await !store.check().defects.isEmpty)
    }

    @Test(
        "A damaged place of a tail is reported by the check",
        arguments: [("tail_first", huge), ("tail_first", "7"), ("tail_has_state", "0")])
    func damagedPlace(_ column: String, _ value: String) async throws {
        let store = try await damagedStore(
            Damage(table: "session", column: column, value: value))
        _ = try? await store.session(Sample.session(1).id)
        _ = try? await store.log(of: Sample.session(1).id, from: 0, through: 9)
        _ = try? await store.events(of: Sample.session(1).id, after: 0, limit: 9)
        #expect(try await !store.check().defects.isEmpty)
        #expect(store.failure == nil)
    }
}
