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
        "Links in several folders to one storyboard are apps with the data beside them, covered together"
    )
    func links() async throws {
        let folder = try FlowFolder()
        try folder.write(
            """
            {"name": "A", "initialScene": "a", "data": {"file": "rows.json",
               "levels": [{"rows": "things", "each": "thing", "title": "name"}]},
             "scenes": {"a": {"kind": "table", "rows": "things", "title": "A"}}}
            """, "app.json")
        for name in ["One", "Two"] {
            try FileManager.default.createDirectory(
                atPath: folder.path(name), withIntermediateDirectories: true)
            try folder.write(#"[{"name": "\#(name)"}]"#, "\(name)/rows.json")
            try FileManager.default.createSymbolicLink(
                atPath: folder.path("\(name)/app.json"), withDestinationPath: "../app.json")
        }
        let flows = ["One", "Two"].map {
            "name: \($0)\napp: \($0)/app.json\nsteps: [{expect: {rows: [\($0)]}}]\n"
        }
        let read = try FlowReader.read([folder.write(flows.joined(separator: "---\n"))])
        let apps = try LocalApps(read, load: loadApp)
        #expect(await apps.runner.run(read).map(\.status) == [.passed, .passed])
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

    @Test(
        "A segue is used if it was performed, and each of two with one identifier counts",
        arguments: [
            ("{tap: Play}, swipe-down", ["segue home.play !sub"]),
            ("{tap: Sub}, {tap: Play}", ["segue home.play sub"]),
            ("{tap: Buy}", ["segue home.play sub"]),
            (
                "{batch: [{tap: Play}, swipe-down, {tap: Buy}]}",
                ["segue home.play !sub", "segue home.play sub"]
            ),
            ("{perform-segue: solo}, {perform-segue: back}", []),
            ("{tap: Done}, {batch: [{tap: Undo}, {tap: Done}]}", []),
            (
                "{tap: Sub}, {perform-segue: solo}, {perform-segue: back}",
                ["segue home.solo", "segue player.back"]
            ),
        ])
    func branch(steps: String, expected: [String]) async throws {
        let folder = try FlowFolder()
        try folder.write(
            """
            {"name": "A", "initialScene": "home", "flags": {"sub": false}, "scenes": {
              "home": {"kind": "blank", "title": "Home", "unwindActions": ["toHome"],
                "buttons": [{"title": "Play", "segue": "play"},
                  {"title": "Sub", "set": {"sub": true}},
                  {"title": "Buy", "segue": "play", "set": {"sub": true}},
                  {"title": "Done", "segue": "back", "set": {"sub": true}},
                  {"title": "Undo", "set": {"sub": false}}],
                "segues": [
                  {"identifier": "play", "kind": "show", "scene": "player", "when": "sub"},
                  {"identifier": "play", "kind": "present", "scene": "wall", "when": "!sub"},
                  {"identifier": "solo", "kind": "show", "scene": "player", "when": "sub"},
                  {"identifier": "back", "kind": "unwind", "action": "toHome"}]},
              "player": {"kind": "blank", "title": "Player",
                "segues": [{"identifier": "back", "kind": "unwind", "action": "toHome"}]},
              "wall": {"kind": "blank", "title": "Wall"}}}
            """, "app.json")
        let file = try folder.write("name: A\napp: app.json\nsteps: [\(steps)]")
        let flows = try FlowReader.read([file])
        let apps = try LocalApps(flows, load: loadApp)
        #expect(await apps.runner.run(flows).compactMap(\.failure?.reason) == [])
        let coverage = try #require(apps.coverage.first)
        #expect(coverage.all.count { $0.kind == .segue } == 5)
        let used = coverage.used.filter { $0.kind == .segue }.map(\.description)
        #expect(used.sorted() == expected)
    }

    @Test(
        "A link is used if a pattern of its scene matched, and not if it led to the scene for unknown ones",
        arguments: [("/lost?path=/x", ["/lost"]), ("/found", ["/lost"]), ("/nowhere/at/all", [])])
    func unknownLink(link: String, expected: [String]) async throws {
        let folder = try FlowFolder()
        try folder.write(
            """
            {"name": "A", "initialScene": "home", "links": {"notFound": "lost"}, "scenes": {
              "home": {"kind": "blank", "title": "Home"},
              "lost": {"kind": "blank", "title": "Lost", "path": ["/lost", "/found"]}}}
            """, "app.json")
        let file = try folder.write(
            "name: A\napp: app.json\nsteps: [{open: '\(link)', expect: {title: Lost}}]")
        let flows = try FlowReader.read([file])
        let apps = try LocalApps(flows, load: loadApp)
        #expect(await apps.runner.run(flows).compactMap(\.failure?.reason) == [])
        let used = try #require(apps.coverage.first).used
        #expect(used.filter { $0.kind == .link }.map(\.name) == expected)
    }

    @Test("A segue that waits for a log-in, and is lost after it, is not used")
    func lost() async throws {
        let folder = try FlowFolder()
        let mine = """
            "buttons": [{"title": "Mine", "segue": "mine"}, {"title": "In", "segue": "in"}],
            "segues": [{"identifier": "mine", "kind": "show", "scene": "mine"},
              {"identifier": "in", "kind": "present", "scene": "login"}]
            """
        try folder.write(
            """
            {"name": "A", "initialScene": "home", "loginScene": "login", "guests": true, "scenes": {
              "home": {"kind": "blank", "title": "Home", "access": "everyone", \(mine)},
              "terms": {"kind": "blank", "title": "Terms", "access": "everyone", \(mine)},
              "mine": {"kind": "blank", "title": "Mine"},
              "login": {"kind": "form", "title": "Log In", "access": "login",
                "buttons": [{"title": "Terms", "segue": "terms"}],
                "segues": [{"identifier": "terms", "kind": "show", "scene": "terms"}]}}}
            """, "app.json")
        let file = try folder.write(
            """
            name: A
            app: app.json
            steps: [{tap: In}, {tap: Terms}, {tap: Mine}, {sign-up: ada}, {expect: {title: Home}}]
            """)
        let flows = try FlowReader.read([file])
        let apps = try LocalApps(flows, load: loadApp)
        #expect(await apps.runner.run(flows).compactMap(\.failure?.reason) == [])
        #expect(
            apps.coverage.first?.unused.map(\.description) == [
                "scene mine", "segue home.mine", "segue terms.in", "segue terms.mine",
            ])
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
