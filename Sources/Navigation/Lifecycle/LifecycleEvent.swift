/// One entry in a session's log of lifecycle callbacks, such as `viewDidLoad` of a view controller.
public struct LifecycleEvent: Sendable, Equatable {
    public enum Kind: String, Sendable, CaseIterable {
        case viewDidLoad
        case willShow, didShow
        case viewWillAppear, viewDidAppear
        case viewWillDisappear, viewDidDisappear

        /// The raw value as a static string, which `JSONWriter` copies without a search for
        /// characters to escape.
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

    /// The number of the event in its session. Events are numbered from 1 without gaps.
    public let seq: Int
    /// The revision of the session after the operation that caused this event, see
    /// `Window.revision`.
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

    /// Returns a copy of the event with another revision.
    func moved(to revision: Int) -> LifecycleEvent {
        LifecycleEvent(
            seq: seq, revision: revision, kind: kind, viewController: viewController, scene: scene,
            animated: animated)
    }
}

/// The order of the lifecycle callbacks in a transition from one view controller to another.
public enum LifecycleOrder: String, Sendable, CaseIterable {
    /// The order in an app that implements `willShow` and `didShow` of
    /// `UINavigationControllerDelegate`, and calls the appearance callbacks of the view controllers
    /// in these two methods.
    case forwarded
    /// The order in which UIKit itself calls the callbacks. It was measured in 2012; later versions
    /// of UIKit may differ.
    case native

    /// The view controller that gets a callback in a transition: the `old` one disappears, the
    /// `new` one appears.
    enum Side { case old, new }

    typealias Callback = (LifecycleEvent.Kind, Side)

    /// The callbacks in order, for a transition within one navigation stack and for the first
    /// display of a window. The list always contains `viewDidLoad`. `Window.display` omits this
    /// callback if the view is already loaded.
    var stackCallbacks: [Callback] {
        switch self {
        case .forwarded: Self.forwardedCallbacks
        case .native: Self.nativeCallbacks
        }
    }

    /// Returns the callbacks of a transition, in order.
    /// - Parameter showsOtherTab: whether some layer is on screen both before and after the
    ///   transition, but shows another tab after it.
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
