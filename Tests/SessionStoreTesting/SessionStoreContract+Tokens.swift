import NavigationRules
import Sessions
import Testing
import WaypostCore

extension SessionStoreContract {
    static let tokenChecks = [
        Check("A further token is read as it was stored, until its credential expires") {
            try await $0.wholeToken()
        },
        Check("A session's further tokens are listed by page, the newest first") {
            try await $0.tokenListing()
        },
        Check("A deleted token is gone, and no other one") { try await $0.tokenDeletion() },
        Check("A token ends with its credential, its account, its session and its tokens' deletion")
        {
            try await $0.tokenEnds()
        },
        Check("A token is rejected if its session or its credential is not as expected") {
            try await $0.tokenRefusals()
        },
        Check("A session has at most ten further tokens that are valid") {
            try await $0.tokenLimit()
        },
        Check("A purge removes the tokens of expired credentials and sessions, and no others") {
            try await $0.tokenPurge()
        },
        Check("The sessions of an account's valid credentials are listed by page, the newest first")
        {
            try await $0.sessionListing()
        },
        Check("An account's sessions are listed with what their last changes left at the top") {
            try await $0.summaries()
        },
        Check("The name of a session is read as it was stored, and listed") {
            try await $0.naming()
        },
    ]

    private static func token(
        _ text: String, of session: Int, through credential: String = "one", offset: Int = 0,
        expiresAt: Timestamp = Sample.now + .seconds(60)
    ) throws -> SessionToken {
        SessionToken(
            hash: Sample.hash("token \(text)"), session: try Sample.id(session),
            name: "device \(text) ✓", credential: Sample.hash(credential),
            createdAt: Sample.now + .milliseconds(offset), expiresAt: expiresAt)
    }

    /// Returns a store with sessions 1 and 2, logged in with the credential `one`, and with the
    /// credential `two` of the same account.
    private func storeWithSessions() async throws -> any SessionStore {
        let store = try await emptyStore()
        for text in ["one", "two"] {
            var commit = WriteBatch()
            commit.newCredential = try Sample.credential(text)
            try await store.commit(commit)
        }
        for number in [1, 2] {
            try await store.commit(
                WriteBatch(
                    storing: .insert(
                        try Sample.session(number, credential: Sample.hash("one")))))
        }
        return store
    }

    private func insert(
        _ token: SessionToken, loggedInWith credential: String = "one", in store: any SessionStore
    ) async throws {
        var commit = WriteBatch()
        commit.token = .insert(token, loggedInWith: Sample.hash(credential))
        try await store.commit(commit)
    }

    private func commit(
        _ store: any SessionStore, _ change: (inout WriteBatch) throws -> Void
    ) async throws {
        var commit = WriteBatch()
        try change(&commit)
        try await store.commit(commit)
    }

    private func names(
        _ store: any SessionStore, of session: Int = 1, at now: Timestamp = Sample.now
    ) async throws -> Set<String> {
        Set(
            try await store.sessionTokens(
                of: Sample.id(session), at: now, after: nil, limit: 100
            ).map(\.name))
    }

    private func wholeToken() async throws {
        let store = try await storeWithSessions()
        let token = try Self.token("a", of: 1)
        try await insert(token, in: store)
        for handle in try await handles(of: store) {
            #expect(try await handle.sessionToken(token.hash, at: Sample.now) == token)
            let last = token.expiresAt + .milliseconds(-1)
            #expect(try await handle.sessionToken(token.hash, at: last) == token)
            #expect(try await handle.sessionToken(token.hash, at: token.expiresAt) == nil)
            #expect(try await handle.sessionToken(Sample.hash("b"), at: Sample.now) == nil)
            // The token that came with the session is none of these.
            #expect(try await handle.sessionToken(Sample.hash("token 1"), at: Sample.now) == nil)
            let all = [token.hash, Sample.hash("b"), Sample.hash("token 1")]
            #expect(try await handle.validTokens(among: all, at: last) == [token.hash])
            #expect(try await handle.validTokens(among: all, at: token.expiresAt) == [])
        }
    }

    private func tokenListing() async throws {
        let store = try await storeWithSessions()
        var tokens: [SessionToken] = []
        for number in 0..<7 {
            // Pairs have the same time, so that the ids order them.
            tokens.append(try Self.token("\(number)", of: 1, offset: number / 2))
            try await insert(tokens[number], in: store)
        }
        try await insert(try Self.token("other", of: 2), in: store)
        tokens.sort { $1.position.isAfter($0.position) }
        let id = try Sample.id(1)
        for handle in try await handles(of: store) {
            for limit in [1, 2, 3, 7, 10] {
                var found: [SessionToken] = []
                while true {
                    let page = try await handle.sessionTokens(
                        of: id, at: Sample.now, after: found.last?.position, limit: limit)
                    #expect(page.count <= limit)
                    if page.isEmpty { break }
                    found += page
                }
                #expect(found == tokens)
            }
            #expect(try await names(handle, at: Sample.now + .seconds(60)) == [])
        }
    }

