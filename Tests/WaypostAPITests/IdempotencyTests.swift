import HTTPCore
import JSON
import Testing
import WaypostTesting

/// A request that is sent again with its `Idempotency-Key` does once what it did, and is answered as
/// it was.
@Suite struct IdempotencyTests {
    private static let service = Result { try TestService() }
    private static let push = #"{"scene": "titles"}"#

    @Test func aRepeatedChangeIsMadeOnce() async throws {
        let client = try await Client.loggedIn(Self.service.get())
        let key = ["Idempotency-Key": "a-new-key"]
        let first = try await client.send("POST", "push", Self.push, headers: key)
        let second = try await client.send("POST", "push", Self.push, headers: key)
        #expect(first.status == 200 && second.status == 200)
        #expect(first.bytes == second.bytes)
        #expect(first.headers["Idempotency-Replayed"] == nil)
        #expect(second.headers["Idempotency-Replayed"] == "true")
        #expect(second.headers["ETag"] == first.headers["ETag"])
        #expect(second.headers["Content-Type"] == "application/json")
        #expect(try await client.session()["viewControllers"]?.count == 2)
    }

    @Test func anAnswerThatNothingChangedIsKeptToo() async throws {
        let client = try await Client.loggedIn(Self.service.get())
        let key = ["Idempotency-Key": "k"]
        let first = try await client.send("POST", "pop", headers: key)
        _ = try await client.send("POST", "push", Self.push)
        let second = try await client.send("POST", "pop", headers: key)
        #expect(second.bytes == first.bytes)
        #expect(try await client.session()["viewControllers"]?.count == 2)
    }

    @Test func manyAtOnceHaveOneEffectAndEqualAnswers() async throws {
        let client = try await Client.loggedIn(Self.service.get())
        let answers = try await withThrowingTaskGroup(of: [UInt8].self) { group in
            for _ in 0..<50 {
                group.addTask {
                    try await client.send(
                        "POST", "push", Self.push, headers: ["Idempotency-Key": "one"]
                    ).bytes
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(Set(answers).count == 1)
        #expect(try await client.session()["viewControllers"]?.count == 2)
    }

    @Test func aKeyIsForOneRequestOnly() async throws {
        let client = try await Client.loggedIn(Self.service.get())
        let key = ["Idempotency-Key": "k"]
        _ = try await client.send("POST", "push", Self.push, headers: key)
        let others = [
            ("POST", "pop", ""), ("POST", "push", #"{"scene": "authors"}"#),
        ]
        for (method, path, body) in others {
            let reply = try await client.send(method, path, body, headers: key)
            #expect(reply.status == 422)
            #expect(reply.code == "idempotency-key-reused")
        }
        #expect(try await client.session()["viewControllers"]?.count == 2)
    }

    @Test func sessionsDoNotShareKeys() async throws {
        let service = try Self.service.get()
        for _ in 0..<2 {
            let client = try await Client.loggedIn(service)
            let reply = try await client.send(
                "POST", "push", Self.push, headers: ["Idempotency-Key": "k"])
            #expect(reply.headers["Idempotency-Replayed"] == nil)
        }
    }

    @Test func aRefusalIsNotKept() async throws {
        let client = try await Client(Self.service.get().api)
        let key = ["Idempotency-Key": "k"]
        let push = #"{"scene": "signUp"}"#
        let refused = try await client.send(
            "POST", "push", push, headers: key.merging(["If-Match": "\"7\""]) { $1 })
        #expect(refused.status == 412)
        #expect(try await client.send("POST", "push", push, headers: key).status == 200)
    }

    @Test func aSessionIsOpenedOnceAndItsTokenComesAgain() async throws {
        let api = try Self.service.get().api
        let headers = ["Idempotency-Key": "open-\(UInt64.random(in: 0 ... .max))"]
        let answers = try await withThrowingTaskGroup(of: Reply.self) { group in
            for _ in 0..<20 {
                group.addTask { try await api.send("POST", "/v1/sessions", headers: headers) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.allSatisfy { $0.status == 201 })
        #expect(Set(answers.map(\.bytes)).count == 1)
        #expect(answers.count { $0.headers["Idempotency-Replayed"] == nil } == 1)
        let id = try #require(answers[0].json["id"]?.text)
        let token = try #require(answers[0].json["token"]?.text)
        #expect(try await api.send("GET", "/v1/sessions/\(id)", token: token).status == 200)
    }

    @Test func anEndedSessionIsEndedOnce() async throws {
        let client = try await Client(Self.service.get().api)
        let key = ["Idempotency-Key": "end"]
        #expect(try await client.send("DELETE", "", headers: key).status == 204)
        let again = try await client.send("DELETE", "", headers: key)
        #expect(again.status == 204)
        #expect(again.headers["Idempotency-Replayed"] == "true")
        #expect(try await client.send("DELETE", "").status == 404)
    }

    @Test func aKeyWithoutATokenOpensNothingThatWasOpenedWithIt() async throws {
        let api = try Self.service.get().api
        let key = ["Idempotency-Key": "open-\(UInt64.random(in: 0 ... .max))"]
        let opened = try await api.send("POST", "/v1/sessions", headers: key)
        let id = try #require(opened.json["id"]?.text)
        let ended = try await api.send("DELETE", "/v1/sessions/\(id)", headers: key)
        #expect(ended.code == "unauthorized")
    }

    @Test func aSignUpThatIsRepeatedIsNoConflict() async throws {
        let client = try await Client(Self.service.get().api)
        let body = #"{"username": "\#(client.id.prefix(20))", "password": "a long password"}"#
        let key = ["Idempotency-Key": "k"]
        let first = try await client.send("POST", "sign-up", body, headers: key)
        let second = try await client.send("POST", "sign-up", body, headers: key)
        #expect(first.status == 200)
        #expect(second.bytes == first.bytes)
        #expect(second.json["credential"]?.text?.hasPrefix("wpc_") == true)
    }

    @Test(arguments: ["", "two words", "naïve", String(repeating: "k", count: 256)])
    func aKeyThatIsNoneIsRefused(_ key: String) async throws {
        let client = try await Client(Self.service.get().api)
        let reply = try await client.send("POST", "pop", headers: ["Idempotency-Key": key])
        #expect(reply.status == 400)
        #expect(reply.code == "invalid-idempotency-key")
    }
}
