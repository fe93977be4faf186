import HTTPCore
import JSON
import SessionStoreTesting
import TestSupport
import Testing
import WaypostTesting

@Suite struct SessionTests {
    private static let service = SharedService { try TestService() }

    @Test(
        "A new session is at the login root, and only its first response has the token",
        .everyStore)
    func opening() async throws {
        let service = try Self.service.get()
        let made = try await service.api.send("POST", "/v1/sessions")
        let id = try #require(made.json["id"]?.text)
        let token = try #require(made.json["token"]?.text)
        #expect(made.headers["Location"] == "/v1/sessions/\(id)")
        #expect(made.json["window"]?["root"]?.text == "login")
        let read = try await service.api.send("GET", "/v1/sessions/\(id)", token: token)
        #expect(read.json["token"] == nil)
        #expect(read.headers["Cache-Control"] == "private, no-cache")
    }

    @Test(
        "Opening a session with Authorization is a 400 that says where the credential goes",
        arguments: ["Bearer wpc_0", "Bearer nonsense", "Basic eDp5", ""])
    func credentialInHeader(_ field: String) async throws {
        let reply = try await Self.service.get().api.send(
            "POST", "/v1/sessions", headers: ["Authorization": field])
        #expect(reply.status == 400)
        #expect(reply.code == "unexpected-authorization")
        #expect(reply.json["detail"]?.text?.contains("the member credential") == true)
    }

