/// An operation on a window. An operation takes effect completely or not at all. The cases are
/// indirect so that passing an operation from function to function copies only a reference.
public indirect enum Operation: Sendable, Equatable {
    case push(Target)
    case pop
    case popTo(ViewController.ID)
    /// Pops to the nearest view controller of this scene that is below the top.
    case popToScene(Scene.Name)
    case popToRoot
    case setViewControllers([Target])
    case setRootViewController(Target)
    case select(row: Int)
    case selectSegment(Int)
    /// Taps the back button of the navigation bar.
    case back
    case open(Link)
    case present(Presentation)
    /// Dismisses all layers above the layer that contains this view controller. If there are none,
    /// dismisses the layer that contains it, unless this is the root layer. A nil id stands for the
    /// visible view controller.
    case dismiss(ViewController.ID?)
    /// Dismisses the top layer as a user does, with a swipe.
    case swipeDown
    case selectTab(Int)
    /// Taps the tab with this index, counted from 0, in the tab bar. A tap on the selected tab pops
    /// its stack to the root.
    case tapTab(Int)
    case segue(String, parameters: [String: String], from: ViewController.ID?)
    /// Taps a control on the screen, such as a row or a bar item.
    case tap(TapTarget)
    /// Pushes the target on the stack of the visible view controller. If the visible view
    /// controller is in no navigation controller, presents the target modally instead. The target
    /// must then be a scene, not an existing view controller.
    case show(Target)
    case unwind(UnwindDestination)
    /// Performs the operation on the navigation controller with this id, instead of on the one that
    /// contains the visible view controller. Only `back`, `select` and the operations that push,
    /// pop or replace view controllers depend on the navigation controller.
    case on(NavigationController.ID, Operation)
    /// Performs several operations as one change with one transition. UIKit does the same with the
    /// changes that an app makes in one turn of its run loop.
    case batch([Operation])
    /// Changes the properties of a view controller, which keeps its id and its place on the stack.
    /// - Parameter parameters: new values for all parameters of its scene; nil keeps the present
    ///   values.
    case update(ViewController.ID, ViewControllerChanges, parameters: [String: String]? = nil)
    case logIn(username: String)
    case logOut
}

/// The scene that an operation presents modally in a new layer, and the settings for the layer.
public struct Presentation: Sendable, Equatable {
    public var scene: Scene.Name
    public var parameters: [String: String]
    /// The presentation style. Nil stands for the `presentation` of the scene or, if the scene has
    /// none, for `pageSheet`.
    public var style: PresentationStyle?
    /// The value that replaces the scene's `isModalInPresentation` for this presentation; nil if
    /// the scene's value applies.
    public var isModalInPresentation: Bool?
    /// The id of the view controller that presents the layer; nil stands for the visible view
    /// controller.
    public var from: ViewController.ID?

    public init(
        scene: Scene.Name, parameters: [String: String] = [:], style: PresentationStyle? = nil,
        isModalInPresentation: Bool? = nil, from: ViewController.ID? = nil
    ) {
        self.scene = scene
        self.parameters = parameters
        self.style = style
        self.isModalInPresentation = isModalInPresentation
        self.from = from
    }
}

public enum UnwindDestination: Sendable, Equatable {
    /// The nearest view controller whose scene lists this action in its `unwindActions`.
    case action(String)
    case viewController(ViewController.ID)
}

/// The view controller that an operation shows: a new one or an existing one.
public enum Target: Sendable, Equatable {
    /// A new view controller of the scene with this name.
    case scene(Scene.Name, parameters: [String: String])
    /// The existing view controller with this id. It is on the stack that the operation changes, or
    /// it belongs to a segment and is on no stack (see `Segments.kept`).
    case instance(ViewController.ID)
}

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
    /// The window has changed from the login scene to the app or back, because a user logged in or
    /// out.
    case root
}
