import NavigationRules
import Testing

@Suite struct DeepStackTests {
    /// One less than a session can have.
    private static let depth = 3_999
    private static let blank = Target.scene("B", parameters: [:])

    private static func deep() throws -> (window: Window, app: App) {
        let app = try TestApp.everything(
            login: false, segments: false, maximumStackDepth: depth + 1)
        var window = Window.launch(app).window
        let all = Array(repeating: blank, count: depth)
        _ = try window.perform(.setViewControllers(all), animated: false, in: app)
        return (window, app)
    }

    @Test("A stack of 3,999 view controllers can be pushed to, popped and set") func deepStack()
        throws
    {
        var (window, app) = try Self.deep()
        #expect(window.viewControllers.count == Self.depth)
        let top = window.topViewController.id
        _ = try window.perform(.push(Self.blank), animated: true, in: app)
        #expect(try window.perform(.back, animated: true, in: app).popped.count == 1)
        #expect(window.topViewController.id == top)
        let reversed = window.viewControllers.reversed().map { Target.instance($0.id) }
        let outcome = try window.perform(
            .setViewControllers(reversed), animated: false, in: app)
        #expect(outcome.transition == .pop)
        #expect(outcome.popped.isEmpty)
        let middle = window.viewControllers[Self.depth / 2].id
        let popped = try window.perform(.popTo(middle), animated: true, in: app).popped
        #expect(popped.count == Self.depth / 2)
        #expect(
            try window.perform(.popToRoot, animated: true, in: app).popped.count == Self.depth / 2)
    }

    @Test("A push beyond the maximum stack depth is refused and changes nothing")
    func ceiling() throws {
        var (window, app) = try Self.deep()
        _ = try window.perform(.push(Self.blank), animated: true, in: app)
        let full = window
        let tooDeep = NavigationError.stackTooDeep(maximum: Self.depth + 1)
        #expect(throws: tooDeep) {
            try window.perform(.push(Self.blank), animated: true, in: app)
        }
        #expect(window == full)
        // A stack may exceed the limit temporarily inside a batch.
        let overAndBack = Operation.batch([.push(Self.blank), .pop, .pop])
        #expect(try window.perform(overAndBack, animated: false, in: app).popped.count == 1)
    }

    @Test("A stack deeper than a lowered limit can still be popped") func shrinking() throws {
        var (window, app) = try Self.deep()
        let shallow = App(
            storyboard: app.storyboard, dataSource: app.dataSource, limits: .depth(10))
        #expect(try window.perform(.pop, animated: true, in: shallow).changed)
    }

    @Test("A stack deeper than a lowered limit does not let the other stacks exceed the limit")
    func otherStack() throws {
        let app = try TestApp.containers(login: false, tabs: true)
        let shallow = App(
            storyboard: app.storyboard, dataSource: app.dataSource, limits: .depth(3))
        var window = Window.launch(app).window
        for _ in 1...4 { _ = try window.perform(.push(Self.blank), animated: true, in: app) }
        _ = try window.perform(.tapTab(1), animated: true, in: shallow)
        for _ in 1...2 { _ = try window.perform(.push(Self.blank), animated: true, in: shallow) }
        #expect(throws: NavigationError.stackTooDeep(maximum: 3)) {
            try window.perform(.push(Self.blank), animated: true, in: shallow)
        }
        #expect(window.viewControllers.count == 3)
    }

    @Test("A session whose texts exceed a lowered limit can be popped, but gets no further text")
    func smallerSession() throws {
        let app = try TestApp.everything(login: false, segments: false)
        var limits = SizeLimits()
        limits.sessionSize = 100
        let small = App(
            storyboard: app.storyboard, dataSource: app.dataSource, limits: limits)
        var window = Window.launch(app).window
        let title = ViewControllerChanges(title: String(repeating: "x", count: 500))
        _ = try window.perform(
            .update(window.topViewController.id, title), animated: false, in: app)
        _ = try window.perform(.push(Self.blank), animated: true, in: app)
        #expect(throws: NavigationError.sessionTooLarge(maximum: 100)) {
            try window.perform(
                .update(window.topViewController.id, ViewControllerChanges(title: "y")),
                animated: false, in: small)
        }
        #expect(try window.perform(.pop, animated: true, in: small).changed)
    }
}
