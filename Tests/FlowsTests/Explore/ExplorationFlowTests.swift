import Testing

@testable import Exploration
@testable import Flows

/// Tests of the flows that an exploration writes.
@Suite struct ExplorationFlowTests {
    private let folder: FlowFolder

    init() throws { folder = try FlowFolder() }

    @Test("Each flow has its own file, also where two names give the same file name")
    func names() throws {
        let file = try folder.write(
            """
            {"name": "A", "initialScene": "a/b", "scenes": {
              "a/b": {"kind": "blank", "title": "One",
                "segues": [{"identifier": "go", "kind": "show", "scene": "a-b"},
                  {"identifier": "x y", "kind": "show", "scene": "a-b"},
                  {"identifier": "x-y", "kind": "show", "scene": "a b"}],
                "buttons": [{"title": "1", "segue": "go"}, {"title": "2", "segue": "x y"},
                  {"title": "3", "segue": "x-y"}]},
              "a-b": {"kind": "blank", "title": "Two"}, "a b": {"kind": "blank", "title": "Three"}}}
            """, "app.json")
        var exploration = Exploration(try loadApp(file))
        _ = exploration.run()
        let files = exploration.flows().map(\.file)
        #expect(Set(files).count == files.count)
        #expect(
            files.filter { $0.hasPrefix("scene-") } == [
                "scene-a-b.yaml", "scene-a-b-2.yaml", "scene-a-b-3.yaml",
            ])
        #expect(files.contains("segue-a-b.x-y-2.yaml"))
    }

    @Test("A flow of a scene with a long name has a file name that a file system takes")
    func longNames() throws {
        let names = ["a", "b"].map { String(repeating: "é", count: 200) + $0 }
        let file = try folder.write(
            """
            {"name": "A", "initialScene": "\(names[0])", "scenes": {
              "\(names[0])": {"kind": "blank", "title": "A",
                "segues": [{"identifier": "x", "kind": "show", "scene": "\(names[1])"}],
                "buttons": [{"title": "X", "segue": "x"}]},
              "\(names[1])": {"kind": "blank", "title": "B"}}}
            """, "app.json")
        var exploration = Exploration(try loadApp(file))
        _ = exploration.run()
        let flows = exploration.flows()
        #expect(flows.count { $0.file.hasPrefix("scene-é") } == 2)
        for flow in flows { try folder.write(flow.text, flow.file) }
        #expect(try FlowReader.read(flows.map { folder.path($0.file) }).count == flows.count)
    }

    @Test("A title with line breaks and control characters stays in the comment of its step")
    func comments() async throws {
        let file = try folder.write(
            #"""
            {"name": "A", "initialScene": "a", "scenes": {
              "a": {"kind": "blank", "title": "A",
                "segues": [{"identifier": "g", "kind": "show", "scene": "b"},
                  {"identifier": "h", "kind": "show", "scene": "c"}],
                "buttons": [{"title": "One\r  - tap-tab: 9", "segue": "g"},
                  {"title": "Bell\u0007\u2028x", "segue": "h"}]},
              "b": {"kind": "blank", "title": "B"}, "c": {"kind": "blank", "title": "C"}}}
            """#, "app.json")
        let app = try loadApp(file)
        var exploration = Exploration(app)
        _ = exploration.run()
        let flows = exploration.flows()
        #expect(flows.contains { $0.text.contains("index: 0 } # One   - tap-tab: 9\n") })
        let files = try flows.map { try folder.write($0.text, $0.file) }
        let apps = try LocalApps(FlowReader.read(files)) { _ in app }
        let results = try await apps.runner.run(FlowReader.read(files))
        #expect(results.compactMap(\.failure?.reason) == [])
    }
}
