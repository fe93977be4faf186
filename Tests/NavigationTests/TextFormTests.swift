import TestSupport
import Testing

@testable import NavigationRules

/// Texts that differ only in their Unicode form, which Swift compares as equal, are different.
@Suite struct TextFormTests {
    private static let (composed, decomposed) = ("\u{E9}", "e\u{301}")

    @Test("A change of the Unicode form of a text is a change, also in the log")
    func patch() throws {
        let app = try TestApp.everything(login: false, segments: false)
        let changes: [(String) -> ViewControllerChanges] = [
            { ViewControllerChanges(title: $0) }, { ViewControllerChanges(bottomBarText: $0) },
            { ViewControllerChanges(toolbarItems: [$0]) },
            { ViewControllerChanges(navigationItem: NavigationItemChanges(title: $0)) },
            { ViewControllerChanges(navigationItem: NavigationItemChanges(rightItems: [$0])) },
            { ViewControllerChanges(tabBarItem: TabBarItemChanges(badge: $0)) },
        ]
        for change in changes {
            var window = Window.launch(app).window
            let id = window.topViewController.id
            for text in [Self.composed, Self.decomposed, Self.composed] {
                let before = window
                let patch = Operation(Patch(id, change(text)))
                let outcome = try window.perform(patch, animated: false, in: app)
                #expect(outcome.changed)
                var stored = before.stored
                let effect = WindowEffect(from: before, to: window)
                let isApplied = stored.apply(effect, revision: window.revision)
                #expect(isApplied)
                let restored = Window.restore(stored, in: app).window
                #expect(restored == window)
                let same = try window.perform(patch, animated: false, in: app)
                #expect(!same.changed)
            }
        }
    }

    @Test("A link to another Unicode form of a parameter shows another view controller")
    func links() throws {
        let app = try TestApp.everything(login: false, segments: false)
        var window = Window.launch(app).window
        var ids: Set<ViewController.ID> = []
        for text in [Self.composed, Self.decomposed] {
            _ = try window.perform(.open(.path("/s1/x/\(text)")), animated: false, in: app)
            ids.insert(window.topViewController.id)
            let value = try #require(window.topViewController.parameters["n"])
            #expect(value.utf8.elementsEqual(text.utf8))
        }
        #expect(ids.count == 2)
    }

    @Test("A tap on a title reaches the control with the same bytes, or else the one that is equal")
    func taps() throws {
        var controls = Controls()
        controls.buttons = [
            Control(title: Self.composed, segue: "one"),
            Control(title: Self.decomposed, segue: "two"),
        ]
        let storyboard = try Storyboard(
            StoryboardDraft(
                name: "Forms", initialScene: "A",
                scenes: [
                    Scene(
                        name: "A", kind: .blank,
                        segues: [
                            Segue(identifier: "one", action: .show("B")),
                            Segue(identifier: "two", action: .show("C")),
                        ], controls: controls),
                    Scene(name: "B", kind: .blank), Scene(name: "C", kind: .blank),
                ]), dataSource: NoData())
        let app = App(storyboard: storyboard, dataSource: NoData())
        for (title, scene) in [(Self.composed, "B"), (Self.decomposed, "C")] {
            var window = Window.launch(app).window
            _ = try window.perform(.tap(TapControl(title: title)), animated: false, in: app)
            #expect(window.topViewController.scene.name == scene)
        }
    }
}
