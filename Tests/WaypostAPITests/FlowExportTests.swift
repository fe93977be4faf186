import JSON
import SessionStoreTesting
import Sessions
import TestSupport
import Testing
import WaypostTesting

/// Tests of `GET …/flow`, which exports the changes of a session as a flow, a scripted test.
@Suite(.everyStore) struct FlowExportTests {
    private let folder: TemporaryFolder
    private let store: any SessionStore

    init() throws {
        folder = try TemporaryFolder()
        store = try StoreKind.current.makeStore(in: folder)
    }

    private func service(_ storyboard: String) throws -> TestService {
        try TestService(storyboard: folder.write(storyboard, to: "app.json"), store: store)
    }

    /// - Parameter flag: the flag that the button Pay sets.
    private static func storyboard(paySets flag: String) -> String {
        """
        { "name": "Shop", "initialScene": "home", "flags": { "paid": false, "tour": true },
          "scenes": {
            "home": { "kind": "blank", "title": "Home", "path": "/home",
              "buttons": [ { "title": "Skip", "set": { "tour": false } },
                           { "title": "Pay", "set": { "\(flag)": true } },
                           { "title": "More", "segue": "more" } ],
              "segues": [ { "identifier": "more", "kind": "show", "scene": "more" } ] },
            "more": { "kind": "blank", "title": "More" } } }
        """
    }

    @Test("A change with another effect since the storyboard changed is in no flow")
    func otherEffect() async throws {
        let client = try await Client(service(Self.storyboard(paySets: "paid")).api)
        for title in ["Skip", "Pay", "More"] {
            let tap = try await client.send("POST", "tap", #"{"title": "\#(title)"}"#)
            #expect(tap.status == 200)
        }
        let changed = try service(Self.storyboard(paySets: "tour"))
        let later = Client(changed.api, id: client.id, token: client.token)
        let lost = try await later.send("GET", "flow?from=2")
        #expect(lost.status == 410 && lost.code == "revision-gone")
        #expect(
            lost.json["detail"]?.text == """
                the change to revision 3 cannot be repeated, because the storyboard, the catalog \
                or the program has changed since then: send from=3
                """)
        for query in ["", "?from=3", "?from=4"] {
            let flow = try await later.send("GET", "flow\(query)")
            #expect(flow.status == 200)
            let lines = flow.body.split(separator: "\n")
            #expect(lines.contains("flags: {paid: true, tour: false}"), "\(flow.body)")
            #expect(flow.body.contains("More") && !flow.body.contains("Pay"), "\(flow.body)")
        }
    }

    @Test("The export after a change of the storyboard says that the storyboard has changed")
    func changedStoryboard() async throws {
        func storyboard(_ kind: String) -> String {
            """
            { "name": "Shop", "initialScene": "home", "scenes": {
                "home": { "kind": "blank", "title": "Home",
                  "segues": [ { "identifier": "more", "kind": "\(kind)", "scene": "more" } ] },
                "more": { "kind": "blank", "title": "More" } } }
            """
        }
        let client = try await Client(service(storyboard("show")).api)
        let segue = try await client.send("POST", "perform-segue", #"{"identifier": "more"}"#)
        #expect(segue.status == 200)
        let changed = try service(storyboard("present"))
        let flow = try await Client(changed.api, id: client.id, token: client.token)
            .send("GET", "flow")
        #expect(flow.status == 410)
        let reason = "or the storyboard, the catalog or the program has changed since then"
        #expect(flow.json["detail"]?.text?.contains(reason) == true)
    }

    /// - Parameters:
    ///   - kind: the kind of the segue from Home to Plain.
    ///   - further: a scene of the app and one of its login root.
    private static func login(_ kind: String, further: String = "") -> String {
        """
        { "name": "Shop", "initialScene": "home", "loginScene": "door", "scenes": {
            "door": { "kind": "form", "title": "Log In", "access": "login", "submit": "log-in" },
            \(further)
            "home": { "kind": "blank", "title": "Home",
              "segues": [ { "identifier": "go", "kind": "\(kind)", "scene": "plain" } ] },
            "plain": { "kind": "blank", "title": "Plain" } } }
        """
    }
    private static let further = """
        "help": { "kind": "blank", "title": "Help", "access": "login" },
        "more": { "kind": "blank", "title": "More" },
        """

    @Test("The refusal of a flow under an ended log-in names the revision after all of the log-in")
    func endedLogIn() async throws {
        let client = try await Client(service(Self.login("show", further: Self.further)).api)
        let user = #"{"username": "ada", "password": "a long password"}"#
        #expect(try await client.send("POST", "sign-up", user).status == 200)
        try await client.push("more")
        // The lost scene makes a fresh root, which is revision 4.
        let changed = try service(Self.login("show"))
        let later = Client(changed.api, id: client.id, token: client.token)
        try await later.push("plain")
        #expect(try await later.send("POST", "log-out").json["session"]?["revision"]?.number == 6)
        let refused = try await later.send("GET", "flow?from=3")
        #expect(refused.status == 403 && refused.code == "credential-revoked")
        #expect(
            refused.json["detail"]?.text?.hasSuffix(
                "revision 5, of a log-in that has ended: send from=6") == true)
        #expect(try await later.send("GET", "flow?from=6").status == 200)
    }

