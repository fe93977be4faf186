import TestSupport
import Testing

@testable import NavigationRules

/// Tests of windows that are stored and restored, in the same app or in a changed one.
@Suite struct ArchiveTests: WindowSuite {
    /// Returns a window at the app root with all three segment roots, changes to them, and a stack
    /// on one of them.
    private func busyWindow(in app: App) throws -> Window {
        var (window, _) = Window.launch(app, lifecycle: .native, username: "Ada")
        try perform(
            &window, .update(.init(number: 1), ViewControllerChanges(title: .some(nil))),
            .selectSegment(2), .selectSegment(1),
            .update(
                .init(number: 2),
                ViewControllerChanges(
                    title: "Nippon",
                    navigationItem: NavigationItemChanges(
                        title: .some(nil), backButtonTitle: "<", hidesBackButton: true,
                        leftItems: ["Menu"], leftItemsSupplementBackButton: true,
                        rightItems: []),
                    hidesBottomBarWhenPushed: true, bottomBarText: "Yen",
                    toolbarItems: ["Edit", "Share"])),
            .push(.scene("item", parameters: ["n": "2"])), .push(scene("short")), in: app)
        return window
    }

    // MARK: The same app

    /// All runs restart 24,000 times: 10 settings × 12 runs × 200 steps.
    @Test(
        "A window is stored and restored unchanged after any random operation",
        arguments: PropertyTests.settings)
    func randomOperations(_ setting: PropertyTests.Setting) throws {
        let app = try setting.app()
        for seed in TestRun.seeds(4, nightly: 12) {
            var random = SeededGenerator(seed: seed)
            do throws(RandomRun.Violation) {
                var run = try RandomRun(
                    app, lifecycle: setting.lifecycle, triesTaps: false)
                for _ in 0..<200 {
                    try run.step(seed: random.next())
                    try run.restart(in: app)
                }
            } catch {
                Issue.record("seed \(seed): \(error)")
                return
            }
        }
    }

    @Test("Kept segment roots are restored with the changes that clients made to them")
    func keptRoots() throws {
        let app = try TestApp.everything()
        let before = try busyWindow(in: app)
        #expect(before.segments?.kept.map(\.id.number) == [1, 2])
        var window = Window.restore(before.stored, in: app).window
        #expect(window == before)
        #expect(Window.restore(before.stored, in: app).events == nil)
        #expect(window.stored == before.stored)
        #expect(window.segments?.selectedIndex == 1)
        #expect(window.lifecycle == .native)

        try perform(&window, .selectSegment(2), in: app)
        #expect(window.topViewController.id.number == 2)
        #expect(window.topViewController.title == "Nippon")
        #expect(window.topViewController.navigationItem.leftItems == ["Menu"])
        #expect(window.topViewController.hidesBottomBarWhenPushed)
        #expect(window.bottomBar.text == "Yen")
        #expect(window.toolbar.items == ["Edit", "Share"])
        try perform(&window, .selectSegment(0), in: app)
        #expect(window.topViewController.id.number == 1)
        #expect(window.topViewController.title == nil)
    }

    @Test("A view controller with several changes is restored in its latest state")
    func lastChange() throws {
        let app = try TestApp.everything(login: false, segments: false)
        var (window, _) = Window.launch(app)
        let root = window.topViewController.id
        try perform(
            &window, .update(root, ViewControllerChanges(title: "one")),
            .update(root, ViewControllerChanges(hidesBottomBarWhenPushed: true)),
            .update(root, ViewControllerChanges(title: .some(nil))),
            .update(
                root,
                ViewControllerChanges(
                    navigationItem: NavigationItemChanges(title: "item", rightItems: ["a", "b"]))),
            .update(
                root,
                ViewControllerChanges(
                    navigationItem: NavigationItemChanges(title: .some(nil), rightItems: []))),
            .update(
                root,
                ViewControllerChanges(
                    navigationItem: NavigationItemChanges(backButtonTitle: ""))), in: app)
        let restored = Window.restore(window.stored, in: app).window.topViewController
        #expect(restored == window.topViewController)
        #expect(restored.title == nil)
        #expect(restored.hidesBottomBarWhenPushed)
        #expect(restored.navigationItem.title == nil)
        #expect(restored.navigationItem.backButtonTitle == "")
        #expect(restored.navigationItem.rightItems == [])
        // A removed title differs from a title that was never set: the storyboard's title stays
        // away.
        #expect(window.stored.stack[0].changes.title == .some(nil))
    }

