import Foundation
import HTTPCore
import Testing
import WaypostTesting

/// Tests of content negotiation, conditional requests and request bodies that are never sent.
@Suite struct ContentTests {
    private static let service = Result { try TestService() }
    private static let cover = "/v1/catalog/authors/jane-austen/books/emma/cover"

    @Test(
        "A request whose Accept excludes the route's media type is a 406 without effects",
        arguments: [
            ("GET", "/livez", "text/html"), ("GET", "/metrics", "application/json"),
            ("GET", "/openapi.yaml", "text/html"),
            ("GET", "/problems/not-found", "application/json"),
            ("GET", "/v1/catalog/authors", "application/xml"), ("GET", cover, "image/gif"),
            ("HEAD", cover, "image/*;q=0, */*"), ("POST", "/v1/sessions", "text/html"),
        ])
    func notAcceptable(_ method: String, _ path: String, _ accept: String)
        async throws
    {
        // Other tests open sessions on the shared service.
        let api = try TestService().api
        let before = try await api.send("GET", "/metrics").bytes
        let reply = try await api.send(method, path, headers: ["Accept": accept])
        #expect(reply.status == 406)
        #expect(reply.headers["Content-Type"] == "application/problem+json")
        #expect(reply.code == "not-acceptable")
        let cached = { (bytes: [UInt8]) in
            String(decoding: bytes, as: UTF8.self).split(separator: "\n")
                .first { $0.hasPrefix("waypost_sessions_cached ") }
        }
        // The refused request had no effect.
        #expect(cached(before) == cached(try await api.send("GET", "/metrics").bytes))
    }

    @Test(
        "A request whose Accept includes the route's media type is a 200",
        arguments: [
            ("/livez", "application/*"), ("/metrics", "text/plain;version=0.0.4;q=0.5"),
            ("/v1/catalog/authors", "text/html, */*;q=0.1"), (cover, "image/png"),
        ])
    func acceptable(_ path: String, _ accept: String) async throws {
        let api = try Self.service.get().api
        #expect(try await api.send("GET", path, headers: ["Accept": accept]).status == 200)
    }

    @Test("A change of an account has no content, and no Accept excludes its response")
    func noContent() async throws {
        let service = try Self.service.get()
        let client = try await Client(service.api)
        let signUp = try await client.send(
            "POST", "sign-up", #"{"username": "no-content", "password": "a long password"}"#)
        let reply = try await service.api.send(
            "DELETE", "/v1/account/credentials?except=current",
            token: try #require(signUp.json["credential"]?.text), headers: ["Accept": "text/html"])
        #expect(reply.status == 204)
        #expect(reply.headers["Cache-Control"] == "no-store")
    }

    @Test("A problem is sent even if the request's Accept does not include its media type")
    func problems() async throws {
        let reply = try await Self.service.get().api.send(
            "GET", "/v1/catalog/authors/nobody", headers: ["Accept": "application/json"])
        #expect(reply.code == "author-not-found")
    }

    @Test(
        "A conditional request for the catalog or a document with its current tag is a 304",
        arguments: [
            "/v1/catalog/authors?limit=3", "/v1/catalog/authors/jane-austen",
            "/v1/catalog/authors/jane-austen/books/emma", "/openapi.yaml", "/problems/not-found",
        ])
    func notModified(_ path: String) async throws {
        let service = try Self.service.get()
        let whole = try await service.api.send("GET", path)
        let tag = try #require(whole.headers["ETag"])
        for known in [tag, "W/\(tag)", "\"x\", \(tag)", "*"] {
            let reply = try await service.api.send("GET", path, headers: ["If-None-Match": known])
            #expect(reply.status == 304)
            // A 304 response sends the size of this body, which equals that of a 200 response (RFC
            // 9110, 8.6).
            #expect(reply.bytes == whole.bytes)
            #expect(reply.headers["ETag"] == tag)
            #expect(reply.headers["Cache-Control"] == "public, max-age=300")
        }
        let other = try await service.api.send("GET", path, headers: ["If-None-Match": "\"x\""])
        #expect(other.status == 200)
    }

    @Test("Different catalogs have different entity tags for the list of authors")
    func otherCatalog()
        async throws
    {
        let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try Data(#"({Author = Ada; Books = ({Title = "One"; Cover = "x.png"; });})"#.utf8).write(
            to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let other = try TestService(catalog: file.path).api
        let one = try await Self.service.get().api.send("GET", "/v1/catalog/authors")
        let two = try await other.send("GET", "/v1/catalog/authors")
        #expect(one.headers["ETag"] != two.headers["ETag"])
    }

    @Test(
        "A request without a route, method or token is refused before its body is read",
        arguments: [
            ("POST", "/nowhere", 404), ("PUT", "/v1/sessions", 405),
            ("POST", "/v1/sessions/x/push", 401),
            ("PATCH", "/v1/sessions/x/view-controllers/vc1", 401),
        ])
    func beforeBody(_ method: String, _ path: String, _ status: Int) throws {
        let request = Request(
            method: Method(method), target: try RequestTarget(path),
            headers: ["Content-Type": "application/json"])
        let refusal = try Self.service.get().api.rejectionResponse(beforeBodyOf: request)
        #expect(refusal?.status.code == status)
    }

    @Test(
        "A request with a wrong Content-Type or Accept is refused before its body is read",
        arguments: [
            (["Content-Type": "text/plain"], 415), (["Content-Type": "application/json"], nil),
            (["Content-Type": "application/json", "Accept": "text/html"], 406),
        ])
    func typeBeforeBody(_ headers: [String: String], _ status: Int?) throws {
        let request = Request(
            method: .post, target: try RequestTarget("/v1/sessions"),
            headers: HeaderFields(headers.map { .init(name: $0.key, value: $0.value) }))
        let refusal = try Self.service.get().api.rejectionResponse(beforeBodyOf: request)
        #expect(refusal?.status.code == status)
    }

    @Test("Only responses that shared caches do not store have the id of their request")
    func requestID() async throws {
        let api = try TestService().api
        let mine = ["X-Request-ID": "mine"]
        for path in ["/v1/catalog/authors", "/v1/storyboard", "/openapi.yaml", "/problems/busy"] {
            let reply = try await api.send("GET", path, headers: mine)
            #expect(reply.status == 200)
            #expect(reply.headers["Cache-Control"] == "public, max-age=300")
            #expect(reply.headers["X-Request-ID"] == nil, "\(path)")
            let tag = ["If-None-Match": reply.headers["ETag"] ?? ""]
            let unchanged = try await api.send("GET", path, headers: mine.merging(tag) { $1 })
            #expect(unchanged.status == 304)
            #expect(unchanged.headers["X-Request-ID"] == nil, "\(path)")
        }
        for path in ["/livez", "/v1/catalog/authors/nobody", "/v1/sessions/none"] {
            let reply = try await api.send("GET", path, headers: mine)
            #expect(reply.headers["X-Request-ID"] == "mine", "\(path)")
        }
    }
}
