/// The complete navigation state of one session: the log-in state, the layers and the navigation
/// stacks. A window is a value type. Only `perform` changes a window.
public struct Window: Sendable, Equatable {
    public enum Root: String, Sendable {
        case login, app
    }

    public let lifecycle: LifecycleOrder
    /// Whether the session is strict. A strict session accepts only operations that a user of the
    /// app can perform, such as a tap.
    public let isStrict: Bool
    // The bits lie apart from the names, where they take no memory of their own.
    private var flagBits: UInt16 = 0
    /// The version number of the window's state. It is 1 for a new window and increases by one with
    /// each change.
    public internal(set) var revision = 1
    public internal(set) var auth: Auth
    /// The layers and their view controllers. Operations change them through the subscript with a
    /// `StackPosition` or through `withLayers`.
    var content: Layers
    /// The state of the segmented control; nil before the log-in, or if the app has no segmented
    /// control.
    public internal(set) var segments: Segments?
    /// The action of the user that the window carries out after the next log-in; nil if there is
    /// none.
    public internal(set) var pending: PendingAction?
    /// The flags of the session, which outlive each log-in and log-out.
    public internal(set) var flags: Flags {
        get { Flags(names: flagNames, bits: flagBits) }
        set { (flagNames, flagBits) = (newValue.names, newValue.bits) }
    }
    private var flagNames: [String] = []
    /// The gestures of the operation in progress; empty between operations.
    var gestures: [Gesture] = []
    /// The number of the newest lifecycle event of the session; 0 before the first event.
    public internal(set) var lastEvent = 0
    /// The number in the id of the newest view controller.
    var lastViewController: Int
    private var rootNumber: UInt32 = 1
    private var lastNavigationControllerNumber: UInt32 = 1

    /// The id of the only navigation controller in a window whose content is `.single`. In any
    /// other window, the value means nothing and is always `nc1`.
    var rootNavigationController: NavigationController.ID {
        get { NavigationController.ID(number: Int(rootNumber)) }
        set { rootNumber = UInt32(clamping: newValue.number) }
    }
    /// The number in the id of the newest navigation controller.
    var lastNavigationController: Int {
        get { Int(lastNavigationControllerNumber) }
        set { lastNavigationControllerNumber = UInt32(clamping: newValue) }
    }

    public var root: Root { auth == .loggedOut ? .login : .app }
    /// The deep link that the window opens after the next log-in, in its normal form: a path with a
    /// query. Nil if there is none.
    public var pendingLink: String? { pending?.link }
    /// Whether a user is logged in, or the app has no log-in.
    public var isLoggedIn: Bool { if case .loggedIn = auth { true } else { false } }
    /// The navigation stack that contains the visible view controller.
    public var stack: NavigationStack { self[activePosition] }
    /// The view controllers on the stack of the visible view controller, root first.
    public var viewControllers: [ViewController] { stack.viewControllers }
    /// The visible view controller.
    public var topViewController: ViewController { stack.top }

    /// Creates a window in its initial state, and displays it for the first time.
    /// - Parameters:
    ///   - lifecycle: the order of the lifecycle callbacks; nil for the storyboard's.
    ///   - username: the user who is logged in at the start; ignored if the app has no log-in.
    ///   - isStrict: whether the session is strict; nil if the storyboard decides.
    /// - Returns: the window, and the lifecycle events of its first display.
    public static func launch(
        _ app: App, lifecycle: LifecycleOrder? = nil, username: String? = nil,
        isStrict: Bool? = nil
    ) -> (window: Window, events: [LifecycleEvent]) {
        let hasLogin = app.storyboard.loginScene != nil
        let auth: Auth =
            hasLogin && username == nil
            ? .withoutUser(in: app.storyboard) : .loggedIn(username: hasLogin ? username : nil)
        var window = Window(
            lifecycle: lifecycle ?? app.storyboard.lifecycle,
            isStrict: isStrict ?? app.storyboard.isStrict, auth: auth, firstViewController: 1,
            in: app)
        let events = window.displayFirst(in: app)
        return (window, events)
    }

