import HTTPCore
import TestSupport
import Testing
import WaypostTesting

@testable import WaypostAPI

/// Tests of the names that tell the sessions and tokens of an account apart.
@Suite(.timeLimit(.minutes(10)), .everyStore) struct SessionNameTests: DeviceSuite {
    let clock = TestEnvironment()
    let service: TestService

    init() throws {
        service = try TestService(environment: clock.environment)
    }

    @Test("A name is part of the session and its tag, changes no revision, and null removes it")
    func name() async throws {
        let user = try await signUp()
        let before = try await user.client.send("GET", "")
        #expect(before.json["name"] == .null)
        for (name, shown) in [(#""Home ✓""#, "Home ✓"), (#""x""#, "x"), ("null", nil)] {
            let old = try await user.client.send("GET", "").headers["ETag"] ?? ""
            let reply = try await user.client.send("PATCH", "", #"{"name": \#(name)}"#)
            #expect(reply.status == 200)
            #expect(reply.json["name"]?.text == shown)
            let read = try await user.client.send("GET", "", headers: ["If-None-Match": old])
            #expect(read.status == 200)
            #expect(read.bytes == reply.bytes)
            #expect(read.headers["ETag"] == reply.headers["ETag"])
            #expect(read.headers["ETag"]?.hasPrefix("\"2-") == true)
            #expect(try await sessions(user.credential)[0]["name"]?.text == shown)
            let one = try await send("GET", "/\(user.client.id)", user.credential)
            #expect(one.json == (try await sessions(user.credential)[0]))
        }
        let after = try await user.client.send("GET", "")
        #expect(after.bytes == before.bytes)
        #expect(after.headers["ETag"] == before.headers["ETag"])
        _ = try await user.client.send("PATCH", "", #"{"name": "kept"}"#)
        let pushed = try await user.client.send("POST", "push", #"{"scene": "titles"}"#)
        #expect(pushed.json["session"]?["name"]?.text == "kept")
        #expect(try await sessions(user.credential)[0]["name"]?.text == "kept")
        let old = try await service.api.send(
            "GET", "/v1/sessions/\(user.client.id)?revision=2", token: user.client.token)
        #expect(old.json["name"]?.text == "kept")
    }

    @Test("Two naming requests at different times give different tags, even with the same name")
    func nameAtAnotherTime() async throws {
        let client = try await signUp().client
        let before = try await client.send("GET", "")
        let tag = try #require(before.headers["ETag"])
        clock.advance(by: .seconds(60))
        for name in [#""x""#, "null"] {
            _ = try await client.send("PATCH", "", #"{"name": \#(name)}"#)
        }
        let after = try await client.send("GET", "", headers: ["If-None-Match": tag])
        #expect(after.status == 200)
        #expect(after.json["name"] == before.json["name"])
        #expect(after.json["expiresAt"] != before.json["expiresAt"])
        let change = try await client.send("POST", "pop", headers: ["If-Match": tag])
        #expect(change.status == 412)
        #expect(change.headers["ETag"] == after.headers["ETag"])
    }

    @Test("Of two namings with one tag, the second is refused") func namingWithTag() async throws {
        let user = try await signUp()
        let tag = try #require(try await user.client.send("GET", "").headers["ETag"])
        func rename(_ name: String) async throws -> Reply {
            try await user.client.send(
                "PATCH", "", #"{"name": "\#(name)"}"#, headers: ["If-Match": tag])
        }
        #expect(try await rename("one").status == 200)
        let second = try await rename("two")
        #expect(second.status == 412)
        let read = try await user.client.send("GET", "")
        #expect(second.headers["ETag"] == read.headers["ETag"])
        #expect(read.json["name"]?.text == "one")
    }

    @Test("A session is opened with a name, and a fork has the name of its own request")
    func openingWithName() async throws {
        let opened = try await service.api.send("POST", "/v1/sessions", #"{"name": "one"}"#)
        #expect(opened.json["name"]?.text == "one")
        let origin = #"{"session": "\#(opened.json["id"]?.text ?? "")"}"#
        for (member, name) in [("", nil), (#", "name": "two""#, "two"), (#", "name": null"#, nil)] {
            let fork = try await service.api.send(
                "POST", "/v1/sessions", #"{"fork": \#(origin)\#(member)}"#,
                token: opened.json["token"]?.text)
            #expect(fork.status == 201)
            #expect(fork.json["name"]?.text == name)
        }
        let refused = try await service.api.send("POST", "/v1/sessions", #"{"name": ""}"#)
        #expect(refused.code == "invalid-body")
    }

    @Test(
        "An invalid name of a session or a token is a 422",
        arguments: [
            #"{"name": ""}"#, #"{"name": 1}"#, #"{"name": "a\nb"}"#, #"{"name": "a\u0000"}"#,
            #"{"name": "\#(String(repeating: "x", count: 101))"}"#, #"{"name": "x", "more": 1}"#,
        ])
    func badName(_ body: String) async throws {
        let user = try await signUp()
        let renamed = try await user.client.send("PATCH", "", body)
        let made = try await send("POST", "/\(user.client.id)/tokens", body, user.credential)
        for reply in [renamed, made] {
            #expect(reply.status == 422)
            #expect(reply.code == "invalid-body")
            #expect(reply.json["errors"]?.count == 1)
        }
        #expect(try await sessions(user.credential)[0]["name"] == .null)
        #expect(try await tokens(of: user.client, user.credential) == [])
        for body in [#"{"name": null}"#, "{}"] {
            let reply = try await send("POST", "/\(user.client.id)/tokens", body, user.credential)
            #expect(reply.code == "invalid-body")
            #expect(reply.json["errors"]?.count == 1)
        }
    }

    @Test("A merge patch without members leaves the session as it is") func emptyPatch()
        async throws
    {
        let user = try await signUp()
        let named = try await user.client.send("PATCH", "", #"{"name": "one"}"#)
        let tag = try #require(named.headers["ETag"])
        for headers in [[:], ["If-Match": tag], ["Idempotency-Key": "key"]] {
            let reply = try await user.client.send("PATCH", "", "{}", headers: headers)
            #expect(reply.status == 200)
            #expect(reply.bytes == named.bytes)
            #expect(reply.headers["ETag"] == tag)
        }
        let stale = try await user.client.send(
            "PATCH", "", "{}", headers: ["If-Match": "\"9-00000000\""])
        #expect(stale.status == 412)
        let other = try await user.client.send(
            "PATCH", "", #"{"name": "two"}"#, headers: ["Idempotency-Key": "key"])
        #expect(other.code == "idempotency-key-reused")
    }

    @Test("A repeated naming with one key is made once, and If-Match is checked")
    func namingOnce() async throws {
        let user = try await signUp()
        let key = ["Idempotency-Key": "key"]
        let first = try await user.client.send("PATCH", "", #"{"name": "one"}"#, headers: key)
        #expect(first.status == 200)
        _ = try await user.client.send("PATCH", "", #"{"name": "two"}"#)
        let again = try await user.client.send("PATCH", "", #"{"name": "one"}"#, headers: key)
        #expect(again.status == 200)
        #expect(again.bytes == first.bytes)
        #expect(again.headers["Idempotency-Replayed"] == "true")
        #expect(try await sessions(user.credential)[0]["name"]?.text == "two")
        let other = try await user.client.send("PATCH", "", #"{"name": "three"}"#, headers: key)
        #expect(other.code == "idempotency-key-reused")
        let stale = try await user.client.send(
            "PATCH", "", #"{"name": "three"}"#, headers: ["If-Match": "\"9-00000000\""])
        #expect(stale.status == 412)
        #expect(try await sessions(user.credential)[0]["name"]?.text == "two")
    }
}
