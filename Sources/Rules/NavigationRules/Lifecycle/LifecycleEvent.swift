/// One entry in a session's log of lifecycle callbacks, such as `viewDidLoad` of a view controller.
public struct LifecycleEvent: Sendable, Equatable {
    public enum Kind: String, Sendable, CaseIterable {
        case viewDidLoad
        case willShow, didShow
        case viewWillAppear, viewDidAppear
        case viewWillDisappear, viewDidDisappear
        case viewIsAppearing
        case presentationControllerShouldDismiss, presentationControllerWillDismiss
        case presentationControllerDidDismiss
        case shouldSelect, didSelect

        /// The callbacks in the log of every app.
        public static let standard: [Kind] = [
            .viewDidLoad, .willShow, .didShow, .viewWillAppear, .viewDidAppear,
            .viewWillDisappear, .viewDidDisappear,
        ]

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
            case .viewIsAppearing: "viewIsAppearing"
            case .presentationControllerShouldDismiss: "presentationControllerShouldDismiss"
            case .presentationControllerWillDismiss: "presentationControllerWillDismiss"
            case .presentationControllerDidDismiss: "presentationControllerDidDismiss"
            case .shouldSelect: "shouldSelect"
            case .didSelect: "didSelect"
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
    /// The order in which UIKit itself calls the callbacks.
    case native

    /// The view controller that gets a callback in a transition: the `old` one disappears, the
    /// `new` one appears.
    enum Side { case old, new }

    typealias Callback = (LifecycleEvent.Kind, Side)

    /// The callbacks in order, for a transition within one navigation stack and for the first
    /// display of a window. The list always contains `viewDidLoad` and `viewIsAppearing`.
    /// `Window.display` omits the former if the view is already loaded, and the latter if the
    /// storyboard does not name this group.
    var stackCallbacks: [Callback] {
        switch self {
        case .forwarded: Self.forwardedCallbacks
        case .native: Self.nativeCallbacks
        }
    }

    /// Returns the callbacks of a transition, in order.
    /// - Parameter showsOtherTab: whether some layer is on screen both before and after the
    ///   transition, but shows another tab after it.
    func callbacks(
        of transition: Transition, showsOtherTab: Bool, in uikit: UIKitVersion
    ) -> [Callback] {
        let tabs = uikit.crossFadesTabs ? Self.crossFadeCallbacks : Self.nativeTabCallbacks
        return switch (self, transition) {
        case (.forwarded, _), (.native, .push), (.native, .pop), (.native, .root): stackCallbacks
        case (.native, .present), (.native, .dismiss): Self.nativePresentationCallbacks
        case (.native, .tab): tabs
        case (.native, .none): showsOtherTab ? tabs : stackCallbacks
        }
    }

    /// The callbacks of an edge swipe that the user cancels. The new view controller is the one
    /// below the top. UIKit announces it to the delegate, and never takes this back.
    var cancelledSwipeCallbacks: [Callback] {
        let begin: [Callback] =
            switch self {
            case .forwarded:
                [(.willShow, .new), (.viewWillDisappear, .old), (.viewWillAppear, .new)]
            case .native:
                [(.viewWillDisappear, .old), (.viewWillAppear, .new), (.willShow, .new)]
            }
        return [(.viewDidLoad, .new)] + begin + [
            (.viewIsAppearing, .new), (.viewWillDisappear, .new), (.viewDidDisappear, .new),
            (.viewWillAppear, .old), (.viewDidAppear, .old),
        ]
    }

    private static let forwardedCallbacks: [Callback] = [
        (.viewDidLoad, .new), (.willShow, .new), (.viewWillDisappear, .old),
        (.viewWillAppear, .new), (.viewIsAppearing, .new),
        (.didShow, .new), (.viewDidDisappear, .old), (.viewDidAppear, .new),
    ]

    private static let nativePresentationCallbacks: [Callback] = [
        (.viewDidLoad, .new), (.viewWillDisappear, .old), (.viewWillAppear, .new),
        (.willShow, .new), (.viewIsAppearing, .new),
        (.viewDidAppear, .new), (.didShow, .new), (.viewDidDisappear, .old),
    ]

    private static let crossFadeCallbacks: [Callback] = [
        (.viewDidLoad, .new), (.viewWillAppear, .new), (.willShow, .new),
        (.viewIsAppearing, .new), (.viewWillDisappear, .old),
        (.viewDidAppear, .new), (.didShow, .new), (.viewDidDisappear, .old),
    ]

    private static let nativeTabCallbacks: [Callback] = [
        (.viewDidLoad, .new), (.viewWillAppear, .new), (.willShow, .new),
        (.viewIsAppearing, .new), (.viewWillDisappear, .old),
        (.viewDidDisappear, .old), (.viewDidAppear, .new), (.didShow, .new),
    ]

    private static let nativeCallbacks: [Callback] = [
        (.viewDidLoad, .new), (.viewWillDisappear, .old), (.viewWillAppear, .new),
        (.willShow, .new), (.viewIsAppearing, .new),
        (.viewDidDisappear, .old), (.viewDidAppear, .new), (.didShow, .new),
    ]
}
