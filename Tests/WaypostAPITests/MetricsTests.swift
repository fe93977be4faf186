import HTTPCore
import TestSupport
import Testing
import WaypostCore
import WaypostTesting

/// Tests of `GET /metrics`, read as Prometheus reads it.
@Suite struct MetricsTests {
    private func metrics(of service: TestService) async throws -> PrometheusText {
        let reply = try await service.api.send("GET", "/metrics")
        #expect(reply.status == 200)
        #expect(reply.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8")
        return try PrometheusText(String(decoding: reply.bytes, as: UTF8.self))
    }

    @Test("Requests are counted by route, method and status, and unknown routes under one label")
    func requests() async throws {
        let service = try TestService()
        let client = try await Client.loggedIn(service)
        for _ in 0..<3 { _ = try await client.send("GET", "") }
        _ = try await client.send("HEAD", "")
        _ = try await client.send("BREW", "")
        _ = try await service.api.send("GET", "/v1/sessions/\(client.id)", token: nil)
        for path in ["/nowhere", "/etc/passwd", "/v1/sessions/x/y/z"] {
            _ = try await service.api.send("GET", path)
        }
        let metrics = try await metrics(of: service)
        let session = "/v1/sessions/{session}"
        for (route, method, status, count) in [
            (session, "GET", "200", 3), (session, "HEAD", "200", 1), (session, "other", "405", 1),
            (session, "GET", "401", 1), ("/v1/sessions", "POST", "201", 1),
            (session + "/sign-up", "POST", "200", 1), ("none", "GET", "404", 3),
        ] {
            let value = metrics.value(
                "waypost_http_responses_total",
                [
                    "http_route": route, "http_request_method": method,
                    "http_response_status_code": status,
                ])
            #expect(value == Double(count), "\(method) \(route) \(status)")
        }
        for (route, method, count) in [(session, "GET", 4), ("none", "GET", 3)] {
            let value = metrics.value(
                "http_server_request_duration_seconds_count",
                ["http_route": route, "http_request_method": method])
            #expect(value == Double(count), "\(method) \(route)")
        }
        for (code, count) in [("not-found", 3), ("method-not-allowed", 1), ("unauthorized", 1)] {
            #expect(metrics.value("waypost_http_refusals_total", ["code": code]) == Double(count))
        }
        // The request in flight is the one for the metrics.
        #expect(metrics.value("http_server_active_requests") == 1)
    }

    @Test("A combination of labels is told from its first value on") func firstValue() async throws
    {
        let service = try TestService()
        func series(_ name: String) async throws -> [[String: String]] {
            try await metrics(of: service).families.flatMap(\.samples)
                .filter { $0.name == name }.map(\.labels)
        }
        let (durations, responses) = (
            "http_server_request_duration_seconds_count", "waypost_http_responses_total"
        )
        #expect(try await series(durations).isEmpty)
        for _ in 0..<2 { _ = try await service.api.send("GET", "/nowhere") }
        let labels = ["http_route": "none", "http_request_method": "GET"]
        #expect(try await series(durations).contains(labels))
        let (told, counted) = (try await series(durations), try await series(responses))
        // The other route is that of the metrics.
        #expect(told.count == 2 && counted.count == 2)
        #expect(counted.contains(labels.merging(["http_response_status_code": "404"]) { $1 }))
    }

    @Test("No text of a request's path, query or method becomes a label") func labels() async throws
    {
        let service = try TestService()
        for path in ["/v1/sessions/secret", "/v1/catalog/authors/secret?limit=secret", "/secret"] {
            _ = try await service.api.send("SECRET", path)
        }
        let reply = try await service.api.send("GET", "/metrics")
        #expect(!String(decoding: reply.bytes, as: UTF8.self).lowercased().contains("secret"))
    }

    @Test("A request that the HTTP server refuses is counted by its code") func refusals()
        async throws
    {
        let service = try TestService()
        _ = service.api.rejectionResponse(for: Problem(.contentTooLarge, "too much"))
        let metrics = try await metrics(of: service)
        #expect(
            metrics.value("waypost_http_refusals_total", ["code": "content-too-large"]) == 1)
        let labels = [
            "http_route": "none", "http_request_method": "other",
            "http_response_status_code": "413",
        ]
        #expect(metrics.value("waypost_http_responses_total", labels) == 1)
    }

    @Test("The metrics count the sessions in memory and in the store") func sessions() async throws
    {
        let service = try TestService()
        let client = try await Client(service.api)
        _ = try await Client(service.api)
        _ = try await client.send("DELETE", "")
        let metrics = try await metrics(of: service)
        #expect(metrics.value("waypost_sessions_cached") == 1)
        #expect(metrics.value("waypost_sessions_stored") == 1)
        #expect(metrics.value("waypost_sessions_opened_total") == 2)
        #expect(metrics.value("waypost_sessions_ended_total", ["by": "client"]) == 1)
        #expect(metrics.value("waypost_sessions_ended_total", ["by": "operator"]) == 0)
        #expect(metrics.value("waypost_sessions_ended_total", ["by": "expiry"]) == 0)
    }

    @Test("A session that expired is counted when the purge removes it") func expiry() async throws
    {
        let service = try TestService()
        _ = try await Client(service.api)
        let end = service.sessions.environment.now() + .seconds(366 * 86_400)
        while try await service.store.purge(before: end) {}
        let metrics = try await metrics(of: service)
        #expect(metrics.value("waypost_sessions_ended_total", ["by": "expiry"]) == 1)
        #expect(metrics.value("waypost_sessions_ended_total", ["by": "client"]) == 0)
    }

    @Test("Operations are counted by outcome, and a repeated request only once")
    func operations() async throws {
        let service = try TestService()
        let client = try await Client.loggedIn(service)
        let push = #"{"scene": "titles"}"#
        for _ in 0..<2 {
            let reply = try await client.send(
                "POST", "push", push, headers: ["Idempotency-Key": "one"])
            #expect(reply.status == 200)
        }
        #expect(try await client.send("POST", "push", #"{"scene": "none"}"#).status >= 400)
        let stale = try await client.send(
            "POST", "push", push, headers: ["If-Match": "\"0-00000000\""])
        #expect(stale.status == 412)
        #expect(try await client.send("POST", "pop-to-root").status == 200)
        #expect(try await client.send("POST", "pop-to-root").status == 200)
        let metrics = try await metrics(of: service)
        for (outcome, count) in [
            ("changed", 2), ("unchanged", 1), ("refused", 1), ("precondition", 1), ("failed", 0),
        ] {
            let value = metrics.value("waypost_operations_total", ["outcome": outcome])
            #expect(value == Double(count), "\(outcome)")
        }
    }

    @Test("Log-ins are counted by result") func logIns() async throws {
        let service = try TestService()
        try await service.accounts.add("ada", "a long password")
        let client = try await Client(service.api)
        for password in ["a wrong password", "another one", "a long password"] {
            _ = try await client.send(
                "POST", "log-in", #"{"username": "ada", "password": "\#(password)"}"#)
        }
        let metrics = try await metrics(of: service)
        for (result, count) in [("wrong", 2), ("verified", 1), ("throttled", 0), ("busy", 0)] {
            let value = metrics.value("waypost_log_ins_total", ["result": result])
            #expect(value == Double(count), "\(result)")
        }
    }
}
