import Accounts
import Sessions
import Testing

extension SessionStoreContract {
    static let accountChecks = [
        Check("An account is found without regard to case, with the name as it was signed up") {
            try await $0.account()
        },
        Check("A credential is found until it is revoked") { try await $0.credential() },
        Check("A log-in in place of another revokes and stores at once") {
            try await $0.credentialInPlaceOfAnother()
        },
    ]

    private func account() async throws {
        let store = try await emptyStore()
        let names = ["Ada", "Bob.the-1@example", "Łukasz", "ΣΊΣΥΦΟΣ", "straße", "12345"]
        for (number, name) in names.enumerated() {
            var commit = Commit()
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
            var commit = Commit()
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
            var commit = Commit()
            commit.revocation = .credential(Sample.hash("one"))
            try await store.commit(commit)
            for handle in try await handles(of: store) {
                #expect(try await handle.credential(Sample.hash("one"))?.isRevoked == true)
                #expect(try await handle.credential(Sample.hash("two"))?.isRevoked == false)
            }
        }
    }

    private func credentialInPlaceOfAnother() async throws {
        let store = try await emptyStore()
        var commit = Commit()
        commit.newCredential = try Sample.credential("first")
        try await store.commit(commit)
        commit.newCredential = try Sample.credential("second")
        commit.revocation = .credential(Sample.hash("first"))
        try await store.commit(commit)
        for handle in try await handles(of: store) {
            #expect(try await handle.credential(Sample.hash("first"))?.isRevoked == true)
            #expect(try await handle.credential(Sample.hash("second"))?.isRevoked == false)
        }
    }
}
