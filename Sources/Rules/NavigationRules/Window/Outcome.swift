/// The result of an operation on a window.
public struct Outcome: Sendable {
    public let changed: Bool
    public let transition: Transition
    /// The view controllers that were on a stack before the operation and are on no stack after it.
    /// They are ordered by layer from bottom to top, then by tab, then by place on the stack from
    /// bottom to top. A view controller that belongs to a segment can return to a stack later.
    public let popped: [ViewController]
    public let events: [LifecycleEvent]

    public static let unchanged = Outcome(changed: false, transition: .none, popped: [], events: [])
}

/// The way in which an operation made a view controller visible. If several cases apply, the first
/// one in this order counts: `root`, `none`, `present`, `dismiss`, `tab`, and then `push` or `pop`.
public enum Transition: String, Sendable {
    /// The view controller that is now visible was not on its present stack before the operation.
    case push
    /// The view controller that is now visible was already on its present stack before the
    /// operation, but not on top.
    case pop
    /// The view controller that is now visible was also visible before the operation.
    case none
    /// The operation presented the layer that contains the visible view controller.
    case present
    /// The operation dismissed all layers above the one that contains the visible view controller.
    case dismiss
    /// The operation selected another tab in the layer that contains the visible view controller.
    case tab
    /// The window has a new root layer, because a user logged in or out. A guest who logs in keeps
    /// the root layer.
    case root
}
