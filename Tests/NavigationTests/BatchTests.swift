import TestSupport
import Testing

@testable import NavigationRules

@Suite struct BatchTests {
    @Test("A layer that a batch presents and swipes down was never there")
    func swipeDown() throws {
        let storyboard = try Storyboard(
            StoryboardDraft(
                name: "Sheets", initialScene: "A",
                scenes: [Scene(name: "A", kind: .blank), Scene(name: "B", kind: .blank)],
                callbacks: [.presentation]), dataSource: NoData())
        let app = App(storyboard: storyboard, dataSource: NoData())
        var window = Window.launch(app).window
        let sheet = Operation.present(Present(scene: "B", style: .pageSheet))
        let outcome = try window.perform(
            .batch([sheet, .swipeDown]), animated: true, in: app)
        #expect(!outcome.changed && outcome.events.isEmpty)
        #expect(window == Window.launch(app).window)
        // The swipe of a layer that was there has its callbacks.
        _ = try window.perform(sheet, animated: true, in: app)
        let events = try window.perform(.batch([.swipeDown]), animated: true, in: app).events
        #expect(events.contains { $0.kind == .presentationControllerWillDismiss })
    }

    @Test("Gestures in a batch have no events of view controllers that are there only during it")
    func gesturesOfNobody() throws {
        let draft = StoryboardDraft(
            name: "Gestures", initialScene: "A",
            scenes: [
                Scene(
                    name: "tabs", kind: .tabBar,
                    tabs: [
                        .init(title: nil, scene: "A"),
                        .init(title: nil, scene: "B", shouldSelect: false, whenRefused: "ask"),
                        .init(title: nil, scene: "B"),
                    ]),
                Scene(
                    name: "A", kind: .blank,
                    segues: [Segue(identifier: "ask", action: .present("B", .pageSheet))]),
                Scene(name: "B", kind: .blank), Scene(name: "nav", kind: .navigation, root: "B"),
            ], callbacks: [.presentation, .tabs])
        let app = App(storyboard: try Storyboard(draft, dataSource: NoData()), dataSource: NoData())
        var window = Window.launch(app).window
        let root = window.topViewController.id
        let tabs = Operation.present(Present(scene: "tabs", from: root))
        // The tab 1 is refused, and the tab 2 is selected.
        for tab in [1, 2] {
            let gone = try window.perform(
                .batch([tabs, .tapTab(tab), .dismiss(root)]), animated: true, in: app)
            #expect(!gone.changed && gone.events.isEmpty)
            // A layer that stays after the batch is there.
            var other = window
            let events = try other.perform(.batch([tabs, .tapTab(tab)]), animated: true, in: app)
                .events.map(\.kind)
            #expect(events.first == .shouldSelect)
        }

        // A swipe shows what the sheet showed before the batch.
        _ = try window.perform(.present(Present(scene: "nav")), animated: true, in: app)
        let visible = window.topViewController.id
        let new = Operation.setViewControllers([.scene("B", parameters: [:])])
        let events = try window.perform(.batch([new, .swipeDown]), animated: true, in: app).events
        #expect(
            events.filter { $0.viewController == visible }.map(\.kind) == [
                .presentationControllerShouldDismiss, .presentationControllerWillDismiss,
                .viewWillDisappear, .viewDidDisappear, .presentationControllerDidDismiss,
            ])
        #expect(events.allSatisfy { [root, visible].contains($0.viewController) })
    }

    @Test(
        "A swipe that is cancelled in a batch uncovers the view controller that was below the top then"
    )
    func cancelledSwipe() throws {
        let app = try TestApp.everything(login: false, segments: false)
        var window = Window.launch(app).window
        let blank = Target.scene("B", parameters: [:])
        _ = try window.perform(.push(blank), animated: true, in: app)
        let (root, top) = (window.viewControllers[0].id, window.topViewController.id)
        func swipe(before new: [Target]) throws -> (window: Window, outcome: Outcome) {
            let batch = Operation.batch([
                Operation(SwipeBack(completed: false)), .setViewControllers(new),
            ])
            return try window.performing(batch, animated: true, in: app)
        }
        let inserted = try swipe(before: [.instance(root), blank, .instance(top)])
        #expect(Set(inserted.outcome.events.map(\.viewController)) == [root, top])
        #expect(inserted.window.viewControllers.map(\.isViewLoaded) == [true, false, true])
        // The swipe has no events if its view controller is gone after the batch.
        let replaced = try swipe(before: [blank, .instance(top)])
        #expect(replaced.outcome.changed && replaced.outcome.events.isEmpty)
        #expect(replaced.window.viewControllers.map(\.isViewLoaded) == [false, true])
    }

    @Test(
        "Until iOS 18, an animated push that covers a new root on screen loads the root's view",
        arguments: [(true, true, 1), (true, false, 1), (false, true, 0), (nil, true, 1)]
            as [(Bool?, Bool, Int)])
    func coveredRoot(_ animated: Bool?, _ entry: Bool, _ count: Int) throws {
        let app = try Self.tabs(in: 17)
        let window = Window.launch(app).window
        let selected = try Self.cover(nil, nil, animated, entry, in: window, app)
        #expect(selected.filter { $0.kind == .viewDidLoad && $0.scene == "B" }.count == count)
        // The visible stack may be named in one of the two entries.
        let visible = window.layers[0].navigationControllers[0].id
        for (root, push) in [(visible, nil), (nil, visible)] {
            let named = try Self.cover(root, push, animated, entry, in: window, app)
            #expect(named == selected)
        }
        // The stack of another tab is not on screen.
        let other = window.layers[0].navigationControllers[1].id
        #expect(try Self.cover(other, other, animated, entry, in: window, app).isEmpty)
        let newer = try Self.tabs(in: 18)
        let launched = Window.launch(newer).window
        let events = try Self.cover(nil, nil, animated, entry, in: launched, newer)
        #expect(!events.contains { $0.kind == .viewDidLoad && $0.scene == "B" })
    }

    /// Sets the root B and pushes C on it in one batch, and returns the events.
    /// - Parameters:
    ///   - root: the navigation controller that the first entry names.
    ///   - push: the navigation controller that the second entry names.
    private static func cover(
        _ root: NavigationController.ID?, _ push: NavigationController.ID?, _ animated: Bool?,
        _ entry: Bool, in window: Window, _ app: App
    ) throws -> [LifecycleEvent] {
        var (batch, window) = (Batch(), window)
        batch.operations = [
            Batch.Entry(Operation(SetRootViewController(scene: "B").on(root))),
            Batch.Entry(Operation(Push(scene: "C").on(push)), animated: entry),
        ]
        let outcome = try window.perform(
            Operation(batch), animated: animated ?? batch.isAnimatedByDefault, in: app)
        #expect(outcome.changed)
        return outcome.events
    }

    @Test("A batch that leaves a covered root as it was changes nothing")
    func coveredRootAgain() throws {
        let draft = StoryboardDraft(
            name: "Segments", initialScene: "A", segments: [(nil, "A"), (nil, "B")],
            scenes: [Scene(name: "A", kind: .blank), Scene(name: "B", kind: .blank)],
            uikit: try #require(UIKitVersion(17)))
        let app = App(storyboard: try Storyboard(draft, dataSource: NoData()), dataSource: NoData())
        var window = Window.launch(app).window
        let root = window.topViewController.id
        _ = try window.perform(.selectSegment(1), animated: false, in: app)
        let other = window.topViewController.id
        _ = try window.perform(.selectSegment(0), animated: false, in: app)
        _ = try window.perform(.push(.instance(other)), animated: true, in: app)
        let batch = Operation.batch([
            .setRootViewController(.instance(root)), .push(.instance(other)),
        ])
        #expect(try !window.perform(batch, animated: true, in: app).changed)
    }

    private static func tabs(in uikit: Int) throws -> App {
        let draft = StoryboardDraft(
            name: "Roots", initialScene: "tabs",
            scenes: [
                Scene(
                    name: "tabs", kind: .tabBar,
                    tabs: [.init(title: nil, scene: "nav"), .init(title: nil, scene: "nav")]),
                Scene(name: "nav", kind: .navigation, root: "A"), Scene(name: "A", kind: .blank),
                Scene(name: "B", kind: .blank), Scene(name: "C", kind: .blank),
            ], uikit: try #require(UIKitVersion(uikit)))
        return App(storyboard: try Storyboard(draft, dataSource: NoData()), dataSource: NoData())
    }

    @Test("A swipe in a batch is animated, unless a later operation or the batch says otherwise")
    func animatedSwipe() {
        var batch = Batch()
        let swipe = Batch.Entry(Operation(SwipeBack(completed: false)))
        let pop = Batch.Entry(.pop)
        for (entries, isAnimated) in [
            ([swipe], true), ([swipe, pop], true), ([pop], false),
            ([Batch.Entry(.pop, animated: false), swipe], true),
            ([swipe, Batch.Entry(.pop, animated: false)], false),
        ] {
            batch.operations = entries
            #expect(batch.isAnimatedByDefault == isAnimated)
        }
    }

    @Test("A link that a batch opens before the log-in keeps its animated")
    func animatedLink() throws {
        let app = try TestApp.everything()
        var batch = Batch()
        let link = Operation.open(.path("/s1/x"))
        for animated in [nil, true, false] {
            batch.operations = [Batch.Entry(link, animated: animated)]
            var window = Window.launch(app).window
            _ = try window.perform(Operation(batch), animated: false, in: app)
            #expect(window.pending?.animated == (animated == false ? false : nil))
        }
    }
}