    @Test("The refusal of a flow that begins after a log-out names the change that is lost")
    func lostAfterLogOut() async throws {
        let client = try await Client(service(Self.login("show", further: Self.further)).api)
        let user = #"{"username": "ada", "password": "a long password"}"#
        #expect(try await client.send("POST", "sign-up", user).status == 200)
        let segue = try await client.send("POST", "perform-segue", #"{"identifier": "go"}"#)
        #expect(segue.status == 200)
        #expect(try await client.send("POST", "log-out").status == 200)
        try await client.push("help")
        let changed = try service(Self.login("present"))
        let later = Client(changed.api, id: client.id, token: client.token)
        let refused = try await later.send("GET", "flow?from=4")
        #expect(refused.status == 410)
        #expect(
            refused.json["detail"]?.text?.hasPrefix("the change to revision 6 cannot be") == true)
        #expect(try await later.send("GET", "flow?from=6").status == 200)
    }

    private static let guests = """
        { "name": "Shop", "initialScene": "home", "loginScene": "door", "guests": true,
          "scenes": {
            "door": { "kind": "form", "title": "Log In", "access": "login", "submit": "log-in" },
            "home": { "kind": "blank", "title": "Home", "access": "everyone",
              "buttons": [ { "title": "Orders", "segue": "orders" } ],
              "segues": [ { "identifier": "orders", "kind": "show", "scene": "orders" } ] },
            "orders": { "kind": "blank", "title": "Orders", "path": "/orders" } } }
        """

    /// Returns the flow of a session that begins with the present state of another one.
    private func flowOfFork(_ client: Client, _ service: TestService) async throws -> Reply {
        let opened = try await service.api.send(
            "POST", "/v1/sessions", #"{"fork": {"session": "\#(client.id)"}}"#,
            token: client.token)
        return try await Client(service.api, opened: opened.json).send("GET", "flow")
    }

    @Test("A flow expects the action that waits for the log-in, and cannot begin with it")
    func pendingAction() async throws {
        let service = try service(Self.guests)
        let client = try await Client(service.api)
        #expect(try await client.send("POST", "tap", #"{"title": "Orders"}"#).status == 200)
        let flow = try await client.send("GET", "flow").body
        let pending = #"pending: {tap: {title: "Orders", place: "button"}}"#
        #expect(flow.contains(pending), "\(flow)")
        // No link leads a new session to a log-in that carries out a tap.
        #expect(try await flowOfFork(client, service).code == "revision-gone")
    }

