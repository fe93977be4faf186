import AppDefinition
import HTTPCore
import JSON
import SessionStoreTesting
import TestSupport
import Testing
import WaypostTesting

@testable import WaypostAPI

/// Tests of the limits on streams, of their costs and of their metrics, in which the kind of store
/// plays no part.
@Suite("Limits on streams", .timeLimit(.minutes(10))) struct StreamLimitTests {
    private let service: TestService
    private let thread = TestStreamThread()

    init() throws { service = try TestService() }

    @Test("A stream has the time limit that the client asks for, at most its own lifetime")
    func timeLimits() async throws {
        let client = try await Client(service.api)
        #expect(try await client.stream("?seconds=7", on: thread).stream.timeLimit == .seconds(7))
        let limit = try #require(try await client.stream(on: thread).stream.timeLimit)
        #expect((.seconds(3240)...(.seconds(3600))).contains(limit))
        for query in ["seconds=0", "seconds=3601", "messages=0", "messages=1001", "wait=1"] {
            #expect(try await client.send("GET", "changes?\(query)").code == "invalid-query")
        }
    }

    @Test("Streams end at different times, and their clients come back at different times")
    func retry() async throws {
        let client = try await Client(service.api)
        var times: Set<Int> = []
        var lifetimes: Set<Duration?> = []
        for _ in 0..<8 {
            let stream = try await client.stream(on: thread).stream as? ChangeStream
            times.insert(try #require(stream).retry)
            lifetimes.insert(try #require(stream).timeLimit)
        }
        #expect(times.count > 1)
        #expect(lifetimes.count > 1)
        #expect(times.allSatisfy { (1000...5000).contains($0) })
    }

    @Test("Streams beyond the limits are refused until another one has ended")
    func limits() async throws {
        var configuration = API.Configuration()
        configuration.streams.maximum = 3
        configuration.streams.maximumPerSession = 2
        let service = try TestService(configuration: configuration)
        let (first, second) = (try await Client(service.api), try await Client(service.api))
        var streams = [
            try await first.stream(on: thread), try await first.stream(on: thread),
            try await second.stream(on: thread),
        ]
        let refused = try await second.send("GET", "changes")
        #expect(refused.code == "busy")
        #expect(refused.headers["Retry-After"] != nil)
        streams.removeLast().end(.client)
        await thread.wait()
        #expect(try await first.send("GET", "changes").code == "too-many-streams")
        // The last stream was never begun, as its client had left.
        #expect(try await second.send("GET", "changes").status == 200)
        streams.removeLast().end(.client)
        await thread.wait()
        _ = try await first.stream(on: thread)
    }

    @Test("A client that accepts no event stream is refused, and streams can be turned off")
    func unavailable() async throws {
        let client = try await Client(service.api)
        let reply = try await client.send(
            "GET", "changes", headers: ["Accept": "application/json"])
        #expect(reply.code == "not-acceptable")
        var configuration = API.Configuration()
        configuration.streams.maximum = 0
        let service = try TestService(configuration: configuration)
        #expect(try await Client(service.api).send("GET", "changes").code == "not-found")
    }

    @Test(
        "A revocation reads the store as often with few streams of other accounts as with many",
        arguments: [
            "DELETE /v1/account/credentials", "DELETE /v1/account/credentials/{credential}",
            "POST /v1/account/delete",
        ])
    func costOfRevocation(request: String) async throws {
        #expect(try await calls(of: request, others: 1) == calls(of: request, others: 15))
    }

    /// Returns the number of calls of the store for a request that revokes credentials, until the
    /// session's stream has shown it.
    private func calls(of request: String, others: Int) async throws -> Int {
        // A shared store is asked at intervals besides, and the use of a credential is recorded once
        // a minute.
        let store = try ScriptedStore(.memory)
        let service = try TestService(
            store: store, environment: TestEnvironment().environment)
        func enter(_ username: String) async throws -> (Client, credential: String) {
            let client = try await Client(service.api)
            let reply = try await client.send(
                "POST", "sign-up",
                #"{"username": "\#(username)", "password": "a long password"}"#)
            return (client, try #require(reply.json["credential"]?.text))
        }
        var streams: [TestStream] = []
        for number in 0..<others {
            let (client, credential) = try await enter("other-\(number)")
            streams.append(try await client.stream(on: thread))
            let reply = try await service.api.send(
                "POST", "/v1/account/sessions/\(client.id)/tokens", #"{"name": "phone"}"#,
                token: credential)
            let token = try #require(reply.json["token"]?.text)
            let phone = Client(service.api, id: client.id, token: token)
            streams.append(try await phone.stream(on: thread))
        }
        let (client, credential) = try await enter("ann")
        let stream = try await client.stream(on: thread)
        _ = await stream.next()
        let listed = try await service.api.send(
            "GET", "/v1/account/credentials", token: credential)
        let id = try #require(listed.json["items"]?[0]?["id"]?.text)
        let parts = request.replacing("{credential}", with: id).split(separator: " ")
            .map(String.init)
        let calls = store.callCount
        let reply = try await service.api.send(
            parts[0], parts[1],
            parts[0] == "POST" ? #"{"password": "a long password"}"# : "",
            token: credential)
        #expect(reply.status == 204)
        _ = try #require(await stream.next())
        for stream in streams { stream.end(.client) }
        await thread.wait()
        return store.callCount - calls
    }

    @Test("At most 32 streams read their missed events at once")
    func reads() async throws {
        let store = try ScriptedStore(.memory)
        let client = try await Client.loggedIn(TestService(store: store))
        let cursor = try #require(await client.stream(on: thread).next()?.id)
        for _ in 0..<3 { try await client.push() }
        let gate = Gate()
        store.hold(.events, at: gate)
        let count = store.count(.events)
        var streams: [TestStream] = []
        for _ in 0..<40 { streams.append(try await client.stream(after: cursor, on: thread)) }
        await gate.waitForArrivals(32)
        for _ in 0..<100 { await Task.yield() }
        #expect(store.count(.events) == count + 32)
        store.hold(.events, at: nil)
        gate.open()
        for stream in streams { #expect(await stream.next()?.revisions == [2, 5]) }
    }

    @Test("The metrics of streams go on after a reload of the app")
    func reload() async throws {
        let client = try await Client(service.api)
        _ = try await client.stream(on: thread)
        let app = LoadedApp(
            app: service.directory.app, catalog: service.catalog, images: [:], summary: "",
            warnings: [])
        let environment = service.sessions.environment
        let reloaded = API(
            app, directory: service.directory, accounts: service.accounts,
            limits: RateLimits(sessionQuota: 0, signUpQuota: 0, environment: environment),
            store: service.store, replacing: service.api)
        _ = try await Client(reloaded, id: client.id, token: client.token).stream(on: thread)
        let reply = try await reloaded.send("GET", "/metrics")
        let metrics = try PrometheusText(String(decoding: reply.bytes, as: UTF8.self))
        #expect(metrics.value("waypost_streams_opened_total", ["start": "live"]) == 2)
    }

    @Test("The metrics count streams by their start and end, and messages by their type")
    func metrics() async throws {
        let client = try await Client.loggedIn(service)
        func value(_ name: String, _ labels: [String: String] = [:]) async throws -> Double? {
            let reply = try await service.api.send("GET", "/metrics")
            return try PrometheusText(String(decoding: reply.bytes, as: UTF8.self))
                .value("waypost_stream\(name)", labels)
        }
        let first = try await client.stream(on: thread)
        let start = try #require(await first.next()?.id)
        try await client.push()
        let last = try #require(await first.next()?.id)
        for cursor in [last, "nonsense"] {
            _ = try await client.stream(after: cursor, on: thread)
        }
        // The missed change is read from the store, and counted after its message has been sent.
        let replayed = try await client.stream(after: start, on: thread)
        _ = try #require(await replayed.next())
        await thread.wait()
        for start in ["live", "replayed", "nothing-missed", "snapshot"] {
            #expect(try await value("s_opened_total", ["start": start]) == 1, "\(start)")
        }
        #expect(try await value("_messages_total", ["type": "snapshot"]) == 2)
        #expect(try await value("_messages_total", ["type": "change"]) == 2)
        #expect(try await value("_delay_seconds_count") == 1)
        #expect(try await value("s") == 4)
        first.end(.client)
        await thread.wait()
        #expect(try await value("s") == 3)
        #expect(try await value("s_ended_total", ["reason": "client"]) == 1)
    }
}
