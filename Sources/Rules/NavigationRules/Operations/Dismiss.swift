/// Dismisses layers, as `dismiss(animated:completion:)` does: those above the layer of a view
/// controller or, if there are none, this layer, unless it is the root layer.
public struct Dismiss: NavigationOperation {
    public static let name = "dismiss"
    public static let summary =
        "Dismisses all layers above a view controller's layer, or that layer if none is above it."
    public static let shortForm = ShortForm.text("viewController")
    public static let refusals: [NavigationError.Code] = [.viewControllerNotFound]

    public var viewController: ViewController.ID?

    public init() {}

    public mutating func visitMembers(_ visitor: inout some MemberVisitor & ~Copyable) {
        visitor.member(
            "viewController", .viewController, &viewController,
            "The id of the view controller; by default the visible one.")
    }

    public init(_ id: ViewController.ID?) { viewController = id }

    public func perform(on window: inout Window, in app: App) throws(NavigationError) {
        let id = viewController ?? window.topViewController.id
        // A view controller on no stack has no container that presents, so UIKit does nothing.
        guard let index = window.position(of: id)?.stack.layer else {
            _ = try window.viewController(id)
            return
        }
        let isTop = index == window.layers.count - 1
        guard index > 0 || !isTop else { return }
        window.dismissLayers(above: isTop ? index - 1 : index)
    }
}
