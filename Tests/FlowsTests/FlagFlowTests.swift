import JSON
import TestSupport
import Testing
import WaypostTesting

@testable import Flows

@Suite("Flags in flows and traces") struct FlagFlowTests {
    private static let storyboard = """
        { "name": "Flags", "initialScene": "home", "flags": { "paid": false, "tour": true },
          "scenes": {
            "home": { "kind": "table", "title": "Home",
              "rows": [ { "title": "Tour", "when": "tour", "segue": "more" },
                        { "title": "More", "segue": "more", "set": { "tour": false } } ],
              "segues": [ { "identifier": "more", "kind": "show", "scene": "more", "when": "paid" } ] },
            "more": { "kind": "blank", "title": "More" } } }
        """
    private static let walk = """
        name: A walk with flags
        app: app.json
        flags: { tour: false }
        steps:
          - expect: { rows: [More], flags: { tour: false }, flags.paid: false }
          - tap: More
            expect: { changed: false, stack: [Home] }
          - set-flags: { paid: true }
            expect: { transition: none, flags: { paid: true, tour: false } }
          - restart
          - fork
          - tap: More
            expect: { stack: [Home, More] }
          - batch: [pop, { set-flags: { tour: true } }]
            expect: { rows: [Tour, More] }
          - set-flags: { flags: { paid: false } }
            expect: { flags: { paid: false, tour: true } }
          - set-flags: { piad: true }
            refused: flag-not-found
          - select-row: More
            expect: { flags: { tour: false }, rows: { count: 1 } }
        """

    private func folder() throws -> FlowFolder {
        let folder = try FlowFolder()
        _ = try folder.write(Self.storyboard, "app.json")
        return folder
    }

    @Test("A flow sets flags and expects them") func local() async throws {
        let folder = try folder()
        let result = try await runLocally(folder.write(Self.walk))[0]
        #expect(result.status == .passed, "\(result.failure as Any)")
    }

    @Test("The same flow passes over HTTP") func remote() async throws {
        let folder = try folder()
        let walk = Self.walk.replacing("  - restart\n", with: "")
        let service = try TestService(storyboard: folder.path("app.json"))
        let result = try await run(folder.write(walk), against: service)[0]
        #expect(result.status == .passed, "\(result.failure as Any)")
    }

    @Test(
        "A mistake in the flags of a flow is reported",
        arguments: [
            ("name: A\nflags: [paid]\nsteps: [back]", "flow.yaml:2:8: expected flags, as in"),
            ("name: A\nflags: { paid: 1 }\nsteps: [back]", "flow.yaml:2:8: expected flags, as in"),
            (
                "name: A\nsteps:\n  - back:\n    expect: { flags: paid }",
                "flow.yaml:4:22: flags: expected flags, as in"
            ),
            ("name: A\nsteps:\n  - set-flags: { paid: 1 }", "flow.yaml:3:5: /flags/paid: expected"),
            ("name: A\nsteps:\n  - set-flags: paid", "flow.yaml:3:16: set-flags takes no text"),
        ])
    func mistakes(_ flow: String, _ message: String) throws {
        let folder = try FlowFolder()
        let defects = try folder.defects(flow)
        #expect(defects.count == 1 && defects[0].contains(message), "\(defects)")
    }

    @Test("A flow with a flag that the app does not have fails at its start") func unknown()
        async throws
    {
        let folder = try folder()
        let result = try await runLocally(
            folder.write("name: A\napp: app.json\nflags: { piad: true }\nsteps: [back]"))[0]
        #expect(result.status == .failed)
        #expect(result.failure?.reason.contains("did you mean paid?") == true, "\(result)")
    }

    @Test("The first line of a trace has flags, and a step sets them") func trace() async throws {
        let folder = try folder()
        let file = try folder.write(
            """
            {"waypostTrace": 1, "app": "Flags", "flags": {"tour": false, "paid": true}}
            {"stack": ["Home"], "rows": ["More"], "callbacks": ["viewDidLoad home", "viewWillAppear home", "willShow home", "viewDidAppear home", "didShow home"]}
            {"did": {"set-flags": {"paid": false}}, "rows": ["More"], "callbacks": []}
            {"did": {"tap": "More"}, "stack": ["Home"], "callbacks": []}
            """, "trace.jsonl")
        let app = try LocalApp(loadApp(folder.path("app.json")))
        let trace = try TraceReader.read([file])[0]
        let result = try await TraceRun.run(
            trace, of: app, coverage: Coverage(app.app.storyboard))
        #expect(result.status == .passed, "\(result.failure as Any)")
        let wrong = try folder.write(#"{"waypostTrace": 1, "flags": {"a": 0}}"# + "\n{}", "b.jsonl")
        #expect(throws: FlowDefects.self) { try TraceReader.read([wrong]) }
    }
}
