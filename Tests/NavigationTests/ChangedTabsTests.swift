import TestSupport
import Testing

@testable import NavigationRules

/// Tests of windows with tabs or without a navigation controller, which are restored after the app
/// has changed.
@Suite struct ChangedTabsTests: WindowSuite {
    /// An app with tabs in a sheet and, unless it starts with another scene, at its root.
    private func tabs(
        _ scenes: [Scene.Name], initial: Scene.Name = "tabs", isBare: Bool = false
    ) throws -> App {
        let draft = StoryboardDraft(
            name: "Tabs", initialScene: initial, initialIsBare: isBare,
            scenes: [
                Scene(name: "B", kind: .blank), Scene(name: "C", kind: .blank),
                Scene(name: "D", kind: .blank, parameters: ["n?"]),
                Scene(name: "E", kind: .blank, parameters: ["n"]),
                Scene(name: "bNav", kind: .navigation, root: "B"),
                Scene(name: "cNav", kind: .navigation, root: "C"),
                Scene(
                    name: "tabs", kind: .tabBar,
                    tabs: scenes.map { Scene.Tab(title: nil, scene: $0) }),
            ])
        return App(storyboard: try Storyboard(draft, dataSource: Numbers()), dataSource: Numbers())
    }

    @Test("Layers go when the app's root comes into a navigation controller or leaves it")
    func bareRoot() throws {
        for isBare in [false, true] {
            let app = try tabs(["C"], initial: "B", isBare: isBare)
            var (window, _) = Window.launch(app)
            try perform(&window, Operation(Present(scene: "C", parameters: [:])), in: app)
            #expect(Window.restore(window.stored, in: app).window == window)
            let other = try tabs(["C"], initial: "B", isBare: !isBare)
            #expect(Window.restore(window.stored, in: other).window.layers.count == 1)
        }
    }

    @Test("A window gets the tabs that the app has gained in all layers, and keeps its stacks")
    func newTabs() throws {
        let former = try tabs(["bNav", "C"])
        var (before, _) = Window.launch(former)
        try perform(
            &before, .push(scene("C")), .present(Present(scene: "tabs")), .push(scene("B")),
            in: former)
        let app = try tabs(["bNav", "C", "bNav", "B"])
        let restored = Window.restore(before.stored, in: app)
        var window = restored.window
        #expect(restored.events == [])
        #expect(window.revision == before.revision + 1 && window.lastEvent == before.lastEvent)
        for (index, layer) in window.layers.enumerated() {
            #expect(
                layer.navigationControllers.prefix(2)
                    == before.layers[index].navigationControllers[...])
            #expect(layer.presentingViewController == before.layers[index].presentingViewController)
            // The new tabs are as in a new window: in order, not loaded, and the last one bare.
            let added = layer.navigationControllers.dropFirst(2)
            #expect(added.map(\.id.number) == [5, 6].map { $0 + 2 * index })
            #expect(added.map(\.isBare) == [false, true])
            let roots = added.map(\.topViewController)
            #expect(roots.map(\.id.number) == [7, 8].map { $0 + 2 * index })
            #expect(
                roots.map(\.scene.name) == ["B", "B"] && !roots.contains(where: \.isViewLoaded))
        }
        let again = Window.restore(window.stored, in: app)
        #expect(again.window == window && again.events == nil)
        let outcome = try window.perform(.selectTab(2), animated: false, in: app)
        #expect(outcome.events.first?.kind == .viewDidLoad)
        #expect(window.topViewController.id.number == 9)
    }

    @Test(
        "A window starts again if a tab is gone or shows another scene than before",
        arguments: [
            ["bNav"], ["C", "bNav", "B"], ["bNav", "B", "cNav"], ["bNav", "C", "bNav"],
            ["cNav", "C", "bNav"],
        ])
    func otherTabs(_ scenes: [String]) throws {
        let (before, _) = Window.launch(try tabs(["bNav", "C", "cNav"]))
        let restored = Window.restore(before.stored, in: try tabs(scenes))
        #expect(restored.events?.isEmpty == false)
        #expect(restored.window.revision == before.revision + 1)
        #expect(restored.window.layers[0].navigationControllers.count == scenes.count)
        #expect(restored.window.topViewController.id.number == 4)
    }

    @Test("A window keeps a tab whose root a client has replaced by the root of another tab")
    func replacedRoot() throws {
        let app = try tabs(["bNav", "cNav"])
        var (window, _) = Window.launch(app)
        try perform(&window, .setRootViewController(scene("C")), in: app)
        let restored = Window.restore(window.stored, in: app)
        #expect(restored.window == window && restored.events == nil)
        let more = Window.restore(window.stored, in: try tabs(["bNav", "cNav", "B"]))
        #expect(more.events == [] && more.window.viewControllers == window.viewControllers)
    }

    @Test("A window of an earlier version, which does not name the scenes of tabs, keeps its tabs")
    func unknownTabs() throws {
        let app = try tabs(["bNav", "C", "cNav"])
        let (window, _) = Window.launch(app)
        var stored = window.stored
        stored.layers?[0].tabScenes = []
        #expect(stored != window.stored && stored.isSame(as: window.stored))
        #expect(Window.restore(stored, in: app).window == window)
        // The scene of a view controller in no navigation controller is that of its tab.
        let moved = Window.restore(stored, in: try tabs(["bNav", "B", "cNav"]))
        #expect(moved.events?.isEmpty == false)
    }

    @Test("A window starts again if it shows the former root of an app that starts bare")
    func otherBareRoot() throws {
        let (before, _) = Window.launch(try tabs(["C"], initial: "B", isBare: true))
        let restored = Window.restore(
            before.stored, in: try tabs(["C"], initial: "C", isBare: true))
        #expect(restored.events?.isEmpty == false)
        #expect(restored.window.viewControllers.map(\.scene.name) == ["C"])
    }

    @Test("A window starts again if a new tab needs parameters, but not if they are optional")
    func tabsWithParameters() throws {
        let former = try tabs(["bNav", "C"], initial: "B")
        var (before, _) = Window.launch(former)
        try perform(&before, .present(Present(scene: "tabs")), .push(scene("C")), in: former)
        let optional = Window.restore(
            before.stored, in: try tabs(["bNav", "C", "D"], initial: "B"))
        #expect(optional.events == [])
        #expect(optional.window.viewControllers == before.viewControllers)
        #expect(optional.window.layers[1].navigationControllers.count == 3)
        let required = Window.restore(
            before.stored, in: try tabs(["bNav", "C", "E"], initial: "B"))
        #expect(required.events?.isEmpty == false && required.window.layers.count == 1)
    }
}