    @Test("A view controller whose parameters were changed is restored with the new ones")
    func changedParameters() throws {
        let app = try TestApp.everything(login: false, segments: false)
        var (window, _) = Window.launch(app)
        let item = ViewController.ID(number: 2)
        try perform(
            &window, .push(.scene("item", parameters: ["n": "1"])),
            .update(
                item, ViewControllerChanges(bottomBarText: "two"), parameters: ["n": "2"]),
            .update(item, ViewControllerChanges(bottomBarText: .some(nil))), in: app)
        let restored = Window.restore(window.stored, in: app).window
        #expect(restored == window)
        #expect(restored.topViewController.title == "Item 2")
        #expect(restored.topViewController.parameters["n"] == "2")
        #expect(restored.bottomBar.text == nil)
    }

    @Test("A pending link is restored and opened at the next log-in") func pendingLink() throws {
        let app = try TestApp.everything()
        var (window, _) = Window.launch(app)
        let link = Link.path("/s1/x/1")
        try perform(&window, .open(link), .push(scene("SignUp")), in: app)
        var restored = Window.restore(window.stored, in: app).window
        #expect(restored == window)
        #expect(restored.pendingLink == "/s1/x/1")
        try perform(&restored, .logIn(username: "Ada"), in: app)
        #expect(restored.viewControllers.map(\.scene.name) == ["S1", "X", "item"])
        #expect(restored.pendingLink == nil)
    }

    // MARK: A changed app

    enum Loss: CaseIterable {
        case scene, segment, login, segments, order

        func app(segments: Bool) throws -> App {
            switch self {
            case .scene: try TestApp.everything(segments: segments, without: ["short", "table"])
            case .segment: try TestApp.everything(segments: segments, without: ["S2"])
            case .login: try TestApp.everything(login: false, segments: segments)
            case .segments: try TestApp.everything(segments: !segments)
            case .order:
                try TestApp.everything(segments: segments, segmentOrder: ["S0", "S2", "S1"])
            }
        }
    }

