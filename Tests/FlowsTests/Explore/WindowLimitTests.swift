import NavigationRules
import Testing

@testable import Exploration

/// Tests of explorations that meet a limit of the window, which is no defect of the app.
@Suite struct WindowLimitTests {
    /// Explores an app that starts with the scene `a`.
    private func explore(
        _ scenes: String, flags: Bool = false, _ set: (inout SizeLimits) -> Void
    ) throws -> (exploration: Exploration, report: ExplorationReport) {
        let folder = try FlowFolder()
        let flags =
            flags
            ? #""flags": {"f": false}, "#
            : ""
        let loaded = try loadApp(
            folder.write(
                #"{"name": "A", "initialScene": "a", \#(flags)"scenes": {\#(scenes)}}"#,
                "app.json"))
        var limits = SizeLimits()
        set(&limits)
        var exploration = Exploration(
            App(storyboard: loaded.storyboard, dataSource: loaded.dataSource, limits: limits))
        let report = exploration.run()
        return (exploration, report)
    }

    /// A scene with a button that performs a segue, and the members `more`.
    private func scene(_ name: String, to next: String?, _ more: String = "") -> String {
        let segue = next.map {
            #", "segues": [{"identifier": "go", "kind": "show", "scene": "\#($0)"}], "#
                + #""buttons": [{"title": "Go", "segue": "go"}]"#
        }
        return #""\#(name)": {"kind": "blank", "title": "\#(name)"\#(more)\#(segue ?? "")}"#
    }

    private func texts(_ report: ExplorationReport) -> [String] {
        report.findings.map { "\($0.severity) \($0.text)" }
    }

    private let beyond = "a limit of the window refused actions that may lead there"
    private let flag = #", "toolbarItems": [{"title": "F", "when": "f", "set": {"f": true}}]"#

    @Test("A scene deeper than a stack may be is unknown", arguments: [false, true])
    func stackTooDeep(hasFlags: Bool) throws {
        let scenes = [
            scene("a", to: "b", hasFlags ? flag : ""), scene("b", to: "c"), scene("c", to: "d"),
            scene("d", to: nil),
        ]
        let (_, report) = try explore(scenes.joined(separator: ", "), flags: hasFlags) {
            $0.stackDepth = 3
        }
        #expect(
            texts(report) == [
                "unknown the segue go of c had no effect yet",
                "unknown the scene d was not reached: \(beyond)",
            ])
    }

    @Test("A link to a scene deeper than a stack may be is no defect", arguments: [false, true])
    func link(hasFlags: Bool) throws {
        let scenes = [
            scene("a", to: nil, hasFlags ? flag : ""), scene("b", to: nil, #", "parent": "a""#),
            scene("c", to: nil, #", "parent": "b", "path": "/c""#),
        ]
        let (_, report) = try explore(scenes.joined(separator: ", "), flags: hasFlags) {
            $0.stackDepth = 2
        }
        #expect(report.findings.allSatisfy { $0.kind != .link })
        #expect(texts(report).contains("unknown the scene c was not reached: \(beyond)"))
    }

    @Test("A scene whose texts are too large for a session is unknown", arguments: [false, true])
    func sessionTooLarge(hasFlags: Bool) throws {
        let segue = """
            "a": {"kind": "blank", "title": "A"\(hasFlags ? flag : ""),
              "buttons": [{"title": "Go", "segue": "go"}],
              "segues": [{"identifier": "go", "kind": "show", "scene": "b",
                "parameters": {"p": "0123456789"}}]}
            """
        let (_, report) = try explore(
            segue + ", " + scene("b", to: nil, #", "parameters": ["p"]"#), flags: hasFlags
        ) { $0.sessionSize = 5 }
        #expect(
            texts(report) == [
                "unknown the segue go of a had no effect yet",
                "unknown the scene b was not reached: \(beyond)",
            ])
    }

    @Test("A push that a limit refuses in one window is a push in a window with fewer layers")
    func pushInLowerLayers() throws {
        func shows(_ scene: String, _ kind: String, _ text: String? = nil) -> String {
            let parameters = text.map { #", "parameters": {"p": "\#($0)"}"# } ?? ""
            let style = kind == "present" ? #", "presentationStyle": "fullScreen""# : ""
            return
                #"{"identifier": "\#(scene)", "kind": "\#(kind)", "scene": "\#(scene)"\#(style)\#(parameters)}"#
        }
        func scene(_ name: String, _ segues: [(String, String)], _ more: String = "") -> String {
            let buttons = segues.map { #"{"title": "\#($0.0)", "segue": "\#($0.0)"}"# }
            return """
                "\(name)": {"kind": "blank", "title": "\(name)"\(more),
                  "buttons": [\(buttons.joined(separator: ", "))],
                  "segues": [\(segues.map(\.1).joined(separator: ", "))]}
                """
        }
        let close = ("x", #"{"identifier": "x", "kind": "dismiss"}"#)
        let text = "0123456789"
        let scenes = [
            scene("a", [("big", shows("big", "present", text)), ("n", shows("n", "show"))]),
            scene(
                "big", [("nav", shows("nav", "present")), close], #", "parameters": ["p"]"#),
            scene("n", [("o", shows("o", "show"))]), scene("o", [("nav", shows("nav", "present"))]),
            #""nav": {"kind": "navigation", "root": "m"}"#,
            scene("m", [("y", shows("y", "show", text)), close]),
            scene("y", [], #", "parameters": ["p"]"#),
        ]
        let (exploration, report) = try explore(scenes.joined(separator: ", ")) {
            $0.sessionSize = 18
        }
        #expect(texts(report) == [])
        let moves = exploration.moves.joined().filter { $0.action.segue == "y" }
        #expect(moves.map(\.kind) == [.push])
    }
}