    private func tokenDeletion() async throws {
        let store = try await storeWithSessions()
        for text in ["a", "b"] { try await insert(try Self.token(text, of: 1), in: store) }
        try await commit(store) { $0.token = .delete(Sample.hash("token a")) }
        for handle in try await handles(of: store) {
            #expect(try await names(handle) == ["device b ✓"])
            #expect(try await handle.sessionToken(Sample.hash("token a"), at: Sample.now) == nil)
        }
    }

    private func tokenEnds() async throws {
        let ada = try Username("Ada")
        let ends:
            [(left: Set<String>, other: Set<String>, end: (inout WriteBatch) throws -> Void)] = [
                (["device two ✓"], [], { $0.revocation = .credentials([Sample.hash("one")]) }),
                (
                    ["device one ✓"], ["device other ✓"],
                    { $0.revocation = .all(of: ada, except: Sample.hash("one")) }
                ),
                ([], [], { $0.revocation = .all(of: ada, except: nil) }),
                ([], [], { $0.account = .delete(try Sample.account("Ada")) }),
                ([], ["device other ✓"], { $0.token = .deleteAll(of: try Sample.id(1)) }),
            ]
        for (left, other, end) in ends {
            let store = try await storeWithSessions()
            try await commit(store) { $0.account = .insert(try Sample.account("Ada")) }
            for text in ["one", "two"] {
                try await insert(try Self.token(text, of: 1, through: text), in: store)
            }
            try await insert(try Self.token("other", of: 2), in: store)
            try await commit(store, end)
            for handle in try await handles(of: store) {
                #expect(try await names(handle) == left)
                #expect(try await names(handle, of: 2) == other)
            }
        }
    }

    private func tokenRefusals() async throws {
        let store = try await storeWithSessions()
        try await commit(store) { $0.revocation = .credentials([Sample.hash("two")]) }
        let record = Sample.idempotencyRecord("refused")
        let cases: [(SessionToken, String, SessionError)] = [
            (try Self.token("a", of: 3), "one", .ended),
            (try Self.token("a", of: 1), "two", .conflict),
            (try Self.token("a", of: 1, through: "two"), "one", .accountChanged),
            (try Self.token("a", of: 1, through: "none"), "one", .accountChanged),
            (try Self.token("a", of: 1, offset: 60_000), "one", .accountChanged),
        ]
        for (token, credential, refusal) in cases {
            var commit = WriteBatch()
            commit.token = .insert(token, loggedInWith: Sample.hash(credential))
            commit.idempotencyRecord = record
            await #expect(throws: refusal) { try await store.commit(commit) }
        }
        for handle in try await handles(of: store) {
            #expect(try await names(handle) == [])
            #expect(try await handle.idempotencyRecord(record.id) == nil)
        }
    }

