/// The complete navigation state of one session: the user, the root of the window and the
/// navigation stack. A window is a value; only `perform` changes it.
public struct Window: Sendable, Equatable {
    public enum Root: String, Sendable {
        case login, app
    }

    public let lifecycle: LifecycleOrder
    /// The number of the window's state; 1 for a new window, and increased by one with each change.
    public internal(set) var revision = 1
    public internal(set) var auth: Auth
    public internal(set) var stack: NavigationStack
    /// The segments; nil at the login root and in an app without segments.
    public internal(set) var segments: Segments?
    /// The deep link that is opened after the log-in.
    public internal(set) var pendingLink: Link?
    /// The number of the newest lifecycle event.
    public internal(set) var lastEvent = 0
    /// The number of the newest view controller.
    var lastViewController: Int

    public var root: Root { auth == .loggedOut ? .login : .app }
    public var viewControllers: [ViewController] { stack.viewControllers }
    public var topViewController: ViewController { stack.top }

    /// Creates a window and shows its root.
    /// - Parameter username: the user who is logged in at the start; ignored in an app without a
    ///   login.
    public static func launch(
        _ app: App, lifecycle: LifecycleOrder = .forwarded, username: String? = nil
    ) -> (window: Window, events: [LifecycleEvent]) {
        let hasLogin = app.storyboard.loginScene != nil
        let auth: Auth =
            hasLogin && username == nil
            ? .loggedOut : .loggedIn(username: hasLogin ? username : nil)
        var window = Window(lifecycle: lifecycle, auth: auth, firstViewController: 1, in: app)
        let events = window.display(animated: false, replacing: nil)
        return (window, events)
    }

    /// Creates a window at its root, which is not yet shown.
    init(lifecycle: LifecycleOrder, auth: Auth, firstViewController number: Int, in app: App) {
        self.lifecycle = lifecycle
        self.auth = auth
        lastViewController = number
        stack = NavigationStack(
            root: ViewController(
                id: ViewController.ID(number: number),
                scene: Self.rootScene(for: auth, in: app.storyboard), parameters: .none,
                in: app))
        segments = makeSegments(in: app)
    }

    private static func rootScene(for auth: Auth, in storyboard: Storyboard) -> Scene {
        if auth == .loggedOut, let loginScene = storyboard.loginScene { return loginScene }
        return storyboard.segments.first?.scene ?? storyboard.initialScene
    }

    /// Returns the segments of a new app root, with the first one selected.
    private func makeSegments(in app: App) -> Segments? {
        guard root == .app, !app.storyboard.segments.isEmpty else { return nil }
        var segments = Segments(count: app.storyboard.segments.count)
        segments.setRoot(stack.root.id, of: 0)
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

    /// Replaces the stack and the segments by the new root for `auth`.
    mutating func swapRoot(to auth: Auth, in app: App) {
        self.auth = auth
        let scene = Self.rootScene(for: auth, in: app.storyboard)
        stack = NavigationStack(root: makeViewController(scene, in: app))
        segments = makeSegments(in: app)
    }

    /// Returns the existing view controller with this id: on the stack, or the kept root of a
    /// segment.
    /// - Throws: `.viewControllerNotFound` if there is none.
    func viewController(_ id: ViewController.ID) throws(NavigationError) -> ViewController {
        if let index = stack.index(of: id) { return stack.viewControllers[index] }
        guard let kept = segments?.keptRoot(id) else { throw .viewControllerNotFound(id) }
        return kept
    }

    /// Returns the existing view controller with this id; nil if there is none.
    public func liveViewController(_ id: ViewController.ID) -> ViewController? {
        try? viewController(id)
    }

    /// Shows the top view controller: loads it if necessary, and returns the events of the
    /// transition.
    mutating func display(animated: Bool, replacing old: ViewController?) -> [LifecycleEvent] {
        // The ids and scenes are copied once instead of once for each event.
        let new = (id: topViewController.id, scene: topViewController.scene.name)
        let old = old.map { (id: $0.id, scene: $0.scene.name) }
        let isViewLoaded = topViewController.isViewLoaded
        var events: [LifecycleEvent] = []
        events.reserveCapacity(lifecycle.callbacks.count)
        for (kind, side) in lifecycle.callbacks {
            guard let subject = side == .new ? new : old else { continue }
            if kind == .viewDidLoad, isViewLoaded { continue }
            lastEvent += 1
            events.append(
                LifecycleEvent(
                    seq: lastEvent, revision: revision, kind: kind, viewController: subject.id,
                    scene: subject.scene, animated: animated))
        }
        if !isViewLoaded {
            stack.update(at: stack.viewControllers.count - 1) { $0.isViewLoaded = true }
        }
        return events
    }
}

/// The login state of the session. The root of the window depends only on this value.
public enum Auth: Sendable, Equatable {
    case loggedOut
    /// A user is logged in. The username is nil in an app without a login.
    case loggedIn(username: String?)
}
