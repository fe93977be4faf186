import HTTPCore
import TestSupport
import Testing
import WaypostTesting

/// Tests of invalid requests. Each gets its documented problem and leaves the session unchanged.
@Suite struct RefusalTests {
    struct BadRequest: Sendable, CustomTestStringConvertible {
        let method: String
        let path: String
        let body: String
        let status: Int
        let code: String
        /// The JSON pointer to the defect in the body.
        var pointer: String? = nil
        /// The beginning of the detail.
        var detail = ""

        var testDescription: String { "\(method) \(path) \(body)" }

        init(
            _ method: String, _ path: String, _ body: String, _ status: Int, _ code: String,
            at pointer: String? = nil, detail: String = ""
        ) {
            self.method = method
            self.path = path
            self.body = body
            self.status = status
            self.code = code
            self.pointer = pointer
            self.detail = detail
        }
    }

    static let badRequests: [BadRequest] = [
        // Bodies that are not JSON, and bodies that are JSON, but not an object
        .init("POST", "push", #"{"scene":"#, 400, "malformed-json"),
        .init("POST", "push", "[]", 422, "invalid-body", at: ""),
        .init("POST", "push", "null", 422, "invalid-body", at: ""),
        .init("PATCH", "view-controllers/vc2", "1", 422, "invalid-body", at: ""),
        .init("POST", "push", #"{"scene": "books", "scene": "cover"}"#, 400, "malformed-json"),
        .init("POST", "push", "\u{feff}{}", 400, "malformed-json"),
        .init(
            "POST", "push", #"{"scene": "# + String(repeating: "[", count: 30_000), 400,
            "malformed-json"),
        // Missing, ill-typed and unknown members
        .init("POST", "push", "{}", 422, "invalid-body", at: ""),
        .init("POST", "push", "", 422, "invalid-body", at: ""),
        .init("POST", "push", #"{"scene": 5}"#, 422, "invalid-body", at: "/scene"),
        .init(
            "POST", "push", #"{"scene": "titles", "x/y~": 1}"#, 422, "invalid-body", at: "/x~1y~0"),
        .init(
            "POST", "push", #"{"scene": "titles", "viewController": "vc2"}"#, 422, "invalid-body",
            at: ""),
        .init(
            "POST", "push", #"{"scene": "titles", "animated": "yes"}"#, 422, "invalid-body",
            at: "/animated"),
        .init(
            "POST", "push", #"{"scene": "books"}"#, 422, "invalid-body", at: "/parameters/author"),
        .init(
            "POST", "push", #"{"scene": "books", "parameters": {"author": 1}}"#, 422,
            "invalid-body",
            at: "/parameters/author"),
        .init(
            "POST", "push", #"{"scene": "books", "parameters": {"author": "nobody"}}"#, 422,
            "invalid-body", at: "/parameters/author"),
        .init(
            "POST", "push", #"{"scene": "titles", "parameters": {"author": "oscar-wilde"}}"#, 422,
            "invalid-body", at: "/parameters/author"),
        .init("POST", "select-row", #"{"row": 1.5}"#, 422, "invalid-body", at: "/row"),
        .init(
            "POST", "select-row", #"{"row": 9223372036854775807}"#, 422, "row-out-of-range",
            at: "/row"),
        .init(
            "POST", "select-row", #"{"row": 99999999999999999999}"#, 422, "row-out-of-range",
            at: "/row"),
        .init("POST", "select-row", #"{"row": -1e400}"#, 422, "row-out-of-range", at: "/row"),
        .init(
            "POST", "push", #"{"scene": 1\#(String(repeating: "0", count: 400))}"#, 422,
            "invalid-body", at: "/scene"),
        .init(
            "POST", "select-row", #"{"row": 99999999999999999999,}"#, 400, "malformed-json"),
        .init("POST", "set-view-controllers", "{}", 422, "invalid-body", at: "/viewControllers"),
        .init(
            "POST", "set-view-controllers", #"{"viewControllers": [{"viewController": "vc2"}, 7]}"#,
            422,
            "invalid-body", at: "/viewControllers/1"),
        .init(
            "POST", "set-view-controllers",
            #"{"viewControllers": [{"viewController": "vc2"}, {"scene": "books"}]}"#,
            422, "invalid-body", at: "/viewControllers/1/parameters/author"),
        .init(
            "POST", "batch", #"{"operations": [{"explode": {}}]}"#, 422, "invalid-body",
            at: "/operations/0/explode"),
        .init(
            "POST", "batch",
            #"{"operations": [{"pop": {}}, {"push": {"scene": "nowhere"}}]}"#,
            404, "scene-not-found", at: "/operations/1/push/scene"),
        // Violated navigation rules
        .init("POST", "push", #"{"scene": "nowhere"}"#, 404, "scene-not-found", at: "/scene"),
        .init("POST", "push", #"{"scene": "userAuth"}"#, 409, "already-logged-in"),
        .init("POST", "push", #"{"viewController": "vc2"}"#, 409, "already-on-stack"),
        .init("POST", "push", #"{"viewController": "vc02"}"#, 404, "view-controller-not-found"),
        .init(
            "POST", "push", #"{"viewController": "vc99"}"#, 404, "view-controller-not-found",
            at: "/viewController"),
        .init(
            "POST", "present", #"{"scene": "titles", "from": "vc99"}"#, 404,
            "view-controller-not-found", at: "/from"),
        .init(
            "POST", "batch", #"{"operations": [{"dismiss": {"viewController": "vc99"}}]}"#, 404,
            "view-controller-not-found", at: "/operations/0/dismiss/viewController"),
        .init("POST", "select-row", #"{"row": 99}"#, 422, "row-out-of-range", at: "/row"),
        .init("POST", "select-row", #"{"row": -1}"#, 422, "row-out-of-range", at: "/row"),
        .init(
            "POST", "select-row", #"{"row": 0, "section": 0}"#, 422, "invalid-body", at: "/section"),
        .init(
            "POST", "select-segment", #"{"index": 2}"#, 422, "segment-out-of-range", at: "/index"),
        .init("POST", "back", "", 409, "no-back-button"),
        .init(
            "POST", "swipe-down", "", 409, "not-dismissible",
            detail: "there is nothing to swipe down"),
        .init(
            "POST", "tap", #"{"place": "row", "index": 99}"#, 422, "tap-out-of-range", at: "/index"),
        .init(
            "POST", "tap", #"{"place": "backButton", "index": 0}"#, 422, "tap-out-of-range",
            at: "/index"),
        .init("POST", "tap", #"{"title": "Nobody"}"#, 404, "tap-not-found"),
        .init("POST", "pop-to", #"{"scene": "books"}"#, 409, "not-on-stack"),
        .init("POST", "open", #"{"path": "/nowhere"}"#, 404, "link-not-found", at: "/path"),
        .init("POST", "open", #"{"path": "/authors/nobody"}"#, 404, "link-not-found", at: "/path"),
        .init("POST", "open", #"{"path": "/authors/%zz"}"#, 400, "malformed-link"),
        .init("POST", "open", #"{"path": "/authors/%00"}"#, 400, "malformed-link"),
        .init("POST", "open", #"{"path": "/authors/\u0000"}"#, 400, "malformed-link"),
        .init("POST", "open", #"{"url": "authors"}"#, 400, "malformed-link"),
        .init(
            "POST", "open", #"{"url": "https://example.com/authors"}"#, 404, "foreign-link",
            at: "/url"),
        .init("POST", "open", "{}", 422, "invalid-body"),
        .init("POST", "open", #"{"path": 1}"#, 422, "invalid-body", at: "/path"),
        .init(
            "POST", "open", #"{"path": "/authors", "url": "a:b"}"#, 422, "invalid-body"),
        .init("PATCH", "view-controllers/vc77", "{}", 404, "view-controller-not-found"),
        .init("PATCH", "view-controllers/x", "{}", 404, "view-controller-not-found"),
        .init("PATCH", "view-controllers/vc2", #"{"title": 1}"#, 422, "invalid-body", at: "/title"),
        .init(
            "POST", "log-in", #"{"username": "ada", "password": "12345678"}"#, 409,
            "already-logged-in"),
        // Wrong paths, methods and queries
        .init("POST", "nowhere", "", 404, "not-found"),
        .init("GET", "push", "", 405, "method-not-allowed"),
        .init("BREW", "", "", 405, "method-not-allowed"),
        .init("GET", "screen?limit=0", "", 400, "invalid-query"),
        .init("GET", "screen?limit=1&limit=2", "", 400, "invalid-query"),
        .init("GET", "screen?colour=red", "", 400, "invalid-query"),
        .init("GET", "events?after=-1", "", 400, "invalid-query"),
        .init("GET", "events?after=+1", "", 400, "invalid-query"),
    ]

    @Test(
        "An invalid request gets its documented problem and leaves the session unchanged",
        arguments: badRequests)
    func badInput(_ bad: BadRequest) async throws {
        let client = try await Self.refused.value
        let before = try await client.session()
        let reply = try await client.send(bad.method, bad.path, bad.body)
        #expect(reply.status == bad.status)
        #expect(reply.code == bad.code)
        #expect(reply.headers["Content-Type"] == "application/problem+json")
        #expect(reply.json["status"]?.number == bad.status)
        #expect(reply.json["type"]?.text == "/problems/\(bad.code)")
        let detail = try #require(reply.json["detail"]?.text)
        #expect(!detail.isEmpty && detail.starts(with: bad.detail))
        let id = try #require(reply.headers["X-Request-ID"])
        #expect(reply.json["requestId"]?.text == id)
        if let pointer = bad.pointer {
            #expect(reply.json["errors"]?[0]?["pointer"]?.text == pointer)
        }
        #expect(try await client.session() == before)
    }

    @Test("A body with several invalid members gets one problem with a pointer to each")
    func members()
        async throws
    {
        let client = try await Client.loggedIn(Self.service.get())
        let reply = try await client.send(
            "POST", "push", #"{"scene": 1, "parameters": 2, "animated": 3, "more": 4}"#)
        let pointers = (0..<4).map { reply.json["errors"]?[$0]?["pointer"]?.text ?? "" }
        #expect(Set(pointers) == ["/scene", "/parameters", "/animated", "/more"])
    }

    @Test("A live view controller that show would have to present is refused with the mend")
    func showOfLive() async throws {
        let client = try await Client.loggedIn(Self.service.get())
        _ = try await client.send("POST", "select-segment", #"{"index": 1}"#)
        _ = try await client.send("POST", "present", #"{"scene": "titles"}"#)
        let refused = try await client.send("POST", "show", #"{"viewController": "vc2"}"#)
        #expect(refused.code == "no-navigation-controller")
        let detail = try #require(refused.json["detail"]?.text)
        #expect(detail.contains("vc2") && detail.contains("send scene instead"))
        #expect(try await client.send("POST", "show", #"{"scene": "titles"}"#).status == 200)
    }

    @Test(
        "A body with a Content-Type other than JSON is a 415",
        arguments: ["text/plain", "application/json; charset=latin-1", "application/jsonx"])
    func mediaType(_ type: String) async throws {
        let client = try await Client.loggedIn(Self.service.get())
        let reply = try await client.send("POST", "pop", "{}", headers: ["Content-Type": type])
        #expect(reply.status == 415)
        #expect(reply.code == "unsupported-media-type")
    }

    @Test("The refusal of a media type names all that the method accepts")
    func acceptedMediaTypes() async throws {
        let client = try await Client.loggedIn(Self.service.get())
        let path = "view-controllers/vc2"
        let patch = try await client.send(
            "PATCH", path, "{}", headers: ["Content-Type": "text/plain"])
        #expect(patch.status == 415)
        let types = ["application/json", "application/merge-patch+json"]
        #expect(patch.headers["Accept-Patch"] == types.joined(separator: ", "))
        #expect(patch.json["detail"]?.text?.hasSuffix(types.joined(separator: " or ")) == true)
        let post = try await client.send(
            "POST", "pop", "{}", headers: ["Content-Type": "text/plain"])
        #expect(post.headers["Accept"] == types[0])
        #expect(post.json["detail"]?.text?.hasSuffix(types[0]) == true)
    }

    @Test("The refusal of a segue that follows a tap blames no member of the request")
    func segueOfATap() async throws {
        let folder = try TemporaryFolder()
        let storyboard = """
            { "name": "Taps", "initialScene": "home", "scenes": {
              "home": { "kind": "table", "parameters": ["q?"],
                "rows": [{ "title": "Row", "segue": "item" }],
                "buttons": [{ "title": "Item", "segue": "item" }, { "title": "Nav", "segue": "nav" }],
                "segues": [{ "identifier": "item", "kind": "show", "scene": "item" },
                           { "identifier": "nav", "kind": "show", "scene": "nav" }] },
              "nav": { "kind": "navigation", "root": "home" },
              "item": { "kind": "blank", "parameters": ["q"] } } }
            """
        let service = try TestService(storyboard: folder.write(storyboard, to: "app.json"))
        let client = try await Client(service.api)
        for (operation, body, code, detail) in [
            ("tap", #"{"title": "Item"}"#, "invalid-body", "segue item: q: missing"),
            ("tap", #"{"title": "Nav"}"#, "unsupported-view-controller", "segue nav: nav is"),
            ("select-row", #"{"row": 0}"#, "invalid-body", "segue item: q: missing"),
        ] {
            let reply = try await client.send("POST", operation, body)
            #expect(reply.status == 422 && reply.code == code)
            #expect(reply.json["errors"] == nil)
            #expect(reply.json["detail"]?.text?.hasPrefix(detail) == true)
        }
        // A client can give the parameter that the segue lacks.
        let own = try await client.send("POST", "perform-segue", #"{"identifier": "item"}"#)
        #expect(own.json["errors"]?[0]?["pointer"]?.text == "/parameters/q")
        // In a batch, the operation is at fault.
        let batch = try await client.send(
            "POST", "batch", #"{"operations": [{"tap": {"title": "Item"}}]}"#)
        #expect(batch.json["errors"]?[0]?["pointer"]?.text == "/operations/0/tap")
    }

    @Test("A body with several Content-Type headers is refused, and the connection is closed")
    func severalMediaTypes() async throws {
        let type = HeaderFields.Field(name: "Content-Type", value: "application/json")
        let reply = try await Self.service.get().api.send(
            "POST", "/v1/sessions", "{}", fields: HeaderFields([type, type]))
        #expect(reply.status == 400 && reply.code == "malformed-request")
        #expect(reply.json["detail"]?.text == "there are several Content-Type headers")
        #expect(reply.headers["Connection"] == "close")
    }

    @Test("A compressed body is a 415, and the response says that no coding is accepted")
    func contentCoding() async throws {
        let client = try await Client.loggedIn(Self.service.get())
        let reply = try await client.send(
            "POST", "pop", "{}",
            headers: ["Content-Type": "application/json", "Content-Encoding": "gzip"])
        #expect(reply.status == 415)
        #expect(reply.headers["Accept-Encoding"] == "identity")
    }

    @Test(
        "A body of application/json is accepted in any case and with charset=UTF-8",
        arguments: ["application/json", "Application/JSON; charset=UTF-8"])
    func json(_ type: String) async throws {
        let client = try await Client.loggedIn(Self.service.get())
        let reply = try await client.send("POST", "pop", "{}", headers: ["Content-Type": type])
        #expect(reply.status == 200)
    }

    private static let service = SharedService { try TestService() }
    /// The session of all requests that change nothing.
    private static let refused = Task { try await Client.loggedIn(service.get()) }
}
