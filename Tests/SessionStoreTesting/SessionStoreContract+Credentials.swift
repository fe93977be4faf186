import Sessions
import Testing
import WaypostCore

extension SessionStoreContract {
    static let credentialChecks = [
        Check("A credential is read as it was stored") { try await $0.wholeCredential() },
        Check("Recording a credential's use changes nothing else") { try await $0.credentialUse() },
        Check("All credentials of one account are revoked, or all but one") {
            try await $0.revocationOfAll()
        },
        Check("Only the named credentials are revoked") {
            try await $0.revocationOfSome()
        },
        Check("The newest invalid credentials of an account are kept") {
            try await $0.forgetting()
        },
        Check("An account's valid credentials are listed by page, the newest first") {
            try await $0.credentialListing()
        },
    ]

    private func insert(_ credentials: Credential..., in store: any SessionStore) async throws {
        for credential in credentials {
            var commit = WriteBatch()
            commit.newCredential = credential
            try await store.commit(commit)
        }
    }

    private func wholeCredential() async throws {
        let store = try await emptyStore()
        let username = try Username("Łukasz.1@example")
        let credentials = [
            Credential(
                hash: Sample.hash("least"), username: username, session: nil,
                createdAt: Timestamp(milliseconds: 1), expiresAt: Timestamp(milliseconds: 2)),
            Credential(
                hash: Sample.hash("most"), username: username, session: "0123456789abcdef",
                createdAt: Timestamp(milliseconds: Sample.bigNumber),
                expiresAt: Timestamp(milliseconds: Sample.bigNumber + 2),
                lastUsedAt: Timestamp(milliseconds: Sample.bigNumber + 1), isRevoked: true),
        ]
        for credential in credentials { try await insert(credential, in: store) }
        for handle in try await handles(of: store) {
            for credential in credentials {
                let found = try await handle.credential(credential.hash)
                #expect(found == credential)
                #expect(found?.username.text == "Łukasz.1@example")
            }
        }
    }

    private func credentialUse() async throws {
        let store = try await emptyStore()
        let end = Sample.now + .seconds(600)
        let used = try Sample.credential("used", expiresAt: end)
        let other = try Sample.credential("other", expiresAt: end)
        try await insert(used, other, in: store)
        // The last use is recorded to the minute.
        for seconds in [10, 70] {
            var commit = WriteBatch()
            let time = Sample.now + .seconds(seconds)
            commit.credentialUse = WriteBatch.CredentialUse(hash: used.hash, time: time)
            try await store.commit(commit)
            var expected = used
            expected.lastUsedAt = time
            for handle in try await handles(of: store) {
                #expect(try await handle.credential(used.hash) == expected)
                #expect(try await handle.credential(other.hash) == other)
            }
        }
        var revocation = WriteBatch()
        revocation.revocation = .credentials([other.hash])
        try await store.commit(revocation)
        for hash in [other.hash, Sample.hash("gone")] {
            let before = try await store.credential(hash)
            var commit = WriteBatch(storing: .insert(try Sample.session(1)))
            commit.credentialUse = WriteBatch.CredentialUse(hash: hash, time: Sample.now)
            await #expect(throws: SessionError.accountChanged) { try await store.commit(commit) }
            #expect(try await store.credential(hash) == before)
            #expect(try await store.session(Sample.id(1)) == nil)
        }
    }

    private func revocationOfAll() async throws {
        let store = try await emptyStore()
        let names = ["a": "Ada", "b": "ADA", "c": "ada", "x": "Adam", "y": "bob"]
        for (text, name) in names {
            try await insert(try Sample.credential(text, of: name), in: store)
        }
        let steps: [(except: String?, revoked: Set<String>)] = [
            ("b", ["a", "c"]), ("b", ["a", "c"]), (nil, ["a", "b", "c"]), ("x", ["a", "b", "c"]),
        ]
        for step in steps {
            var commit = WriteBatch()
            commit.revocation = .all(
                of: try Username("aDA"), except: step.except.map(Sample.hash))
            // A commit does not revoke the credential that it inserts.
            let text = "new \(step.except ?? "")"
            commit.newCredential = try Sample.credential(text, of: "Ada")
            try await store.commit(commit)
            for handle in try await handles(of: store) {
                for text in names.keys {
                    let credential = try await handle.credential(Sample.hash(text))
                    #expect(credential?.isRevoked == step.revoked.contains(text))
                }
                #expect(try await handle.credential(Sample.hash(text))?.isRevoked == false)
            }
        }
    }

