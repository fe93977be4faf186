import NavigationRules
import Testing

/// Tests that the patterns of the five source articles hold beside each other in one app.
@Suite struct SourceSystemTests {
    private static func launched(
        login: Bool = false, segments: Bool = true
    ) throws -> (window: Window, app: App) {
        let app = try TestApp.everything(login: login, segments: segments)
        return (Window.launch(app, lifecycle: .forwarded).window, app)
    }

    /// Swappable root (2009): a navigation controller without its fake root must not fail for being
    /// empty.
    @Test(
        "A stack is never empty after launch: pop has no effect, and an empty stack is refused",
        arguments: [true, false])
    func emptyStack(_ segments: Bool) throws {
        var (window, app) = try Self.launched(segments: segments)
        #expect(window.viewControllers.count == 1)
        for operation in [Operation.pop, .popToRoot, .batch([.pop, .pop])] {
            #expect(try !window.perform(operation, animated: true, in: app).changed)
        }
        #expect(throws: NavigationError.emptyStack) {
            try window.perform(.setViewControllers([]), animated: true, in: app)
        }
        #expect(window.viewControllers.count == 1)
    }

    /// Swappable root and segments: both replace the root of the stack.
    @Test("Selecting a segment, popping to its root and then setting another root all work")
    func segmentsAndRoot() throws {
        var (window, app) = try Self.launched()
        _ = try window.perform(.selectSegment(1), animated: false, in: app)
        _ = try window.perform(.push(.scene("B", parameters: [:])), animated: true, in: app)
        let popped = try window.perform(.popToRoot, animated: true, in: app).popped
        #expect(popped.map(\.scene.name) == ["B"])
        #expect(window.topViewController.scene.name == "S1")
        let root = Target.scene("C", parameters: [:])
        _ = try window.perform(.setRootViewController(root), animated: false, in: app)
        #expect(window.viewControllers.map(\.scene.name) == ["C"])
        #expect(window.navigationBar?.backButton == nil)
        _ = try window.perform(.selectSegment(0), animated: false, in: app)
        #expect(window.viewControllers.map(\.scene.name) == ["S0"])
        #expect(try !window.perform(.popToRoot, animated: true, in: app).changed)
    }

    /// Segments (2010): the control is installed again as the title view of each incoming root.
    @Test(
        "The segmented control is the title view of every segment root, also after a push and back")
    func segmentedControl() throws {
        var (window, app) = try Self.launched()
        for index in [1, 2, 0, 1] {
            _ = try window.perform(.selectSegment(index), animated: false, in: app)
            #expect(window.navigationBar?.titleView == .segmentedControl)
            _ = try window.perform(.push(.scene("B", parameters: [:])), animated: true, in: app)
            #expect(window.navigationBar?.titleView == nil)
            _ = try window.perform(.back, animated: true, in: app)
            #expect(window.navigationBar?.titleView == .segmentedControl)
        }
    }

    /// Forwarded appearance: no appearance callback comes without the delegate's forwarding.
    @Test("The appearance events of a push and of a back come exactly once, in forwarded order")
    func appearance() throws {
        var (window, app) = try Self.launched()
        let push = Operation.push(.scene("B", parameters: [:]))
        let events = try window.perform(push, animated: true, in: app).events
        #expect(
            events.map { "\($0.kind) \($0.scene)" } == [
                "viewDidLoad B", "willShow B", "viewWillDisappear S0", "viewWillAppear B",
                "didShow B", "viewDidDisappear S0", "viewDidAppear B",
            ])
        let back = try window.perform(.back, animated: true, in: app).events
        #expect(
            back.map { "\($0.kind) \($0.scene)" } == [
                "willShow S0", "viewWillDisappear B", "viewWillAppear S0", "didShow S0",
                "viewDidDisappear B", "viewDidAppear S0",
            ])
    }

    /// Login at launch (2015): log-out replaces the window's root view controller.
    @Test("No operation on a view controller of the app root works after log-out") func logOut()
        throws
    {
        var (window, app) = try Self.launched(login: true)
        _ = try window.perform(.logIn(username: "ada"), animated: false, in: app)
        _ = try window.perform(.selectSegment(1), animated: false, in: app)
        _ = try window.perform(.push(.scene("B", parameters: [:])), animated: true, in: app)
        let ids = (1...10).map(ViewController.ID.init(number:))
        _ = try window.perform(.logOut, animated: false, in: app)
        let loggedOut = window
        for id in ids where id != window.topViewController.id {
            for operation in [
                Operation.push(.instance(id)), .popTo(id), .setRootViewController(.instance(id)),
                .setViewControllers([.instance(id)]), .update(id, ViewControllerChanges()),
            ] {
                #expect(throws: NavigationError.self) {
                    try window.perform(operation, animated: false, in: app)
                }
            }
        }
        for name in app.storyboard.scenes.values.filter({ $0.access == .members }).map(\.name) {
            let scene = Target.scene(name, parameters: name == "item" ? ["n": "1"] : [:])
            for operation in [Operation.push(scene), .setRootViewController(scene)] {
                #expect(throws: NavigationError.self) {
                    try window.perform(operation, animated: false, in: app)
                }
            }
        }
        #expect(window == loggedOut)
    }
}
