import Foundation
import JSON
import SessionStoreTesting
import Testing
import WaypostTesting

/// The walks through `Examples/Patterns`: one storyboard for each of the five source articles.
@Suite struct PatternTests {
    private func service(_ name: String) throws -> TestService {
        let path = Shell.checkout.appending(path: "Examples/Patterns/\(name).json").path
        return try TestService(storyboard: path)
    }

    private func scenes(_ viewControllers: JSONValue?) -> [String?]? {
        viewControllers?.elements?.map { $0["scene"]?.text }
    }

    private func stack(_ change: JSONValue) -> [String?]? {
        scenes(change["session"]?["viewControllers"])
    }

    private func kinds(_ change: JSONValue) -> [String] {
        (change["events"]?.elements ?? []).map {
            "\($0["event"]?.text ?? "") \($0["scene"]?.text ?? "")"
        }
    }

    @Test("Swappable root: the app takes the place of the login, and nothing leads back")
    func swappableRoot() async throws {
        let client = try await Client(service("SwappableRoot").api)
        #expect(scenes(try await client.session()["viewControllers"]) == ["Login"])
        var change = try await client.send(
            "POST", "set-root-view-controller", #"{"scene": "App"}"#
        ).json
        #expect(scenes(change["popped"]) == ["Login"] && stack(change) == ["App"])
        #expect(change["session"]?["navigationBar"]?["backButton"] == .null)
        #expect(change["events"]?.elements?.allSatisfy { $0["animated"]?.flag == false } == true)
        #expect(try await client.send("POST", "pop").json["changed"]?.flag == false)
        #expect(try await client.send("POST", "back").code == "no-back-button")
        change = try await client.send("POST", "push", #"{"scene": "Detail"}"#).json
        #expect(change["session"]?["navigationBar"]?["backButton"]?["title"]?.text == "App")
        _ = try await client.send("POST", "push", #"{"scene": "Detail"}"#)
        change = try await client.send("POST", "pop-to-root").json
        #expect(scenes(change["popped"]) == ["Detail", "Detail"] && stack(change) == ["App"])
        let empty = try await client.send(
            "POST", "set-view-controllers", #"{"viewControllers": []}"#)
        #expect(empty.code == "empty-stack")
        #expect(
            try await client.send("POST", "push", #"{"viewController": "vc1"}"#).code
                == "view-controller-not-found")
    }

    @Test("Library: authors, books and the cover, with Back where the books have no title")
    func library() async throws {
        let client = try await Client(service("Library").api)
        let start = try await client.session()
        #expect(start["navigationBar"]?["title"]?.text == "Authors")
        #expect(start["navigationBar"]?["titleView"] == .null)
        #expect(start["screen"]?["numberOfRows"]?.number == 15)
        var change = try await client.send("POST", "select-row", #"{"row": 13}"#).json
        var bar = change["session"]?["navigationBar"]
        #expect(stack(change) == ["Authors", "Books"])
        #expect(bar?["title"] == .null && bar?["backButton"]?["title"]?.text == "Authors")
        #expect(change["session"]?["screen"]?["numberOfRows"]?.number == 4)
        // The article's setAuthor: on a live controller.
        change =
            try await client.send(
                "PATCH", "view-controllers/vc2", #"{"parameters": {"author": "oscar-wilde"}}"#
            ).json
        #expect(change["session"]?["screen"]?["numberOfRows"]?.number == 5)
        change = try await client.send("POST", "select-row", #"{"row": 4}"#).json
        bar = change["session"]?["navigationBar"]
        #expect(stack(change) == ["Authors", "Books", "Book Cover"])
        #expect(bar?["backButton"]?["title"]?.text == "Back")
        let image = try #require(change["session"]?["screen"]?["image"]?["url"]?.text)
        #expect(image.contains("/oscar-wilde/"))
        #expect(try await client.api.send("GET", image).headers["Content-Type"] == "image/png")
        change = try await client.send("POST", "pop-to-root", #"{"animated": false}"#).json
        #expect(scenes(change["popped"]) == ["Books", "Book Cover"])
    }

    @Test("Segments: Italy and Australia give the control their titles, and are made once")
    func segments() async throws {
        let client = try await Client(service("Segments").api)
        func titles(_ session: JSONValue?) -> [String?]? {
            session?["segmentedControl"]?["segments"]?.elements?.map { $0["title"]?.text }
        }
        func roots(_ session: JSONValue?) -> [String?]? {
            session?["segmentedControl"]?["segments"]?.elements?.map { $0["viewController"]?.text }
        }
        let start = try await client.session()
        #expect(titles(start) == ["Italy", "Australia"] && roots(start) == ["vc1", nil])
        #expect(start["navigationBar"]?["titleView"]?.text == "segmentedControl")
        var change = try await client.send("POST", "select-segment", #"{"index": 1}"#).json
        #expect(stack(change) == ["Australia"] && roots(change["session"]) == ["vc1", "vc2"])
        let place = #"{"scene": "Place", "parameters": {"place": "Perth"}}"#
        change = try await client.send("POST", "push", place).json
        #expect(change["session"]?["navigationBar"]?["titleView"] == .null)
        #expect(change["session"]?["navigationBar"]?["backButton"]?["title"]?.text == "Australia")
        change =
            try await client.send("PATCH", "view-controllers/vc1", #"{"title": "Italia"}"#).json
        #expect(titles(change["session"]) == ["Italia", "Australia"])
        change = try await client.send("POST", "select-segment", #"{"index": 0}"#).json
        #expect(scenes(change["popped"]) == ["Australia", "Place"])
        #expect(change["session"]?["viewControllers"]?[0]?["id"]?.text == "vc1")
        #expect(change["session"]?["navigationBar"]?["titleView"]?.text == "segmentedControl")
    }

    @Test("Bottom bar: a controller decorates it at run time, and it comes and goes with it")
    func bottomBar() async throws {
        let client = try await Client(service("BottomBar").api)
        func text(_ change: JSONValue) -> JSONValue? { change["session"]?["bottomBar"]?["text"] }
        #expect(try await client.session()["bottomBar"]?["text"] == .null)
        let decorate = #"{"bottomBarText": "3 unread"}"#
        var change = try await client.send("PATCH", "view-controllers/vc1", decorate).json
        #expect(text(change) == .string("3 unread") && kinds(change).isEmpty)
        change = try await client.send("POST", "push", #"{"scene": "Detail"}"#).json
        #expect(text(change) == .string("Detail"))
        #expect(
            kinds(change) == [
                "viewDidLoad Detail", "willShow Detail", "viewWillDisappear List",
                "viewWillAppear Detail", "didShow Detail", "viewDidDisappear List",
                "viewDidAppear Detail",
            ])
        change = try await client.send("POST", "push", #"{"scene": "Plain"}"#).json
        #expect(text(change) == .null)
        change = try await client.send("POST", "pop-to-root").json
        #expect(text(change) == .string("3 unread"))
        let clear = #"{"bottomBarText": null}"#
        change = try await client.send("PATCH", "view-controllers/vc1", clear).json
        #expect(text(change) == .null)
    }

    @Test("Login at launch: the credential decides the root, and log-in and log-out swap it")
    func loginAtLaunch() async throws {
        let service = try service("LoginAtLaunch")
        let client = try await Client(service.api)
        #expect(
            scenes(try await client.session()["viewControllers"]) == ["UserAuthViewController"])
        #expect(try await client.send("GET", "screen").json["submit"]?.text == "log-in")
        let push = try await client.send("POST", "push", #"{"scene": "Initial"}"#)
        #expect(push.status == 403 && push.code == "login-required")
        _ = try await client.send("POST", "push", #"{"scene": "SignUp"}"#)
        let account = #"{"username": "henry", "password": "a long password"}"#
        var change = try await client.send("POST", "sign-up", account).json
        #expect(change["transition"]?.text == "root" && stack(change) == ["Initial"])
        #expect(scenes(change["popped"]) == ["UserAuthViewController", "SignUp"])
        let credential = try #require(change["credential"]?.text)
        let body = #"{"credential": "\#(credential)"}"#
        let next = try await service.api.send("POST", "/v1/sessions", body).json
        #expect(scenes(next["viewControllers"]) == ["Initial"])
        change = try await client.send("POST", "log-out").json
        #expect(change["transition"]?.text == "root")
        #expect(stack(change) == ["UserAuthViewController"])
        let refused = try await service.api.send("POST", "/v1/sessions", body).json
        #expect(scenes(refused["viewControllers"]) == ["UserAuthViewController"])
        #expect(refused["auth"]?["reason"]?.text == "credential-revoked")
    }

    @Test("Every storyboard in Examples/Patterns is walked by a test") func allWalked() throws {
        let folder = Shell.checkout.appending(path: "Examples/Patterns")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(
            files.sorted() == [
                "BottomBar.json", "Library.json", "LoginAtLaunch.json", "Segments.json",
                "SwappableRoot.json",
            ])
    }
}
