/// Dismisses the top layer with a swipe, which its style and `isModalInPresentation` can forbid.
public struct SwipeDown: NavigationOperation {
    public static let name = "swipe-down"
    public static let summary = "Dismisses the top layer as a user does, with a swipe."
    public static let refusals: [NavigationError.Code] = [.notDismissible] + .whenRefused

    public init() {}

    public mutating func visitMembers(_ visitor: inout some MemberVisitor & ~Copyable) {}

    public func perform(on window: inout Window, in app: App) throws(NavigationError) {
        let top = window.activeLayer
        guard let style = top.presentationStyle else { throw .notDismissible(isRootLayer: true) }
        guard style.canBeSwipedDown else { throw .notDismissible(isRootLayer: false) }
        if let veto = window.vetoOnSwipeDown {
            return try window.refuse(veto, with: .dismissalRefused, in: app)
        }
        if app.storyboard.callbacks.contains(.presentation) {
            window.gestures.append(.swipeDown(window.topViewController, layer: top.id))
        }
        window.dismissLayers(above: window.layers.count - 2)
    }

    public func isUserAction(in window: Window, _ app: App) -> Bool { true }
}
