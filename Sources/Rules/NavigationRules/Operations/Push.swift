/// Pushes a view controller, as `pushViewController(_:animated:)` does.
public struct Push: StackOperation, ShowsViewController {
    public static let name = "push"
    public static let summary =
        "Pushes a new view controller, or an existing one that is on no stack."
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
        try window.push(target, at: try position(in: window), in: app)
    }
}
