import TestSupport
import Testing

@testable import NavigationRules

@Suite struct SegueParameterTests {
    /// A scene whose parameter `q` is optional, with segues to a scene that can do without `q`, and to
    /// one that needs it.
    private func app() throws -> App {
        let value = try TextTemplate("{q}")
        var controls = Controls()
        controls.buttons = ["without", "needy", "empty"].map { Control(title: $0, segue: $0) }
        let draft = StoryboardDraft(
            name: "Segues", initialScene: "a",
            scenes: [
                Scene(
                    name: "a", kind: .blank, parameters: ["q?"],
                    segues: [
                        Segue(identifier: "without", action: .show("b"), parameters: ["q": value]),
                        Segue(
                            identifier: "text", action: .show("b"),
                            parameters: ["q": try TextTemplate("({q})")]),
                        Segue(identifier: "needy", action: .show("c")),
                        Segue(identifier: "empty", action: .show("c"), parameters: ["q": value]),
                    ], controls: controls),
                Scene(name: "b", kind: .blank, parameters: ["q?"]),
                Scene(name: "c", kind: .blank, parameters: ["q"]),
            ])
        return App(storyboard: try Storyboard(draft, dataSource: NoData()), dataSource: NoData())
    }

    @Test("A segue leaves an absent value out, unless the scene needs it")
    func absentValues() throws {
        let app = try app()
        func passed(_ segue: String) throws -> Parameters {
            var window = Window.launch(app).window
            _ = try window.perform(Operation(PerformSegue(segue)), animated: true, in: app)
            return window.topViewController.parameters
        }
        #expect(try passed("without") == .none)
        #expect(try passed("text") == ["q": "()"])
        #expect(try passed("empty") == ["q": ""])
        #expect(throws: NavigationError.self) { try passed("needy") }
    }

    @Test("A tap that can lack a parameter is a warning, and no defect, as code can give it")
    func warning() throws {
        let warnings = try app().storyboard.warnings
        #expect(warnings.map(\.keyPath) == ["scenes.a.segues[2]"])
        #expect(
            warnings.first?.reason.hasPrefix("c needs the parameter q, which a does not") == true)
    }
}
