import JSON

/// Swipes from the left edge, as the user does to pop the top view controller. UIKit's
/// `interactivePopGestureRecognizer` allows this where the navigation bar shows a back button.
public struct SwipeBack: NavigationOperation {
    public static let name = "swipe-back"
    public static let summary =
        "Swipes from the left edge, which pops the top view controller unless it is cancelled."
    public static let details =
        "The gesture acts on the visible stack and is animated, except in a batch that is not. After a "
        + "cancelled swipe the stacks stay as they are, and the events of the gesture are logged with "
        + "a new revision."
    public static let hasAnimated = false
    public static let shortForm = ShortForm.word("cancelled", member: "completed", value: false)
    public static let refusals: [NavigationError.Code] =
        [.noNavigationController, .noBackButton, .popRefused] + .whenRefused

    /// Nil stands for true.
    public var isCompleted: Bool?

    public init() {}

    public init(completed: Bool) { isCompleted = completed }

    public mutating func visitMembers(_ visitor: inout some MemberVisitor & ~Copyable) {
        visitor.member(
            "completed", .boolean, &isCompleted,
            "Whether the user swipes to the end; by default true.")
    }

    public func perform(on window: inout Window, in app: App) throws(NavigationError) {
        guard isCompleted == false else { return try Back().perform(on: &window, in: app) }
        guard try window.mayPop(at: window.activePosition, in: app) else { return }
        let stack = window.stack
        guard let below = stack.viewControllerBelowTop else { return }
        window.gestures.append(.cancelledSwipe(stack.top.id, below: below.id))
    }

    public func isUserAction(in window: Window, _ app: App) -> Bool { true }
}
