import HTTPCore
import Testing
import WaypostAPI
import WaypostTesting

/// Tests of requests from web pages of other origins, as browsers send them (CORS).
@Suite struct CrossOriginTests {
    private static let origin = "https://app.example"

    private func api(_ origins: [String] = [origin, "http://localhost:3000"]) throws -> API {
        var configuration = API.Configuration()
        configuration.crossOrigin = CrossOriginPolicy(origins: origins)
        return try TestService(configuration: configuration).api
    }

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
            "OPTIONS", "/v1/sessions/x/view-controllers",
            headers: [
                "Origin": Self.origin, "Access-Control-Request-Method": "PUT",
                "Access-Control-Request-Headers": "authorization,content-type,if-match",
            ])
        #expect(reply.status == 204)
        #expect(reply.headers["Access-Control-Allow-Origin"] == Self.origin)
        #expect(reply.headers["Access-Control-Allow-Methods"] == "GET, HEAD, PUT, OPTIONS")
        #expect(reply.headers["Access-Control-Max-Age"] == "600")
        let allowed = reply.headers["Access-Control-Allow-Headers"]?.split(separator: ", ") ?? []
        #expect(
            Set(allowed).isSuperset(of: ["Authorization", "Content-Type", "If-Match", "Prefer"]))
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
        let reply = try await api([]).send("GET", "/livez", headers: ["Origin": Self.origin])
        #expect(
            reply.headers.fields.allSatisfy { field in
                field.name != "Vary" && !field.name.hasPrefix("Access-Control")
            })
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
