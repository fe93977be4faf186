import Testing

@testable import NavigationRules

/// A window with 600 view controllers in each of 6 tabs, under 19 layers.
@Suite struct ManyStacksTests {
    private static let blank = Target.scene("B", parameters: [:])

    static func app() throws -> App {
        let draft = StoryboardDraft(
            name: "Deep", initialScene: "tabs",
            scenes: [
                Scene(name: "B", kind: .blank, unwindActions: ["toB"]),
                Scene(name: "nav", kind: .navigation, root: "B"),
                Scene(
                    name: "tabs", kind: .tabBar,
                    tabs: (0..<6).map { _ in Scene.Tab(title: nil, scene: "nav") }),
            ])
        return App(
            storyboard: try Storyboard(draft, dataSource: Numbers()), dataSource: Numbers(),
            limits: .depth(SizeLimits.viewControllers))
    }

    static func window(in app: App) throws -> Window {
        var window = Window.launch(app).window
        let stack = Operation.setViewControllers(Array(repeating: blank, count: 600))
        for holder in window.layers[0].navigationControllers {
            _ = try window.perform(.on(holder.id, stack), animated: false, in: app)
        }
        for _ in 1..<Layer.maximum {
            _ = try window.perform(.present(Present(scene: "nav")), animated: false, in: app)
        }
        return window
    }

    @Test("A window of 3,600 view controllers in 6 tabs under 19 layers takes every operation")
    func operations() throws {
        let app = try Self.app()
        var window = try Self.window(in: app)
        let roots = window.layers[0].navigationControllers.map(\.id)
        #expect(window.layers.count == 20)
        #expect(throws: NavigationError.tooManyLayers(maximum: 20)) {
            try window.perform(.present(Present(scene: "B")), animated: false, in: app)
        }
        let layers = window.layers
        let push = try window.perform(.on(roots[5], .push(Self.blank)), animated: true, in: app)
        #expect(push.changed && push.events.isEmpty && push.transition == .none)
        let pop = try window.perform(.on(roots[5], .pop), animated: true, in: app)
        #expect(pop.popped.count == 1 && window.layers == layers)
        let bottom = try #require(layers[0].navigationControllers[3].stack.viewControllers.first)
        let unwound = try window.perform(
            .unwind(Unwind(bottom.id)), animated: true, in: app)
        #expect(unwound.popped.count == 599 + 19)
        #expect(unwound.transition == .dismiss)
        #expect(window.layers[0].selectedIndex == 3)
        #expect(Window.restore(window.stored, in: app).window == window)
    }

    @Test("All stacks of a window together hold 4,000 view controllers at most") func limit() throws
    {
        let app = try Self.app()
        var window = try Self.window(in: app)
        let room = SizeLimits.viewControllers - window.allViewControllers.count
        let pushes = Operation.batch(Array(repeating: .push(Self.blank), count: room))
        _ = try window.perform(pushes, animated: false, in: app)
        let full = window
        let tooDeep = NavigationError.tooManyViewControllers(maximum: SizeLimits.viewControllers)
        #expect(throws: tooDeep) {
            try window.perform(.push(Self.blank), animated: true, in: app)
        }
        #expect(window == full)
        #expect(try window.perform(.pop, animated: true, in: app).changed)
    }
}
