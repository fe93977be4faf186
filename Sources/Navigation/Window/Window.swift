/// The whole navigation state of one session: the window, whose root follows from who is logged in,
/// and the navigation stack in it. A pure value: what happens to it is `perform`.
public struct Window: Sendable, Equatable {
    public enum Root: String, Sendable {
        case login, app
    }

    public let lifecycle: LifecycleOrder
    /// 1 for a new window; grows by one with each change.
    public internal(set) var revision = 1
    public internal(set) var auth: Auth
    /// The view controllers. The operations change them, see `subscript(_:)` and `withLayers`.
    var content: Layers
    /// Nil at the login root, and in an app without segments.
    public internal(set) var segments: Segments?
    /// The deep link that waits for the log-in.
    public internal(set) var pendingLink: Link?
    /// The number of the last lifecycle event.
    public internal(set) var lastEvent = 0
    /// The number of the newest view controller.
    var lastViewController: Int
    private var rootNumber: UInt32 = 1
    private var lastNavigationControllerNumber: UInt32 = 1

    /// The id of the one navigation controller of `.single` content.
    var rootNavigationController: NavigationController.ID {
        get { NavigationController.ID(number: Int(rootNumber)) }
        set { rootNumber = UInt32(clamping: newValue.number) }
    }
    /// The number of the newest navigation controller.
    var lastNavigationController: Int {
        get { Int(lastNavigationControllerNumber) }
        set { lastNavigationControllerNumber = UInt32(clamping: newValue) }
    }

    public var root: Root { auth == .loggedOut ? .login : .app }
    /// The active stack.
    public var stack: NavigationStack { self[activePosition] }
    /// The view controllers of the active stack, root first.
    public var viewControllers: [ViewController] { stack.viewControllers }
    /// The visible view controller.
    public var topViewController: ViewController { stack.top }

    /// A new window, with its first display.
    /// - Parameter username: who is logged in from the start. Ignored in an app without a login.
    public static func launch(
        _ app: App, lifecycle: LifecycleOrder = .forwarded, username: String? = nil
    ) -> (window: Window, events: [LifecycleEvent]) {
        let hasLogin = app.storyboard.loginScene != nil
        let auth: Auth =
            hasLogin && username == nil
            ? .loggedOut : .loggedIn(username: hasLogin ? username : nil)
        var window = Window(lifecycle: lifecycle, auth: auth, firstViewController: 1, in: app)
        let events = window.displayFirst()
        return (window, events)
    }

    /// A fresh root, not yet displayed.
    init(
        lifecycle: LifecycleOrder, auth: Auth, firstViewController number: Int,
        firstNavigationController: Int = 1, in app: App
    ) {
        self.lifecycle = lifecycle
        self.auth = auth
        lastViewController = number - 1
        content = .several([])
        lastNavigationController = firstNavigationController - 1
        buildRoot(in: app)
    }

    static func rootScene(for auth: Auth, in storyboard: Storyboard) -> Scene {
        if auth == .loggedOut, let loginScene = storyboard.loginScene { return loginScene }
        return storyboard.segments.first?.scene ?? storyboard.initialScene
    }

    /// The segments of a fresh root, the first of them selected.
    private func makeSegments(in app: App) -> Segments? {
        guard root == .app, !app.storyboard.segments.isEmpty else { return nil }
        var segments = Segments(count: app.storyboard.segments.count)
        segments.setRoot(rootStack.root.id, of: 0)
        return segments
    }

    mutating func makeViewController(
        _ scene: Scene, _ parameters: Parameters = .none, in app: App
    ) -> ViewController {
        lastViewController += 1
        return ViewController(
            id: ViewController.ID(number: lastViewController), scene: scene, parameters: parameters,
            in: app)
    }

    /// Tears the present tree down, segment roots included, and builds the root of `auth` afresh.
    mutating func swapRoot(to auth: Auth, in app: App) {
        self.auth = auth
        buildRoot(in: app)
    }

    /// Replaces all layers by a fresh root layer for the present user.
    private mutating func buildRoot(in app: App) {
        let scene = Self.rootScene(for: auth, in: app.storyboard)
        if scene.kind.isContainer {
            let roots = app.storyboard.roots(of: scene).map { ($0, Parameters.none) }
            content = .several([
                makeLayer(
                    scene, roots, style: nil, presenter: nil,
                    isModal: scene.isModalInPresentation, in: app)
            ])
            normalize()
        } else {
            rootNavigationController = makeNavigationControllerID()
            content = .single(NavigationStack(root: makeViewController(scene, in: app)))
        }
        segments = makeSegments(in: app)
    }
}

/// The user of the session. It decides the window's root, so that the two can never disagree.
public enum Auth: Sendable, Equatable {
    case loggedOut
    /// Without a username in an app that has no login.
    case loggedIn(username: String?)
}
