import Foundation
import NavigationRules
import TestSupport
import Testing
import WaypostTesting

@testable import Exploration
@testable import Flows

@Suite struct ExplorationTests {
    static let examples = [
        nil, "Examples/RecipeBox/RecipeBox.json", "Examples/Bookshop/Bookshop.json",
    ]

    private func app(_ path: String?) throws -> App {
        try loadApp(path.map { Shell.checkout.appending(path: $0).path })
    }

    @Test("The Library and the examples have no finding", arguments: examples)
    func clean(path: String?) throws {
        var exploration = Exploration(try app(path))
        let report = exploration.run()
        #expect(report.findings == [] && report.isComplete)
        #expect(report.heads > 10)
    }

    @Test(
        "The patterns have no findings, but for the titles that the code of the Library sets",
        arguments: [
            ("BottomBar", []),
            (
                "Library",
                [
                    "warning: the scene Books has no title",
                    "warning: the scene Book Cover has no title",
                    "warning: the back button of Book Cover has no title: it leads to Books",
                ]
            ),
            ("LoginAtLaunch", []),
            ("Segments", []), ("SwappableRoot", []),
        ])
    func patterns(name: String, expected: [String]) throws {
        var exploration = Exploration(try app("Examples/Patterns/\(name).json"))
        let report = exploration.run()
        #expect(report.findings.map { "\($0.severity): \($0.text)" } == expected)
        #expect(report.isComplete)
    }

    @Test("The generated flows pass, and use every part of the app", arguments: examples)
    func flows(path: String?) async throws {
        let app = try app(path)
        var exploration = Exploration(app)
        _ = exploration.run()
        let folder = try FlowFolder()
        let files = try exploration.flows().map { try folder.write($0.text, $0.file) }
        let apps = try LocalApps(FlowReader.read(files)) { _ in app }
        let results = try await apps.runner.run(FlowReader.read(files))
        #expect(results.compactMap(\.failure?.reason) == [])
        let unused = try #require(apps.coverage.first).unused
        #expect(unused == [])
        #expect(files.contains { $0.contains("/refused-") })
    }