    @Test(
        "A window whose scenes or segments the app has lost gets a new root with events",
        arguments: [Loss.scene, .segment, .segments])
    func lostScene(_ loss: Loss) throws {
        let before = try busyWindow(in: TestApp.everything())
        let app = try loss.app(segments: true)
        let restored = Window.restore(before.stored, in: app)
        var window = restored.window
        // The new root counts as a change: it has the next revision and the events of a first
        // display.
        let events = try #require(restored.events)
        #expect(window.revision == before.revision + 1)
        #expect(events.first?.seq == before.lastEvent + 1)
        #expect(events.allSatisfy { $0.viewController.number == 6 })
        #expect(events.allSatisfy { $0.revision == window.revision && !$0.animated })
        #expect(
            events.map(\.kind) == [
                .viewDidLoad, .viewWillAppear, .willShow, .viewDidAppear, .didShow,
            ])
        #expect(window.auth == .loggedIn(username: "Ada"))
        #expect(window.viewControllers.map(\.scene.name) == ["S0"])
        #expect(window.topViewController.id.number == 6)
        #expect(window.topViewController.isViewLoaded)
        #expect(window.topViewController.title == "Italy")
        // Each start restores the same window until an operation changes it.
        #expect(Window.restore(before.stored, in: app).window == window)
        let outcome = try window.perform(.push(scene("B")), animated: true, in: app)
        #expect(window.topViewController.id.number == 7)
        #expect(outcome.events.first?.seq == before.lastEvent + events.count + 1)
        // After the change the window is restored like any other.
        #expect(Window.restore(window.stored, in: app).window == window)
    }

    @Test("A window gets the segments that the app has gained, and keeps its stacks")
    func newSegment() throws {
        let former = try TestApp.everything(segmentOrder: ["S0", "S1"])
        var (before, _) = Window.launch(former, username: "Ada")
        try perform(&before, .selectSegment(1), .push(scene("B")), in: former)
        let app = try TestApp.everything()
        let restored = Window.restore(before.stored, in: app)
        var window = restored.window
        #expect(restored.events == [])
        #expect(window.revision == before.revision + 1)
        #expect(window.viewControllers.map(\.id) == before.viewControllers.map(\.id))
        #expect(window.stored.segments?.roots == [1, 2, nil])
        #expect(window.stored.segments?.kept == before.stored.segments?.kept)
        let again = Window.restore(window.stored, in: app)
        #expect(again.window == window && again.events == nil)
        try perform(&window, .selectSegment(2), in: app)
        #expect(window.viewControllers.map(\.scene.name) == ["S2"])
        #expect(window.topViewController.id.number == 4)
        // A segment that is gone makes the window start again.
        #expect(Window.restore(window.stored, in: former).events?.isEmpty == false)
    }

    @Test("A segment with another scene than before does not get the old kept root")
    func movedSegment() throws {
        let before = try busyWindow(in: TestApp.everything())
        let app = try TestApp.everything(segmentOrder: ["S0", "S2", "S1"])
        var window = Window.restore(before.stored, in: app).window
        for (index, scene) in ["S0", "S2", "S1"].enumerated() {
            try perform(&window, .selectSegment(index), in: app)
            #expect(window.topViewController.scene.name == scene)
        }
    }

    @Test("A window is restored unchanged if the app has lost only scenes that it does not show")
    func unusedScenes() throws {
        let before = try busyWindow(in: TestApp.everything())
        let window = Window.restore(
            before.stored, in: try TestApp.everything(without: ["table", "B"])
        ).window
        #expect(window == before)
    }

    @Test("A logged-out window of an app that has lost its login is restored at the app root")
    func lostLogin() throws {
        let app = try TestApp.everything(login: false)
        var (loggedOut, _) = Window.launch(try TestApp.everything())
        let link = Link.path("/s1")
        try perform(&loggedOut, .open(link), in: TestApp.everything())
        let window = Window.restore(loggedOut.stored, in: app).window
        #expect(window.auth == .loggedIn(username: nil))
        #expect(window.viewControllers.map(\.scene.name) == ["S0"])
        #expect(window.topViewController.id.number == 2)
        // An app without a login has no log-in that could open the link.
        #expect(window.pendingLink == nil)
    }

    @Test("A window of an app that has gained a login is restored at the login root")
    func newLogin() throws {
        let (before, _) = Window.launch(try TestApp.everything(login: false))
        let window = Window.restore(before.stored, in: try TestApp.everything()).window
        #expect(window.auth == .loggedOut)
        #expect(window.viewControllers.map(\.scene.name) == ["Login"])
        #expect(window.segments == nil)
    }

    @Test("A stored scene with missing or unknown parameters gives a new root")
    func lostParameter() throws {
        let app = try TestApp.everything(login: false, segments: false)
        var (window, _) = Window.launch(app)
        try perform(&window, .push(.scene("item", parameters: ["n": "2"])), in: app)
        for parameters in [[:], ["n": "2", "m": "1"]] as [Parameters] {
            let entry = window.stored.stack[1]
            let stored = StoredWindow(
                lifecycle: .forwarded, revision: 2, auth: window.auth,
                stack: [
                    window.stored.stack[0],
                    .init(
                        number: entry.number, scene: entry.scene, parameters: parameters,
                        isViewLoaded: true, changes: entry.changes),
                ],
                segments: nil, pending: nil, lastEvent: window.lastEvent, lastViewController: 2)
            let restored = Window.restore(stored, in: app).window
            #expect(restored.viewControllers.map(\.id.number) == [3])
        }
    }

    /// All runs are 2 settings × 20 runs × 8 apps. The navigation rules hold after each change of
    /// the app.
    @Test(
        "Random operations follow the navigation rules while the app changes under the window",
        arguments: [true, false])
    func changedApp(segments: Bool) throws {
        let apps =
            try Loss.allCases.map { try $0.app(segments: segments) }
            + [TestApp.everything(segments: segments)]
        for seed in TestRun.seeds(10, nightly: 20) {
            var random = SeededGenerator(seed: seed)
            do throws(RandomRun.Violation) {
                var run = try RandomRun(apps[apps.count - 1], lifecycle: .native)
                for _ in 0..<8 {
                    for _ in 0..<40 { try run.step(seed: random.next()) }
                    try run.restart(in: apps.randomElement(using: &random) ?? apps[0])
                }
                for _ in 0..<40 { try run.step(seed: random.next()) }
            } catch {
                Issue.record("seed \(seed): \(error)")
                return
            }
        }
    }
}
