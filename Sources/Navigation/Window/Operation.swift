/// An operation on a window. Each is done as a whole or not at all.
public enum Operation: Sendable, Equatable {
    case push(Target)
    case pop
    case popTo(ViewController.ID)
    /// Pops to the nearest view controller below the top that was made from this scene.
    case popToScene(Scene.Name)
    case popToRoot
    case setViewControllers([Target])
    case setRootViewController(Target)
    case select(row: Int)
    case selectSegment(Int)
    /// The tap on the back button.
    case back
    case open(Link)
    /// Several of the others as one turn of the run loop.
    case batch([Operation])
    /// Changes one view controller, in place.
    /// - Parameter parameters: all that its scene has; nil leaves those that it has.
    case update(ViewController.ID, ViewControllerChanges, parameters: [String: String]? = nil)
    case logIn(username: String)
    case logOut
}

/// A view controller that is to be shown.
public enum Target: Sendable, Equatable {
    /// A new instance of a scene.
    case scene(Scene.Name, parameters: [String: String])
    /// A live instance: on the stack, or a kept root of a segment.
    case instance(ViewController.ID)
}

/// The result of an operation.
public struct Outcome: Sendable {
    public let changed: Bool
    public let transition: Transition
    /// The view controllers that left the stack, bottom to top.
    public let popped: [ViewController]
    public let events: [LifecycleEvent]

    public static let unchanged = Outcome(changed: false, transition: .none, popped: [], events: [])
}

/// How the new top came to be on top.
public enum Transition: String, Sendable {
    /// It was not on the stack before.
    case push
    /// It was on the stack before, but not on top.
    case pop
    /// It is the old top.
    case none
    /// The window has changed its root.
    case root
}
