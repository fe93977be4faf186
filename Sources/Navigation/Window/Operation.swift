/// An operation on a window. It is carried out completely or has no effect.
public enum Operation: Sendable, Equatable {
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
    /// Carries out several operations as one change with one transition, like one turn of the run
    /// loop.
    case batch([Operation])
    /// Changes one view controller, in place.
    /// - Parameter parameters: all that its scene has; nil leaves those that it has.
    case update(ViewController.ID, ViewControllerChanges, parameters: [String: String]? = nil)
    case logIn(username: String)
    case logOut
}

/// The view controller that an operation shows.
public enum Target: Sendable, Equatable {
    /// A new view controller of a scene.
    case scene(Scene.Name, parameters: [String: String])
    /// An existing view controller: on the stack, or the kept root of a segment.
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

/// The way in which the new top view controller came to the top.
public enum Transition: String, Sendable {
    /// The new top was not on the stack before.
    case push
    /// The new top was on the stack before, but not on top.
    case pop
    /// The top has not changed.
    case none
    /// The root of the window has changed.
    case root
}
