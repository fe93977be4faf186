import Testing

@testable import Exploration
@testable import Flows

/// Tests of gestures that an app refuses, and of the segue that follows a refusal.
struct RefusedGestureTests {
    private let folder: FlowFolder

    init() throws { folder = try FlowFolder() }

    private func app(_ scenes: String, isStrict: Bool = false) throws -> String {
        try folder.write(
            """
            {"name": "A", "strict": \(isStrict), "initialScene": "nav", "scenes": {
              "nav": {"kind": "navigation", "root": "a"}, \(scenes)}}
            """, "app.json")
    }

    /// Each way to the scene `ask` is a refused gesture: of a back button, of a swipe, or of a tab.
    private let refusals = """
        "a": {"kind": "blank", "title": "A", "unwindActions": ["home"], "segues": [
            {"identifier": "e", "kind": "show", "scene": "edit"},
            {"identifier": "s", "kind": "present", "scene": "sheet"},
            {"identifier": "t", "kind": "present", "scene": "tabs", "presentationStyle": "fullScreen"}],
          "buttons": [{"title": "Edit", "segue": "e"}, {"title": "Sheet", "segue": "s"},
            {"title": "Tabs", "segue": "t"}]},
        "edit": {"kind": "blank", "title": "Edit", "shouldPop": false, "whenRefused": "q",
          "segues": [{"identifier": "q", "kind": "present", "scene": "ask"}]},
        "sheet": {"kind": "blank", "title": "Sheet", "isModalInPresentation": true,
          "whenRefused": "q", "segues": [{"identifier": "q", "kind": "present", "scene": "ask2"}]},
        "tabs": {"kind": "tabBar", "tabs": [
          {"scene": "one"}, {"scene": "two", "shouldSelect": false, "whenRefused": "q"}]},
        "one": {"kind": "blank", "title": "One",
          "segues": [{"identifier": "q", "kind": "present", "scene": "ask3"}]},
        "two": {"kind": "blank", "title": "Two"},
        """
        + ["ask", "ask2", "ask3"].map { name in
            """
            "\(name)": {"kind": "blank", "title": "Discard?",
              "segues": [{"identifier": "h", "kind": "unwind", "action": "home"}],
              "buttons": [{"title": "Discard", "segue": "h"}]}
            """
        }.joined(separator: ", ")

    @Test("A scene that refuses its only way back is a dead end")
    func deadEnd() throws {
        let file = try app(
            """
            "a": {"kind": "blank", "title": "A", "buttons": [{"title": "Edit", "segue": "e"}],
              "segues": [{"identifier": "e", "kind": "show", "scene": "edit"}]},
            "edit": {"kind": "blank", "title": "Edit", "shouldPop": false}
            """)
        var exploration = Exploration(try loadApp(file))
        let text = exploration.run().text
        #expect(text.contains("error: edit is a dead end"), "\(text)")
    }

    @Test("A scene behind a refused gesture is within reach", arguments: [false, true])
    func reached(isStrict: Bool) async throws {
        let app = try loadApp(
            try app(refusals, isStrict: isStrict))
        var exploration = Exploration(app)
        let report = exploration.run()
        #expect(!report.text.contains("ask"), "\(report.text)")
        let files = try exploration.flows().map { try folder.write($0.text, $0.file) }
        for name in ["ask", "ask2", "ask3"] {
            #expect(files.contains { $0.hasSuffix("/scene-\(name).yaml") })
        }
        let apps = try LocalApps(FlowReader.read(files)) { _ in app }
        let results = try await apps.runner.run(FlowReader.read(files))
        #expect(results.compactMap(\.failure?.reason) == [])
    }

    @Test(
        "A refused gesture uses the segue that follows it",
        arguments: [
            ("tap: Edit", "back:", "edit.q"), ("tap: Edit", "swipe-back:", "edit.q"),
            ("tap: Edit", "tap: { place: backButton, index: 0 }", "edit.q"),
            ("tap: Sheet", "swipe-down:", "sheet.q"), ("tap: Tabs", "tap-tab: 1", "one.q"),
            ("tap: Tabs", "tap: { place: tab, index: 1 }", "one.q"),
        ])
    func coverage(_ start: String, _ gesture: String, _ segue: String) async throws {
        let app = try loadApp(
            try app(refusals))
        let file = try folder.write("name: A\nsteps:\n  - \(start)\n  - \(gesture)\n")
        let flows = try FlowReader.read([file])
        let apps = try LocalApps(flows) { _ in app }
        let results = await apps.runner.run(flows)
        #expect(results.compactMap(\.failure?.reason) == [])
        let used = try #require(apps.coverage.first).used.filter { $0.kind == .segue }
        #expect(used.contains { $0.name == segue })
    }
}
