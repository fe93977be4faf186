internal import NavigationRules

/// The effects of an operation, or of the launch.
public struct Change: Sendable, Equatable {
    /// How the visible view controller came into sight: `push`, `pop`, `present`, `dismiss`, `tab`,
    /// `root` (after a log-in or log-out), or `none`.
    public let transition: String
    /// The view controllers that left their stacks, from bottom to top.
    public let popped: [ViewController]
    /// The lifecycle callbacks, in UIKit's order.
    public let events: [Event]

    init(launch events: [LifecycleEvent]) {
        transition = Transition.root.rawValue
        popped = []
        self.events = events.map(Event.init)
    }

    init(_ outcome: Outcome) {
        transition = outcome.transition.rawValue
        popped = outcome.popped.map(ViewController.init)
        events = outcome.events.map(Event.init)
    }
}

/// A lifecycle callback of a view controller.
public struct Event: Sendable, Equatable, CustomStringConvertible {
    /// The name of the callback, such as `viewDidAppear`.
    public let callback: String
    /// The name of the view controller's scene.
    public let scene: String

    /// The callback and the scene, such as `viewDidAppear books`.
    public var description: String { "\(callback) \(scene)" }

    init(_ event: LifecycleEvent) {
        callback = event.kind.rawValue
        scene = event.scene
    }
}
