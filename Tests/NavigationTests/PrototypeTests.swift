import Testing

@testable import NavigationRules

/// Tests of the properties that new view controllers of a scene without parameters share.
@Suite struct PrototypeTests {
    private let app: App

    init() throws { app = try TestApp.everything(maximumStackDepth: 100) }

    @Test("An app has a prototype for each scene without parameters and for no other")
    func prototypes() {
        for scene in app.storyboard.scenes.values {
            #expect((app.prototype(of: scene) != nil) == scene.parameters.isEmpty)
        }
    }

    @Test("A new view controller of a scene without parameters equals its prototype")
    func newViewController() throws {
        var (window, _) = Window.launch(app, username: "Ada")
        for scene in ["table", "short", "full", "C", "table"] {
            _ = try window.perform(
                .push(.scene(scene, parameters: [:])), animated: false, in: app)
            let top = window.topViewController
            let prototype = try #require(app.prototype(of: top.scene))
            #expect(top.scene === prototype.scene && top.screen == prototype.screen)
            #expect(top.title == prototype.title && top.bottomBar == prototype.bottomBar)
            #expect(top.navigationItem == prototype.navigationItem)
        }
        #expect(window.screen == .table(numberOfRows: 3))
    }

    @Test("A change to a view controller leaves its scene's prototype and the screen as they were")
    func changedViewController() throws {
        var (window, _) = Window.launch(app, username: "Ada")
        let root = window.topViewController
        _ = try window.perform(
            .update(root.id, ViewControllerChanges(title: "Other")), animated: false, in: app)
        let changed = window.viewControllers[0]
        #expect(changed.title == "Other" && app.prototype(of: root.scene)?.title == root.title)
        #expect(changed.screen == root.screen && changed.bottomBar == root.bottomBar)
    }
}
