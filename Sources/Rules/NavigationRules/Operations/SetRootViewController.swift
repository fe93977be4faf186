/// Replaces the stack by one view controller: the perceived root, which has no back button.
public struct SetRootViewController: StackOperation, ShowsViewController {
    public static let name = "set-root-view-controller"
    public static let summary =
        "Makes a view controller the root, and the only view controller, of the stack."
    public static let isAnimatedByDefault = false
    public static let shortForm = ShortForm.text("scene", reference: "viewController")
    public static let refusals: [NavigationError.Code] =
        .newViewController + .navigationController + .growth
        + [.viewControllerNotFound, .alreadyOnStack]

    public var scene: Scene.Name?
    public var parameters: [String: String]?
    public var viewController: ViewController.ID?
    public var navigationController: NavigationController.ID?

    public init() {}

    public mutating func visitMembers(_ visitor: inout some MemberVisitor & ~Copyable) {
        visitTarget(&visitor)
        visitNavigationController(&visitor)
    }

    public func perform(on window: inout Window, in app: App) throws(NavigationError) {
        let position = try position(in: window)
        try window.requireNavigationController(at: position)
        window.show([try window.newcomer(for: target, at: position, in: app)], at: position)
    }
}
