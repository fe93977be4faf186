import Foundation
import FoundationXML
import Navigation
import TestSupport
import Testing
import WaypostTesting

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
        #expect(report.states > 10)
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

    @Test("The generated flows pass, and use every scene, segue and link", arguments: examples)
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
        #expect(unused.filter { [.scene, .segue, .link].contains($0.kind) } == [])
        #expect(files.contains { $0.contains("/refused-") })
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
        return exploration.run().findings.map { "\($0.severity.rawValue) \($0.kind): \($0.text)" }
    }

    @Test("A scene that no user can reach is found") func unreachable() throws {
        #expect(
            try findings(#""lost": {"kind": "blank", "title": "Lost"}"#) == [
                "error unreachable-scene: no user can reach the scene lost"
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

    @Test("An exploration that stops at a limit says so") func limits() throws {
        var limits = Exploration.Limits()
        limits.depth = 1
        var exploration = Exploration(try app(nil), limits)
        let report = exploration.run()
        #expect(!report.isComplete && report.depth == 1)
    }

    @Test("A diagram has each scene and each way between scenes", arguments: examples)
    func diagram(path: String?) throws {
        let storyboard = try app(path).storyboard
        let graph = StoryboardGraph(storyboard, used: ["scene books"])
        #expect(graph.nodes.count == storyboard.scenes.count)
        let segues = storyboard.scenes.values.flatMap(\.segues).map(\.identifier)
        #expect(Set(segues).isSubset(of: Set(graph.edges.map(\.label))))
        for format in StoryboardGraph.Format.allCases {
            let text = graph.text(format)
            for scene in storyboard.scenes.values { #expect(text.contains(scene.name)) }
        }
        let mermaid = graph.text(.mermaid)
        #expect(
            mermaid.split(separator: "\n").count { $0.contains("->|") || $0.contains("=>|") }
                == graph.edges.count)
        _ = try XMLDocument(xmlString: graph.text(.svg))
    }
}
