import HTTPCore
import Testing
import WaypostAPI
import WaypostTesting

/// Tests of requests from web pages of other origins, as browsers send them (CORS).
@Suite struct CrossOriginTests {
    private static let origin = "https://app.example"

    /// A service with two allowed origins.
    private static let service = Result { try start([origin, "http://localhost:3000"]) }

    private static func start(_ origins: [String]) throws -> TestService {
        var configuration = API.Configuration()
        configuration.crossOrigin = CrossOriginPolicy(origins: origins)
        return try TestService(configuration: configuration)
    }

    private func api() throws -> API { try Self.service.get().api }

    @Test("A page of an allowed origin may read the response and its exposed headers")
    func allowed() async throws {
        let reply = try await api().send("POST", "/v1/sessions", headers: ["Origin": Self.origin])
        #expect(reply.status == 201)
        #expect(reply.headers["Access-Control-Allow-Origin"] == Self.origin)
        #expect(reply.headers["Vary"] == "Origin")
        #expect(reply.headers["Access-Control-Allow-Credentials"] == nil)
        let exposed = reply.headers["Access-Control-Expose-Headers"]?.split(separator: ", ") ?? []
        let fields: Set<Substring> = [
            "ETag", "Location", "Retry-After", "RateLimit", "RateLimit-Policy", "X-Request-ID",
            "Idempotency-Replayed", "Preference-Applied", "Content-Range", "Waypost-Revision",
        ]
        #expect(Set(exposed) == fields)
    }

    @Test("A page of an allowed origin may read problems, including those of the HTTP server")
    func problems() async throws {
        let api = try api()
        let problem = try await api.send("GET", "/nowhere", headers: ["Origin": Self.origin])
        #expect(problem.headers["Access-Control-Allow-Origin"] == Self.origin)
        let refused = api.rejectionResponse(
            for:
                Problem(.contentTooLarge, "too much"), headers: ["Origin": Self.origin])
        #expect(refused.headers["Access-Control-Allow-Origin"] == Self.origin)
    }

    @Test("A preflight from an allowed origin returns the route's methods and the allowed headers")
    func preflight() async throws {
        let reply = try await api().send(
            "OPTIONS", "/v1/sessions/x/view-controllers/vc1",
            headers: [
                "Origin": Self.origin, "Access-Control-Request-Method": "PATCH",
                "Access-Control-Request-Headers": "authorization,content-type,if-match",
            ])
        #expect(reply.status == 204)
        #expect(reply.headers["Access-Control-Allow-Origin"] == Self.origin)
        #expect(reply.headers["Access-Control-Allow-Methods"] == "PATCH, OPTIONS")
        #expect(reply.headers["Access-Control-Max-Age"] == "600")
        let allowed = reply.headers["Access-Control-Allow-Headers"]?.split(separator: ", ") ?? []
        let fields: Set<Substring> = [
            "Authorization", "Content-Type", "Idempotency-Key", "If-Match", "If-None-Match",
            "If-Range", "Last-Event-ID", "Prefer", "Range", "traceparent", "X-Request-ID",
        ]
        #expect(Set(allowed) == fields)
    }

    @Test(
        "A page of another origin gets no CORS field, in a request or in a preflight",
        arguments: [
            "https://evil.example", "https://app.example.evil", "http://app.example",
            "https://app.example:444", "HTTPS://APP.EXAMPLE", "null", "*", "",
        ])
    func otherOrigins(_ origin: String) async throws {
        let api = try api()
        for headers in [
            ["Origin": origin], ["Origin": origin, "Access-Control-Request-Method": "GET"],
        ] {
            for method in ["GET", "OPTIONS"] {
                let reply = try await api.send(method, "/livez", headers: headers)
                #expect(reply.headers["Access-Control-Allow-Origin"] == nil)
                #expect(reply.headers["Access-Control-Allow-Methods"] == nil)
                #expect(reply.headers["Vary"] == "Origin")
            }
        }
    }