    private func tokenLimit() async throws {
        let store = try await storeWithSessions()
        let soon = Sample.now + .milliseconds(500)
        for number in 0..<SessionToken.limit {
            try await insert(
                try Self.token(
                    "\(number)", of: 1, expiresAt: number == 0 ? soon : soon + .seconds(9)),
                in: store)
        }
        await #expect(throws: SessionError.tooManyTokens) {
            try await insert(try Self.token("more", of: 1), in: store)
        }
        try await insert(try Self.token("other", of: 2), in: store)
        // An expired token does not count, though no purge has removed it.
        try await insert(try Self.token("later", of: 1, offset: 500), in: store)
        await #expect(throws: SessionError.tooManyTokens) {
            try await insert(try Self.token("more", of: 1, offset: 501), in: store)
        }
    }

    private func tokenPurge() async throws {
        let store = try await storeWithSessions()
        try await store.commit(
            WriteBatch(
                storing: .insert(
                    try Sample.session(
                        3, expiresAt: Sample.now + .seconds(1), credential: Sample.hash("one")))))
        let soon = Sample.now + .seconds(1)
        try await insert(try Self.token("expired", of: 1, expiresAt: soon), in: store)
        try await insert(try Self.token("kept", of: 1), in: store)
        try await insert(try Self.token("orphan", of: 3), in: store)
        try await insert(try Self.token("ended", of: 2), in: store)
        try await store.commit(WriteBatch(storing: .delete(try Sample.id(2))))
        try await purgeAll(store, before: soon)
        for handle in try await handles(of: store) {
            // At an earlier time, the tokens that are left would be listed.
            #expect(try await names(handle) == ["device kept ✓"])
            #expect(try await names(handle, of: 2) == [])
            #expect(try await names(handle, of: 3) == [])
        }
    }

    private func sessionListing() async throws {
        let store = try await storeWithSessions()
        try await commit(store) { $0.newCredential = try Sample.credential("bob", of: "Bob") }
        try await commit(store) { $0.newCredential = try Sample.credential("revoked") }
        try await commit(store) { $0.revocation = .credentials([Sample.hash("revoked")]) }
        try await commit(store) {
            $0.newCredential = try Sample.credential("short", expiresAt: Sample.now + .seconds(5))
        }
        let others: [(Int, String?, Int)] = [
            (3, "two", 60), (4, "bob", 60), (5, "revoked", 60), (6, nil, 60), (7, "one", 0),
            (10, "short", 60),
        ]
        for (number, credential, seconds) in others {
            try await store.commit(
                WriteBatch(
                    storing: .insert(
                        try Sample.session(
                            number, expiresAt: Sample.now + .seconds(seconds),
                            credential: credential.map(Sample.hash)))))
        }
        // Session 8 logs in, and session 9 logs out.
        try await store.commit(WriteBatch(storing: .insert(try Sample.session(8))))
        try await store.commit(
            WriteBatch(storing: .update(try Sample.session(8, credential: Sample.hash("one")))))
        try await store.commit(
            WriteBatch(storing: .insert(try Sample.session(9, credential: Sample.hash("one")))))
        try await store.commit(WriteBatch(storing: .update(try Sample.session(9))))
        let ada = try Username("ADA")
        // The credential of session 10 expires before the session.
        let expected = try [10, 8, 3, 2, 1].map { try Sample.id($0) }
        for handle in try await handles(of: store) {
            for limit in [1, 2, 3, 4, 100] {
                var found: [ListedSession] = []
                while true {
                    let page = try await handle.sessions(
                        of: ada, at: Sample.now, after: found.last?.position, limit: limit)
                    #expect(page.count <= limit)
                    if page.isEmpty { break }
                    found += page
                }
                #expect(found.map(\.id) == expected)
                #expect(found.allSatisfy { $0.name == nil })
                #expect(found.first?.createdAt == Timestamp(milliseconds: 1_600_000_000_010))
            }
            let later = try await handle.sessions(
                of: ada, at: Sample.now + .seconds(5), after: nil, limit: 100)
            #expect(later.map(\.id) == Array(expected.dropFirst()))
            #expect(
                try await handle.sessions(
                    of: ada, at: Sample.now + .seconds(60), after: nil, limit: 100) == [])
        }
    }

    /// Inserts windows and replaces each with another one.
    private func summaries() async throws {
        let store = try await emptyStore()
        try await commit(store) { $0.newCredential = try Sample.credential("one") }
        let windows = Sample.windows
        func expect(_ windows: [StoredWindow], _ lifetime: Duration) async throws {
            for handle in try await handles(of: store) {
                let found = try await handle.sessions(
                    of: try Username("ada"), at: Sample.now, after: nil, limit: 100)
                #expect(found.map(\.revision) == windows.reversed().map(\.revision))
                #expect(found.allSatisfy { $0.expiresAt == Sample.now + lifetime })
                for (session, window) in zip(found, windows.reversed()) {
                    // A session without a user is in no list; it needs no summary.
                    guard case .loggedIn(_?) = window.auth else {
                        #expect(session.summary == nil)
                        continue
                    }
                    let top = try #require(window.topViewController)
                    #expect(session.summary == top.summary)
                    #expect(session.summary?.changes.title == top.changes.title)
                    #expect(session.summary?.parameters == top.parameters)
                }
            }
        }
        func session(
            _ number: Int, _ window: StoredWindow, _ lifetime: Duration
        ) throws -> StoredSession {
            try Sample.session(
                number, window, expiresAt: Sample.now + lifetime, credential: Sample.hash("one"))
        }
        for (number, window) in windows.enumerated() {
            try await store.insert(try session(number, window, .seconds(60)))
        }
        try await expect(windows, .seconds(60))
        let others = Array(windows.reversed())
        for (number, window) in others.enumerated() {
            try await store.update(try session(number, window, .seconds(70)))
        }
        try await expect(others, .seconds(70))
    }

    private func naming() async throws {
        let store = try await storeWithSessions()
        let ada = try Username("Ada")
        let id = try Sample.id(1)
        func names(_ store: any SessionStore) async throws -> [String?] {
            try await store.sessions(of: ada, at: Sample.now, after: nil, limit: 9).map(\.name)
        }
        let name = "Ada’s \"phone\"; 電話"
        let credential = Sample.hash("one")
        for name in [name, nil, name] {
            let named = try Sample.session(1, name: name, credential: credential)
            try await store.update(named)
            for handle in try await handles(of: store) {
                #expect(try await names(handle) == [nil, name])
                #expect(try await handle.content(id) == named)
            }
        }
        let opened = try Sample.session(4, name: name, credential: credential)
        try await store.insert(opened)
        for handle in try await handles(of: store) {
            #expect(try await names(handle) == [name, nil, name])
            #expect(try await handle.content(opened.id) == opened)
        }
    }
}
