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
    /// The revision of the session to which the event belongs.
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

    /// Returns the same event as a part of another revision.
    func moved(to revision: Int) -> LifecycleEvent {
        LifecycleEvent(
            seq: seq, revision: revision, kind: kind, viewController: viewController, scene: scene,
            animated: animated)
    }
}

/// The order of the callbacks in one transition.
public enum LifecycleOrder: String, Sendable, CaseIterable {
    /// The order of callbacks in an app whose `UINavigationControllerDelegate` calls the appearance
    /// callbacks of the view controllers from its own `willShow` and `didShow`.
    case forwarded
    /// The order of callbacks that was measured on UIKit in 2012.
    case native

    /// The view controller that gets a callback: `old` disappears, `new` appears.
    enum Side { case old, new }

    typealias Callback = (LifecycleEvent.Kind, Side)

    /// The callbacks, in order, for a change of one stack and for the first display of a window.
    /// `viewDidLoad` comes first. `Window.display` leaves it out if the view is already loaded.
    var stackCallbacks: [Callback] {
        switch self {
        case .forwarded: Self.forwardedCallbacks
        case .native: Self.nativeCallbacks
        }
    }

    /// The callbacks of one transition.
    /// - Parameter showsOtherTab: whether a layer that stays on screen shows another tab than
    ///   before.
    func callbacks(of transition: Transition, showsOtherTab: Bool) -> [Callback] {
        switch (self, transition) {
        case (.forwarded, _), (.native, .push), (.native, .pop), (.native, .root): stackCallbacks
        case (.native, .present), (.native, .dismiss): Self.nativePresentationCallbacks
        case (.native, .tab): Self.nativeTabCallbacks
        case (.native, .none): showsOtherTab ? Self.nativeTabCallbacks : stackCallbacks
        }
    }

    private static let forwardedCallbacks: [Callback] = [
        (.viewDidLoad, .new), (.willShow, .new), (.viewWillDisappear, .old),
        (.viewWillAppear, .new),
        (.didShow, .new), (.viewDidDisappear, .old), (.viewDidAppear, .new),
    ]

    private static let nativePresentationCallbacks: [Callback] = [
        (.viewDidLoad, .new), (.viewWillDisappear, .old), (.viewWillAppear, .new),
        (.willShow, .new),
        (.viewDidAppear, .new), (.didShow, .new), (.viewDidDisappear, .old),
    ]

    private static let nativeTabCallbacks: [Callback] = [
        (.viewDidLoad, .new), (.viewWillAppear, .new), (.willShow, .new),
        (.viewWillDisappear, .old),
        (.viewDidDisappear, .old), (.viewDidAppear, .new), (.didShow, .new),
    ]

    private static let nativeCallbacks: [Callback] = [
        (.viewDidLoad, .new), (.viewWillDisappear, .old), (.viewWillAppear, .new),
        (.willShow, .new),
        (.viewDidDisappear, .old), (.viewDidAppear, .new), (.didShow, .new),
    ]
}
