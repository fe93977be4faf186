import NavigationRules
import TestSupport
import Testing
import WaypostTesting

@testable import Exploration
@testable import Flows

@Suite struct GuestExplorationTests {
    private let podcasts = Shell.checkout.appending(path: "Examples/Podcasts/Podcasts.json").path

    // 185,000 moves.
    @Test(
        "The podcasts have no finding, and the generated flows pass",
        .enabled(if: TestRun.current == .nightly))
    func podcastsAreClean() async throws {
        let app = try loadApp(podcasts)
        var exploration = Exploration(app)
        let report = exploration.run()
        #expect(report.findings == [] && report.isComplete)
        #expect(report.text.contains(" windows, ") && report.text.hasSuffix("\nno findings"))
        let folder = try FlowFolder()
        let files = try exploration.flows().map { try folder.write($0.text, $0.file) }
        let apps = try LocalApps(FlowReader.read(files)) { _ in app }
        let results = try await apps.runner.run(FlowReader.read(files))
        #expect(results.compactMap(\.failure?.reason) == [])
        #expect(files.contains { $0.hasSuffix("/scene-followed.yaml") })
    }

    @Test("An exploration with too many windows is unknown") func tooManyWindows() throws {
        var limits = Exploration.Limits()
        limits.windows = 200
        var exploration = Exploration(try loadApp(podcasts), limits)
        let report = exploration.run()
        #expect(!report.isComplete && !report.hasErrors)
        #expect(report.text.contains("only the first 200 windows were tried"))
    }

    @Test("The JSON of a lost action names no segue: its name is a title") func lostAction() throws
    {
        let folder = try FlowFolder()
        let file = try folder.write(
            """
            {"name": "L", "initialScene": "home", "loginScene": "login", "guests": true, "scenes": {
              "home": {"kind": "blank", "title": "Home", "access": "everyone",
                "segues": [{"identifier": "go", "kind": "show", "scene": "terms"}],
                "buttons": [{"title": "Terms", "segue": "go"}]},
              "terms": {"kind": "blank", "title": "Terms", "access": "everyone",
                "segues": [{"identifier": "in", "kind": "present", "scene": "login"},
                  {"identifier": "me", "kind": "show", "scene": "me"}],
                "buttons": [{"title": "Log In", "segue": "in"}, {"title": "Me", "segue": "me"}]},
              "login": {"kind": "form", "title": "Log In", "access": "login",
                "segues": [{"identifier": "t", "kind": "show", "scene": "terms"},
                  {"identifier": "x", "kind": "dismiss"}],
                "buttons": [{"title": "T", "segue": "t"}, {"title": "X", "segue": "x"}]},
              "me": {"kind": "blank", "title": "Me", "access": "members"}}}
            """, "app.json")
        var limits = Exploration.Limits()
        limits.windows = 200
        var exploration = Exploration(try loadApp(file), limits)
        let report = exploration.run()
        #expect(
            report.json.contains(
                #""kind":"lost-action","scene":"terms","text":"Me on terms is lost after the log-in""#
            ), "\(report.json)")
    }

    @Test("A flow begins with the flags that differ from the storyboard's") func flags() throws {
        let folder = try FlowFolder()
        let file = try folder.write(
            """
            {"name": "A", "initialScene": "home", "flags": {"paid": false}, "scenes": {
              "home": {"kind": "blank", "title": "Home",
                "buttons": [{"title": "Play", "segue": "play", "when": "paid"}],
                "segues": [{"identifier": "play", "kind": "show", "scene": "player"}]},
              "player": {"kind": "blank", "title": "Player"}}}
            """, "app.json")
        var exploration = Exploration(try loadApp(file))
        #expect(exploration.run().findings == [])
        let flow = try #require(exploration.flows().first { $0.file == "scene-player.yaml" })
        #expect(flow.text.hasPrefix("name: scene player\nflags: { paid: true }\nsteps:\n  - tap: "))
    }

    @Test("The flow of a strict app with guests logs in to an existing account, not to a new one")
    func formOfGuests() throws {
        let folder = try FlowFolder()
        let file = try folder.write(
            """
            {"name": "A", "strict": true, "guests": true, "loginScene": "login",
              "initialScene": "home", "scenes": {
                "login": {"kind": "form", "title": "Log In", "access": "login", "submit": "log-in",
                  "buttons": [{"title": "New", "segue": "new"}],
                  "segues": [{"identifier": "new", "kind": "show", "scene": "signUp"}]},
                "signUp": {"kind": "form", "title": "New", "access": "login",
                  "submit": "sign-up"},
                "home": {"kind": "blank", "title": "Home", "access": "everyone",
                  "buttons": [{"title": "Me", "segue": "me"}],
                  "segues": [{"identifier": "me", "kind": "show", "scene": "me"}]},
                "me": {"kind": "blank", "title": "Me",
                  "navigationItem": {"hidesBackButton": true}}}}
            """, "app.json")
        var exploration = Exploration(try loadApp(file))
        let report = exploration.run()
        #expect(report.findings.map(\.kind) == [.deadEnd])
        #expect(report.findings.first?.flow?.count == 2)
        #expect(report.findings.first?.isShortest == true)
        let flow = try #require(exploration.flows().first { $0.file == "scene-me.yaml" })
        #expect(
            flow.text.hasPrefix("name: scene me\naccounts: [\"ada\"]\nsteps:\n  - tap: "),
            "\(flow.text)")
        #expect(flow.text.contains("\n  - log-in: ada\n"), "\(flow.text)")
    }

    @Test("A flow of a strict app names the accounts that log in at a form") func accounts() throws
    {
        let folder = try FlowFolder()
        let file = try folder.write(
            """
            {"name": "A", "strict": true, "loginScene": "login", "initialScene": "home",
              "scenes": {
                "login": {"kind": "form", "access": "login", "submit": "log-in"},
                "home": {"kind": "blank", "title": "Home"}}}
            """, "app.json")
        var exploration = Exploration(try loadApp(file))
        _ = exploration.run()
        let flow = try #require(exploration.flows().first { $0.file == "scene-home.yaml" })
        #expect(flow.text.hasPrefix("name: scene home\naccounts: [\"ada\"]\nsteps:\n"))
    }
}
