import Foundation
import GRDB
import TestSupport
import Testing

@testable import SQLiteStore

/// Stores and backups whose schema was changed by somebody else.
@Suite(.timeLimit(.minutes(10))) struct SchemaObjectsTests {
    private let folder: TemporaryFolder
    private var backup: String { folder.file("backup.sqlite") }

    init() throws { folder = try TemporaryFolder() }

    struct Change: Sendable, CustomTestStringConvertible {
        let sql: String
        let named: String
        var testDescription: String { named }
    }

    static let foreign = [
        Change(
            sql: """
                CREATE TRIGGER evil AFTER INSERT ON session
                BEGIN DELETE FROM account WHERE username = 'alice'; END
                """, named: #"the trigger "evil" on the table "session""#),
        Change(sql: "CREATE TABLE junk (x)", named: #"the table "junk""#),
        Change(sql: "CREATE VIEW peek AS SELECT * FROM account", named: #"the view "peek""#),
        Change(
            sql: "CREATE INDEX odd ON account (abs(created_at))",
            named: #"the index "odd" on the table "account""#),
        // A name must not write control characters to a terminal.
        Change(
            sql: "CREATE TABLE \"\u{1B}[2J\" (x)", named: #"the table "\u{1B}[2J""#),
        Change(
            sql: "CREATE TABLE one (x); CREATE TABLE two (x)",
            named: #"the table "one" and 1 more objects"#),
    ]

    static let damaged = [
        Change(
            sql: "DROP INDEX credential_of_account",
            named: #"the index "credential_of_account" on the table "credential" is missing"#),
        Change(
            sql: "ALTER TABLE session ADD COLUMN spy TEXT AS (hex(token_hash))",
            named: #"the table "session" has another definition"#),
        Change(
            sql: "ALTER TABLE credential DROP COLUMN last_used_at",
            named: #"the table "credential" has another definition"#),
    ]

    private func makeBackup() async throws {
        let store = try SQLiteStore(path: folder.file("source.sqlite"))
        try await Sample.insert(1...3, store)
        try await store.backup(to: backup)
        await store.close()
    }

    private func change(_ path: String, _ sql: String) throws {
        let database = try DatabaseQueue(path: path)
        try database.inDatabase { try $0.execute(sql: sql) }
        try database.close()
    }

    /// Expects that a restore, a check and a start refuse the backup with one message, which has
    /// both texts, and change nothing.
    private func expectRefusal(naming text: String, mend: String = "waypost restore") throws {
        let content = try Data(contentsOf: URL(filePath: backup))
        let restored = folder.file("restored.sqlite")
        for open in [
            { _ = try SQLiteStore.restore(backup, to: restored) },
            { _ = try SQLiteStore.check(backup) },
            { _ = try SQLiteStore(path: backup) },
        ] {
            let error = #expect(throws: StoreError.self, performing: open)
            let description = try #require(error?.description)
            #expect(description.hasPrefix(backup + ": "))
            #expect(description.contains(text), "\(description)")
            #expect(description.contains(mend))
            #expect(try Data(contentsOf: URL(filePath: backup)) == content)
        }
        #expect(!FileManager.default.fileExists(atPath: restored))
    }

    @Test(
        "A restore, a check and a start refuse objects that Waypost does not make",
        arguments: foreign)
    func foreignObjects(_ change: Change) async throws {
        try await makeBackup()
        try self.change(backup, change.sql)
        try expectRefusal(naming: change.named)
    }

    @Test("A restore, a check and a start refuse a missing or changed object", arguments: damaged)
    func damagedObjects(_ change: Change) async throws {
        try await makeBackup()
        try self.change(backup, change.sql)
        try expectRefusal(naming: change.named)
    }

    @Test("A trigger in a store of an older version is refused before the store is migrated")
    func triggerInAnOlderStore() async throws {
        try folder.write("", to: "backup.sqlite")
        try change(backup, MigrationTests.version1)
        try change(backup, "CREATE TRIGGER evil DELETE ON receipt BEGIN DELETE FROM account; END")
        try expectRefusal(naming: #"the trigger "evil" on the table "receipt""#)
    }

    @Test("A view in an otherwise empty database is not an empty store")
    func viewAlone() async throws {
        try folder.write("", to: "backup.sqlite")
        try change(backup, "CREATE VIEW session AS SELECT 1")
        try expectRefusal(naming: "without Waypost's tables", mend: "waypost backup")
    }

    @Test("Comments and white space in the definitions may differ")
    func normalizedDefinitions() async throws {
        try await makeBackup()
        try change(
            backup,
            """
            PRAGMA writable_schema = ON;
            UPDATE sqlite_schema SET sql = replace(sql, 'revision INTEGER',
              char(10) || '  -- Since the first version.' || char(10) || 'revision   INTEGER')
            WHERE name = 'session';
            PRAGMA writable_schema = RESET;
            """)
        #expect(try SQLiteStore.check(backup).defects.isEmpty)
        #expect(try await SQLiteStore(path: backup).check().sessions == 3)
    }

    @Test("A store with a foreign trigger can be removed")
    func removal() async throws {
        try await makeBackup()
        try change(backup, Self.foreign[0].sql)
        try SQLiteStore.remove(backup)
        #expect(!FileManager.default.fileExists(atPath: backup))
    }

    @Test("A store's connection does not trust the schema of its file")
    func untrustedSchema() async throws {
        let store = try SQLiteStore(path: folder.file("store.sqlite"))
        #expect(try await store.access { try Int.fetchOne($0, sql: "PRAGMA trusted_schema") } == 0)
    }
}
