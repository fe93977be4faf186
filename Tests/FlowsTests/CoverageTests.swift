import Foundation
import Testing

@testable import Flows

@Suite struct CoverageTests {
    /// The selections of the Library that a flow with these steps uses.
    private func selections(_ steps: String) async throws -> [String] {
        let folder = try FlowFolder()
        let file = try folder.write("name: A\nsteps: [{ sign-up: ada }, \(steps)]")
        let flows = try FlowReader.read([file])
        let apps = try LocalApps(flows, load: loadApp)
        let results = await apps.runner.run(flows)
        #expect(results.compactMap(\.failure?.reason) == [])
        let used = try #require(apps.coverage.first).used
        return used.filter { $0.kind == .select }.map(\.name).sorted()
    }

    @Test("Flows that spell the path of one storyboard differently share its coverage")
    func spellings() async throws {
        let folder = try FlowFolder()
        let app = try folder.write(
            #"{"name": "A", "initialScene": "a", "scenes": {"a": {"kind": "blank"}}}"#, "app.json")
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("link.json"), withDestinationPath: "app.json")
        let steps = "steps: [{expect: {layers: 1}}]\n"
        let paths = [
            "app.json", "./app.json",
            "../\(URL(filePath: folder.path("")).lastPathComponent)/app.json", "link.json", app,
        ]
        let flows = paths.map { "name: A\napp: \($0)\n\(steps)" } + ["name: A\n\(steps)"]
        let file = try folder.write(flows.joined(separator: "---\n"))
        let apps = try LocalApps(FlowReader.read([file]), storyboard: app) {
            try loadApp($0 ?? app)
        }
        #expect(await apps.runner.run(try FlowReader.read([file])).count == 6)
        #expect(apps.coverage.map(\.percent) == [100])
    }

    @Test(
        "Each operation of a batch uses the scene that the operations before it have left",
        arguments: [
            ("{ select-row: { row: 0 } }, { select-row: { row: 0 } }", ["authors", "books"]),
            ("{ select-segment: 1 }, { select-row: { row: 0 } }", ["titles"]),
            (
                "{ present: titles }, { select-row: { row: 0, navigationController: \"@authors\" } }",
                ["authors"]
            ),
            (
                "{ select-row: { row: 0 } }, { tap: { place: row, index: 0 } }, back, back",
                ["authors", "books"]
            ),
        ])
    func batch(operations: String, expected: [String]) async throws {
        #expect(try await selections(operations) == expected)
        #expect(try await selections("{ batch: [\(operations)] }") == expected)
    }

    @Test("A segue for which a guest is asked to log in is used when the log-in has performed it")
    func guest() async throws {
        let folder = try FlowFolder()
        try folder.write(
            """
            {"name": "A", "initialScene": "home", "loginScene": "login", "guests": true, "scenes": {
              "home": {"kind": "blank", "title": "Home", "access": "everyone",
                "buttons": [{"title": "Mine", "segue": "mine"}],
                "segues": [{"identifier": "mine", "kind": "show", "scene": "mine"}]},
              "mine": {"kind": "blank", "title": "Mine"},
              "login": {"kind": "form", "title": "Log In", "access": "login"}}}
            """, "app.json")
        for (step, unused) in [
            ("swipe-down", ["scene mine", "segue home.mine"]), ("sign-up: ada", []),
        ] {
            let file = try folder.write("name: A\napp: app.json\nsteps: [{tap: Mine}, {\(step)}]")
            let flows = try FlowReader.read([file])
            let apps = try LocalApps(flows, load: loadApp)
            #expect(await apps.runner.run(flows).compactMap(\.failure?.reason) == [])
            #expect(apps.coverage.first?.unused.map(\.description) == unused, "\(step)")
        }
    }
}