    private func revocationOfSome() async throws {
        let store = try await emptyStore()
        let texts = ["one", "two", "three", "four"]
        for text in texts { try await insert(try Sample.credential(text), in: store) }
        var commit = WriteBatch()
        commit.revocation = .credentials(["one", "three", "unknown"].map(Sample.hash))
        commit.newCredential = try Sample.credential("new")
        try await store.commit(commit)
        for handle in try await handles(of: store) {
            for text in texts + ["new"] {
                let credential = try await handle.credential(Sample.hash(text))
                #expect(credential?.isRevoked == ["one", "three"].contains(text))
            }
            #expect(try await handle.credential(Sample.hash("unknown")) == nil)
        }
    }

    private func forgetting() async throws {
        let store = try await emptyStore()
        let limit = Credential.rememberedLimit
        // Revoked, expired and valid credentials alternate.
        func credential(_ number: Int, of name: String) throws -> Credential {
            Credential(
                hash: Sample.hash("\(name) \(number)"), username: try Username(name), session: nil,
                createdAt: Sample.now + .milliseconds(number),
                expiresAt: Sample.now
                    + (number % 3 == 1 ? .milliseconds(number) : .seconds(1000)),
                isRevoked: number.isMultiple(of: 3))
        }
        let count = 3 * limit
        for number in 0..<count {
            try await insert(try credential(number, of: "Ada"), in: store)
            if number < 10 { try await insert(try credential(number, of: "Adam"), in: store) }
        }
        for handle in try await handles(of: store) {
            var remembered: [Int] = []
            for number in 0..<count {
                let found = try await handle.credential(Sample.hash("Ada \(number)"))
                if number % 3 == 2 {
                    #expect(found != nil)
                } else if found != nil {
                    remembered.append(number)
                }
            }
            #expect(remembered == Array((0..<count).filter { $0 % 3 != 2 }.suffix(limit)))
            for number in 0..<10 {
                #expect(try await handle.credential(Sample.hash("Adam \(number)")) != nil)
            }
        }
    }

    private func credentialListing() async throws {
        let store = try await emptyStore()
        let username = try Username("Ada")
        // Three credentials share each creation time; their ids decide the order.
        var expected: [Credential] = []
        for number in 0..<30 {
            let credential = Credential(
                hash: Sample.hash("\(number)"), username: username, session: "\(number)",
                createdAt: Sample.now + .milliseconds(number / 3),
                expiresAt: Sample.now + .seconds(number == 7 ? 60 : 61),
                isRevoked: number.isMultiple(of: 10))
            try await insert(credential, in: store)
            if !credential.isRevoked, number != 7 { expected.append(credential) }
        }
        expected.sort { one, other in
            one.createdAt == other.createdAt
                ? one.id.description > other.id.description : one.createdAt > other.createdAt
        }
        try await insert(try Sample.credential("of another", of: "Adam"), in: store)
        let now = Sample.now + .seconds(60)
        for handle in try await handles(of: store) {
            let all = try await handle.credentials(of: username, at: now, after: nil, limit: 100)
            #expect(all == expected)
            for limit in [1, 2, 7, 26, 100] {
                var pages: [Credential] = []
                while true {
                    let page = try await handle.credentials(
                        of: username, at: now, after: pages.last?.position, limit: limit)
                    #expect(page.count <= limit)
                    guard !page.isEmpty, pages.count < 100 else { break }
                    pages += page
                }
                #expect(pages == expected)
            }
            // A revoked credential's position is valid although the list omits the credential.
            let revoked = try #require(try await handle.credential(Sample.hash("10")))
            let rest = try await handle.credentials(
                of: username, at: now, after: revoked.position, limit: 100)
            #expect(rest == expected.filter { $0.position.isAfter(revoked.position) })
            #expect(
                try await handle.credentials(
                    of: Username("nobody"), at: now, after: nil, limit: 10
                ).isEmpty)
        }
    }
}
