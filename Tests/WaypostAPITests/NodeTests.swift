import JSON
import PostgresStore
import SessionStoreTesting
import TestSupport
import Testing
import WaypostTesting

@testable import WaypostAPI

/// Tests of two services on one database, of which clients use now the one, now the other.
@Suite(.timeLimit(.minutes(5)), .enabled(if: TestDatabase.url != nil)) struct NodeTests {
    private let one: TestService
    private let other: TestService
    private let target: ConnectionTarget

    init() throws {
        target = try TestDatabase.make()
        one = try TestService(store: try TestDatabase.open(target))
        other = try TestService(store: try TestDatabase.open(target))
    }

    /// The session of a client at the other service.
    private func moved(_ client: Client) -> Client {
        Client(other.api, id: client.id, token: client.token)
    }

    @Test("A session that one service changes is the same at the other, in every response")
    func alternatingChanges() async throws {
        let client = try await Client.loggedIn(one)
        let there = moved(client)
        for number in 0..<20 {
            let (writer, reader) = number.isMultiple(of: 2) ? (client, there) : (there, client)
            let operation = number % 4 < 2 ? ("push", #"{"scene": "titles"}"#) : ("pop", "")
            let reply = try await writer.send("POST", operation.0, operation.1)
            #expect(reply.status == 200)
            #expect(reply.json["session"]?["revision"]?.number == 3 + number)
            let read = try await reader.send("GET", "")
            #expect(read.json == reply.json["session"])
            #expect(read.headers["ETag"] == reply.headers["ETag"])
        }
    }

    @Test("The history has the changes of both services, and each rebuilds them all")
    func history() async throws {
        let client = try await Client.loggedIn(one)
        let there = moved(client)
        var sessions: [JSONValue] = []
        for number in 0..<30 {
            let writer = number % 3 == 0 ? there : client
            let reply = try await writer.send(
                "POST", "push", #"{"scene": "titles"}"#, headers: ["X-Request-ID": "\(number)"])
            sessions.append(try #require(reply.json["session"]))
        }
        for reader in [client, there] {
            let history = try await reader.send("GET", "history?after=2").json["items"]
            #expect(history?.elements?.map { $0["requestId"]?.text } == (0..<30).map { "\($0)" })
            for (number, session) in sessions.enumerated() {
                let past = try await reader.api.send(
                    "GET", "/v1/sessions/\(reader.id)?revision=\(number + 3)", token: reader.token)
                #expect(past.json == session)
            }
        }
    }

    @Test("A refused operation is judged by what the other service has stored")
    func refusals() async throws {
        let client = try await Client.loggedIn(one)
        let there = moved(client)
        _ = try await there.session()
        try await client.push()
        // The other service still has the session in memory as it was at its root.
        let pop = try await there.send("POST", "pop")
        #expect(pop.json["changed"]?.flag == true)
        #expect(try await client.send("POST", "pop").json["changed"]?.flag == false)
        let tag = try #require(try await there.send("GET", "").headers["ETag"])
        try await client.push()
        let late = try await there.send(
            "POST", "push", #"{"scene": "titles"}"#, headers: ["If-Match": tag])
        #expect(late.status == 412)
        let known = try await there.send("GET", "", headers: ["If-None-Match": tag])
        #expect(known.status == 200)
    }

    @Test("A request is carried out once, whichever service gets its repetition")
    func idempotency() async throws {
        let client = try await Client.loggedIn(one)
        let there = moved(client)
        for number in 0..<10 {
            let headers = ["Idempotency-Key": "key-\(number)"]
            async let first = client.send(
                "POST", "push", #"{"scene": "titles"}"#, headers: headers)
            async let second = there.send(
                "POST", "push", #"{"scene": "titles"}"#, headers: headers)
            let replies = [try await first, try await second]
            #expect(replies.map(\.status) == [200, 200])
            #expect(replies[0].bytes == replies[1].bytes)
        }
        #expect(try await there.session()["revision"]?.number == 12)
    }

    @Test("A repetition is not refused because of the state that the request itself has made")
    func conditionalRepetition() async throws {
        let client = try await Client.loggedIn(one)
        let store = try ScriptedStore(before: try TestDatabase.open(target))
        let slow = try TestService(store: store)
        let there = Client(slow.api, id: client.id, token: client.token)
        let tag = try #require(try await client.send("GET", "").headers["ETag"])
        let headers = ["Idempotency-Key": "key", "If-Match": tag]
        let body = #"{"scene": "titles"}"#
        // The request has come to one service before the repetition looks for a stored response at the
        // other one, and is carried out afterwards.
        let gate = Gate()
        store.holdResult(of: .idempotencyRecord, at: gate)
        async let repetition = there.send("POST", "push", body, headers: headers)
        await gate.waitForArrivals(1)
        store.holdResult(of: .idempotencyRecord, at: nil)
        let first = try await client.send("POST", "push", body, headers: headers)
        // Another request has the slow service read the new state.
        #expect(try await there.session()["revision"]?.number == 3)
        gate.open()
        let repeated = try await repetition
        #expect([first.status, repeated.status] == [200, 200])
        #expect(repeated.bytes == first.bytes)
        #expect(repeated.headers["Idempotency-Replayed"] == "true")
        let other = try await there.send(
            "POST", "push", body, headers: ["Idempotency-Key": "another", "If-Match": tag])
        #expect(other.status == 412)
    }

    @Test("A session that has ended at one service is gone at the other")
    func end() async throws {
        let client = try await Client.loggedIn(one)
        let there = moved(client)
        _ = try await there.session()
        #expect(try await client.send("DELETE", "").status == 204)
        #expect(try await there.send("GET", "").status == 404)
        #expect(try await there.send("POST", "pop").status == 404)
    }

    @Test(
        "A repeated end of a session gets its response, also while another service ends the session"
    )
    func repeatedEnd() async throws {
        let client = try await Client.loggedIn(one)
        let store = try ScriptedStore(before: try TestDatabase.open(target))
        let slow = try TestService(store: store)
        let there = Client(slow.api, id: client.id, token: client.token)
        let headers = ["Idempotency-Key": "key"]
        let gate = Gate()
        store.hold(.session, at: gate)
        async let repetition = there.send("DELETE", "", headers: headers)
        await gate.waitForArrivals(1)
        let first = try await client.send("DELETE", "", headers: headers)
        gate.open()
        let repeated = try await repetition
        #expect([first.status, repeated.status] == [204, 204])
        #expect(repeated.headers["Idempotency-Replayed"] == "true")
        #expect(try await there.send("DELETE", "").status == 404)
    }

    @Test("A credential that is revoked at one service is worth nothing at the other at once")
    func revocation() async throws {
        let client = try await Client(one.api)
        let name = "user-\(client.id.prefix(12))"
        let body = #"{"username": "\#(name)", "password": "a long password"}"#
        let credential = try #require(
            try await client.send("POST", "sign-up", body).json["credential"]?.text)
        let opened = try await other.api.send(
            "POST", "/v1/sessions", #"{"credential": "\#(credential)"}"#)
        let second = try Client(other.api, opened: opened.json)
        #expect(try await second.session()["auth"]?["state"]?.text == "loggedIn")
        #expect(try await client.send("POST", "log-out").status == 200)
        #expect(try await second.session()["auth"]?["state"]?.text == "loggedOut")
        #expect(
            try await second.send("POST", "push", #"{"scene": "titles"}"#).code == "login-required")
        let third = try await other.api.send(
            "POST", "/v1/sessions", #"{"credential": "\#(credential)"}"#)
        #expect(third.json["auth"]?["reason"]?.text == "credential-revoked")
    }

    @Test("A stream at one service gets the changes that the other service makes")
    func stream() async throws {
        let client = try await Client.loggedIn(one)
        let stream = try await client.stream(on: TestStreamThread())
        #expect(await stream.next()?.type == "snapshot")
        let push = try await moved(client).send("POST", "push", #"{"scene": "titles"}"#)
        let message = try #require(await stream.next())
        #expect(message.revisions == [2, 3])
        #expect(message.data["session"] == push.json["session"])
        #expect(message.data["events"] == push.json["events"])
        #expect(try await moved(client).send("DELETE", "").status == 204)
        #expect(await stream.next()?.type == "end")
        #expect(await stream.next() == nil)
    }

    @Test("Many clients change one session over both services, and no change is lost")
    func contention() async throws {
        let client = try await Client.loggedIn(one)
        let there = moved(client)
        let (clients, changes) = (16, 10)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<clients {
                let sender = number.isMultiple(of: 2) ? client : there
                group.addTask {
                    for _ in 0..<changes {
                        var reply = try await sender.send("POST", "push", #"{"scene": "titles"}"#)
                        // Under such contention a change may be refused, but not made.
                        while reply.code == "session-busy" {
                            reply = try await sender.send(
                                "POST", "push", #"{"scene": "titles"}"#)
                        }
                        #expect(reply.status == 200)
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await client.session()["revision"]?.number == 2 + clients * changes)
        #expect(try await there.session() == (try await client.session()))
    }
}
