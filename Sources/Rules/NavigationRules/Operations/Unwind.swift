/// Unwinds as an unwind segue does. If no view controller takes the unwind action, nothing happens.
public struct Unwind: NavigationOperation {
    public static let name = "unwind"
    public static let summary =
        "Unwinds to the nearest view controller with an unwind action, or to the one with an id. "
        + "If there is none with the action, nothing happens."
    public static let exactlyOne = ["action", "viewController"]
    public static let shortForm = ShortForm.text("action", reference: "viewController")
    public static let refusals: [NavigationError.Code] = [
        .viewControllerNotFound, .loginRequired,
    ]

    public var action: String?
    public var viewController: ViewController.ID?

    public init() {}

    public mutating func visitMembers(_ visitor: inout some MemberVisitor & ~Copyable) {
        visitor.member("action", .text, &action, "The name of the unwind action.")
        visitor.member(
            "viewController", .viewController, &viewController, "The id of a view controller.")
    }

    public init(action: String) { self.action = action }

    public init(_ id: ViewController.ID) { viewController = id }

    public func perform(on window: inout Window, in app: App) throws(NavigationError) {
        let action = action ?? ""
        if let viewController { _ = try window.viewController(viewController) }
        window.unwind(from: window.topViewController.id) { candidate in
            viewController.map { $0 == candidate.id }
                ?? candidate.scene.unwindActions.contains(action)
        }
    }
}
