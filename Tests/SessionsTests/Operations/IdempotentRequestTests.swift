import NavigationRules
import SessionStoreTesting
import Testing
import WaypostCore

@testable import Sessions

@Suite("Idempotent requests", .everyStore, .timeLimit(.minutes(10)))
struct IdempotentRequestTests {
    private let fixture: Fixture

    init() throws {
        fixture = try Fixture(.withLogin(), sessionTTL: .seconds(72 * 3600))
    }

    /// A request to change a session. Its response contains the credential, as in the API.
    private func attempt(
        _ request: String = "POST push", key: String = "a key", token: String = "wps_1"
    ) -> IdempotentRequest<ChangeResult> {
        IdempotentRequest(key: key, token: token, request: request, requestSize: 100) { change, _ in
            let credential = change.credential?.text ?? "none"
            return Array("revision \(change.session.revision), credential \(credential)".utf8)
        }
    }

    private func openAttempt(
        _ request: String = "POST sessions", key: String = "a key"
    ) -> IdempotentRequest<SessionDirectory.Opened> {
        IdempotentRequest(key: key, token: "", request: request, requestSize: 100) { opened, _ in
            Array("\(opened.session.id) \(opened.token.text)".utf8)
        }
    }

    private func endAttempt() -> IdempotentRequest<ChangeResult> {
        IdempotentRequest(key: "a key", token: "wps_1", request: "DELETE", requestSize: 100) {
            _, _ in
            Array("ended".utf8)
        }
    }

    // MARK: The same request again

    @Test("A repeated change is made once and always gets the first response")
    func change() async throws {
        let session = try await fixture.open(for: "ada")
        let push = Operation.push("detail")
        let first = try await session.perform(push, animated: true, idempotency: attempt()).value
        #expect(first.session.revision == 2)
        let events = try await session.allEvents()
        fixture.clock.advance(by: .seconds(60))
        for _ in 0..<3 {
            let answer = try await session.perform(push, animated: true, idempotency: attempt())
            #expect(try answer.replay == Array("revision 2, credential none".utf8))
        }
        let record = try await session.record()
        #expect(record.scenes == ["home", "detail"])
        #expect(record.revision == 2)
        #expect(record.expiresAt == first.session.expiresAt)
        #expect(try await session.allEvents() == events)
        #expect(fixture.store.count(.update) == 1)
    }

    @Test(
        "A repeated request gets its first response after later changes, precondition or not"
    )
    func laterChanges() async throws {
        let session = try await fixture.open(for: "ada")
        let push = Operation.push("detail")
        _ = try await session.perform(
            push, animated: true, if: revision(1), idempotency: attempt()
        ).value
        _ = try await session.push("settings")
        let again = try await session.perform(
            push, animated: true, if: revision(1), idempotency: attempt())
        #expect(try again.replay == Array("revision 2, credential none".utf8))
        #expect(try await session.record().scenes == ["home", "detail", "settings"])
    }

    @Test("A repeated request that changed nothing again changes nothing")
    func noChange() async throws {
        let session = try await fixture.open(for: "ada")
        let first = try await session.perform(.pop, animated: true, idempotency: attempt()).value
        #expect(!first.outcome.changed)
        _ = try await session.push("detail")
        let again = try await session.perform(.pop, animated: true, idempotency: attempt())
        #expect(try again.replay == Array("revision 1, credential none".utf8))
        #expect(try await session.record().scenes == ["home", "detail"])
    }

