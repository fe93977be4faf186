import Testing

@testable import Navigation

/// Tests of the properties that new view controllers of a scene without parameters share.
@Suite struct PrototypeTests {
    private let app: App

    init() throws { app = try TestApp.everything(maximumStackDepth: 100) }

    @Test("An app has one prototype for each scene without parameters") func prototypes() {
        let scenes = app.storyboard.scenes.values.filter(\.parameters.isEmpty).map(\.name)
        #expect(app.prototypes.map(\.scene.name).sorted() == scenes.sorted())
        #expect(app.prototypes.enumerated().allSatisfy { $1.prototypeIndex == $0 })
    }

    @Test("A new view controller of a scene without parameters equals its prototype")
    func newViewController() throws {
        var (window, _) = Window.launch(app, username: "Ada")
        for scene in ["table", "short", "full", "C", "table"] {
            _ = try window.perform(
                .push(.scene(scene, parameters: [:])), animated: false, in: app)
            let top = window.topViewController
            let prototype = app.prototypes[try #require(top.prototypeIndex)]
            #expect(top.scene === prototype.scene && top.screen == prototype.screen)
            #expect(top.title == prototype.title && top.bottomBar == prototype.bottomBar)
            #expect(top.navigationItem == prototype.navigationItem)
        }
        #expect(window.screen == .table(numberOfRows: 3))
    }

    @Test("A view controller that has parameters or was changed has no prototype")
    func changedViewController() throws {
        var (window, _) = Window.launch(app, username: "Ada")
        let root = window.topViewController
        _ = try window.perform(
            .push(.scene("item", parameters: ["n": "1"])), animated: false, in: app)
        #expect(window.topViewController.prototypeIndex == nil)
        for title in ["Other", root.title] {
            _ = try window.perform(
                .update(root.id, ViewControllerChanges(title: title)), animated: false, in: app)
            let changed = window.viewControllers[0]
            #expect(changed.prototypeIndex == nil && changed.title == title)
            #expect(changed.screen == root.screen && changed.bottomBar == root.bottomBar)
        }
    }
}
