import Foundation
import HTTPCore
import JSON
import SessionStoreTesting
import Synchronization
import TestSupport
import Testing
import WaypostTesting

@testable import Sessions
@testable import WaypostAPI

/// Tests of the rate limits, and of the address under which a client is counted.
@Suite(.timeLimit(.minutes(10))) struct ThrottleTests {
    private let clock = TestEnvironment()

    private func expect(
        _ reply: Reply, _ policy: String, _ quota: String, _ seconds: Int,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(reply.status == 429, sourceLocation: sourceLocation)
        #expect(reply.code == "too-many-requests", sourceLocation: sourceLocation)
        #expect(reply.headers["Retry-After"] == "\(seconds)", sourceLocation: sourceLocation)
        #expect(
            reply.headers["RateLimit-Policy"] == "\"\(policy)\";\(quota)",
            sourceLocation: sourceLocation)
        #expect(
            reply.headers["RateLimit"] == "\"\(policy)\";r=0;t=\(seconds)",
            sourceLocation: sourceLocation)
        #expect(reply.headers["Content-Type"] == "application/problem+json")
        let detail = reply.json["detail"]?.text ?? ""
        #expect(detail.hasPrefix("the limit \(policy) of "), sourceLocation: sourceLocation)
        #expect(detail.hasSuffix(" in \(seconds) s"), sourceLocation: sourceLocation)
    }

    // MARK: The limits

    @Test("New sessions over the quota of an address are a 429 until the quota recovers")
    func sessions() async throws {
        let service = try TestService(
            environment: clock.environment, sessionQuota: 4)
        func open(from peer: String?) async throws -> Reply {
            try await service.api.send("POST", "/v1/sessions", from: peer)
        }
        for _ in 0..<4 { #expect(try await open(from: "192.0.2.1").status == 201) }
        expect(try await open(from: "192.0.2.1"), "sessions", "q=4;w=600", 150)
        #expect(try await open(from: "192.0.2.2").status == 201)
        #expect(try await open(from: nil).status == 201)
        clock.advance(by: .milliseconds(148_001))
        expect(try await open(from: "192.0.2.1"), "sessions", "q=4;w=600", 2)
        clock.advance(by: .milliseconds(1999))
        #expect(try await open(from: "192.0.2.1").status == 201)
        #expect(try await open(from: "192.0.2.1").status == 429)
    }

    @Test("A fork counts against the session quota with its size")
    func forks() async throws {
        let service = try TestService(
            environment: clock.environment, sessionQuota: 100)
        let client = try await Client.loggedIn(service)
        func fork() async throws -> Reply {
            try await service.api.send(
                "POST", "/v1/sessions", #"{"fork": {"session": "\#(client.id)"}}"#,
                token: client.token, from: "192.0.2.1")
        }
        #expect(try await fork().status == 201)
        // About 20 KB of texts count as 40 sessions.
        for _ in 0..<20 {
            _ = try await client.send("POST", "push", #"{"scene": "titles"}"#)
            let session = try await client.session()
            let top = try #require(session["viewControllers"]?.elements?.last?["id"]?.text)
            let title = String(repeating: "x", count: 1000)
            _ = try await client.send(
                "PATCH", "view-controllers/\(top)", #"{"title": "\#(title)"}"#)
        }
        #expect(try await fork().status == 201)
        #expect(try await fork().status == 201)
        let refused = try await fork()
        #expect(refused.status == 429)
        #expect(refused.headers["RateLimit-Policy"]?.contains("sessions") == true)
        // A small session is still within the quota.
        #expect(
            try await service.api.send("POST", "/v1/sessions", from: "192.0.2.1").status == 201)
    }

    @Test("A fork is refused at once when the quota for sessions is used up")
    func forkOverQuota() async throws {
        let service = try TestService(environment: clock.environment, sessionQuota: 1)
        let opened = try await service.api.send("POST", "/v1/sessions", from: "192.0.2.1").json
        let client = try Client(service.api, opened: opened)
        // The revision does not exist, but the quota is checked before it is read.
        let refused = try await service.api.send(
            "POST", "/v1/sessions", #"{"fork": {"session": "\#(client.id)", "revision": 9}}"#,
            token: client.token, from: "192.0.2.1")
        expect(refused, "sessions", "q=1;w=600", 600)
    }

    @Test("A fork that counts for more than the quota can be made when the whole quota is free")
    func forkAboveQuota() async throws {
        let service = try TestService(environment: clock.environment, sessionQuota: 4)
        let client = try await Client.loggedIn(service)
        let top = try #require(try await client.session()["viewControllers"]?[0]?["id"]?.text)
        let text = String(repeating: "x", count: 1000)
        let texts =
            #"{"title": "\#(text)", "bottomBarText": "\#(text)", "toolbarItems": ["\#(text)"]}"#
        let patch = try await client.send("PATCH", "view-controllers/\(top)", texts)
        #expect(patch.status == 200)
        func fork() async throws -> Reply {
            try await service.api.send(
                "POST", "/v1/sessions", #"{"fork": {"session": "\#(client.id)"}}"#,
                token: client.token, from: "192.0.2.1")
        }
        #expect(try await fork().status == 201)
        #expect(
            try await service.api.send("POST", "/v1/sessions", from: "192.0.2.1").status == 429)
        clock.advance(by: .seconds(600))
        #expect(
            try await service.api.send("POST", "/v1/sessions", from: "192.0.2.1").status == 201)
        let refused = try await fork()
        #expect(refused.status == 429)
        let wait = try #require(refused.headers["Retry-After"].flatMap { Int($0) })
        clock.advance(by: .seconds(wait))
        #expect(try await fork().status == 201)
    }

    @Test("A request that opens no session does not count against the session quota")
    func invalidSessions() async throws {
        let service = try TestService(
            environment: clock.environment, sessionQuota: 1)
        for body in ["[]", #"{"x": 1}"#, #"{"lifecycle": "none"}"#] {
            let reply = try await service.api.send("POST", "/v1/sessions", body, from: "192.0.2.1")
            #expect((400...499).contains(reply.status) && reply.status != 429)
        }
        #expect(
            try await service.api.send("POST", "/v1/sessions", from: "192.0.2.1").status == 201)
    }

    @Test(
        "A repeated opening or fork with its key does not count against the session quota",
        .everyStore)
    func repeatedOpening() async throws {
        let service = try TestService(
            environment: clock.environment, sessionQuota: 2)
        let key = ["Idempotency-Key": "0123456789abcdef012345"]
        func open(_ body: String = "", token: String? = nil) async throws -> Reply {
            try await service.api.send(
                "POST", "/v1/sessions", body, token: token, headers: key, from: "192.0.2.1")
        }
        let first = try await open()
        #expect(first.status == 201)
        for _ in 0..<5 { #expect(try await open().bytes == first.bytes) }
        let fork = #"{"fork": {"session": "\#(first.json["id"]?.text ?? "")"}}"#
        let token = first.json["token"]?.text
        let copied = try await open(fork, token: token)
        #expect(copied.status == 201)
        for _ in 0..<5 { #expect(try await open(fork, token: token).bytes == copied.bytes) }
        #expect(
            try await service.api.send("POST", "/v1/sessions", from: "192.0.2.1").status == 429)
    }

    @Test("A repeated sign-up with its key does not count against the quota", .everyStore)
    func repeatedSignUp() async throws {
        let service = try TestService(environment: clock.environment, signUpQuota: 2)
        let client = try await Client(service.api)
        func signUp() async throws -> Reply {
            try await client.send(
                "POST", "sign-up", #"{"username": "ada", "password": "a long password"}"#,
                headers: ["Idempotency-Key": "k"], from: "192.0.2.1")
        }
        let first = try await signUp()
        #expect(first.status == 200)
        for _ in 0..<3 { #expect(try await signUp().bytes == first.bytes) }
    }

    @Test("Sign-ups over the quota of an address are a 429, and failed ones count")
    func signUps() async throws {
        let service = try TestService(
            environment: clock.environment, signUpQuota: 3)
        let client = try await Client(service.api)
        func signUp(_ number: Int, from peer: String?) async throws -> Reply {
            try await client.send(
                "POST", "sign-up", #"{"username": "user-\#(number)", "password": "x"}"#, from: peer)
        }
        for number in 0..<3 {
            #expect(try await signUp(number, from: "192.0.2.1").code == "invalid-body")
        }
        expect(try await signUp(4, from: "192.0.2.1"), "sign-ups", "q=3;w=600", 200)
        #expect(try await signUp(5, from: "192.0.2.2").code == "invalid-body")
        #expect(try await client.session()["revision"]?.number == 1)
        clock.advance(by: .seconds(200))
        #expect(try await signUp(6, from: "192.0.2.1").code == "invalid-body")
    }

    @Test(
        "Wrong passwords for a username are rate-limited for all addresses and unknown names",
        .everyStore,
        arguments: ["user-1", "nobody-at-all", "?"])
    func guessesOfName(_ username: String) async throws {
        let service = try TestService(environment: clock.environment)
        try await service.accounts.add("user-1", "a long password")
        let client = try await Client(service.api)
        func guess(_ password: String, from peer: String) async throws -> Reply {
            try await client.send(
                "POST", "log-in", #"{"username": "\#(username)", "password": "\#(password)"}"#,
                from: peer)
        }
        for number in 0..<5 {
            let reply = try await guess("guess", from: "192.0.2.\(number)")
            #expect(reply.code == "wrong-password")
        }
        expect(try await guess("guess", from: "192.0.2.9"), "log-in-username", "q=5", 1)
        // The right password is refused, too, because its acceptance would reveal it.
        expect(try await guess("a long password", from: "192.0.2.9"), "log-in-username", "q=5", 1)
        clock.advance(by: .seconds(1))
        #expect(try await guess("guess", from: "192.0.2.9").status == 403)
        expect(try await guess("guess", from: "192.0.2.9"), "log-in-username", "q=5", 2)
        #expect(try await client.session()["revision"]?.number == 1)
    }

    @Test("Wrong passwords from one address are rate-limited for all usernames")
    func guessesOfAddress()
        async throws
    {
        let service = try TestService(
            environment: clock.environment,
            trustedProxies: [try #require(Network("10.0.0.0/8"))])
        let client = try await Client(service.api)
        func guess(_ number: Int, for address: String) async throws -> Reply {
            try await client.send(
                "POST", "log-in", #"{"username": "user-\#(number)", "password": "guess"}"#,
                headers: ["X-Forwarded-For": "198.51.100.\(number), \(address)"], from: "10.0.0.1")
        }
        for number in 0..<20 { #expect(try await guess(number, for: "192.0.2.1").status == 403) }
        expect(try await guess(20, for: "192.0.2.1"), "log-in-address", "q=20", 1)
        #expect(try await guess(20, for: "192.0.2.2").status == 403)
    }

    @Test("Queued passwords of one address do not keep other addresses from logging in")
    func placesByAddress() async throws {
        let metrics = HashingMetrics()
        let isUnderWay = Mutex(false)
        let permit = DispatchSemaphore(value: 0)
        var hasher = try PasswordHasher(
            cost: PasswordHash.Cost(operations: 1, memory: 8192), threads: 1, metrics: metrics)
        hasher.check = { hash, password in
            isUnderWay.withLock { $0 = true }
            permit.wait()
            return hash.verify(password)
        }
        let service = try TestService(environment: clock.environment, hasher: hasher)
        let api = service.api
        try await service.accounts.add("ada", "a long password")
        @Sendable func enter(_ route: String, _ name: String, from peer: String) async throws
            -> Reply
        {
            try await Client(api).send(
                "POST", route, #"{"username": "\#(name)", "password": "a long password"}"#,
                from: peer)
        }
        let first = Task { try await enter("log-in", "ada", from: "192.0.2.1") }
        await until { isUnderWay.withLock(\.self) }
        let waiting = (0..<16).map { number in
            Task { try await enter("sign-up", "user-\(number)", from: "192.0.2.1") }
        }
        await until { metrics.waiting.value >= 16 }
        for route in ["log-in", "sign-up"] {
            let refused = try await enter(route, "user-17", from: "192.0.2.1")
            expect(refused, "passwords-address", "q=16", 1)
            #expect(
                refused.json["detail"]?.text
                    == "the limit passwords-address of 16 is reached: try again in 1 s")
        }
        let other = Task { try await enter("log-in", "ada", from: "192.0.2.2") }
        await until { metrics.waiting.value >= 17 }
        permit.signal()
        permit.signal()
        #expect(try await other.value.status == 200)
        for task in [first] + waiting { #expect(try await task.value.status == 200) }
    }

    // MARK: The client's address

    struct Origin: Sendable, CustomTestStringConvertible {
        let peer: String?
        let forwarded: [String]
        let client: String?
        var trusted = "127.0.0.1,10.0.0.0/8,fd00::/8"

        init(_ peer: String?, _ forwarded: [String], _ client: String?) {
            self.peer = peer
            self.forwarded = forwarded
            self.client = client
        }

        var testDescription: String { "\(peer ?? "none") for \(forwarded)" }
    }

    static let origins: [Origin] = [
        // Without a proxy, the forwarded addresses of the client are ignored.
        .init("192.0.2.1", [], "192.0.2.1"),
        .init("192.0.2.1", ["198.51.100.7"], "192.0.2.1"),
        .init("192.0.2.1", ["127.0.0.1"], "192.0.2.1"),
        .init("192.0.2.1", ["198.51.100.7, 10.0.0.1"], "192.0.2.1"),
        .init(nil, [], nil),
        .init(nil, ["198.51.100.7"], nil),
        // With one proxy, the last address is that of the proxy's client.
        .init("127.0.0.1", ["198.51.100.7"], "198.51.100.7"),
        .init("10.1.2.3", ["198.51.100.7"], "198.51.100.7"),
        .init("::ffff:10.1.2.3", ["198.51.100.7"], "198.51.100.7"),
        .init("fd00::1", ["198.51.100.7:1234"], "198.51.100.7"),
        .init("127.0.0.1", ["203.0.113.1, 198.51.100.7"], "198.51.100.7"),
        .init("127.0.0.1", ["203.0.113.1,198.51.100.7"], "198.51.100.7"),
        .init("127.0.0.1", ["\t203.0.113.1 ,\t 198.51.100.7  "], "198.51.100.7"),
        .init("127.0.0.1", ["203.0.113.1, 198.51.100.7\t, 10.0.0.1 \t"], "198.51.100.7"),
        .init("127.0.0.1", ["127.0.0.1, 198.51.100.7"], "198.51.100.7"),
        .init("127.0.0.1", ["nonsense, 198.51.100.7"], "198.51.100.7"),
        // A proxy may add a field of its own instead.
        .init("127.0.0.1", ["203.0.113.1", "198.51.100.7"], "198.51.100.7"),
        .init("127.0.0.1", ["203.0.113.1, 203.0.113.2", "", "198.51.100.7"], "198.51.100.7"),
        // With several proxies, the client is the last address that is not a proxy's.
        .init("127.0.0.1", ["198.51.100.7, 10.0.0.1"], "198.51.100.7"),
        .init("127.0.0.1", ["203.0.113.1, 198.51.100.7, 10.0.0.1, 10.0.0.2"], "198.51.100.7"),
        .init("127.0.0.1", ["10.9.9.9, 198.51.100.7, 10.0.0.1"], "198.51.100.7"),
        .init("127.0.0.1", ["10.0.0.1, 10.0.0.2"], "10.0.0.1"),
        // If the client is unknown, the address of the last proxy counts.
        .init("127.0.0.1", [], "127.0.0.1"),
        .init("127.0.0.1", [""], "127.0.0.1"),
        .init("127.0.0.1", [" , ,"], "127.0.0.1"),
        .init("127.0.0.1", ["unknown"], "127.0.0.1"),
        .init("127.0.0.1", ["198.51.100.7, unknown"], "127.0.0.1"),
        .init("127.0.0.1", ["198.51.100.7, 10.0.0.1\0"], "127.0.0.1"),
        .init("127.0.0.1", ["198.51.100.7, unknown, 10.0.0.1"], "10.0.0.1"),
        .init("127.0.0.1", ["for=198.51.100.7"], "127.0.0.1"),
        .init("127.0.0.1", ["198.51.100.7 x"], "127.0.0.1"),
        // An IPv6 client has a network of 64 bits.
        .init("2001:db8:1:2::1", [], "2001:db8:1:2::"),
        .init("2001:db8:1:2:ffff:ffff:ffff:ffff", [], "2001:db8:1:2::"),
        .init("2001:db8:1:3::1", [], "2001:db8:1:3::"),
        .init("127.0.0.1", ["2001:DB8:1:2::9"], "2001:db8:1:2::"),
        .init("127.0.0.1", ["[2001:db8:1:2::9]:443"], "2001:db8:1:2::"),
        .init("127.0.0.1", ["::ffff:198.51.100.7"], "198.51.100.7"),
        .init("127.0.0.1", ["198.51.100.7, fd00::5"], "198.51.100.7"),
    ]

    @Test(
        "The client's address is the last forwarded one that is not a trusted proxy",
        arguments: origins)
    func client(_ origin: Origin)
        throws
    {
        let limits = RateLimits(
            trustedProxies: origin.trusted.split(separator: ",").compactMap { Network($0) },
            sessionQuota: 0, signUpQuota: 0, environment: clock.environment)
        let request = Request(
            method: .post, target: try RequestTarget("/v1/sessions"),
            headers: HeaderFields(
                origin.forwarded.map { .init(name: "X-Forwarded-For", value: $0) }),
            peer: origin.peer.flatMap { NetworkAddress($0) })
        #expect(limits.client(of: request) == origin.client)
    }

    @Test("A forged X-Forwarded-For does not raise the session quota") func forgedField()
        async throws
    {
        for (proxies, peer) in [("", "192.0.2.1"), ("10.0.0.0/8", "10.0.0.1")] {
            let service = try TestService(
                environment: clock.environment,
                trustedProxies: proxies.split(separator: ",").compactMap { Network($0) },
                sessionQuota: 2)
            var opened = 0
            for number in 0..<10 {
                // The proxy appends the client's address to the addresses that the client sent.
                let forged = "198.51.100.\(number), 10.0.0.\(number)"
                let field = proxies.isEmpty ? forged : forged + ", 192.0.2.1"
                let reply = try await service.api.send(
                    "POST", "/v1/sessions", headers: ["x-forwarded-for": field], from: peer)
                opened += reply.status == 201 ? 1 : 0
            }
            #expect(opened == 2)
        }
    }

    @Test("All addresses of one IPv6 /64 network share one quota") func ipv6() async throws {
        let service = try TestService(
            environment: clock.environment, sessionQuota: 2)
        var opened = 0
        for number in 0..<10 {
            let reply = try await service.api.send(
                "POST", "/v1/sessions", from: "2001:db8:1:2:\(number)::\(number)")
            opened += reply.status == 201 ? 1 : 0
        }
        #expect(opened == 2)
        let other = try await service.api.send("POST", "/v1/sessions", from: "2001:db8:1:3::1")
        #expect(other.status == 201)
    }
}
