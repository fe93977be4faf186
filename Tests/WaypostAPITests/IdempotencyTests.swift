import Foundation
import HTTPCore
import JSON
import SessionStoreTesting
import TestSupport
import Testing
import WaypostCore
import WaypostTesting

@testable import Sessions

/// Tests of requests that are repeated with their `Idempotency-Key`. The change is made once, and
/// each response is the first one.
@Suite(.everyStore) struct IdempotencyTests {
    static let service = SharedService { try TestService() }
    static let push = #"{"scene": "titles"}"#

    @Test("A change repeated with its key is made once and gets the same response")
    func repetition() async throws {
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

    @Test("A repeated request for a session that has expired since opens another session")
    func expiredSession() async throws {
        let clock = TestEnvironment()
        var policy = IdempotencyPolicy()
        policy.lifetime = .seconds(60 * 86_400)
        let service = try TestService(environment: clock.environment, idempotency: policy)
        let key = ["Idempotency-Key": "0123456789abcdef012345"]
        func open() async throws -> Reply {
            try await service.api.send("POST", "/v1/sessions", headers: key)
        }
        let first = try await open()
        #expect(first.status == 201)
        clock.advance(by: .seconds(30 * 86_400))
        let second = try await open()
        #expect(second.status == 201)
        #expect(second.json["id"] != first.json["id"])
        #expect(try await open().bytes == second.bytes)
    }

    @Test("A response without a change is replayed, too") func unchanged()
        async throws
    {
        let client = try await Client.loggedIn(Self.service.get())
        let key = ["Idempotency-Key": "k"]
        let first = try await client.send("POST", "pop", headers: key)
        _ = try await client.send("POST", "push", Self.push)
        let second = try await client.send("POST", "pop", headers: key)
        #expect(second.bytes == first.bytes)
        #expect(try await client.session()["viewControllers"]?.count == 2)
    }

    @Test("50 concurrent requests with one key have one effect and equal responses")
    func concurrency() async throws {
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

    @Test("A key repeated with another path, body or If-Match is a 422") func reuse() async throws {
        let client = try await Client.loggedIn(Self.service.get())
        let key = ["Idempotency-Key": "k"]
        _ = try await client.send("POST", "push", Self.push, headers: key)
        let others = [
            ("pop", "", [:]), ("push", #"{"scene": "authors"}"#, [:]),
            ("push", Self.push, ["If-Match": "*"]),
        ]
        for (path, body, fields) in others {
            let reply = try await client.send(
                "POST", path, body, headers: key.merging(fields) { $1 })
            #expect(reply.status == 422)
            #expect(reply.code == "idempotency-key-reused")
        }
        #expect(try await client.session()["viewControllers"]?.count == 2)
    }

    @Test("The same key in two sessions identifies two requests") func sessions() async throws {
        let service = try Self.service.get()
        for _ in 0..<2 {
            let client = try await Client.loggedIn(service)
            let reply = try await client.send(
                "POST", "push", Self.push, headers: ["Idempotency-Key": "k"])
            #expect(reply.headers["Idempotency-Replayed"] == nil)
        }
    }

    @Test("A refused request is not stored, and its key can be used again") func refusals()
        async throws
    {
        let client = try await Client(Self.service.get().api)
        let key = ["Idempotency-Key": "k"]
        let push = #"{"scene": "signUp"}"#
        let refused = try await client.send(
            "POST", "push", push, headers: key.merging(["If-Match": "\"7\""]) { $1 })
        #expect(refused.status == 412)
        #expect(try await client.send("POST", "push", push, headers: key).status == 200)
    }

    @Test("Concurrent openings with one key make one session and return the same token")
    func opening() async throws {
        let api = try Self.service.get().api
        let headers = ["Idempotency-Key": UUID().uuidString]
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

    @Test(
        "Ending a session again is a 204 with the key of the first request and a 404 without")
    func ending() async throws {
        let client = try await Client(Self.service.get().api)
        let key = ["Idempotency-Key": "end"]
        #expect(try await client.send("DELETE", "", headers: key).status == 204)
        let again = try await client.send("DELETE", "", headers: key)
        #expect(again.status == 204)
        #expect(again.headers["Idempotency-Replayed"] == "true")
        #expect(try await client.send("DELETE", "").status == 404)
    }

    @Test(
        "An end of a session that finds it just ended by an equal request gets its response",
        .timeLimit(.minutes(10)))
    func endingAtOnce() async throws {
        let store = try ScriptedStore()
        let client = try await Client(TestService(store: store).api)
        // This service does not have the session in memory.
        let restarted = Client(
            try TestService(store: store).api, id: client.id, token: client.token)
        let key = ["Idempotency-Key": "end"]
        let gate = Gate()
        store.hold(.session, at: gate)
        let late = Task { try await restarted.send("DELETE", "", headers: key) }
        await gate.waitForArrivals(1)
        store.hold(.session, at: nil)
        #expect(try await client.send("DELETE", "", headers: key).status == 204)
        gate.open()
        let reply = try await late.value
        #expect(reply.status == 204)
        #expect(reply.headers["Idempotency-Replayed"] == "true")
    }

    @Test("The key with which a session was opened does not replace its token")
    func keyWithoutToken() async throws {
        let api = try Self.service.get().api
        let key = ["Idempotency-Key": UUID().uuidString]
        let opened = try await api.send("POST", "/v1/sessions", headers: key)
        let id = try #require(opened.json["id"]?.text)
        let ended = try await api.send("DELETE", "/v1/sessions/\(id)", headers: key)
        #expect(ended.code == "unauthorized")
    }

    @Test("A sign-up repeated with its key gets its response and credential again") func signUp()
        async throws
    {
        let client = try await Client(Self.service.get().api)
        let body = #"{"username": "\#(client.id.prefix(20))", "password": "a long password"}"#
        let key = ["Idempotency-Key": "k"]
        let first = try await client.send("POST", "sign-up", body, headers: key)
        let second = try await client.send("POST", "sign-up", body, headers: key)
        #expect(first.status == 200)
        #expect(second.bytes == first.bytes)
        #expect(second.json["credential"]?.text?.hasPrefix("wpc_") == true)
    }

    @Test(
        "A key that is empty, too long, not ASCII or has a blank is a 400; a read ignores it",
        arguments: ["", "two words", "naïve", String(repeating: "k", count: 256)])
    func invalidKey(_ key: String) async throws {
        let client = try await Client(Self.service.get().api)
        let reply = try await client.send("POST", "pop", headers: ["Idempotency-Key": key])
        #expect(reply.status == 400)
        #expect(reply.code == "invalid-idempotency-key")
        #expect(try await client.send("GET", "", headers: ["Idempotency-Key": key]).status == 200)
    }

    @Test("A change with two keys is a 400, even if they are equal", arguments: ["one", "two"])
    func twoKeys(_ second: String) async throws {
        let client = try await Client(Self.service.get().api)
        let reply = try await client.api.send(
            "POST", "/v1/sessions/\(client.id)/pop", token: client.token,
            fields: ["Idempotency-Key": "one", "Idempotency-Key": second])
        #expect(reply.status == 400)
        #expect(reply.code == "invalid-idempotency-key")
    }

    @Test("A session is opened without a credential only with a key of 22 characters or more")
    func guessableKey() async throws {
        let api = try Self.service.get().api
        func open(_ length: Int, _ body: String = "") async throws -> Reply {
            let key = UUID().uuidString.prefix(length)
            return try await api.send(
                "POST", "/v1/sessions", body, headers: ["Idempotency-Key": String(key)])
        }
        for body in ["", #"{"credential": "x"}"#] {
            let refused = try await open(21, body)
            #expect(refused.status == 400)
            #expect(refused.code == "invalid-idempotency-key")
            #expect(refused.json["detail"]?.text?.contains("at least 22 random") == true)
        }
        #expect(try await open(22).status == 201)
        let credential = "wpc_" + String(repeating: "0", count: 64)
        #expect(try await open(1, #"{"credential": "\#(credential)"}"#).status == 201)
    }
}

/// Tests of the records of a session whose number and size do not depend on the store.
@Suite struct IdempotencyRecordTests {
    @Test("The responses of 1,000 pushes and pops with a key each are all remembered")
    func ordinaryKeys() async throws {
        let store: any SessionStore = MemoryStore()
        let client = try await Client.loggedIn(TestService(store: store))
        func change(_ number: Int) async throws -> Reply {
            try await client.send(
                "POST", number % 2 == 0 ? "push" : "pop",
                number % 2 == 0 ? IdempotencyTests.push : "{}",
                headers: ["Idempotency-Key": "change-\(number)"])
        }
        var first: [Reply] = []
        for number in 0..<1000 { first.append(try await change(number)) }
        let usage = try await store.idempotencyRecordSizes(
            of: try #require(SessionID(client.id)), at: Timestamp(milliseconds: 0))
        #expect(usage.count == 1000)
        // The oldest records are forgotten first.
        for number in [0, 999] + stride(from: 1, to: 999, by: 37) {
            let again = try await change(number)
            #expect(again.headers["Idempotency-Replayed"] == "true", "\(number)")
            #expect(again.json["events"] == first[number].json["events"], "\(number)")
        }
    }
}