    @Test("Without allowed origins no response has a CORS field or Vary") func noList() async throws
    {
        let reply = try await Self.start([]).api.send(
            "GET", "/livez", headers: ["Origin": Self.origin])
        #expect(
            reply.headers.fields.allSatisfy { field in
                field.name != "Vary" && !field.name.hasPrefix("Access-Control")
            })
    }

    /// Header fields, and whether a request with them may change something.
    private static let senders: [([String: String], Bool)] = [
        // Programs, and pages of the service itself
        ([:], true), (["Sec-Fetch-Site": "same-origin", "Origin": "http://host"], true),
        (["Sec-Fetch-Site": "none"], true), (["Sec-Fetch-Site": "new-value"], true),
        // Pages of other origins
        (["Sec-Fetch-Site": "cross-site"], false), (["Sec-Fetch-Site": "same-site"], false),
        (["Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"], false),
        (["Sec-Fetch-Site": "cross-site", "Origin": "null"], false),
        (["Sec-Fetch-Site": "cross-site", "Origin": origin], true),
        (["Sec-Fetch-Site": "same-site", "Origin": "http://localhost:3000"], true),
        // Browsers that do not send Sec-Fetch-Site
        (["Origin": origin, "Host": "waypost.example"], true),
        (["Origin": "http://localhost:8080", "Host": "localhost:8080"], true),
        (["Origin": "http://localhost:8080", "Host": "LOCALHOST:8080"], true),
        (["Origin": "https://[::1]:8080", "Host": "[::1]:8080"], true),
        (["Origin": "http://localhost:8081", "Host": "localhost:8080"], false),
        (["Origin": "https://evil.example", "Host": "waypost.example"], false),
        (["Origin": "null", "Host": "waypost.example"], false),
        (["Origin": "null", "Host": "null"], false),
        (["Origin": "", "Host": "waypost.example"], false),
        (["Origin": "https://evil.example"], false),
        // Behind a proxy
        (
            [
                "Origin": "https://waypost.example", "Host": "127.0.0.1:8080",
                "X-Forwarded-Host": "waypost.example",
            ], true
        ),
        (
            [
                "Origin": "https://evil.example", "Host": "127.0.0.1:8080",
                "X-Forwarded-Host": "waypost.example",
            ], false
        ),
    ]

    @Test(
        "A page of an origin that is not allowed opens no session, and programs do",
        arguments: senders)
    func opening(_ headers: [String: String], _ isAllowed: Bool) async throws {
        let api = try api()
        let reply = try await api.send("POST", "/v1/sessions", headers: headers)
        #expect(reply.status == (isAllowed ? 201 : 403))
        #expect(reply.code == (isAllowed ? nil : "origin-not-allowed"))
        // The refusal comes before the body is read.
        let request = Request(
            method: .post, target: try RequestTarget("/v1/sessions"),
            headers: HeaderFields(headers.map { .init(name: $0.key, value: $0.value) }))
        let early = api.rejectionResponse(beforeBodyOf: request)
        #expect((early?.status.code == 403) == !isAllowed)
        // A page may read what is public, and the browser shows it nothing else.
        #expect(try await api.send("GET", "/v1/storyboard", headers: headers).status == 200)
    }

    @Test("A page of another origin changes no session, not even with its token")
    func changes() async throws {
        let api = try api()
        let client = try await Client(api)
        let page = ["Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"]
        for method in ["POST", "DELETE", "PATCH"] {
            let path = method == "POST" ? "pop" : ""
            let reply = try await client.send(method, path, headers: page)
            #expect(reply.code == "origin-not-allowed")
        }
        #expect(try await client.send("GET", "", headers: page).status == 200)
        // Only a browser without Sec-Fetch-Site sends these fields, after a preflight that the
        // policy has allowed, or a program.
        let program = ["Origin": "app://local", "Host": "waypost.example"]
        #expect(try await client.send("POST", "pop", headers: program).status == 200)
    }

    @Test(
        "An allowed origin must be written as browsers send it: scheme, host and port",
        arguments: [
            ("https://app.example", true), ("http://localhost:3000", true),
            ("http://[::1]:80", true),
            ("app://local", true), ("https://app.example/", false), ("app.example", false),
            ("*", false),
            ("https://App.example", false), ("null", false), ("https://a b", false), ("", false),
        ])
    func origins(_ text: String, _ isOne: Bool) {
        #expect(CrossOriginPolicy.isOrigin(text) == isOne)
    }
}
