import NavigationRules
import Sessions
import Testing

extension SessionStoreContract {
    static let commitChecks = [
        Check("A commit writes everything in its batch") { try await $0.wholeCommit() },
        Check("An empty commit changes nothing") { try await $0.emptyCommit() },
        Check("A commit with a taken username is rejected as a whole") {
            try await $0.takenName()
        },
        Check("A commit with an account changed meanwhile is rejected as a whole") {
            try await $0.changedAccount()
        },
        Check("A commit with a change of a missing session is rejected as a whole") {
            try await $0.goneSession()
        },
        Check("Readers see all commits that have returned, in their order") {
            try await $0.order()
        },
    ]

    private func wholeCommit() async throws {
        let store = try await emptyStore()
        var commit = WriteBatch(storing: .insert(try Sample.session(1)))
        commit.store(Sample.events(1...3))
        commit.account = .insert(try Sample.account("Ada"))
        commit.newCredential = try Sample.credential("new")
        commit.idempotencyRecord = Sample.idempotencyRecord("key")
        try await store.commit(commit)
        for handle in try await handles(of: store) {
            #expect(try await handle.content(Sample.id(1)) == Sample.session(1))
            #expect(try await handle.allEvents(of: Sample.id(1)) == Sample.events(1...3))
            #expect(try await handle.account(Username("ada"))?.username.text == "Ada")
            #expect(try await handle.credential(Sample.hash("new"))?.username.text == "Ada")
            #expect(
                try await handle.idempotencyRecord(Sample.idempotencyRecord("key").id)
                    == Sample.idempotencyRecord("key"))
        }