    @Test(
        "The link of each explored state leads to its stack in a new session, or is null for a reason",
        arguments: examples
            + ["LoginAtLaunch", "Segments", "SwappableRoot"].map { "Examples/Patterns/\($0).json" })
    func linksOfStates(path: String?) throws {
        let app = try app(path)
        var exploration = Exploration(app)
        _ = exploration.run()
        var linked: Set<String> = []
        for head in exploration.order {
            let window = try #require(exploration.window(after: exploration.path(to: head)))
            let top = window.topViewController
            guard let link = window.link(in: app) else {
                #expect(!opensWithoutChange(window, exploration), "\(top.scene.name)")
                continue
            }
            linked.insert(top.scene.name)
            var same = window
            let outcome = try same.perform(.open(.path(link)), animated: true, in: app)
            #expect(!outcome.changed, "\(link)")
            let username = app.storyboard.loginScene == nil ? nil : "ada"
            let new = try Window.launch(app, opening: .path(link), username: username).window
            #expect(
                new.viewControllers.map(\.scene.name) == window.viewControllers.map(\.scene.name))
            #expect(
                new.viewControllers.map(\.parameters) == window.viewControllers.map(\.parameters))
            #expect(new.link(in: app) == link)
        }
        let scenes = app.storyboard.scenes.values.filter { $0.path != nil && $0.access == .members }
        #expect(linked == Set(scenes.map(\.name)))
    }

    /// Returns whether the app root is shown, and the main pattern of the visible scene opens it
    /// without a change. Otherwise, docs/links.md states the reason why the state has no link.
    private func opensWithoutChange(_ window: Window, _ exploration: Exploration) -> Bool {
        let top = window.topViewController
        let values = Dictionary(
            uniqueKeysWithValues: zip(top.parameters.names, top.parameters.values))
        guard window.root == .app,
            let link = exploration.app.storyboard.link(to: top.scene, values),
            let after = try? exploration.perform(.open(.path(link)), on: window)
        else { return false }
        return after.revision == window.revision
    }

    /// Explores an app with these scenes besides `home`, whose rows lead to the scenes of `rows`.
    private func findings(
        _ scenes: String, rows: [String] = [], more: String = #""initialScene": "home","#
    ) throws -> [String] {
        let fixed = rows.map { #"{"title": "\#($0)", "segue": "\#($0)"}"# }
        let segues = rows.map { #"{"identifier": "\#($0)", "kind": "show", "scene": "\#($0)"}"# }
        let folder = try FlowFolder()
        let file = try folder.write(
            """
            {"name": "Planted", \(more) "scenes": {
              "home": {"kind": "table", "title": "Home", "rows": [\(fixed.joined(separator: ","))],
                       "segues": [\(segues.joined(separator: ","))]}, \(scenes)}}
            """, "app.json")
        var exploration = Exploration(try loadApp(file))
        return exploration.run().findings.map {
            "\($0.severity.rawValue) \($0.kind.rawValue): \($0.text)"
        }
    }

    @Test("A scene that no user can reach is found") func unreachable() throws {
        #expect(
            try findings(#""lost": {"kind": "blank", "title": "Lost"}"#) == [
                "error unreachable-scene: no user can reach the scene lost"
            ])
    }

    @Test("A scene that only code shows is a warning, as is a scene to which only it leads")
    func shownByCode() throws {
        #expect(
            try findings(
                """
                "player": {"kind": "blank", "title": "Player", "shownByCode": true,
                           "segues": [{"identifier": "q", "kind": "show", "scene": "queue"}]},
                "queue": {"kind": "blank", "title": "Queue"}
                """) == [
                    "warning unreachable-scene: only code shows the scene player",
                    "warning unreachable-scene: only code leads to the scene queue",
                ])
    }

    @Test("A dead end is found") func deadEnd() throws {
        let scene =
            #""end": {"kind": "blank", "title": "End", "navigationItem": {"hidesBackButton": true}}"#
        #expect(
            try findings(scene, rows: ["end"]) == [
                "error dead-end: end is a dead end: no tap leads back to a root"
            ])
    }

    @Test("Screens and back buttons without a title are found") func noTitle() throws {
        let scenes = """
            "bare": {"kind": "table", "rows": [{"title": "On", "segue": "on"}],
              "segues": [{"identifier": "on", "kind": "show", "scene": "next"}]},
            "next": {"kind": "blank", "title": "Next"}
            """
        #expect(
            try findings(scenes, rows: ["bare"]) == [
                "warning no-title: the scene bare has no title",
                "warning no-back-title: the back button of next has no title: it leads to bare",
            ])
    }

    @Test("A way from the login root to a scene of the app is found") func wall() throws {
        let scenes = """
            "login": {"kind": "form", "title": "Log In", "access": "login",
              "buttons": [{"title": "Skip", "segue": "skip"}],
              "segues": [{"identifier": "skip", "kind": "show", "scene": "home"}]}
            """
        let found = try findings(
            scenes, more: #""initialScene": "home", "loginScene": "login","#)
        #expect(
            found.contains { $0.hasPrefix("error app-scene-at-login: the button Skip of login") })
    }

    @Test("A link that cannot be shown is found") func link() throws {
        let scenes = """
            "tabs": {"kind": "tabBar", "tabs": [{"title": "Home", "scene": "home"}]},
            "below": {"kind": "blank", "title": "Below", "path": "/below", "parent": "home"}
            """
        let found = try findings(scenes, more: #""initialScene": "tabs","#)
        #expect(
            found.contains(
                "error link: the link /below to below cannot be shown: no-navigation-controller"))
    }

    /// Explores an app whose first scene is a row of buttons, within limits.
    private func report(
        _ app: String, _ set: (inout Exploration.Limits) -> Void = { _ in }
    ) throws -> ExplorationReport {
        var limits = Exploration.Limits()
        set(&limits)
        let folder = try FlowFolder()
        try folder.write(#"[{"name": "A"}, {"name": "B", "below": [{"name": "C"}]}]"#, "data.json")
        var exploration = Exploration(
            try loadApp(folder.write("{\"name\": \"Planted\", \(app)}", "app.json")), limits)
        return exploration.run()
    }

    private func blank(_ name: String, _ more: String = "", showing scenes: [String]) -> String {
        let segues = scenes.map { #"{"identifier": "\#($0)", "kind": "show", "scene": "\#($0)"}"# }
        let buttons = scenes.map { #"{"title": "\#($0)", "segue": "\#($0)"}"# }
        return """
            "\(name)": {"kind": "blank", "title": "\(name)", \(more)
              "segues": [\(segues.joined(separator: ","))],
              "buttons": [\(buttons.joined(separator: ","))]}
            """
    }

    @Test("The report has the size of the app and the words no findings only if it is complete")
    func text() throws {
        let app = #""initialScene": "home", "scenes": {"# + blank("home", showing: ["home"]) + "}"
        let report = try report(app)
        #expect(report.text == "Planted: 2 heads, 2 moves\nno findings")
        #expect(report.json.hasPrefix(#"{"app":"Planted","complete":true,"heads":2,"moves":2,"#))
        #expect(report.json.hasSuffix(#""findings":[],"unknown":[]}"#))
    }

    @Test("A dead end is found in an endless app, and a scene that nothing shows is unreachable")
    func trapInEndlessApp() throws {
        let trap = blank("trap", #""navigationItem": {"hidesBackButton": true},"#, showing: [])
        let found = try report(
            #""initialScene": "home", "scenes": {"# + blank("home", showing: ["home", "trap"])
                + ",\(trap), " + blank("lost", showing: []) + "}")
        #expect(
            found.findings.map { "\($0.severity) \($0.text)" } == [
                "error trap is a dead end: no tap leads back to a root",
                "error no user can reach the scene lost",
            ])
        #expect(found.isComplete && found.hasErrors)
        #expect(
            found.json.contains(
                #""kind":"dead-end","scene":"trap","text":"trap is a dead end: "#
                    + #"no tap leads back to a root","certainty":"proved","shortest":true,"#
                    + #""flow":["tap: { place: button, index: 1 } # trap"]}"#))
    }

    @Test("A scene or a way out behind a row that was left out is unknown") func leftOutRows()
        throws
    {
        let app = """
            "initialScene": "list", "data": {"file": "data.json", "levels": [
              {"rows": "things", "each": "thing", "title": "name", "children": "below"},
              {"rows": "parts", "each": "part", "title": "name"}]},
            "scenes": {
              "list": {"kind": "table", "title": "List", "rows": "things", "select": "thing",
                "unwindActions": ["home"]},
              "thing": {"kind": "table", "title": "Thing", "parameters": ["thing"],
                "rows": "thing.parts", "select": "part",
                "navigationItem": {"hidesBackButton": true}},
              "part": {"kind": "blank", "title": "Part", "parameters": ["thing", "part"],
                "segues": [{"identifier": "home", "kind": "unwind", "action": "home"}],
                "buttons": [{"title": "Home", "segue": "home"}]}}
            """
        let first = try report(app) { $0.rows = 1 }
        #expect(
            first.findings.map { "\($0.severity) \($0.text)" } == [
                "error thing is a dead end: no tap leads back to a root",
                "unknown the scene part was not reached",
            ])
        #expect(!first.isComplete && first.rows == 1)
        #expect(
            first.text.hasSuffix(
                "incomplete: 1 finding is unknown; raise --max-rows, or set it to 0 for all rows"))
        let all = try report(app) { $0.rows = nil }
        #expect(all.isComplete && all.rows == nil)
        #expect(all.findings.map(\.kind) == [.deadEnd])
    }

    @Test("A dead end that a row after the first rows may end is unknown") func perhapsDeadEnd()
        throws
    {
        let home = """
            "home": {"kind": "blank", "title": "Home", "unwindActions": ["home"],
              "segues": [{"identifier": "list", "kind": "present", "scene": "list",
                "presentationStyle": "fullScreen"}],
              "buttons": [{"title": "List", "segue": "list"}]}
            """
        let app = """
            "initialScene": "home", "data": {"file": "data.json", "levels": [
              {"rows": "things", "each": "thing", "title": "name", "children": "below"},
              {"rows": "parts", "each": "part", "title": "name"}]},
            "scenes": { \(home),
              "list": {"kind": "table", "title": "List", "rows": "things",
                "select": {"segue": "thing"},
                "segues": [{"identifier": "thing", "kind": "present", "scene": "thing",
                  "presentationStyle": "fullScreen"}]},
              "thing": {"kind": "table", "title": "Thing", "parameters": ["thing"],
                "rows": "thing.parts", "select": {"segue": "home"}, "unwindActions": [],
                "segues": [{"identifier": "home", "kind": "unwind", "action": "home"}]}}
            """
        let first = try report(app) { $0.rows = 1 }
        let texts = first.findings.map { "\($0.severity) \($0.text)" }
        #expect(
            texts.contains(
                "unknown list is a dead end unless a row after the first 1 leads back to a root"))
        #expect(!texts.contains { $0.hasPrefix("error list") })
        let all = try report(app) { $0.rows = nil }
        #expect(!all.findings.map(\.text).contains { $0.hasPrefix("list is a dead end") })
    }

    @Test("Each row that the storyboard lists is tapped, even with --max-rows 1") func listedRows()
        throws
    {
        let menu = """
            "menu": {"kind": "table", "title": "Menu",
              "navigationItem": {"hidesBackButton": true},
              "rows": [{"title": "Menu"}, {"title": "Home", "segue": "home"}],
              "segues": [{"identifier": "home", "kind": "unwind", "action": "home"}]}
            """
        let home = blank("home", #""unwindActions": ["home"],"#, showing: ["menu"])
        let found = try report(#""initialScene": "home", "scenes": {"# + home + ", \(menu)}") {
            $0.rows = 1
        }
        #expect(found.findings == [] && found.text.hasSuffix("\nno findings"))
    }

    @Test("An exploration of all rows is complete, and one that left out rows is not")
    func leftOutRowsAreIncomplete() throws {
        var all = Exploration(try app(nil))
        let report = all.run()
        #expect(report.text.hasSuffix(" moves\nno findings"))
        #expect(report.json.contains(#""rows":null,"longestTable":null"#))
        var limits = Exploration.Limits()
        limits.rows = 3
        var some = Exploration(try app(nil), limits)
        let part = some.run()
        #expect(!part.isComplete && part.findings == [])
        #expect(
            part.text.hasSuffix(
                "\nrows: 3 of 65 in the longest table\nincomplete: rows were left out; "
                    + "raise --max-rows, or set it to 0 for all rows"))
        #expect(part.json.contains(#""complete":false"#))
        #expect(part.json.contains(#""rows":3,"longestTable":65"#))
    }

    @Test("A diagram has no unwind segue across the log-in") func diagramOfUnwinds() throws {
        let folder = try FlowFolder()
        let file = try folder.write(
            """
            {"name": "A", "initialScene": "home", "loginScene": "hello", "scenes": {
              "home": {"kind": "blank", "title": "Home", "unwindActions": ["close"]},
              "hello": {"kind": "blank", "title": "Hello", "access": "login",
                "unwindActions": ["close"],
                "segues": [{"identifier": "help", "kind": "present", "scene": "help"}]},
              "help": {"kind": "blank", "title": "Help", "access": "login",
                "segues": [{"identifier": "close", "kind": "unwind", "action": "close"}]}}}
            """, "app.json")
        let graph = StoryboardGraph(try loadApp(file).storyboard)
        #expect(graph.edges.filter { $0.kind == .unwind }.map(\.to) == ["hello"])
    }

    @Test("A diagram has each scene and each way between scenes", arguments: examples)
    func diagram(path: String?) throws {
        let storyboard = try app(path).storyboard
        let graph = StoryboardGraph(storyboard, used: ["scene books"])
        #expect(graph.nodes.count == storyboard.scenes.count)
        let segues = storyboard.scenes.values.flatMap(\.segues)
            .filter { $0.action.scene != nil && $0.when == nil }.map(\.identifier)
        #expect(Set(segues).isSubset(of: Set(graph.edges.map(\.label))))
        for text in [graph.mermaid, graph.dot] {
            for scene in storyboard.scenes.values { #expect(text.contains(scene.name)) }
        }
        #expect(
            graph.mermaid.split(separator: "\n").count { $0.contains("->|") || $0.contains("=>|") }
                == graph.edges.count)
    }
}
