/// What an operation did.
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
