import AppDefinition
import HTTPCore
import JSON
import SessionStoreTesting
import Sessions
import TestSupport
import Testing
import WaypostTesting

@testable import WaypostAPI

/// Tests of the stream of a session's changes (`docs/live.md`).
@Suite(.everyStore, .timeLimit(.minutes(10))) struct ChangeStreamTests {
    private let service: TestService
    private let thread = TestStreamThread()

    init() throws { service = try TestService() }

    @Test("A stream begins with the whole session, and each change follows with its events")
    func live() async throws {
        let client = try await Client.loggedIn(service)
        let stream = try await client.stream(on: thread)
        let first = try #require(await stream.next())
        #expect(first.type == "snapshot")
        #expect(first.data["reason"]?.text == "opened")
        #expect(first.data["session"] == (try await client.session()))
        #expect(first.data["lastEvent"]?.number == 12)
        #expect(first.data["oldestEvent"] == nil)
        let push = try await client.send("POST", "push", #"{"scene": "titles"}"#)
        let second = try #require(await stream.next())
        #expect(second.type == "change")
        #expect(second.revisions == [2, 3])
        #expect(second.data["transition"]?.text == "push")
        for member in ["events", "popped", "session"] {
            #expect(second.data[member] == push.json[member])
        }
        let pop = try await client.send("POST", "pop", "")
        let third = try #require(await stream.next())
        #expect(third.data["popped"] == pop.json["popped"])
        #expect(third.sequence == Array(20...25))
        #expect(third.id == first.id?.replacing(".2.12", with: ".4.25"))
    }

    @Test("A stream that begins after a session got a name shows the name")
    func name() async throws {
        let client = try await Client.loggedIn(service)
        let first = try await client.stream(on: thread)
        #expect(try await client.send("PATCH", "", #"{"name": "Reading"}"#).status == 200)
        let second = try await client.stream(on: thread)
        #expect(await second.next()?.data["session"]?["name"]?.text == "Reading")
        // A name changes no revision, so it sends no message.
        #expect(await first.sent().map(\.type) == ["snapshot"])
    }

    @Test("A change without effect, a failed one and a repeated one send no message")
    func unchanged() async throws {
        let client = try await Client.loggedIn(service)
        let stream = try await client.stream(on: thread)
        _ = try await client.send("POST", "pop", "")
        _ = try await client.send("POST", "push", #"{"scene": "none"}"#)
        for _ in 0..<3 {
            _ = try await client.send(
                "POST", "push", #"{"scene": "titles"}"#, headers: ["Idempotency-Key": "one"])
        }
        #expect(await stream.sent().map(\.type) == ["snapshot", "change"])
    }

    @Test("A stream after the last message begins with what was missed, in one message")
    func resume() async throws {
        let client = try await Client.loggedIn(service)
        let first = try await client.stream("?messages=1", on: thread)
        let cursor = try #require(await first.next()?.id)
        #expect(await first.next() == nil)

        let same = try await client.stream(after: cursor, on: thread)
        try await client.push()
        try await client.push()
        _ = try await client.send("PATCH", "view-controllers/vc2", #"{"title": "New"}"#)
        #expect(await same.next()?.revisions == [2, 3])

        for query in [false, true] {
            let resumed = try await client.stream(
                query ? "?after=\(cursor)" : "", after: query ? nil : cursor, on: thread)
            let missed = try #require(await resumed.next())
            #expect(missed.type == "change")
            #expect(missed.revisions == [2, 5])
            #expect(missed.data["transition"] == .null)
            #expect(missed.data["popped"] == .null)
            #expect(missed.sequence == Array(13...(12 + 14)))
            #expect(missed.data["session"] == (try await client.session()))
        }
    }

    @Test("Last-Event-ID takes precedence over after")
    func precedence() async throws {
        let client = try await Client.loggedIn(service)
        let first = try await client.stream(on: thread)
        let older = try #require(await first.next()?.id)
        for _ in 0..<2 { try await client.push() }
        let newer = try #require(await first.next()?.id)
        let resumed = try await client.stream("?after=\(older)", after: newer, on: thread)
        #expect(await resumed.next()?.revisions == [3, 4])
        let unknown = try await client.stream("?after=\(older)", after: "nonsense", on: thread)
        #expect(await unknown.next()?.data["reason"]?.text == "unknown-cursor")
    }

    @Test("A missed change without events is a message without events")
    func resumeWithoutEvents() async throws {
        let client = try await Client.loggedIn(service)
        let stream = try await client.stream(on: thread)
        let cursor = try #require(await stream.next()?.id)
        _ = try await client.send("PATCH", "view-controllers/vc2", #"{"title": "New"}"#)
        let missed = try await client.stream(after: cursor, on: thread).next()
        #expect(missed?.revisions == [2, 3])
        #expect(missed?.sequence == [])
        #expect(await stream.next()?.revisions == [2, 3])
    }

    @Test("A cursor that does not lead to the present begins with a snapshot and its reason")
    func otherCursors() async throws {
        let client = try await Client.loggedIn(service)
        let present = try #require(await client.stream(on: thread).next()?.id)
        let history = present.prefix(8)
        let other = history == "00000000" ? "00000001" : "00000000"
        for (cursor, reason) in [
            ("\(other).2.12", "other-history"), ("\(other).1.0", "other-history"),
            ("\(history).3.12", "other-history"),
            ("\(history).2.11", "other-history"), ("\(history).1.13", "other-history"),
            ("nonsense", "unknown-cursor"), ("\(history).02.12", "unknown-cursor"),
            ("\(history).-1.12", "unknown-cursor"), ("\(history).2", "unknown-cursor"),
            ("\(history).2.99999999999999999999", "unknown-cursor"),
        ] {
            let message = try #require(
                await client.stream(after: cursor, on: thread).next(), "\(cursor)")
            #expect(message.type == "snapshot")
            #expect(message.data["reason"]?.text == reason, "\(cursor)")
            #expect(message.id == present)
        }
        let refused = try await client.send("GET", "changes?after=nonsense")
        #expect(refused.code == "invalid-query")
    }

    @Test("A client whose missed events are gone, or are too many, gets a snapshot with the oldest")
    func gap() async throws {
        let service = try TestService(historyRetention: 3)
        let client = try await Client.loggedIn(service)
        let cursor = try #require(await client.stream(on: thread).next()?.id)
        for _ in 0..<30 { try await client.push() }
        let message = try #require(await client.stream(after: cursor, on: thread).next())
        #expect(message.type == "snapshot")
        #expect(message.data["reason"]?.text == "gap")
        #expect(try #require(message.data["oldestEvent"]?.number) > 13)
        #expect(message.data["session"] == (try await client.session()))

        let many = try await Client.loggedIn(self.service)
        let start = try #require(await many.stream(on: thread).next()?.id)
        for _ in 0..<150 { try await many.push() }
        let late = try #require(await many.stream(after: start, on: thread).next())
        #expect(late.data["reason"]?.text == "gap")
        #expect(late.data["oldestEvent"]?.number == 1)
    }

    @Test("A client that does not read gets one message with all that it has missed")
    func slowClient() async throws {
        let client = try await Client.loggedIn(service)
        let (slow, fast) = (
            try await client.stream(on: thread), try await client.stream(on: thread)
        )
        slow.block()
        for _ in 0..<5 { try await client.push() }
        await thread.wait()
        await slow.unblock()
        _ = await slow.next()
        let missed = try #require(await slow.next())
        #expect(missed.revisions == [2, 7])
        #expect(missed.sequence == Array(13...47))
        try await client.push()
        #expect(await slow.next()?.revisions == [7, 8])
        #expect(await fast.sent().dropFirst().map(\.revisions) == (2...7).map { [$0, $0 + 1] })
    }

    @Test(
        "Changes that come faster than they are sent become one message", arguments: [32, 33, 40])
    func manyChanges(count: Int) async throws {
        let client = try await Client.loggedIn(service)
        let stream = try await client.stream(on: thread)
        thread.suspend()
        for _ in 0..<count { try await client.push() }
        thread.resume()
        _ = await stream.next()
        if count <= 32 {
            for number in 0..<count {
                #expect(await stream.next()?.revisions == [2 + number, 3 + number])
            }
        } else {
            let all = try #require(await stream.next())
            #expect(all.revisions == [2, 2 + count])
            #expect(all.sequence == Array(13...(12 + 7 * count)))
        }
    }

    @Test("A change that cannot be stored is never sent")
    func failingStore() async throws {
        let store = try ScriptedStore()
        let service = try TestService(store: store)
        let client = try await Client.loggedIn(service)
        let stream = try await client.stream(on: thread)
        store.failCommits(ScriptedStore.failure)
        #expect(try await client.send("POST", "push", #"{"scene": "titles"}"#).status == 503)
        store.failCommits(nil)
        try await client.push()
        let messages = await stream.sent()
        #expect(messages.map(\.type) == ["snapshot", "change"])
        #expect(messages.last?.revisions == [2, 3])
    }

    @Test("The stream of a session that is ended says so and ends")
    func deleted() async throws {
        let client = try await Client.loggedIn(service)
        let stream = try await client.stream(on: thread)
        _ = await stream.next()
        #expect(try await client.send("DELETE", "").status == 204)
        let last = try #require(await stream.next())
        #expect(last.type == "end")
        #expect(last.data["reason"]?.text == "deleted")
        #expect(last.id == nil)
        #expect(await stream.next() == nil)
        #expect(try await client.send("GET", "changes").status == 404)
    }

    @Test(
        "The end of all streams also ends a stream whose response was made before, and begins after",
        arguments: [false, true], [false, true])
    func lateStream(areDeleted: Bool, isFirst: Bool) async throws {
        let client = try await Client(service.api)
        var streams: [TestStream] = []
        if !isFirst { streams.append(try await client.stream(on: thread)) }
        streams.append(
            try await client.stream(on: thread) { service.api.endStreams(areDeleted: areDeleted) })
        for stream in streams {
            #expect(await stream.next()?.type == "snapshot")
            if areDeleted { #expect(await stream.next()?.data["reason"]?.text == "deleted") }
            #expect(await stream.next() == nil)
        }
    }

    @Test("The cursor of a deleted session does not fit a later session with the same id")
    func sameID() async throws {
        let clock = TestEnvironment()
        let service = try TestService(environment: clock.environment)
        let seeded = SeededSession(clock)
        let client = try await seeded.open(in: service)
        try await client.push("signUp")
        let cursor = try #require(await client.stream(on: thread).next()?.id)
        #expect(try await client.send("DELETE", "").status == 204)
        clock.advance(by: .milliseconds(1))
        _ = try await seeded.open(in: service)
        for _ in 1...2 { try await client.push("signUp") }
        let first = try await client.stream(after: cursor, on: thread).next()
        #expect(first?.type == "snapshot")
        #expect(first?.data["reason"]?.text == "other-history")
    }

    @Test("The stream of an expired session says so and ends")
    func expired() async throws {
        let clock = TestEnvironment()
        let service = try TestService(environment: clock.environment)
        let stream = try await Client(service.api).stream(on: thread)
        _ = await stream.next()
        clock.advance(by: .seconds(31 * 86_400))
        await stream.heartbeat()
        let last = try #require(await stream.next())
        #expect(last.type == "end")
        #expect(last.data["reason"]?.text == "expired")
        #expect(await stream.next() == nil)
    }

    @Test("A revoked credential makes the session fall back, and its stream shows that at once")
    func revoked() async throws {
        let client = try await Client.loggedIn(service)
        let stream = try await client.stream(on: thread)
        _ = await stream.next()
        let other = try await Client(service.api)
        let name = "user-\(client.id.prefix(12))"
        let credential = try #require(
            try await other.send(
                "POST", "log-in", #"{"username": "\#(name)", "password": "a long password"}"#
            ).json["credential"]?.text)
        let reply = try await service.api.send(
            "PUT", "/v1/account/password",
            #"{"oldPassword": "a long password", "newPassword": "another long password"}"#,
            token: credential)
        #expect(reply.status == 204)
        let message = try #require(await stream.next())
        #expect(message.data["session"]?["auth"]?["state"]?.text == "loggedOut")
        #expect(message.data["session"]?["auth"]?["reason"]?.text == "credential-revoked")
    }

    @Test("No message has the credential that a log-in returns")
    func secrets() async throws {
        let client = try await Client(service.api)
        let stream = try await client.stream(on: thread)
        let reply = try await client.send(
            "POST", "sign-up", #"{"username": "ada", "password": "a long password"}"#)
        let credential = try #require(reply.json["credential"]?.text)
        let messages = await stream.sent()
        #expect(messages.count == 2)
        #expect(!"\(messages)".contains(credential))
        #expect(!"\(messages)".contains(client.token))
    }

    @Test("A session that is too large for a message is left out of it")
    func largeSession() async throws {
        let client = try await Client.loggedIn(service)
        let entries = Array(repeating: #"{"scene": "titles"}"#, count: 500).joined(separator: ",")
        _ = try await client.send(
            "POST", "set-view-controllers", "{\"viewControllers\": [\(entries)]}")
        let stream = try await client.stream(on: thread)
        let first = try #require(await stream.next())
        #expect(first.data["session"] == .null)
        #expect(first.data["revision"]?.number == 3)
        try await client.push()
        let second = try #require(await stream.next())
        #expect(second.type == "change")
        #expect(second.data["session"] == .null)
        // A change message has a largest size, too. This one would have all view controllers.
        #expect(try await client.send("POST", "pop-to-root", "").status == 200)
        let third = try #require(await stream.next())
        #expect(third.type == "snapshot")
        #expect(third.data["reason"]?.text == "gap")
    }
}
