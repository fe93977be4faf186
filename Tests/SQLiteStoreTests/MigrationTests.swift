import Foundation
import GRDB
import NavigationRules
import SQLStore
import Sessions
import TestSupport
import Testing
import WaypostCore

@testable import SQLiteStore

/// Databases of earlier versions. Their schemas are literal copies, independent of the present code.
@Suite(.timeLimit(.minutes(10))) struct MigrationTests {
    private let folder: TemporaryFolder
    private var path: String { folder.file("store.sqlite") }

    init() throws { folder = try TemporaryFolder() }

    static let version1 = """
        CREATE TABLE session (
          id BLOB PRIMARY KEY,
          token_hash BLOB NOT NULL,
          created_at INTEGER NOT NULL,
          expires_at INTEGER NOT NULL,
          revision INTEGER NOT NULL,
          window BLOB NOT NULL,
          credential BLOB,
          credential_refusal TEXT
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE event_group (
          session BLOB NOT NULL,
          first INTEGER NOT NULL,
          last INTEGER NOT NULL,
          events BLOB NOT NULL,
          PRIMARY KEY (session, first)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE account (
          key TEXT PRIMARY KEY,
          username TEXT NOT NULL,
          password TEXT NOT NULL,
          created_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE credential (
          hash BLOB PRIMARY KEY,
          account TEXT NOT NULL,
          username TEXT NOT NULL,
          created_at INTEGER NOT NULL,
          expires_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE receipt (
          id BLOB PRIMARY KEY,
          fingerprint BLOB NOT NULL,
          answer BLOB NOT NULL,
          expires_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;

        PRAGMA user_version = 1;
        """

    private static let window = """
        {"lifecycle":"forwarded","user":"Ada",\
        "stack":[{"n":2,"s":"authors","l":true},{"n":3,"s":"books","p":{"author":"x"}}],\
        "event":19,"vc":3}
        """

    private static func hash(_ text: String) -> SecretHash { SecretHash(of: text) }
    private static func bytes(_ text: String) -> Data { Data(hash(text).bytes) }

    private func makeVersion1() throws {
        let database = try DatabaseQueue(path: path)
        try database.inDatabase { db in
            try db.execute(sql: Self.version1)
            try db.execute(
                sql: "INSERT INTO session VALUES (x'\(Self.id)', ?, 5, 6, 3, ?, ?, NULL)",
                arguments: [
                    Self.bytes("token"), Data(Self.window.utf8), Self.bytes("credential"),
                ])
            for (session, firsts) in [(Self.id, [8, 10]), (Self.other, [1]), (Self.gone, [1, 3])] {
                for first in firsts {
                    try db.execute(
                        sql: "INSERT INTO event_group VALUES (x'\(session)', ?, ?, ?)",
                        arguments: [first, first + 1, Data(Self.events.utf8)])
                }
            }
            try db.execute(
                sql: """
                    INSERT INTO session SELECT x'\(Self.other)', token_hash, 9, 6, 3, window, NULL, NULL
                    FROM session
                    """)
            try db.execute(
                sql: "INSERT INTO account VALUES ('ada', 'Ada', '$argon2id$', 7)")
            for text in ["credential", "other"] {
                try db.execute(
                    sql: "INSERT INTO credential VALUES (?, 'ada', 'Ada', 8, 9)",
                    arguments: [Self.bytes(text)])
            }
            try db.execute(
                sql: "INSERT INTO receipt VALUES (?, ?, x'0102', 10)",
                arguments: [Self.bytes("id"), Self.bytes("request")])
        }
        try database.close()
    }

    /// Opens the store, and tries again while the thread of a closed store still holds the file.
    private func open() async throws -> SQLiteStore {
        while true {
            do throws(StoreError) {
                return try SQLiteStore(path: path)
            } catch {
                guard case .inUse = error else { throw error }
                await Task.yield()
            }
        }
    }

    private static let id = String(repeating: "0123456789abcdef", count: 2)
    private static let other = String(repeating: "0", count: 32)
    private static let gone = String(repeating: "f", count: 32)
    private static let events = """
        {"revision":3,"animated":true,"events":[{"k":"viewDidLoad","n":3,"s":"books"},\
        {"k":"viewWillAppear","n":3,"s":"books"}]}
        """

    private func expectAll(in store: SQLiteStore) async throws {
        let id = try #require(SessionID(Self.id))
        let session = try #require(try await store.session(id))
        #expect(session.tokenHash == Self.hash("token"))
        #expect(session.createdAt == Timestamp(milliseconds: 5))
        #expect(session.expiresAt == Timestamp(milliseconds: 6))
        #expect(session.window.revision == 3)
        #expect(session.window.auth == .loggedIn(username: "Ada"))
        #expect(session.window.stack.map(\.scene) == ["authors", "books"])
        #expect(session.credential == Self.hash("credential"))
        #expect(session.credentialRefusal == nil)
        let page = try await store.events(of: id, after: 0, limit: 10)
        #expect(page.events.map(\.seq) == [8, 9, 10, 11])
        #expect(
            page.events.map(\.kind) == [
                .viewDidLoad, .viewWillAppear, .viewDidLoad, .viewWillAppear,
            ])
        // The older events were dropped.
        #expect(page.oldest == 8)
        let other = try await store.events(of: #require(SessionID(Self.other)), after: 1, limit: 9)
        #expect(other.events.map(\.seq) == [2])
        #expect(other.oldest == 1)
        let ada = try Username("ada")
        let summary = try #require(session.window.topViewController).summary
        #expect(summary.scene == "books")
        #expect(
            try await store.sessions(
                of: ada, at: Timestamp(milliseconds: 5), after: nil, limit: 10
            ) == [
                ListedSession(
                    id: id, name: nil, createdAt: Timestamp(milliseconds: 5),
                    expiresAt: Timestamp(milliseconds: 6), revision: 3, summary: summary)
            ])
        #expect(
            try await store.account(ada)
                == Account(
                    username: ada, password: PasswordHash(text: "$argon2id$"),
                    createdAt: Timestamp(milliseconds: 7)))
        for text in ["credential", "other"] {
            let credential = try #require(try await store.credential(Self.hash(text)))
            #expect(
                credential
                    == Credential(
                        hash: Self.hash(text), username: ada, session: nil,
                        createdAt: Timestamp(milliseconds: 8),
                        expiresAt: Timestamp(milliseconds: 9)))
            #expect(credential.username.text == "Ada")
            let valid = try await store.credentials(
                of: ada, at: Timestamp(milliseconds: 8), after: nil, limit: 10)
            #expect(valid.contains(credential))
        }
        #expect(
            try await store.idempotencyRecord(Self.hash("id"))
                == IdempotencyRecord(
                    id: Self.hash("id"), fingerprint: Self.hash("request"), session: nil,
                    sealedResponse: [1, 2], requestSize: 0,
                    expiresAt: Timestamp(milliseconds: 10)))
    }

    @Test("A store of version 1 is migrated with its data and works")
    func whatVersion1HasKeptIsFoundAndTheStoreGoesOn() async throws {
        try makeVersion1()
        do {
            let store = try SQLiteStore(path: path)
            try await expectAll(in: store)
            #expect(
                try await store.access { try Int.fetchOne($0, sql: "PRAGMA user_version") }
                    == Schema.version)
            #expect(try await store.check().defects.isEmpty)
            let ids = try await store.access {
                try String.fetchAll($0, sql: "SELECT lower(hex(id)) FROM session ORDER BY number")
            }
            // The sessions are in the order of their opening.
            #expect(ids == [Self.id, Self.other])
            await store.close()
        }
        let store = try await open()
        try await expectAll(in: store)
        let ada = try #require(try await store.account(Username("ada")))
        let listed = try await store.credentials(
            of: ada.username, at: Timestamp(milliseconds: 8), after: nil, limit: 10)
        #expect(listed.count == 2)
        let id = try #require(SessionID(Self.id))
        let token = SessionToken(
            hash: Self.hash("further"), session: id, name: "phone",
            credential: Self.hash("other"), createdAt: Timestamp(milliseconds: 8),
            expiresAt: Timestamp(milliseconds: 9))
        var tokens = WriteBatch()
        tokens.token = .insert(token, loggedInWith: Self.hash("credential"))
        try await store.commit(tokens)
        #expect(
            try await store.sessionToken(token.hash, at: Timestamp(milliseconds: 8)) == token)
        var disabled = ada
        disabled.isDisabled = true
        var commit = WriteBatch()
        commit.account = .update(disabled, from: ada)
        commit.revocation = .all(of: ada.username, except: nil)
        try await store.commit(commit)
        #expect(try await store.account(ada.username)?.isDisabled == true)
        #expect(try await store.credential(Self.hash("other"))?.isRevoked == true)
        // The events of a session that no longer existed are gone.
        while try await store.purge(before: Timestamp(milliseconds: 0)) {}
        let firstEvents = try await store.access {
            try Int.fetchAll($0, sql: "SELECT first_event FROM log ORDER BY first_event")
        }
        #expect(firstEvents == [1, 8])
    }

    @Test("A migration to a log that fails in the middle leaves the store as it was")
    func failedMigration() throws {
        try makeVersion1()
        let database = try DatabaseQueue(path: path)
        try database.inDatabase { db in
            try Schema.migrate(db, path: path, through: 11)
            let sessions = try String.fetchAll(
                db, sql: "SELECT hex(id) || hex(window) FROM session ORDER BY number")
            try db.execute(
                sql: """
                    UPDATE event_group SET session = (SELECT id FROM session ORDER BY number LIMIT 1);
                    CREATE TABLE log (mine INTEGER)
                    """)
            let groups = try Int.fetchAll(db, sql: "SELECT number FROM event_group ORDER BY number")
            #expect(throws: DatabaseError.self) {
                try db.inTransaction {
                    try LogMigration.run(
                        on: db, decoding: EarlierEvents.decode(json:first:))
                    return .commit
                }
            }
            #expect(try Int.fetchOne(db, sql: "PRAGMA user_version") == 11)
            #expect(
                try String.fetchAll(
                    db, sql: "SELECT hex(id) || hex(window) FROM session ORDER BY number")
                    == sessions)
            #expect(
                try Int.fetchAll(db, sql: "SELECT number FROM event_group ORDER BY number")
                    == groups)
        }
    }

    @Test(
        "A session of an early version is listed with a summary, before and after its next change")
    func summaries() async throws {
        try makeVersion1()
        let store = try await open()
        try await expectAll(in: store)
        let id = try #require(SessionID(Self.id))
        let session = try #require(try await store.session(id))
        try await store.commit(
            WriteBatch(storing: .update(.stored(session), replacing: session.version)))
        let listed = try await store.sessions(
            of: Username("ada"), at: Timestamp(milliseconds: 5), after: nil, limit: 10)
        #expect(listed.map(\.summary) == [session.window.stack[1].summary])
        #expect(listed[0].summary?.scene == "books")
    }

    @Test("A backup of version 1 is restored")
    func aBackupOfVersion1IsRestored() async throws {
        try makeVersion1()
        let backup = folder.file("backup.sqlite")
        try FileManager.default.moveItem(atPath: path, toPath: backup)
        _ = try SQLiteStore.restore(backup, to: path)
        try await expectAll(in: try SQLiteStore(path: path))
    }

    @Test("A migrated store has the same schema as a new one")
    func aNewStoreAndOneThatWasMigratedAreAlike() async throws {
        try makeVersion1()
        let fresh = folder.file("fresh.sqlite")
        var schemas: [[String]] = []
        for path in [path, fresh] {
            let store = try SQLiteStore(path: path)
            schemas.append(
                try await store.access { db in
                    try String.fetchAll(
                        db,
                        sql: """
                            SELECT s.name || ' ' || (SELECT group_concat(name || type || "notnull")
                              FROM pragma_table_info(s.tbl_name)) AS columns
                            FROM sqlite_master AS s WHERE s.type = 'table' ORDER BY s.name
                            """)
                })
        }
        #expect(schemas[0] == schemas[1])
        #expect(schemas[0].count == 7)
    }
}
