import Sessions
import Testing
import WaypostCore

extension SessionStoreContract {
    static let accountChecks = [
        Check("An account is found in any case and keeps its name as signed up") {
            try await $0.account()
        },
        Check("A credential is found until it is revoked") { try await $0.credential() },
        Check("An account is changed and removed only if it is as it was read") {
            try await $0.changes()
        },
        Check("Accounts are listed by name, page by page") { try await $0.accountListing() },
    ]

    private func account() async throws {
        let store = try await emptyStore()
        let names = ["Ada", "Bob.the-1@example", "Łukasz", "ΣΊΣΥΦΟΣ", "straße", "12345"]
        for (number, name) in names.enumerated() {
            var commit = WriteBatch()
            commit.account = .insert(
                Account(
                    username: try Username(name), password: PasswordHash(text: "$hash$\(name)"),
                    createdAt: Timestamp(milliseconds: number)))
            try await store.commit(commit)
        }
        for handle in try await handles(of: store) {
            for (number, name) in names.enumerated() {
                for written in [name, name.lowercased(), name.uppercased()]
                where try Username(written) == Username(name) {
                    let account = try #require(try await handle.account(Username(written)))
                    #expect(account.username.text == name)
                    #expect(account.password.text == "$hash$\(name)")
                    #expect(account.createdAt == Timestamp(milliseconds: number))
                }
            }
            #expect(try await handle.account(Username("nobody")) == nil)
            #expect(try await handle.account(Username("Adam")) == nil)
        }
    }

    private func credential() async throws {
        let store = try await emptyStore()
        for text in ["one", "two"] {
            var commit = WriteBatch()
            commit.newCredential = Credential(
                hash: Sample.hash(text), username: try Username("Ada"), session: "here",
                createdAt: Timestamp(milliseconds: 1), expiresAt: Timestamp(milliseconds: 2))
            try await store.commit(commit)
        }
        for handle in try await handles(of: store) {
            let credential = try #require(try await handle.credential(Sample.hash("one")))
            #expect(credential.hash == Sample.hash("one"))
            #expect(credential.username.text == "Ada")
            #expect(credential.createdAt == Timestamp(milliseconds: 1))
            #expect(credential.expiresAt == Timestamp(milliseconds: 2))
            #expect(try await handle.credential(Sample.hash("three")) == nil)
        }
        for _ in 0..<2 {
            var commit = WriteBatch()
            commit.revocation = .credentials([Sample.hash("one")])
            try await store.commit(commit)
            for handle in try await handles(of: store) {
                #expect(try await handle.credential(Sample.hash("one"))?.isRevoked == true)
                #expect(try await handle.credential(Sample.hash("two"))?.isRevoked == false)
            }
        }
    }

    private func changes() async throws {
        let store = try await emptyStore()
        for name in ["Ada", "Adam"] {
            var commit = WriteBatch()
            commit.account = .insert(try Sample.account(name, password: "first"))
            commit.newCredential = try Sample.credential("of \(name)", of: name)
            try await store.commit(commit)
        }
        var account = try Sample.account("Ada", password: "first")
        for (password, isDisabled) in [("first", true), ("second", true), ("second", false)] {
            let found = account
            account.password = PasswordHash(text: password)
            account.isDisabled = isDisabled
            var commit = WriteBatch()
            commit.account = .update(account, from: found)
            try await store.commit(commit)
            for handle in try await handles(of: store) {
                #expect(try await handle.account(Username("ADA")) == account)
                #expect(
                    try await handle.account(Username("adam"))
                        == Sample.account("Adam", password: "first"))
                #expect(try await handle.credential(Sample.hash("of Ada"))?.isRevoked == false)
            }
        }
        var commit = WriteBatch()
        commit.account = .delete(account)
        try await store.commit(commit)
        for handle in try await handles(of: store) {
            #expect(try await handle.account(Username("ada")) == nil)
            #expect(try await handle.credential(Sample.hash("of Ada")) == nil)
            #expect(try await handle.account(Username("adam")) != nil)
            #expect(try await handle.credential(Sample.hash("of Adam")) != nil)
        }
        // The deleted account's name is free.
        commit.account = .insert(try Sample.account("ada", password: "third"))
        try await store.commit(commit)
        #expect(try await store.account(Username("Ada"))?.username.text == "ada")
        #expect(try await store.credential(Sample.hash("of Ada")) == nil)
    }

    private func accountListing() async throws {
        let store = try await emptyStore()
        #expect(try await store.accounts(after: nil, limit: 10).isEmpty)
        // The names are in the order of their keys, compared scalar by scalar.
        let names = ["-ada", "1ada", "ADA", "ada-2", "Ada2", "Bob", "zoe", "éva", "ΣΊΣΥΦΟΣ", "ﬁnn"]
        let sorted = try names.map { try Username($0) }.sorted {
            $0.key.utf8.lexicographicallyPrecedes($1.key.utf8)
        }
        for (number, name) in names.enumerated().reversed() {
            var commit = WriteBatch()
            var account = try Sample.account(name, password: "$\(number)")
            account.isDisabled = number.isMultiple(of: 3)
            commit.account = .insert(account)
            try await store.commit(commit)
        }
        for handle in try await handles(of: store) {
            let all = try await handle.accounts(after: nil, limit: 100)
            #expect(all.map(\.username.text) == sorted.map(\.text))
            for account in all { #expect(try await handle.account(account.username) == account) }
            for (index, name) in sorted.enumerated() {
                for limit in [1, 3, 100] {
                    let page = try await handle.accounts(after: name, limit: limit)
                    #expect(page == Array(all[(index + 1)...].prefix(limit)))
                }
            }
            // No account has the name that the page comes after.
            let page = try await handle.accounts(after: Username("ada-1"), limit: 2)
            #expect(page.map(\.username.text) == ["ada-2", "Ada2"])
        }
    }
}