        commit = WriteBatch(storing: .delete(try Sample.id(1)))
        commit.revocation = .credentials([Sample.hash("new")])
        commit.idempotencyRecord = Sample.idempotencyRecord("end")
        try await store.commit(commit)
        for handle in try await handles(of: store) {
            #expect(try await handle.content(Sample.id(1)) == nil)
            #expect(try await handle.credential(Sample.hash("new"))?.isRevoked == true)
            #expect(
                try await handle.idempotencyRecord(Sample.idempotencyRecord("end").id)
                    == Sample.idempotencyRecord("end"))
            // The end of a session removes neither an account nor a record without a session.
            #expect(try await handle.account(Username("ada")) != nil)
            #expect(
                try await handle.idempotencyRecord(Sample.idempotencyRecord("key").id)
                    == Sample.idempotencyRecord("key"))
        }
    }

    private func emptyCommit() async throws {
        let store = try await emptyStore()
        try await store.insert(try Sample.session(1), Sample.events(1...3))
        try await store.commit(WriteBatch())
        #expect(try await store.content(Sample.id(1)) == Sample.session(1))
        #expect(try await store.allEvents(of: Sample.id(1)) == Sample.events(1...3))
    }

    private func takenName() async throws {
        let store = try await emptyStore()
        var commit = WriteBatch(storing: .insert(try Sample.session(1)))
        commit.store(Sample.events(1...3))
        commit.account = .insert(try Sample.account("Ada", password: "first"))
        commit.newCredential = try Sample.credential("kept")
        try await store.commit(commit)

        let changes: [WriteBatch.SessionChange?] = [
            .update(
                try Sample.session(
                    1, Sample.window(revision: 2), credential: Sample.hash("refused"))),
            .insert(try Sample.session(2)), .delete(try Sample.id(1)), nil,
        ]
        for (change, name) in zip(changes, ["Ada", "ada", "ADA", "aDa"]) {
            var refused = WriteBatch(storing: change)
            refused.store(Sample.events(4...6, revision: 2))
            refused.account = .insert(try Sample.account(name, password: "second"))
            refused.newCredential = try Sample.credential("refused")
            refused.revocation = .credentials([Sample.hash("kept")])
            refused.idempotencyRecord = Sample.idempotencyRecord("refused")
            await #expect(throws: SessionError.usernameTaken) { try await store.commit(refused) }
            for handle in try await handles(of: store) {
                #expect(try await handle.content(Sample.id(1)) == Sample.session(1))
                #expect(try await handle.allEvents(of: Sample.id(1)) == Sample.events(1...3))
                #expect(try await handle.content(Sample.id(2)) == nil)
                #expect(try await handle.allEvents(of: Sample.id(2)).isEmpty)
                let account = try await handle.account(Username("ada"))
                #expect(account?.username.text == "Ada")
                #expect(account?.password.text == "first")
                #expect(try await handle.credential(Sample.hash("kept"))?.isRevoked == false)
                #expect(try await handle.credential(Sample.hash("refused")) == nil)
                #expect(
                    try await handle.idempotencyRecord(Sample.idempotencyRecord("refused").id)
                        == nil)
            }
        }
        // The store still works, and another name is free.
        commit = WriteBatch(storing: .update(try Sample.session(1, Sample.window(revision: 2))))
        commit.account = .insert(try Sample.account("Adam"))
        try await store.commit(commit)
        #expect(try await store.content(Sample.id(1))?.window.revision == 2)
        #expect(try await store.account(Username("adam")) != nil)
    }

    /// Changes a session that was purged, and one that never existed. The store must fail, not report
    /// a success.
    private func goneSession() async throws {
        let store = try await emptyStore()
        var commit = WriteBatch(storing: .insert(try Sample.session(1, expiresAt: Sample.now)))
        commit.store(Sample.events(1...3))
        commit.newCredential = try Sample.credential("kept")
        try await store.commit(commit)
        try await store.update(try Sample.session(1, expiresAt: Sample.now), Sample.events(4...6))
        try await purgeAll(store, before: Sample.now)
        for events in [[], Sample.events(7...9, revision: 3)] {
            for account in [nil, WriteBatch.AccountChange.insert(try Sample.account("Ada"))] {
                var refused = WriteBatch(
                    storing: .update(try Sample.session(1, Sample.window(revision: 3))))
                refused.store(events)
                refused.account = account
                refused.newCredential = try Sample.credential("refused")
                refused.revocation = .credentials([Sample.hash("kept")])
                refused.idempotencyRecord = Sample.idempotencyRecord("refused")
                await #expect(throws: SessionError.ended) {
                    try await store.commit(refused)
                }
                for handle in try await handles(of: store) {
                    #expect(try await handle.content(Sample.id(1)) == nil)
                    #expect(try await handle.allEvents(of: Sample.id(1)).isEmpty)
                    #expect(try await handle.account(Username("ada")) == nil)
                    #expect(try await handle.credential(Sample.hash("refused")) == nil)
                    #expect(try await handle.credential(Sample.hash("kept"))?.isRevoked == false)
                    let record = Sample.idempotencyRecord("refused")
                    #expect(try await handle.idempotencyRecord(record.id) == nil)
                }
            }
        }
    }

    private func changedAccount() async throws {
        let store = try await emptyStore()
        var account = try Sample.account("Ada", password: "present")
        account.isDisabled = true
        var commit = WriteBatch(storing: .insert(try Sample.session(1)))
        commit.store(Sample.events(1...3))
        commit.account = .insert(account)
        commit.newCredential = try Sample.credential("kept")
        try await store.commit(commit)

        var otherPassword = account
        otherPassword.password = PasswordHash(text: "past")
        var enabled = account
        enabled.isDisabled = false
        let unknown = try Sample.account("Eve", password: "present")
        for found in [otherPassword, enabled, unknown] {
            var next = found
            next.password = PasswordHash(text: "next")
            for change in [WriteBatch.AccountChange.update(next, from: found), .delete(found)] {
                var refused = WriteBatch(
                    storing: .update(try Sample.session(1, Sample.window(revision: 2))))
                refused.store(Sample.events(4...6, revision: 2))
                refused.account = change
                refused.newCredential = try Sample.credential("refused")
                refused.revocation = .all(of: account.username, except: nil)
                refused.credentialUse = WriteBatch.CredentialUse(
                    hash: Sample.hash("kept"), time: Sample.now)
                refused.idempotencyRecord = Sample.idempotencyRecord("refused")
                await #expect(throws: SessionError.accountChanged) {
                    try await store.commit(refused)
                }
                for handle in try await handles(of: store) {
                    #expect(try await handle.account(account.username) == account)
                    #expect(try await handle.account(unknown.username) == nil)
                    #expect(try await handle.content(Sample.id(1)) == Sample.session(1))
                    #expect(try await handle.allEvents(of: Sample.id(1)) == Sample.events(1...3))
                    #expect(
                        try await handle.credential(Sample.hash("kept"))
                            == Sample.credential("kept"))
                    #expect(try await handle.credential(Sample.hash("refused")) == nil)
                    #expect(
                        try await handle.idempotencyRecord(Sample.idempotencyRecord("refused").id)
                            == nil)
                }
            }
        }
        // The store still works, also for an update that changes nothing.
        commit = WriteBatch(storing: .update(try Sample.session(1, Sample.window(revision: 2))))
        commit.account = .update(account, from: account)
        commit.newCredential = try Sample.credential("taken")
        try await store.commit(commit)
        #expect(try await store.content(Sample.id(1))?.window.revision == 2)
        #expect(try await store.credential(Sample.hash("taken")) != nil)
    }

    private func order() async throws {
        let store = try await emptyStore()
        try await store.insert(try Sample.session(1), Sample.events(1...2))
        for revision in 2...60 {
            let last = 2 * revision
            try await store.update(
                try Sample.session(1, Sample.window(revision: revision, lastEvent: last)),
                Sample.events((last - 1)...last, revision: revision))
            #expect(try await store.content(Sample.id(1))?.window.revision == revision)
            let page = try await store.events(of: Sample.id(1), after: last - 2, limit: 10)
            #expect(page.events.map(\.seq) == [last - 1, last])
            #expect(page.events.allSatisfy { $0.revision == revision })
        }
        for handle in try await handles(of: store) {
            #expect(try await handle.content(Sample.id(1))?.window.revision == 60)
            #expect(try await handle.allEvents(of: Sample.id(1)).map(\.seq) == Array(1...120))
        }
    }
}