    @Test("A repeated sign-up, log-in or log-out is made once")
    func logIn() async throws {
        let session = try await fixture.open()
        let secret = try #require(
            try await session.signUp("ada", "countess!", idempotency: attempt(key: "1")).value
                .credential)
        #expect(
            try await session.signUp("ada", "countess!", idempotency: attempt(key: "1")).replay
                == Array("revision 2, credential \(secret.text)".utf8))
        #expect(try await fixture.username(of: secret) == "ada")

        _ = try await session.logOut(idempotency: attempt(key: "2")).value
        #expect(
            try await session.logOut(idempotency: attempt(key: "2")).replay
                == Array("revision 3, credential none".utf8))

        let next = try #require(
            try await session.logIn("ada", "countess!", idempotency: attempt(key: "3")).value
                .credential)
        // The repeated log-out must not end the log-in that came after it.
        _ = try await session.logOut(idempotency: attempt(key: "2")).replay
        #expect(
            try await session.logIn("ada", "countess!", idempotency: attempt(key: "3")).replay
                == Array("revision 4, credential \(next.text)".utf8))
        #expect(try await fixture.username(of: next) == "ada")
        #expect(try await session.record().revision == 4)
        #expect(fixture.store.count(.update) == 3)
    }

    @Test("A repeated opening of a session returns the first session and token")
    func open() async throws {
        let directory = fixture.directory
        let opened = try await directory.open(idempotency: openAttempt()).value
        for directory in [directory, fixture.restarted()] {
            let answer = try await directory.open(idempotency: openAttempt()).replay
            #expect(answer == Array("\(opened.session.id) \(opened.token.text)".utf8))
        }
        #expect(fixture.store.count(.insert) == 1)
        // Another client's key is another key.
        let other = try await directory.open(idempotency: openAttempt(key: "another")).value
        #expect(other.session.id != opened.session.id)
    }

    @Test("A repeated end of a session gets the first response after the session is gone")
    func end() async throws {
        let session = try await fixture.open()
        _ = try await fixture.directory.end(session, idempotency: endAttempt()).value
        #expect(
            try await fixture.directory.end(session, idempotency: endAttempt()).replay
                == Array("ended".utf8))
        #expect(
            try await fixture.restarted().response(to: endAttempt()) == Array("ended".utf8))
        await #expect(throws: SessionError.ended) { try await fixture.directory.end(session) }
        #expect(fixture.store.count(.delete) == 1)
    }

    @Test("An end with a new key asks the store for the key's record alone")
    func endLooks() async throws {
        let session = try await fixture.open()
        let before = fixture.store.count(.idempotencyRecord)
        _ = try await fixture.directory.end(session, idempotency: endAttempt()).value
        #expect(fixture.store.count(.idempotencyRecord) == before + 1)
    }

    @Test("One of many concurrent equal changes is made; all get its response")
    func atOnce() async throws {
        let session = try await fixture.open(for: "ada")
        let replays = try await withThrowingTaskGroup(of: [UInt8]?.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    try? await session.perform(
                        .push("detail"), animated: true, idempotency: attempt()
                    ).replay
                }
            }
            return try await group.reduce(into: [[UInt8]]()) { $0 += [$1].compactMap(\.self) }
        }
        #expect(replays == Array(repeating: Array("revision 2, credential none".utf8), count: 49))
        #expect(try await session.record().scenes == ["home", "detail"])
    }

    @Test("One of many concurrent equal openings is made; all get its response")
    func openAtOnce() async throws {
        let opened = try await withThrowingTaskGroup(
            of: IdempotentResult<SessionDirectory.Opened>.self
        ) { group in
            for _ in 0..<50 {
                group.addTask { try await fixture.directory.open(idempotency: openAttempt()) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let first = try #require(opened.compactMap { try? $0.value }.first)
        let replays = opened.compactMap { try? $0.replay }
        let answer = Array("\(first.session.id) \(first.token.text)".utf8)
        #expect(replays == Array(repeating: answer, count: 49))
        #expect(fixture.store.count(.insert) == 1)
    }

    // MARK: Another request

    @Test("A key with a different request is rejected without a change")
    func reuse() async throws {
        let session = try await fixture.open(for: "ada")
        let push = Operation.push("detail")
        _ = try await session.perform(push, animated: true, idempotency: attempt()).value
        let reused = SessionError.idempotencyKeyReused
        await #expect(throws: reused) {
            try await session.perform(.pop, animated: true, idempotency: attempt("POST pop"))
        }
        await #expect(throws: reused) {
            try await session.logOut(idempotency: attempt("POST log-out"))
        }
        #expect(try await session.record().scenes == ["home", "detail"])
        #expect(try await session.record().revision == 2)

        _ = try await fixture.directory.open(idempotency: openAttempt()).value
        await #expect(throws: reused) {
            try await fixture.directory.open(idempotency: openAttempt("POST sessions, native"))
        }
        // The first request still gets its response.
        _ = try await session.perform(push, animated: true, idempotency: attempt()).replay
    }

    @Test("The same key with another token is a different key, whatever their lengths")
    func otherToken() {
        let ids = [
            attempt(key: "k", token: "t").id, attempt(key: "k", token: "u").id,
            attempt(key: "l", token: "t").id, attempt(key: "", token: "tk").id,
            attempt(key: "tk", token: "").id, attempt(key: "1:k", token: "t").id,
        ]
        #expect(Set(ids).count == ids.count)
    }

    // MARK: Lifetime of records

    @Test("A response is kept for 24 hours; after that the request is a new one")
    func expiry() async throws {
        let session = try await fixture.open(for: "ada")
        let push = Operation.push("detail")
        _ = try await session.perform(push, animated: true, idempotency: attempt()).value
        let opened = try await fixture.directory.open(idempotency: openAttempt()).value
        let idempotencyRecord = try await #require(
            fixture.store.base.idempotencyRecord(attempt().id))
        #expect(idempotencyRecord.expiresAt == fixture.clock.now + .seconds(24 * 3600))

        fixture.clock.advance(by: .seconds(24 * 3600) - .milliseconds(1))
        _ = try await session.perform(push, animated: true, idempotency: attempt()).replay
        _ = try await fixture.directory.open(idempotency: openAttempt()).replay
        fixture.clock.advance(by: .milliseconds(1))
        let change = try await session.perform(push, animated: true, idempotency: attempt()).value
        #expect(change.session.scenes == ["home", "detail", "detail"])
        let other = try await fixture.directory.open(idempotency: openAttempt()).value
        #expect(other.session.id != opened.session.id)

        // The new response is the stored one, for its own 24 hours.
        let again = try await session.perform(push, animated: true, idempotency: attempt())
        #expect(try again.replay == Array("revision 3, credential none".utf8))
    }

    @Test("An idempotency record outlives the expiry of its session")
    func expiredSession() async throws {
        let fixture = try Fixture(.withLogin())
        let session = try await fixture.open(for: "ada")
        let push = Operation.push("detail")
        _ = try await session.perform(push, animated: true, idempotency: attempt()).value
        fixture.clock.advance(by: Fixture.sessionTTL)
        #expect(try await session.isOver)
        _ = try await session.perform(push, animated: true, idempotency: attempt()).replay
        await #expect(throws: SessionError.ended) {
            try await session.perform(push, animated: true, idempotency: attempt(key: "another"))
        }
    }

    // MARK: Requests without a record

    @Test("A change that cannot be stored leaves no idempotency record and can be repeated")
    func storageFailure() async throws {
        let session = try await fixture.open(for: "ada")
        let failed = SessionError.storage(ScriptedStore.failure)
        fixture.store.fail(.insert, .update, .delete, .check, .other)
        await #expect(throws: failed) {
            try await session.perform(.push("detail"), animated: true, idempotency: attempt())
        }
        await #expect(throws: failed) {
            try await session.perform(.pop, animated: true, idempotency: attempt(key: "2"))
        }
        await #expect(throws: failed) {
            try await fixture.directory.open(idempotency: openAttempt())
        }
        await #expect(throws: failed) {
            try await fixture.directory.end(session, idempotency: endAttempt())
        }
        let ids = [attempt().id, attempt(key: "2").id, openAttempt().id, endAttempt().id]
        for id in ids { #expect(try await fixture.store.base.idempotencyRecord(id) == nil) }

        fixture.store.fail()
        let change = try await session.perform(
            .push("detail"), animated: true, idempotency: attempt()
        ).value
        #expect(change.session.revision == 2)
        _ = try await fixture.directory.open(idempotency: openAttempt()).value
    }

    @Test("A rejected request leaves no idempotency record")
    func refused() async throws {
        let session = try await fixture.open()
        await #expect(throws: SessionError.navigation(.sceneNotFound("nowhere"))) {
            try await session.perform(.push("nowhere"), animated: true, idempotency: attempt())
        }
        await #expect(throws: SessionError.revisionMismatch(present: 1)) {
            try await session.perform(
                .push("signUp"), animated: true, if: revision(0), idempotency: attempt())
        }
        await #expect(throws: SessionError.wrongCredentials) {
            try await session.logIn("ada", "countess!", idempotency: attempt())
        }
        #expect(try await fixture.store.base.idempotencyRecord(attempt().id) == nil)
        _ = try await session.perform(
            .push("signUp"), animated: true, idempotency: attempt()
        ).value
    }

    @Test("A request with a key fails without a change if its record cannot be read")
    func unreadable() async throws {
        let session = try await fixture.open(for: "ada")
        fixture.store.fail(.idempotencyRecord)
        let failed = SessionError.storage(ScriptedStore.failure)
        await #expect(throws: failed) {
            try await session.perform(.push("detail"), animated: true, idempotency: attempt())
        }
        await #expect(throws: failed) {
            try await fixture.directory.open(idempotency: openAttempt())
        }
        #expect(try await session.record().revision == 1)
        #expect(fixture.store.count(.insert) == 1)
        // A request without a key needs no idempotency record.
        _ = try await session.push("detail")
    }

    // MARK: Stored form

    @Test("A stored response is encrypted and opens only with the client's token and key")
    func sealed() async throws {
        let opened = try await fixture.directory.open(idempotency: openAttempt()).value
        let token = opened.token.text
        let session = try #require(
            try await fixture.directory.session(opened.session.id, token: opened.token.hash))
        let signUp = attempt("POST sign-up", token: token)
        let secret = try #require(
            try await session.signUp("ada", "countess!", idempotency: signUp).value.credential)

        for (id, clear) in [(openAttempt().id, token), (signUp.id, secret.text)] {
            let idempotencyRecord = try await #require(fixture.store.base.idempotencyRecord(id))
            let stored =
                idempotencyRecord.sealedResponse + idempotencyRecord.id.bytes
                + idempotencyRecord.fingerprint.bytes
            // The stored bytes may not contain even 8 of the secret's digits.
            let digits = Array(clear.utf8)
            for start in 0...(digits.count - 8) {
                #expect(stored.firstRange(of: digits[start..<(start + 8)]) == nil)
            }
            for hash in [
                SecretHash(of: "a key"), opened.token.hash, secret.hash, idempotencyRecord.id,
            ] {
                #expect(SealedBox.open(idempotencyRecord.sealedResponse, key: hash) == nil)
            }
        }
        // The store and the key do not suffice to read the response without the token.
        let idempotencyRecord = try await #require(fixture.store.base.idempotencyRecord(signUp.id))
        #expect(throws: SessionError.idempotencyKeyReused) {
            try attempt("POST sign-up", token: "wps_2").storedResponse(in: idempotencyRecord)
        }
        #expect(
            try signUp.storedResponse(in: idempotencyRecord)
                == Array("revision 2, credential \(secret.text)".utf8))
    }
}
