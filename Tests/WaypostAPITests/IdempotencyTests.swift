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
    private static let service = SharedService { try TestService() }
    private static let push = #"{"scene": "titles"}"#

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

    @Test("A key repeated with another method, path or body is a 422") func reuse() async throws {
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
        "A key that is empty, too long, not ASCII or has a blank is a 400",
        arguments: ["", "two words", "naïve", String(repeating: "k", count: 256)])
    func invalidKey(_ key: String) async throws {
        let client = try await Client(Self.service.get().api)
        let reply = try await client.send("POST", "pop", headers: ["Idempotency-Key": key])
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

    // MARK: Stored responses

    @Test(
        "A session over 4 KiB is not stored; a repeated request shows its present state")
    func largeSession() async throws {
        let client = try await Client.loggedIn(Self.service.get())
        let title = #"{"title": "\#(String(repeating: "x", count: 1000))"}"#
        for _ in 0..<5 { _ = try await client.send("POST", "push", Self.push) }
        for number in 2...7 {
            _ = try await client.send("PATCH", "view-controllers/vc\(number)", title)
        }
        let key = ["Idempotency-Key": "large"]
        let first = try await client.send("POST", "push", Self.push, headers: key)
        _ = try await client.send("POST", "push", Self.push)
        let second = try await client.send("POST", "push", Self.push, headers: key)
        #expect(second.status == 200)
        #expect(second.headers["Idempotency-Replayed"] == "true")
        for member in ["changed", "transition", "popped", "events"] {
            #expect(second.json[member] == first.json[member])
        }
        let now = try await client.send("GET", "")
        #expect(second.json["session"] == now.json)
        #expect(second.headers["ETag"] == now.headers["ETag"])
        #expect(second.json["session"] != first.json["session"])
    }

    @Test("A repeated fork of a session over 4 KiB gets the same token and the present state")
    func largeFork() async throws {
        let client = try await Client.loggedIn(Self.service.get())
        let title = #"{"title": "\#(String(repeating: "x", count: 1000))"}"#
        for number in 2...6 {
            _ = try await client.send("POST", "push", Self.push)
            _ = try await client.send("PATCH", "view-controllers/vc\(number)", title)
        }
        func fork() async throws -> Reply {
            try await client.api.send(
                "POST", "/v1/sessions", #"{"fork": {"session": "\#(client.id)"}}"#,
                token: client.token, headers: ["Idempotency-Key": "fork"])
        }
        let first = try await fork()
        #expect(first.status == 201)
        let id = try #require(first.json["id"]?.text)
        let token = try #require(first.json["token"]?.text)
        let path = "/v1/sessions/\(id)"
        #expect(try await client.api.send("POST", path + "/pop", token: token).status == 200)
        let second = try await fork()
        #expect(second.status == 201)
        #expect(second.headers["Idempotency-Replayed"] == "true")
        #expect(second.headers["Location"] == path)
        #expect(second.json["token"]?.text == token)
        #expect(second.json["revision"]?.number == 2)
        let now = try await client.api.send("GET", path, token: token)
        #expect(second.headers["ETag"] == now.headers["ETag"])
        #expect(second.json["viewControllers"] == now.json["viewControllers"])
    }

    @Test("At the maximum of records the oldest is forgotten, also after a restart")
    func maximumRecords() async throws {
        var policy = IdempotencyPolicy()
        policy.maximumRecords = 3
        let folder = try TemporaryFolder()
        let store = try StoreKind.current.makeStore(in: folder)
        let clock = TestEnvironment()
        func start() throws -> TestService {
            try TestService(
                store: store, environment: clock.environment,
                idempotency: policy)
        }
        var service = try start()
        // The sign-up has no key.
        let client = try await Client.loggedIn(service)
        func push(_ key: Int) async throws -> Reply {
            try await service.api.send(
                "POST", "/v1/sessions/\(client.id)/push", Self.push, token: client.token,
                headers: ["Idempotency-Key": "\(key)"])
        }
        func isReplayed(_ key: Int) async throws -> Bool {
            try await push(key).headers["Idempotency-Replayed"] == "true"
        }
        for key in 1...5 {
            #expect(try await push(key).status == 200)
            clock.advance(by: .seconds(3600))
            if key == 4 { service = try start() }
        }
        for key in 3...5 { #expect(try await isReplayed(key)) }
        #expect(try await !isReplayed(1))
        #expect(try await !isReplayed(3))
        // The records expire a day after they were made.
        clock.advance(by: .seconds(23 * 3600))
        #expect(try await !isReplayed(5))
        for key in [1, 3, 5] { #expect(try await isReplayed(key)) }
    }

    @Test("Of 1,200 changes with a key each, none is refused and the newest 1,000 repeat exactly")
    func manyKeys() async throws {
        let folder = try TemporaryFolder()
        let store = try StoreKind.current.makeStore(in: folder)
        let service = try TestService(store: store)
        let client = try await Client.loggedIn(service)
        func change(_ number: Int) async throws -> Reply {
            try await client.send(
                "POST", "push", Self.push,
                headers: ["Idempotency-Key": "change-\(number)", "Prefer": "return=minimal"])
        }
        func isReplayed(_ reply: Reply) -> Bool { reply.headers["Idempotency-Replayed"] != nil }
        var first: [Int: Reply] = [:]
        // One after the other, and then in shared commits.
        for number in 0..<600 {
            first[number] = try await change(number)
            _ = try await client.send("POST", "pop", "{}")
        }
        try await withThrowingTaskGroup(of: (Int, Reply).self) { group in
            for start in stride(from: 600, to: 1200, by: 100) {
                for number in start..<start + 100 {
                    group.addTask { (number, try await change(number)) }
                }
                for try await (number, reply) in group { first[number] = reply }
                _ = try await client.send("POST", "pop-to-root", "{}")
            }
        }
        #expect(first.count == 1200)
        #expect(first.values.allSatisfy { $0.status == 200 && !isReplayed($0) })
        let usage = try await store.idempotencyRecordSizes(
            of: try #require(SessionID(client.id)), at: Timestamp(milliseconds: 0))
        #expect(usage.count == 1000)
        for number in 200..<1200 {
            let again = try await change(number)
            #expect(isReplayed(again) && again.bytes == first[number]?.bytes, "\(number)")
        }
        #expect(try await !isReplayed(change(199)))
    }

    @Test("The responses of 1,000 pushes and pops with a key each are all remembered")
    func ordinaryKeys() async throws {
        let folder = try TemporaryFolder()
        let store = try StoreKind.current.makeStore(in: folder)
        let client = try await Client.loggedIn(TestService(store: store))
        func change(_ number: Int) async throws -> Reply {
            try await client.send(
                "POST", number % 2 == 0 ? "push" : "pop", number % 2 == 0 ? Self.push : "{}",
                headers: ["Idempotency-Key": "change-\(number)"])
        }
        var first: [Reply] = []
        for number in 0..<1000 { first.append(try await change(number)) }
        for number in 0..<1000 {
            let again = try await change(number)
            #expect(again.headers["Idempotency-Replayed"] == "true", "\(number)")
            #expect(again.json["events"] == first[number].json["events"], "\(number)")
        }
    }

    @Test("The records of requests with keys take space in proportion to the requests")
    func proportion() async throws {
        let folder = try TemporaryFolder()
        let store = try StoreKind.current.makeStore(in: folder)
        let service = try TestService(store: store)
        let client = try await Client.loggedIn(service)
        // The root has incompressible titles. Each selection of another segment pops this root.
        var random = SeededGenerator(seed: 1)
        let items: String = (0..<20).map { _ in
            let text: String = (0..<32).map { _ in hexadecimal(random.next()) }.joined()
            return "\"\(text)\""
        }.joined(separator: ",")
        let root = try await client.session()["viewControllers"]?[0]?["id"]?.text ?? ""
        let patched = try await client.send(
            "PATCH", "view-controllers/\(root)", #"{"navigationItem": {"rightItems": [\#(items)]}}"#
        )
        #expect(patched.status == 200, "\(patched.json)")
        for number in 0..<200 {
            let reply = try await client.send(
                "POST", "select-segment", #"{"index": \#(1 - number % 2)}"#,
                headers: ["Idempotency-Key": "key \(number)".replacing(" ", with: "-")])
            #expect(reply.status == 200)
        }
        let id = try #require(SessionID(client.id))
        let usage = try await store.idempotencyRecordSizes(of: id, at: Timestamp(milliseconds: 0))
        #expect((1..<200).contains(usage.count))
        #expect(usage.size <= 1_048_576 + 4 * usage.requestSize)
        #expect(usage.requestSize < 200 * 400)
    }

    @Test("The idempotency records of a session are removed when it ends")
    func endOfSession() async throws {
        let folder = try TemporaryFolder()
        let store = try StoreKind.current.makeStore(in: folder)
        let service = try TestService(store: store)
        let open = ["Idempotency-Key": UUID().uuidString]
        let opened = try await service.api.send("POST", "/v1/sessions", headers: open)
        let id = try #require(opened.json["id"]?.text)
        let token = try #require(opened.json["token"]?.text)
        _ = try await service.api.send(
            "POST", "/v1/sessions/\(id)/pop", token: token, headers: ["Idempotency-Key": "pop"])
        let session = try #require(SessionID(id))
        #expect(
            try await store.idempotencyRecordSizes(of: session, at: Timestamp(milliseconds: 0))
                .count == 2
        )
        #expect(
            try await service.api.send("DELETE", "/v1/sessions/\(id)", token: token).status == 204)
        if StoreKind.current == .sqlite {
            // The service finds no record from here on, and the next purge removes them.
            while try await store.purge(before: service.sessions.environment.now()) {}
        }
        #expect(
            try await store.idempotencyRecordSizes(of: session, at: Timestamp(milliseconds: 0))
                .count == 0
        )
        let another = try await service.api.send("POST", "/v1/sessions", headers: open)
        #expect(another.status == 201)
        #expect(another.json["id"]?.text != id)
    }

    @Test("A repeated request may write the same token differently in Authorization")
    func spelling() async throws {
        let client = try await Client.loggedIn(Self.service.get())
        let path = "/v1/sessions/\(client.id)/push"
        for (number, field) in ["Bearer TOKEN", "bearer TOKEN", "BEARER   TOKEN"].enumerated() {
            let reply = try await client.api.send(
                "POST", path, Self.push,
                headers: [
                    "Authorization": field.replacing("TOKEN", with: client.token),
                    "Idempotency-Key": "one",
                ])
            #expect(reply.status == 200)
            #expect((reply.headers["Idempotency-Replayed"] != nil) == (number > 0))
        }
        #expect(try await client.session()["viewControllers"]?.count == 2)
    }

    @Test("A Prefer field is part of the request that a key identifies")
    func preference() async throws {
        let client = try await Client.loggedIn(Self.service.get())
        let key = ["Idempotency-Key": "one"]
        #expect(try await client.send("POST", "push", Self.push, headers: key).status == 200)
        let other = try await client.send(
            "POST", "push", Self.push, headers: key.merging(["Prefer": "return=minimal"]) { $1 })
        #expect(other.code == "idempotency-key-reused")
    }

    @Test("A record of an unknown format is a 500, and the service continues")
    func unreadableRecord() async throws {
        let folder = try TemporaryFolder()
        let store = try StoreKind.current.makeStore(in: folder)
        let service = try TestService(store: store)
        let client = try await Client.loggedIn(service)
        // The service finds each of these records, but cannot decode its content.
        let contents = ["", "x", "{}", #"{"status":9999,"headers":[]}"#, #"{"status":200}"#]
        for (number, content) in contents.enumerated() {
            let key = "key-\(number)"
            let attempt = IdempotentRequest<Void>(
                key: key, token: client.token,
                request: "POST\n/v1/sessions/\(client.id)/pop\n\n", requestSize: 100
            ) { _, _ in Array(content.utf8) }
            var commit = WriteBatch()
            commit.idempotencyRecord = attempt.record(of: (), service.sessions)
            try await store.commit(commit)
            let reply = try await client.send("POST", "pop", headers: ["Idempotency-Key": key])
            #expect(reply.status == 500)
            #expect(reply.code == "internal-error")
        }
        #expect(try await client.send("GET", "").status == 200)
    }
}