    @Test(
        "A flow opens a link that matches no pattern, if its session began with such a link",
        arguments: [true, false])
    func unknownLink(_ isShown: Bool) async throws {
        let service = try service(
            """
            { "name": "Shop", "initialScene": "home", "links": { "notFound": "lost" }, "scenes": {
                "home": { "kind": "blank", "title": "Home" },
                "lost": { "kind": "blank", "title": "Not Found"\(isShown ? #", "parameters": ["path?"]"# : "") } } }
            """)
        let opened = try await service.api.send("POST", "/v1/sessions", #"{"open": "/none"}"#)
        let client = try Client(service.api, opened: opened.json)
        let flow = try await client.send("GET", "flow")
        #expect(flow.status == 200)
        let link = isShown ? "/none" : "/unknown"
        #expect(flow.body.contains("- open: {path: \"\(link)\"}"), "\(flow.body)")
    }

    @Test(
        "A flow has the segment for which a guest was asked to log in",
        arguments: ["", #", "animated": false"#, #", "animated": true"#])
    func pendingSegment(_ animated: String) async throws {
        let service = try service(
            """
            { "name": "Shop", "initialScene": "home", "loginScene": "door", "guests": true,
              "segments": [ { "scene": "home" }, { "scene": "orders" } ],
              "scenes": {
                "door": { "kind": "form", "title": "Log In", "access": "login", "submit": "log-in" },
                "home": { "kind": "blank", "title": "Home", "access": "everyone" },
                "orders": { "kind": "blank", "title": "Orders" } } }
            """)
        let client = try await Client(service.api)
        let asked = try await client.send("POST", "select-segment", #"{"index": 1\#(animated)}"#)
        #expect(asked.status == 200)
        #expect(asked.json["session"]?["pending"]?["operation"] != nil)
        let flow = try await client.send("GET", "flow")
        #expect(flow.status == 200 && flow.body.contains("- select-segment:"), "\(flow.body)")
    }

    @Test("A flow opens the link that waits for the log-in at its beginning")
    func pendingLink() async throws {
        let service = try service(Self.guests)
        let client = try await Client(service.api)
        #expect(try await client.send("POST", "open", #"{"path": "/orders"}"#).status == 200)
        let flow = try await flowOfFork(client, service)
        #expect(flow.body.contains("steps:\n  - open: {path: \"/orders\"}\n"), "\(flow.body)")
        #expect(flow.body.contains(#"pendingLink: "/orders""#))
    }

    @Test("A flow names a navigation controller by the first scene on it that has a label")
    func navigationControllers() async throws {
        let service = try service(
            """
            { "name": "Tabs", "initialScene": "tabs", "scenes": {
                "tabs": { "kind": "tabBar",
                  "tabs": [ { "scene": "aNav" }, { "scene": "bNav" }, { "scene": "aNav" } ] },
                "aNav": { "kind": "navigation", "root": "a" },
                "bNav": { "kind": "navigation", "root": "b#1" },
                "a": { "kind": "blank", "title": "A" },
                "b#1": { "kind": "blank", "title": "B" } } }
            """)
        let client = try await Client(service.api)
        for number in 1...3 {
            let push = #"{"scene": "b#1", "navigationController": "nc\#(number)"}"#
            #expect(try await client.send("POST", "push", push).status == 200)
        }
        let flow = try await client.send("GET", "flow").body
        for name in ["@a", "nc2", "@a#2"] {
            #expect(flow.contains(#"navigationController: "\#(name)""#), "\(name) in \(flow)")
        }
    }

    @Test("A flow names no view controller by the label of another one")
    func labelOfAnother() async throws {
        let service = try service(
            """
            { "name": "Labels", "initialScene": "a", "scenes": {
                "a": { "kind": "blank", "title": "A" },
                "a#2": { "kind": "blank", "title": "B" } } }
            """)
        let client = try await Client(service.api)
        for scene in ["a#2", "a"] {
            let push = try await client.send("POST", "push", #"{"scene": "\#(scene)"}"#)
            #expect(push.status == 200)
        }
        for (id, title) in [("vc3", "Third"), ("vc1", "First")] {
            let patch = try await client.send(
                "PATCH", "view-controllers/\(id)", #"{"title": "\#(title)"}"#)
            #expect(patch.status == 200)
        }
        // A runner of flows counts `@a#2` as the first view controller of the scene `a#2`.
        let flow = try await client.send("GET", "flow").body
        for name in ["vc3", "@a"] {
            #expect(flow.contains(#"viewController: "\#(name)""#), "\(name) in \(flow)")
        }
        #expect(!flow.contains("@a#2"))
    }
}
