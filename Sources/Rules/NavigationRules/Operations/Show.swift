/// Shows a view controller in the container of the visible one, as `show(_:sender:)` does.
public struct Show: NavigationOperation, ShowsViewController {
    public static let name = "show"
    public static let summary =
        "Pushes a view controller on the visible stack. Where the visible view controller is in no "
        + "navigation controller, presents a scene instead."
    public static let shortForm = ShortForm.text("scene", reference: "viewController")
    public static let refusals: [NavigationError.Code] =
        .newViewController + .growth + .presentation + [.alreadyOnStack, .noNavigationController]

    public var scene: Scene.Name?
    public var parameters: [String: String]?
    public var viewController: ViewController.ID?

    public init() {}

    public mutating func visitMembers(_ visitor: inout some MemberVisitor & ~Copyable) {
        visitTarget(&visitor)
    }

    public func perform(on window: inout Window, in app: App) throws(NavigationError) {
        try window.show(target, from: window.activePosition, in: app)
    }
}
