import SessionStoreTesting
import TestSupport
import Testing
import WaypostTesting

@testable import WaypostAPI

@Suite("Streams on a shared store", .timeLimit(.minutes(10))) struct HungStoreTests {
    @Test("While the store hangs, at most one poll waits for it, however many streams are open")
    func hungStore() async throws {
        let streams = 40
        let store = try ScriptedStore(.memory, isShared: true)
        var configuration = API.Configuration()
        configuration.streams.pollInterval = .zero
        let service = try TestService(store: store, configuration: configuration)
        let thread = TestStreamThread()
        var open: [TestStream] = []
        for _ in 0..<streams {
            open.append(try await Client(service.api).stream(on: thread))
        }
        let gate = Gate()
        store.hold(.versions, at: gate)
        let (count, checks) = (store.count(.versions), store.count(.check))
        await gate.waitForArrivals(1)
        for _ in 0..<100 { await Task.yield() }
        // The poll in progress at `hold`, and the one after it.
        #expect(store.count(.versions) <= count + 2)
        #expect(store.count(.check) == checks)
        store.hold(.versions, at: nil)
        gate.open()
        await until { store.count(.versions) > count + 2 }
        for stream in open { stream.end(.client) }
        await thread.wait()
    }

    @Test(
        "A poll shows the change of another service, and ends the streams of a token revoked there")
    func polls() async throws {
        let store = try ScriptedStore(.memory, isShared: true)
        var configuration = API.Configuration()
        configuration.streams.pollInterval = .milliseconds(1)
        let service = try TestService(
            store: store, configuration: configuration)
        let other = try TestService(store: store)
        let thread = TestStreamThread()
        let client = try await Client(service.api)
        let signUp = try await client.send(
            "POST", "sign-up", #"{"username": "ada", "password": "a long password"}"#)
        let credential = try #require(signUp.json["credential"]?.text)
        let path = "/v1/account/sessions/\(client.id)/tokens"
        let made = try await service.api.send(
            "POST", path, #"{"name": "phone"}"#, token: credential)
        let phone = Client(
            service.api, id: client.id, token: try #require(made.json["token"]?.text))
        let streams = [try await client.stream(on: thread), try await phone.stream(on: thread)]
        for stream in streams { #expect(await stream.next()?.type == "snapshot") }
        let there = Client(other.api, id: client.id, token: client.token)
        try await there.push()
        for stream in streams { #expect(await stream.next()?.revisions == [2, 3]) }
        let id = try #require(made.json["id"]?.text)
        let revoked = try await other.api.send("DELETE", "\(path)/\(id)", token: credential)
        #expect(revoked.status == 204)
        #expect(await streams[1].next() == nil)
        try await there.push()
        #expect(await streams[0].next()?.revisions == [3, 4])
        #expect(try await there.send("DELETE", "").status == 204)
        #expect(await streams[0].next()?.data["reason"]?.text == "deleted")
    }
}
