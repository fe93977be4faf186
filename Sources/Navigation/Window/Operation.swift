/// An operation on a window. It is carried out completely or has no effect. The cases are indirect
/// because an operation is passed through several functions, each of which copies it.
public indirect enum Operation: Sendable, Equatable {
    case push(Target)
    case pop
    case popTo(ViewController.ID)
    /// Pops to the nearest view controller of this scene below the top.
    case popToScene(Scene.Name)
    case popToRoot
    case setViewControllers([Target])
    case setRootViewController(Target)
    case select(row: Int)
    case selectSegment(Int)
    /// Taps the back button.
    case back
    case open(Link)
    case present(Presentation)
    /// Dismisses the layers above the view controller's layer or, if there are none, that layer
    /// itself. A nil id stands for the visible view controller.
    case dismiss(ViewController.ID?)
    /// Dismisses the top layer by the user's gesture.
    case swipeDown
    case selectTab(Int)
    /// The user's tap on a tab.
    case tapTab(Int)
    case segue(String, parameters: [String: String], from: ViewController.ID?)
    /// Does what the user's tap on a control does.
    case tap(TapTarget)
    /// Pushes the target on the navigation controller of the visible view controller. If the
    /// visible view controller is in none, presents the target's scene.
    case show(Target)
    case unwind(UnwindDestination)
    /// Carries out one of the operations from `push` to `select` in this list on the given
    /// navigation controller, not on the active one.
    case on(NavigationController.ID, Operation)
    /// Carries out several operations as one change with one transition. This corresponds to the
    /// changes that an app makes in one turn of its run loop.
    case batch([Operation])
    /// Changes one view controller, in place.
    /// - Parameter parameters: the values of all parameters of its scene; nil leaves the present
    ///   values unchanged.
    case update(ViewController.ID, ViewControllerChanges, parameters: [String: String]? = nil)
    case logIn(username: String)
    case logOut
}

/// A layer that is to be presented.
public struct Presentation: Sendable, Equatable {
    public var scene: Scene.Name
    public var parameters: [String: String]
    /// The style of the layer; nil stands for the scene's `presentation` or, if that is nil too,
    /// for `pageSheet`.
    public var style: PresentationStyle?
    /// Overrides the scene's `isModalInPresentation`; nil leaves it unchanged.
    public var isModalInPresentation: Bool?
    /// The view controller that presents the layer; nil stands for the visible view controller.
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
    /// The nearest view controller whose scene has the action among its `unwindActions`.
    case action(String)
    case viewController(ViewController.ID)
}

/// The view controller that an operation shows.
public enum Target: Sendable, Equatable {
    /// A new view controller of a scene.
    case scene(Scene.Name, parameters: [String: String])
    /// An existing view controller: one on the stack that the operation changes, or the kept root
    /// of a segment (see `Segments`).
    case instance(ViewController.ID)
}

/// The result of an operation.
public struct Outcome: Sendable {
    public let changed: Bool
    public let transition: Transition
    /// The view controllers that were on a stack before and are on none now: layers bottom to top,
    /// tabs in order, each stack bottom to top. A root of a segment can return to a stack later.
    public let popped: [ViewController]
    public let events: [LifecycleEvent]

    public static let unchanged = Outcome(changed: false, transition: .none, popped: [], events: [])
}

/// How the visible view controller came to be visible. If several cases apply, the first one in
/// this order counts: `root`, `none`, `present`, `dismiss`, `tab`, and then `push` or `pop`.
public enum Transition: String, Sendable {
    /// The view controller was not on its stack before.
    case push
    /// The view controller was on its stack before, but not on top.
    case pop
    /// The view controller was visible before.
    case none
    /// The layer of the view controller is new.
    case present
    /// The layer of the view controller had another layer above it before.
    case dismiss
    /// Another tab was selected before in the layer of the view controller.
    case tab
    /// The root of the window has changed.
    case root
}
