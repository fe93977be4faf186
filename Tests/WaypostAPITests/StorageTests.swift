import AppDefinition
import HTTPCore
import JSON
import NavigationRules
import SessionStoreTesting
import Sessions
import TestSupport
import Testing
import WaypostAPI
import WaypostCore
import WaypostTesting

/// Tests of a store that cannot write: changes get a 503 without any effect, and `/readyz` fails.
@Suite struct StorageTests {
    @Test("A change that cannot be stored is a 503 without effect and can be repeated later")
    func failingStore() async throws {
        let store = try ScriptedStore()
        let service = try TestService(store: store)
        let client = try await Client.loggedIn(service)
        let before = try await client.session()
        store.failCommits(StorageError(reason: "the disk is full"))
        let changes = [
            ("POST", "push", #"{"scene": "titles"}"#), ("POST", "log-out", ""), ("DELETE", "", ""),
            ("POST", "select-segment", #"{"index": 1}"#),
            ("PATCH", "view-controllers/vc2", #"{"title": "x"}"#),
        ]
        for (method, path, body) in changes {
            let reply = try await client.send(
                method, path, body, headers: ["Idempotency-Key": "\(method)-\(path)"])
            #expect(reply.status == 503)
            #expect(reply.code == "storage-unavailable")
            #expect(reply.headers["Retry-After"] != nil)
        }
        #expect(try await service.api.send("POST", "/v1/sessions").status == 503)
        #expect(try await client.session() == before)
        #expect(try await client.send("GET", "events?after=12").json["items"]?.count == 0)
        let ready = try await service.api.send("GET", "/readyz")
        #expect(ready.code == "not-ready")
        #expect(ready.json["detail"]?.text?.contains("the disk is full") == true)
        #expect(try await service.api.send("GET", "/livez").status == 200)
        // The same requests succeed when the disk has room again.
        store.failCommits(nil)
        #expect(try await service.api.send("GET", "/readyz").status == 200)
        let push = try await client.send(
            "POST", "push", #"{"scene": "titles"}"#, headers: ["Idempotency-Key": "POST-push"])
        #expect(push.status == 200)
        #expect(push.headers["Idempotency-Replayed"] == nil)
    }

    @Test(
        "An unconfirmed commit is reported as an unknown outcome, not as unchanged")
    func unknownOutcome() async throws {
        let store = try ScriptedStore()
        let service = try TestService(store: store)
        let client = try await Client.loggedIn(service)
        store.failCommits(StorageError(reason: "fsync failed", isOutcomeUnknown: true))
        for headers in [[:], ["Idempotency-Key": "one"]] {
            let reply = try await client.send(
                "POST", "push", #"{"scene": "titles"}"#, headers: headers)
            #expect(reply.status == 503)
            #expect(reply.code == "outcome-unknown")
            #expect(reply.headers["Retry-After"] != nil)
            #expect(reply.json["detail"]?.text?.contains("nothing") == false)
        }
    }

    @Test("A reset whose seed fails reports that the service is empty")
    func failedReset() async throws {
        var configuration = API.Configuration()
        configuration.testControl.reset = { throw StorageError(reason: "the disk is full") }
        let service = try TestService(configuration: configuration)
        let reply = try await service.api.send("POST", "/test/reset")
        #expect(reply.status == 503 && reply.code == "storage-unavailable")
        let detail = reply.json["detail"]?.text
        #expect(detail?.hasPrefix("the service is empty, but its seed is not there: ") == true)
        #expect(detail?.contains("the disk is full") == true)
    }

    @Test("Only a change gets an unknown outcome, and the metric counts each such response")
    func unknownOutcomesOfReads() async throws {
        let store = try ScriptedStore()
        let configuration = API.Configuration()
        let service = try TestService(
            store: store, configuration: configuration)
        let admin = AdminAPI(
            nil, accounts: service.accounts, sessions: service.directory,
            unknownOutcomes: configuration.unknownOutcomes)
        let other = try await Client.loggedIn(service)
        let client = try await Client(service.api)
        let signUp = try await client.send(
            "POST", "sign-up", #"{"username": "ada", "password": "a long password"}"#)
        let credential = try #require(signUp.json["credential"]?.text)
        store.failCommits(StorageError(reason: "fsync failed", isOutcomeUnknown: true))
        // The request stores the time of the credential's use, and is answered without it.
        let account = try await service.api.send("GET", "/v1/account", token: credential)
        #expect(account.status == 200 && account.json["username"]?.text == "ada")
        store.failCommits(nil)
        try await service.accounts.setDisabled("ada", true)
        store.failCommits(StorageError(reason: "fsync failed", isOutcomeUnknown: true))
        // Each request first has to log the session out.
        #expect(try await client.send("GET", "").code == "storage-unavailable")
        let push = #"{"scene": "titles"}"#
        #expect(try await client.send("POST", "push", push).code == "storage-unavailable")
        #expect(try await outcomesUnknown(service) == 0)
        #expect(try await other.send("POST", "push", push).code == "outcome-unknown")
        #expect(try await outcomesUnknown(service) == 1)
        let command = try await admin.post("/accounts/enable", #"{"username": "ada"}"#)
        #expect(command.code == "outcome-unknown")
        #expect(try await outcomesUnknown(service) == 2)
    }

    private func outcomesUnknown(_ service: TestService) async throws -> Int? {
        let text = String(
            decoding: try await service.api.send("GET", "/metrics").bytes, as: UTF8.self)
        return text.firstMatch(of: /\nwaypost_store_outcomes_unknown_total (\d+)\n/)
            .flatMap { Int($0.1) }
    }

    @Test(
        "A session whose row was deleted from the store is reported as ended at the next change",
        .everyStore)
    func goneSession() async throws {
        let folder = try TemporaryFolder()
        let store = try StoreKind.current.makeStore(in: folder)
        let service = try TestService(store: store)
        for headers in [[:], ["Idempotency-Key": "one"]] {
            let client = try await Client.loggedIn(service)
            let id = try #require(SessionID(client.id))
            try await store.commit(
                WriteBatch(
                    session: .delete(id, replacing: #require(store.session(id)).version)))
            let push = #"{"scene": "titles"}"#
            let reply = try await client.send("POST", "push", push, headers: headers)
            #expect(reply.code == "session-not-found")
            #expect(try await client.send("GET", "").code == "session-not-found")
        }
    }

    @Test(
        "Health checks and metrics are urgent, so that they respond when the service is overloaded",
        arguments: [
            ("GET", "/livez", true), ("GET", "/readyz", true), ("GET", "/metrics", true),
            ("POST", "/livez", false), ("GET", "/v1/storyboard", false), ("GET", "/none", false),
        ])
    func urgency(_ method: String, _ path: String, _ expected: Bool) throws {
        let request = Request(
            method: Method(method), target: try RequestTarget(path), headers: HeaderFields())
        #expect(try TestService().api.isUrgent(request) == expected)
    }

    @Test("A draining service that cannot write gives both reasons at /readyz")
    func readiness() async throws {
        let store = try ScriptedStore()
        var configuration = API.Configuration()
        let readiness = Readiness()
        configuration.readiness = readiness
        let api = try TestService(store: store, configuration: configuration).api
        readiness.drain()
        let draining = try await api.send("GET", "/readyz")
        #expect(draining.status == 503)
        #expect(draining.code == "not-ready")
        #expect(draining.json["detail"]?.text == "the service is draining and will stop")
        store.failCommits(StorageError(reason: "the disk is full"))
        let both = try await api.send("GET", "/readyz").json["detail"]?.text
        #expect(
            both
                == "the service is draining and will stop; the store cannot be written: the disk is "
                + "full")
        #expect(try await api.send("GET", "/livez").status == 200)
        let metrics = try await api.send("GET", "/metrics").bytes
        #expect(String(decoding: metrics, as: UTF8.self).contains("\nwaypost_ready 0\n"))
    }

    @Test("A sign-up that cannot be stored is a 503 and makes no account")
    func failingSignUp() async throws {
        let store = try ScriptedStore()
        let service = try TestService(store: store)
        let client = try await Client(service.api)
        let body = #"{"username": "ada", "password": "a long password"}"#
        store.failCommits(StorageError(reason: "the disk is full"))
        #expect(try await client.send("POST", "sign-up", body).status == 503)
        store.failCommits(nil)
        #expect(try await client.send("POST", "log-in", body).code == "wrong-password")
        #expect(try await client.send("POST", "sign-up", body).status == 200)
    }

    @Test(
        "Events that are no longer stored are a 410 with the number of the oldest event",
        .everyStore)
    func eventsGone() async throws {
        let service = try TestService(historyRetention: 5)
        let client = try await Client.loggedIn(service)
        for _ in 0..<30 {
            _ = try await client.send("POST", "push", #"{"scene": "titles"}"#)
            _ = try await client.send("POST", "back")
        }
        let gone = try await client.send("GET", "events")
        #expect(gone.status == 410)
        #expect(gone.code == "events-gone")
        let after = try #require(gone.json["after"]?.number)
        #expect(gone.json["detail"]?.text?.hasSuffix("send after=\(after)") == true)
        let kept = try await client.send("GET", "events?after=\(after)")
        #expect(kept.json["items"]?[0]?["seq"]?.number == after + 1)
        // Each of the last five changes has seven events.
        #expect((kept.json["items"]?.count ?? 0) >= 35)
    }
}
