import Foundation
import HTTPCore
import JSON
import SessionStoreTesting
import TestSupport
import Testing
import WaypostCore
import WaypostTesting

@testable import Sessions

/// Tests of the responses that a session keeps for requests with an `Idempotency-Key`.
@Suite(.everyStore) struct StoredIdempotencyTests {
    /// Returns a client whose session has five titles of 1000 bytes, so that it is over 4 KiB.
    private func largeClient() async throws -> Client {
        let client = try await Client.loggedIn(IdempotencyTests.service.get())
        let title = #"{"title": "\#(String(repeating: "x", count: 1000))"}"#
        for number in 2...6 {
            _ = try await client.send("POST", "push", IdempotencyTests.push)
            _ = try await client.send("PATCH", "view-controllers/vc\(number)", title)
        }
        return client
    }

    @Test(
        "A session over 4 KiB is not stored; a repeated request shows its present state")
    func largeSession() async throws {
        let client = try await largeClient()
        let key = ["Idempotency-Key": "large"]
        let first = try await client.send("POST", "push", IdempotencyTests.push, headers: key)
        _ = try await client.send("POST", "push", IdempotencyTests.push)
        let second = try await client.send("POST", "push", IdempotencyTests.push, headers: key)
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

    @Test("A repeated naming of a session over 4 KiB shows the present state")
    func largeNaming() async throws {
        let client = try await largeClient()
        let (name, key) = (#"{"name": "Reading"}"#, ["Idempotency-Key": "name"])
        #expect(try await client.send("PATCH", "", name, headers: key).status == 200)
        _ = try await client.send("POST", "push", IdempotencyTests.push)
        let again = try await client.send("PATCH", "", name, headers: key)
        #expect(again.headers["Idempotency-Replayed"] == "true")
        let now = try await client.send("GET", "")
        #expect(again.json == now.json && now.json["name"]?.text == "Reading")
        #expect(again.headers["ETag"] == now.headers["ETag"])
    }

    @Test("A repeated fork of a session over 4 KiB gets the same token and the present state")
    func largeFork() async throws {
        let client = try await largeClient()
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
                "POST", "/v1/sessions/\(client.id)/push", IdempotencyTests.push,
                token: client.token,
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

    @Test("Of more changes with a key than records, none is refused and the newest repeat exactly")
    func manyKeys() async throws {
        var policy = IdempotencyPolicy()
        #expect(policy.maximumRecords == 1000)
        policy.maximumRecords = 100
        let folder = try TemporaryFolder()
        let store = try StoreKind.current.makeStore(in: folder)
        let service = try TestService(store: store, idempotency: policy)
        let client = try await Client.loggedIn(service)
        func change(_ number: Int) async throws -> Reply {
            try await client.send(
                "POST", "push", IdempotencyTests.push,
                headers: ["Idempotency-Key": "change-\(number)", "Prefer": "return=minimal"])
        }
        func isReplayed(_ reply: Reply) -> Bool { reply.headers["Idempotency-Replayed"] != nil }
        var first: [Int: Reply] = [:]
        // One after the other, and then in shared commits.
        for number in 0..<60 {
            first[number] = try await change(number)
            _ = try await client.send("POST", "pop", "{}")
        }
        try await withThrowingTaskGroup(of: (Int, Reply).self) { group in
            for number in 60..<120 {
                group.addTask { (number, try await change(number)) }
            }
            for try await (number, reply) in group { first[number] = reply }
        }
        #expect(first.count == 120)
        #expect(first.values.allSatisfy { $0.status == 200 && !isReplayed($0) })
        let usage = try await store.idempotencyRecordSizes(
            of: try #require(SessionID(client.id)), at: Timestamp(milliseconds: 0))
        #expect(usage.count == 100)
        for number in 20..<120 {
            let again = try await change(number)
            #expect(isReplayed(again) && again.bytes == first[number]?.bytes, "\(number)")
        }
        #expect(try await !isReplayed(change(19)))
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

    @Test("A session remembers keys again after the removal of an account took its responses along")
    func removedAccount() async throws {
        var policy = IdempotencyPolicy()
        policy.maximumRecords = 3
        let service = try TestService(idempotency: policy)
        let client = try await Client(service.api)
        _ = try await client.send(
            "POST", "sign-up", #"{"username": "ada", "password": "a long password"}"#)
        _ = try await client.send("POST", "log-out")
        // At the root of a stack, a pop changes nothing.
        func pop(_ key: Int) async throws -> Reply {
            try await client.send("POST", "pop", headers: ["Idempotency-Key": "\(key)"])
        }
        for key in 1...3 { #expect(try await pop(key).status == 200) }
        try await service.accounts.remove("ada")
        for key in 4...6 { #expect(try await pop(key).headers["Idempotency-Replayed"] == nil) }
        for key in 4...6 { #expect(try await pop(key).headers["Idempotency-Replayed"] == "true") }
    }

    @Test("A repeated request may write the same token differently in Authorization")
    func spelling() async throws {
        let client = try await Client.loggedIn(IdempotencyTests.service.get())
        let path = "/v1/sessions/\(client.id)/push"
        for (number, field) in ["Bearer TOKEN", "bearer TOKEN", "BEARER   TOKEN"].enumerated() {
            let reply = try await client.api.send(
                "POST", path, IdempotencyTests.push,
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
        let client = try await Client.loggedIn(IdempotencyTests.service.get())
        let key = ["Idempotency-Key": "one"]
        #expect(
            try await client.send("POST", "push", IdempotencyTests.push, headers: key).status == 200
        )
        let other = try await client.send(
            "POST", "push", IdempotencyTests.push,
            headers: key.merging(["Prefer": "return=minimal"]) { $1 })
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
