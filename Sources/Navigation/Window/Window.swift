/// The complete navigation state of one session: the user, the root of the window and the
/// navigation stacks. A window is a value; only `perform` changes it.
public struct Window: Sendable, Equatable {
    public enum Root: String, Sendable {
        case login, app
    }

    public let lifecycle: LifecycleOrder
    /// Whether the session accepts only operations that a user can do.
    public let isStrict: Bool
    /// The number of the window's state; 1 for a new window, and increased by one with each change.
    public internal(set) var revision = 1
    public internal(set) var auth: Auth
    /// The layers and their view controllers. Operations change them through `subscript(_:)` and
    /// `withLayers`.
    var content: Layers
    /// The segments; nil at the login root and in an app without segments.
    public internal(set) var segments: Segments?
    /// The deep link that is opened after the log-in.
    public internal(set) var pendingLink: Link? {
        get { pendingLinks.first }
        set { pendingLinks = newValue.map { [$0] } ?? [] }
    }
    /// The pending link, if there is one. An empty array takes a third of the memory of an optional
    /// link.
    private var pendingLinks: [Link] = []
    /// The number of the newest lifecycle event.
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

    /// Creates a window and shows its root.
    /// - Parameter username: the user who is logged in at the start; ignored in an app without a
    ///   login.
    public static func launch(
        _ app: App, lifecycle: LifecycleOrder = .forwarded, username: String? = nil,
        isStrict: Bool = false
    ) -> (window: Window, events: [LifecycleEvent]) {
        let hasLogin = app.storyboard.loginScene != nil
        let auth: Auth =
            hasLogin && username == nil
            ? .loggedOut : .loggedIn(username: hasLogin ? username : nil)
        var window = Window(
            lifecycle: lifecycle, isStrict: isStrict || app.storyboard.isStrict, auth: auth,
            firstViewController: 1, in: app)
        let events = window.displayFirst()
        return (window, events)
    }

    /// Creates a window that shows a link from its first revision on, as if the link had been
    /// opened right after the launch. A link that needs a log-in becomes the `pendingLink`.
    /// - Parameter username: the user who is logged in at the start; ignored in an app without a
    ///   login.
    /// - Throws: the reason why the link cannot be opened.
    public static func launch(
        _ app: App, opening link: Link, lifecycle: LifecycleOrder = .forwarded,
        username: String? = nil, isStrict: Bool = false
    ) throws(NavigationError) -> (window: Window, events: [LifecycleEvent]) {
        let (first, events) = launch(
            app, lifecycle: lifecycle, username: username, isStrict: isStrict)
        var (window, outcome) = try first.performing(.open(link), animated: false, in: app)
        window.revision = first.revision
        return (window, events + outcome.events.map { $0.moved(to: first.revision) })
    }

    /// Creates a window at its root, which is not yet shown.
    init(
        lifecycle: LifecycleOrder, isStrict: Bool, auth: Auth, firstViewController number: Int,
        firstNavigationController: Int = 1, in app: App
    ) {
        self.lifecycle = lifecycle
        self.isStrict = isStrict
        self.auth = auth
        lastViewController = number - 1
        content = .several([])
        lastNavigationController = firstNavigationController - 1
        buildRoot(in: app)
    }

    /// Returns a copy of the window as the first state of another session. Revisions and events of
    /// the copy are numbered from 1 again.
    public func forked() -> Window {
        var window = self
        window.revision = 1
        window.lastEvent = 0
        return window
    }

    static func rootScene(for auth: Auth, in storyboard: Storyboard) -> Scene {
        if auth == .loggedOut, let loginScene = storyboard.loginScene { return loginScene }
        return storyboard.segments.first?.scene ?? storyboard.initialScene
    }

    /// Returns the segments of a new app root, with the first one selected.
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

    /// Sets the login state, and replaces all layers and the segments by the root for that state.
    mutating func swapRoot(to auth: Auth, in app: App) {
        self.auth = auth
        buildRoot(in: app)
    }

    /// Replaces all layers and the segments by a new root layer for the present login state.
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

/// The login state of the session. The root of the window depends only on this value.
public enum Auth: Sendable, Equatable {
    case loggedOut
    /// A user is logged in. The username is nil in an app without a login.
    case loggedIn(username: String?)
}
