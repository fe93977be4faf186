import NavigationRules
import Testing

@testable import Exploration
@testable import Flows

/// An exploration of an app with more combinations of unwind actions than the search for dead ends
/// tries.
@Suite struct DeadEndLimitTests {
    /// Nine pairs of scenes, one after another. A user pushes one scene of each pair. Each takes an
    /// unwind action of its own, so that 512 different combinations are below the last scene.
    private static let scenes: [String] = {
        let pairs = (0..<9).map { ["\($0)a", "\($0)b"] } + [["end"]]
        func scene(_ name: String, to targets: [String], _ action: String) -> String {
            let segues = targets.map {
                #"{"identifier": "\#($0)", "kind": "push", "scene": "\#($0)"}"#
            }
            let buttons = targets.map { #"{"title": "\#($0)", "segue": "\#($0)"}"# }
            return """
                "\(name)": {"kind": "blank", "title": "\(name)", "unwindActions": ["\(action)"],
                  "segues": [\(segues.joined(separator: ","))],
                  "buttons": [\(buttons.joined(separator: ","))]}
                """
        }
        return [scene("home", to: pairs[0], "home")]
            + zip(pairs, pairs.dropFirst()).flatMap { pair, next in
                pair.map { scene($0, to: next, $0) }
            }
    }()

    @Test("A scene above too many combinations of unwind actions is unknown")
    func tooManyCombinations() throws {
        let folder = try FlowFolder()
        let unwinding = (0..<9).map {
            #"{"identifier": "\#($0)", "kind": "unwind", "action": "\#($0)a"}"#
        }
        let end = """
            "end": {"kind": "blank", "title": "end",
              "segues": [\(unwinding.joined(separator: ","))]}
            """
        let file = try folder.write(
            """
            {"name": "A", "initialScene": "home",
              "scenes": {\((Self.scenes + [end]).joined(separator: ","))}}
            """, "app.json")
        var exploration = Exploration(try loadApp(file))
        let texts = exploration.run().findings.filter { $0.kind == .deadEnd }.map {
            "\($0.severity.rawValue) \($0.text)"
        }
        #expect(texts == ["unknown too many combinations of unwind actions are below end"])
    }
}
