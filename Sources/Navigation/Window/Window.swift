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
    public internal(set) var stack: NavigationStack
    /// Nil at the login root, and in an app without segments.
    public internal(set) var segments: Segments?
    /// The deep link that waits for the log-in.
    public internal(set) var pendingLink: Link?
    /// The number of the last lifecycle event.
    public internal(set) var lastEvent = 0
    /// The number of the newest view controller.
    var lastViewController: Int

    public var root: Root { auth == .loggedOut ? .login : .app }
    public var viewControllers: [ViewController] { stack.viewControllers }
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
        let events = window.display(animated: false, replacing: nil)
        return (window, events)
    }

    /// A fresh root, not yet displayed.
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

    /// The segments of a fresh root, the first of them selected.
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

    /// Tears the present tree down, segment roots included, and builds the root of `auth` afresh.
    mutating func swapRoot(to auth: Auth, in app: App) {
        self.auth = auth
        let scene = Self.rootScene(for: auth, in: app.storyboard)
        stack = NavigationStack(root: makeViewController(scene, in: app))
        segments = makeSegments(in: app)
    }

    /// The live instance with this id: on the stack, or a kept root of a segment.
    func viewController(_ id: ViewController.ID) throws(NavigationError) -> ViewController {
        if let index = stack.index(of: id) { return stack.viewControllers[index] }
        guard let kept = segments?.keptRoot(id) else { throw .viewControllerNotFound(id) }
        return kept
    }

    /// Returns the live instance with this id; nil if there is none.
    public func liveViewController(_ id: ViewController.ID) -> ViewController? {
        try? viewController(id)
    }

    /// Shows the top: loads it if need be, and numbers the callbacks of the transition.
    mutating func display(animated: Bool, replacing old: ViewController?) -> [LifecycleEvent] {
        // Taken out of their view controllers once, not for each event.
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

/// The user of the session. It decides the window's root, so that the two can never disagree.
public enum Auth: Sendable, Equatable {
    case loggedOut
    /// Without a username in an app that has no login.
    case loggedIn(username: String?)
}
