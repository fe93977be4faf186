/// The order of one transition's callbacks.
public enum LifecycleOrder: String, Sendable, CaseIterable {
    /// The navigation delegate forwards its callbacks as appearance callbacks.
    case forwarded
    /// As measured on UIKit in 2012.
    case native

    enum Side { case old, new }

    /// `viewDidLoad` comes once for each instance, before all else.
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