    /// Creates a window that already has flags and shows a deep link in its first revision. The
    /// result is the same as if the flags had been set, and the link opened, right after the launch.
    /// If the link requires a log-in and no user is logged in, the window shows the login scene and
    /// keeps the link as `pending`.
    /// - Parameters:
    ///   - link: the link; nil for the initial scene.
    ///   - flags: the flags whose values differ from the storyboard's.
    ///   - lifecycle: the order of the lifecycle callbacks; nil for the storyboard's.
    ///   - username: the user who is logged in at the start; ignored if the app has no log-in.
    ///   - isStrict: whether the session is strict; nil if the storyboard decides.
    /// - Throws: the reason why the link cannot be opened, or why a flag cannot be set.
    public static func launch(
        _ app: App, opening link: Link?, flags: [String: Bool] = [:],
        lifecycle: LifecycleOrder? = nil, username: String? = nil, isStrict: Bool? = nil
    ) throws(NavigationError) -> (window: Window, events: [LifecycleEvent]) {
        var (first, events) = launch(
            app, lifecycle: lifecycle, username: username, isStrict: isStrict)
        try first.set(flags)
        guard let link else { return (first, events) }
        var (window, outcome) = try first.performing(
            Operation(Open(link)), animated: false, in: app)
        window.revision = first.revision
        // The request that makes the window says nothing about the log-in's animation.
        window.pending = window.pending.map {
            PendingAction(viewController: $0.viewController, $0.operation)
        }
        return (window, events + outcome.events.map { $0.moved(to: first.revision) })
    }

    /// Creates a window in its initial state, before its first display.
    init(
        lifecycle: LifecycleOrder, isStrict: Bool, auth: Auth, firstViewController number: Int,
        firstNavigationController: Int = 1, in app: App
    ) {
        self.lifecycle = lifecycle
        self.isStrict = isStrict
        self.auth = auth
        lastViewController = number - 1
        content = .several([])
        flags = app.storyboard.flags
        lastNavigationController = firstNavigationController - 1
        buildRoot(in: app)
    }

    /// Returns a copy of the window as the initial state of another session. The revisions and
    /// events of the copy are numbered from 1 again.
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

    /// Returns the initial state of the segmented control, with the first segment selected; nil
    /// before the log-in, or if the app has no segmented control.
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

    /// Sets the log-in state. Replaces all layers and the segmented control by those with which the
    /// window starts in this state.
    mutating func swapRoot(to auth: Auth, in app: App) {
        self.auth = auth
        buildRoot(in: app)
    }

    /// Replaces all layers and the segmented control by those with which the window starts in the
    /// present log-in state.
    private mutating func buildRoot(in app: App) {
        let scene = Self.rootScene(for: auth, in: app.storyboard)
        let isBare = app.storyboard.isBareRoot(scene)
        if scene.kind.isContainer || isBare {
            // The roots of a scene that is no container are the scene itself, in no navigation
            // controller.
            let roots = app.storyboard.roots(of: scene).map { ($0, Parameters.none) }
            content = .several([
                makeLayer(
                    scene, roots, style: nil, presenter: nil,
                    isModal: !isBare && scene.isModalInPresentation, in: app)
            ])
            normalize()
        } else {
            rootNavigationController = makeNavigationControllerID()
            content = .single(NavigationStack(root: makeViewController(scene, in: app)))
        }
        segments = makeSegments(in: app)
    }
}

/// The log-in state of a session. It determines whether the window shows the login scene or the
/// app.
public enum Auth: Sendable, Equatable {
    /// Nobody is logged in, and the window shows the login root.
    case loggedOut
    /// Nobody is logged in, and the window shows the app root: the user is a guest of the app.
    case guest
    /// A user is logged in, or the app has no log-in. Without a log-in, the username is nil.
    case loggedIn(username: String?)

    /// The user who is logged in; nil if there is none.
    public var username: String? {
        if case .loggedIn(let username) = self { username } else { nil }
    }

    /// Returns the state in which nobody is logged in to an app that has a log-in.
    static func withoutUser(in storyboard: Storyboard) -> Auth {
        storyboard.hasGuests ? .guest : .loggedOut
    }
}
