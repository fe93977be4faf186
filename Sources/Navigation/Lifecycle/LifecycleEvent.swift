/// One entry of a session's lifecycle log.
public struct LifecycleEvent: Sendable, Equatable {
    public enum Kind: String, Sendable, CaseIterable {
        case viewDidLoad
        case willShow, didShow
        case viewWillAppear, viewDidAppear
        case viewWillDisappear, viewDidDisappear

        /// The raw value as a static string, which needs no allocation for each event.
        public var text: StaticString {
            switch self {
            case .viewDidLoad: "viewDidLoad"
            case .willShow: "willShow"
            case .didShow: "didShow"
            case .viewWillAppear: "viewWillAppear"
            case .viewDidAppear: "viewDidAppear"
            case .viewWillDisappear: "viewWillDisappear"
            case .viewDidDisappear: "viewDidDisappear"
            }
        }
    }

    /// The number of the event in its session, counted from 1 without gaps.
    public let seq: Int
    /// The revision of the session that the event belongs to.
    public let revision: Int
    public let viewController: ViewController.ID
    public let scene: Scene.Name
    // The small properties come last to save memory, because there are millions of events.
    public let kind: Kind
    public let animated: Bool

    public init(
        seq: Int, revision: Int, kind: Kind, viewController: ViewController.ID, scene: Scene.Name,
        animated: Bool
    ) {
        self.seq = seq
        self.revision = revision
        self.kind = kind
        self.viewController = viewController
        self.scene = scene
        self.animated = animated
    }
}

/// The order of the callbacks in one transition.
public enum LifecycleOrder: String, Sendable, CaseIterable {
    /// The order in which the navigation delegate forwards its callbacks as appearance callbacks.
    case forwarded
    /// The order of callbacks that was measured on UIKit in 2012.
    case native

    enum Side { case old, new }

    /// The callbacks in order, each with the view controller that it concerns. Each view controller
    /// receives `viewDidLoad` only once, before all other callbacks.
    var callbacks: [(LifecycleEvent.Kind, Side)] {
        switch self {
        case .forwarded: Self.forwardedCallbacks
        case .native: Self.nativeCallbacks
        }
    }

    private static let forwardedCallbacks: [(LifecycleEvent.Kind, Side)] = [
        (.viewDidLoad, .new), (.willShow, .new), (.viewWillDisappear, .old),
        (.viewWillAppear, .new),
        (.didShow, .new), (.viewDidDisappear, .old), (.viewDidAppear, .new),
    ]

    private static let nativeCallbacks: [(LifecycleEvent.Kind, Side)] = [
        (.viewDidLoad, .new), (.viewWillDisappear, .old), (.viewWillAppear, .new),
        (.willShow, .new),
        (.viewDidDisappear, .old), (.viewDidAppear, .new), (.didShow, .new),
    ]
}