    @Test("A session has the lifecycle of its storyboard, native by default, unless it chooses")
    func lifecycle() async throws {
        let folder = try TemporaryFolder()
        func storyboard(_ key: String) throws -> String {
            try folder.write(
                #"{ "name": "A", \#(key) "initialScene": "a", "scenes": { "a": { "kind": "blank" } } }"#,
                to: "app.json")
        }
        for (key, order) in [
            ("", "native"), (#""lifecycle": "native","#, "native"),
            (#""lifecycle": "forwarded","#, "forwarded"),
        ] {
            let service = try TestService(storyboard: storyboard(key))
            let api = service.api
            #expect(try await api.send("GET", "/v1/storyboard").json["lifecycle"]?.text == order)
            let session = try await api.send("POST", "/v1/sessions").json
            #expect(session["lifecycle"]?.text == order)
            for choice in ["native", "forwarded"] {
                let body = #"{"lifecycle": "\#(choice)"}"#
                let chosen = try await api.send("POST", "/v1/sessions", body).json
                #expect(chosen["lifecycle"]?.text == choice)
            }
        }
        let library = try await Self.service.get().api.send("POST", "/v1/sessions").json
        #expect(library["lifecycle"]?.text == "forwarded")
    }

    @Test("Reading and ending an ended session is a 404", .everyStore) func ending() async throws {
        let client = try await Client(Self.service.get().api)
        #expect(try await client.send("DELETE", "").status == 204)
        #expect(try await client.send("GET", "").code == "session-not-found")
        #expect(try await client.send("DELETE", "").code == "session-not-found")
    }

    @Test("A session is not ended by a request with a body that would mean something")
    func endingWithBody() async throws {
        let client = try await Client(Self.service.get().api)
        #expect(try await client.send("DELETE", "", #"{"revision": 1}"#).code == "invalid-body")
        #expect(try await client.send("DELETE", "", "{").code == "malformed-json")
        #expect(
            try await client.send("DELETE", "", "{}", headers: ["Content-Type": "text/plain"]).code
                == "unsupported-media-type")
        #expect(try await client.send("GET", "").status == 200)
        #expect(try await client.send("DELETE", "", "{}").status == 204)
    }

    @Test(
        "A session's tag has revision and digest, and If-Match accepts exactly that tag",
        .everyStore)
    func entityTag() async throws {
        let client = try await Client.loggedIn(Self.service.get())
        let read = try await client.send("GET", "")
        let tag = try #require(read.headers["ETag"])
        let digest = try #require(tag.wholeMatch(of: /"2-([0-9a-f]{8})"/)).1
        let again = try await client.send("GET", "", headers: ["If-None-Match": "W/\(tag)"])
        #expect(again.status == 304)
        #expect(again.headers["Cache-Control"] == "private, no-cache")
        // A 304 response has the body only for its size, which the server sends instead.
        #expect(again.bytes == read.bytes)
        let push = #"{"scene": "titles"}"#
        for wrong in ["\"1-\(digest)\"", "\"2\"", "\"2-00000000\""] {
            let late = try await client.send("POST", "push", push, headers: ["If-Match": wrong])
            #expect(late.status == 412)
            #expect(late.headers["ETag"] == tag)
        }
        let right = try await client.send(
            "POST", "push", push, headers: ["If-Match": "\"1-\(digest)\", \(tag)"])
        #expect(right.status == 200)
        // The change has moved the expiry, and with it the digest.
        let next = try #require(right.headers["ETag"])
        #expect(next.wholeMatch(of: /"3-[0-9a-f]{8}"/) != nil)
        #expect(try await client.send("GET", "").headers["ETag"] == next)
    }

    @Test("Each page of a screen has its own entity tag, which is a 304 until the next change")
    func aScreenIsAskedForAgainByTheTagOfItsSessionAndItsQuery() async throws {
        let client = try await Client.loggedIn(Self.service.get())
        var tags: Set<String> = []
        for query in ["", "?after=1", "?limit=5", "?after=1&limit=5"] {
            let read = try await client.send("GET", "screen\(query)")
            let tag = try #require(read.headers["ETag"])
            #expect(read.headers["Cache-Control"] == "private, no-cache")
            #expect(tags.insert(tag).inserted)
            let again = try await client.send(
                "GET", "screen\(query)", headers: ["If-None-Match": tag])
            #expect(again.status == 304)
            #expect(again.headers["ETag"] == tag)
            #expect(again.headers["Cache-Control"] == "private, no-cache")
        }
        // This query requests the same page in another form.
        let same = try await client.send("GET", "screen?limit=100")
        #expect(tags.contains(same.headers["ETag"] ?? ""))
        _ = try await client.send("POST", "select-row", #"{"row": 0}"#)
        let after = try await client.send("GET", "screen")
        #expect(!tags.contains(after.headers["ETag"] ?? ""))
    }

    @Test("Sessions are cached privately, the catalog publicly, secrets and changes not at all")
    func whoMayKeepAnAnswerDependsOnWhatItShows() async throws {
        let service = try Self.service.get()
        let client = try await Client(service.api)
        func control(_ method: String, _ path: String, _ body: String = "") async throws -> String?
        {
            try await client.send(method, path, body).headers["Cache-Control"]
        }
        for path in ["", "view-controllers", "screen"] {
            #expect(try await control("GET", path) == "private, no-cache")
        }
        let user = #"{"username": "user-\#(client.id.prefix(12))", "password": "a long password"}"#
        #expect(try await control("POST", "sign-up", user) == "no-store")
        #expect(try await control("POST", "pop") == "no-store")
        #expect(try await control("GET", "events") == "no-store")
        #expect(try await control("GET", "screen?limit=0") == "no-store")
        #expect(try await control("DELETE", "") == "no-store")
        let opened = try await service.api.send("POST", "/v1/sessions")
        #expect(opened.headers["Cache-Control"] == "no-store")
        let authors = try await service.api.send("GET", "/v1/catalog/authors")
        #expect(authors.headers["Cache-Control"] == "public, max-age=300")
    }

    @Test(
        "A response to Prefer: return=minimal has no session", .everyStore,
        arguments: [
            ("return=minimal", true), ("respond-async, Return=\"minimal\"; more", true),
            ("return = minimal, return=representation", true), ("return=representation", false),
            ("return=representation, return=minimal", false), ("minimal", false), ("return", false),
        ])
    func whoPrefersAMinimalAnswerGetsNoSession(_ preference: String, _ isMinimal: Bool) async throws
    {
        let client = try await Client.loggedIn(Self.service.get())
        for (key, path) in [(nil, "push"), ("key", "push"), ("key", "push"), (nil, "log-out")] {
            var headers = ["Prefer": preference]
            if let key { headers["Idempotency-Key"] = key }
            let body = path == "push" ? #"{"scene": "titles"}"# : ""
            let reply = try await client.send("POST", path, body, headers: headers)
            #expect(reply.status == 200)
            #expect(reply.json["changed"]?.flag == true)
            #expect((reply.json["session"] == nil) == isMinimal)
            #expect(reply.headers["Preference-Applied"] == (isMinimal ? "return=minimal" : nil))
            let read = try await client.send("GET", "")
            #expect(reply.headers["ETag"] == read.headers["ETag"])
        }
    }

    @Test(
        "An entity tag without quotes is a 400 that shows the right form",
        arguments: ["If-Match", "If-None-Match"])
    func anEntityTagWithoutQuotesIsRefusedWithTheRightForm(_ field: String) async throws {
        let service = try Self.service.get()
        let client = try await Client(service.api)
        let path = "/v1/sessions/\(client.id)"
        let requests = [
            ("POST", "\(path)/pop"), ("DELETE", path), ("GET", path),
            ("GET", "/v1/catalog/authors"),
        ]
        for (method, path) in requests {
            for tag in ["1", "1-9c1f03ab", "\"1", "W/1"] {
                let reply = try await service.api.send(
                    method, path, token: client.token, headers: [field: tag])
                #expect(reply.status == 400)
                #expect(reply.code == "invalid-entity-tag")
                #expect(reply.json["detail"]?.text?.contains("\(field): \"3-9c1f03ab\"") == true)
            }
        }
        // The token and the method are checked first.
        let headers = [field: "1"]
        #expect(try await service.api.send("GET", path, headers: headers).status == 401)
        #expect(try await client.send("TRACE", "", headers: headers).status == 405)
        #expect(try await client.session()["revision"]?.number == 1)
    }

    @Test("A segment has a root from its first use on, and shows its own or its root's title")
    func segmentsHaveTheirRootsOnceTheyAreMadeAndTheirTitles() async throws {
        let folder = try TemporaryFolder()
        let storyboard = """
            { "name": "Test", "initialScene": "one",
              "segments": [ { "scene": "one" }, { "scene": "two", "title": "Other" }, { "scene": "none" } ],
              "scenes": { "one": { "kind": "blank", "title": "One" },
                          "two": { "kind": "blank", "title": "Two" }, "none": { "kind": "blank" } } }
            """
        let service = try TestService(
            storyboard: folder.write(storyboard, to: "storyboard.json"))
        let client = try await Client(service.api)
        func segments() async throws -> [[JSONValue?]] {
            let segments = try await client.session()["segmentedControl"]?["segments"]?.elements
            return (segments ?? []).map { [$0["title"], $0["viewController"]] }
        }
        let unused: [[JSONValue?]] = [[.string("Other"), .null], [.null, .null]]
        #expect(try await segments() == [[.string("One"), .string("vc1")]] + unused)
        _ = try await client.send("PATCH", "view-controllers/vc1", #"{"title": "First"}"#)
        _ = try await client.send("POST", "select-segment", #"{"index": 1}"#)
        _ = try await client.send("PATCH", "view-controllers/vc2", #"{"title": "Second"}"#)
        #expect(
            try await segments() == [
                [.string("First"), .string("vc1")], [.string("Other"), .string("vc2")],
                [.null, .null],
            ])
    }

    @Test(
        "A wrong password and an unknown user get the same response at log-in", .everyStore)
    func wrongPassword() async throws {
        let service = try Self.service.get()
        let api = service.api
        let known = try await Client.loggedIn(service)
        let name = try #require(await known.session()["auth"]?["username"]?.text)
        let client = try await Client(api)
        let wrong = try await client.send(
            "POST", "log-in", #"{"username": "\#(name)", "password": "another password"}"#)
        let unknown = try await client.send(
            "POST", "log-in", #"{"username": "nobody-at-all", "password": "another password"}"#)
        #expect(wrong.code == "wrong-password")
        // The status is not 401, because clients discard their token at a 401.
        #expect(wrong.status == 403)
        #expect(wrong.headers["WWW-Authenticate"] == nil)
        #expect(wrong.body == unknown.body)
        #expect(try await client.session()["revision"]?.number == 1)
    }

    @Test(
        "A sign-up with an invalid name or password has a pointer to the member",
        arguments: [
            (#"{"username": "ab", "password": "countess!"}"#, ["/username"]),
            (#"{"username": "a b c", "password": "countess!"}"#, ["/username"]),
            (#"{"username": "abc", "password": "1234567"}"#, ["/password"]),
            (#"{"username": "abc"}"#, ["/password"]),
            (#"{"username": "abc\u0301\u0301", "password": "countess!"}"#, ["/username"]),
            (#"{"username": "ab", "password": "1234567"}"#, ["/username", "/password"]),
            (#"{"username": "ab", "password": "12345678"}"#, ["/username", "/password"]),
        ])
    func badSignUp(_ body: String, _ pointers: [String]) async throws {
        let client = try await Client(Self.service.get().api)
        let reply = try await client.send("POST", "sign-up", body)
        #expect(reply.code == "invalid-body")
        #expect(reply.json["errors"]?.elements?.map { $0["pointer"]?.text } == pointers)
        #expect(try await client.session()["revision"]?.number == 1)
    }

    @Test("PATCH accepts application/merge-patch+json, where null removes; other methods do not")
    func mergePatch() async throws {
        let client = try await Client(Self.service.get().api)
        let reply = try await client.send(
            "PATCH", "view-controllers/vc1", #"{"title": null}"#,
            headers: ["Content-Type": "application/merge-patch+json"])
        #expect(reply.status == 200)
        #expect(reply.json["session"]?["navigationBar"]?["title"] == .null)
        let refused = try await client.send(
            "POST", "pop", "{}", headers: ["Content-Type": "application/merge-patch+json"])
        #expect(refused.status == 415)
    }

    /// The bar members of plain view controllers are copied, and those of others are encoded.
    @Test(
        "A PATCH of one member changes only that member of the response",
        arguments: [
            (
                #"{"navigationItem": {"rightItems": ["x"]}}"#, #""rightItems":["x"]"#,
                #""rightItems":[]"#
            ),
            (
                #"{"navigationItem": {"leftItems": ["x"]}}"#, #""leftItems":["x"]"#,
                #""leftItems":[]"#
            ),
            (
                #"{"navigationItem": {"title": "x"}}"#, #""navigationItem":{"title":"x""#,
                #""navigationItem":{"title":null"#
            ),
            (
                #"{"navigationItem": {"backButtonTitle": "x"}}"#, #""backButtonTitle":"x""#,
                #""backButtonTitle":null"#
            ),
            (
                #"{"navigationItem": {"hidesBackButton": true}}"#, #""hidesBackButton":true"#,
                #""hidesBackButton":false"#
            ),
            (
                #"{"navigationItem": {"leftItemsSupplementBackButton": true}}"#,
                #""leftItemsSupplementBackButton":true"#, #""leftItemsSupplementBackButton":false"#
            ),
            (
                #"{"hidesBottomBarWhenPushed": true}"#, #""hidesBottomBarWhenPushed":true"#,
                #""hidesBottomBarWhenPushed":false"#
            ),
            (#"{"title": "x"}"#, #""title":"x","parameters""#, #""title":"Log In","parameters""#),
        ])
    func patch(_ change: String, _ changed: String, _ plain: String) async throws {
        let client = try await Client(Self.service.get().api)
        let before = try await client.send("GET", "view-controllers").bytes
        try #require(try await client.send("PATCH", "view-controllers/vc1", change).status == 200)
        let after = try await client.send("GET", "view-controllers").bytes
        let text = String(decoding: after, as: UTF8.self)
        #expect(text.contains(changed))
        #expect(text.replacing(changed, with: plain) == String(decoding: before, as: UTF8.self))
    }

    @Test("An integer in a body may be written with a zero fraction such as 1.0") func integers()
        async throws
    {
        let client = try await Client.loggedIn(Self.service.get())
        #expect(try await client.send("POST", "select-row", #"{"row": 1.0}"#).status == 200)
    }
}
