#if os(iOS)
    import Foundation
#endif

/// Records the actions of an app's user, with the callbacks and the screens that follow each
/// action. The command `waypost verify` compares the recorded lines with the app's storyboard and
/// with UIKit's rules.
///
/// A recorder writes JSON lines. The first line describes the trace, and each further line is a
/// step: an action with the callbacks and the stack that follow it. docs/testing.md describes the
/// format, and shows how to connect a recorder to a `UINavigationController`. Use a recorder on one
/// thread only; in an app, this is the main thread.
public final class TraceRecorder {
    /// The order in which view controllers get their appearance callbacks: UIKit's own order
    /// (`native`), or that of an app whose navigation delegate makes these calls itself
    /// (`forwarded`).
    public enum Lifecycle: String, Sendable {
        case native, forwarded
    }

    /// A callback of UIKit to a view controller (`viewDidLoad` and the other `view…` cases), or to
    /// the delegate of its navigation controller (`willShow` and `didShow`), of its presentation
    /// controller, or of its tab bar controller (`shouldSelect` and `didSelect`).
    public enum Callback: String, Sendable, CaseIterable {
        case viewDidLoad
        case willShow, didShow
        case viewWillAppear, viewDidAppear
        case viewWillDisappear, viewDidDisappear
        case viewIsAppearing
        case presentationControllerShouldDismiss, presentationControllerWillDismiss
        case presentationControllerDidDismiss
        case shouldSelect, didSelect

        /// The callbacks that every app can record without further delegates.
        public static let standard: [Callback] = [
            .viewDidLoad, .willShow, .didShow, .viewWillAppear, .viewDidAppear,
            .viewWillDisappear, .viewDidDisappear,
        ]

        /// Whether the callback can be the first one of a transition.
        fileprivate var beginsTransition: Bool {
            switch self {
            case .viewDidLoad, .willShow, .viewWillAppear, .viewWillDisappear, .shouldSelect,
                .presentationControllerShouldDismiss, .presentationControllerWillDismiss:
                true
            case .didShow, .viewDidAppear, .viewDidDisappear, .viewIsAppearing, .didSelect,
                .presentationControllerDidDismiss:
                false
            }
        }
    }

    private struct Step {
        var action: TraceAction?
        var callbacks: [String] = []
        var screen: TraceScreen?
    }

    private let write: (String) -> Void
    private var step: Step?

    /// Creates a recorder, and writes the first line of the trace. This line contains the values of
    /// the parameters below, except `write`.
    /// - Parameters:
    ///   - app: the name of the app, for reports.
    ///   - uikit: the major version of iOS, such as 18, whose rules the trace must follow. By
    ///     default, this is the version that runs the app on iOS. The line has no version elsewhere,
    ///     and `waypost verify` then takes that of the storyboard.
    ///   - lifecycle: the order of the callbacks.
    ///   - username: the user who is logged in when the app launches; nil if nobody is.
    ///   - flags: the flags whose values differ from the storyboard's when the app launches.
    ///   - scenes: the scene names of the storyboard. The keys are the names that the app passes to
    ///     `called` and in a `TraceScreen`. A name that is not a key is itself a scene name.
    ///   - callbacks: the callbacks that the app records. `waypost verify` does not compare others.
    ///   - write: called with each line, which ends with a line feed.
    public init(
        app: String, uikit: Int? = nil, lifecycle: Lifecycle = .native, username: String? = nil,
        flags: [String: Bool] = [:], scenes: [String: String] = [:],
        callbacks: [Callback] = Callback.standard,
        write: @escaping (String) -> Void
    ) {
        self.write = write
        var line = JSONLine()
        line.member("waypostTrace", 1)
        line.member("app", app)
        if let uikit = uikit ?? Self.runningVersion { line.member("uikit", uikit) }
        line.member("lifecycle", lifecycle.rawValue)
        if let username { line.member("username", username) }
        if !flags.isEmpty { line.member("flags", flags) }
        if !scenes.isEmpty { line.member("scenes", scenes) }
        if callbacks != Callback.standard {
            line.member("callbacks", callbacks.map(\.rawValue))
        }
        write(line.text)
    }

    private static var runningVersion: Int? {
        #if os(iOS)
            ProcessInfo.processInfo.operatingSystemVersion.majorVersion
        #else
            nil
        #endif
    }

    /// Ends the previous step, and begins a new step with this action.
    ///
    /// An app knows only at the end of a swipe from the left edge whether the user has completed it.
    /// `swipeBack` is therefore the action of the current step, if this step has callbacks, but no
    /// action and no screen.
    public func did(_ action: TraceAction) {
        if case .swipeBack = action, let step, step.action == nil, step.screen == nil {
            self.step?.action = action
            return
        }
        finish()
        step = Step(action: action)
    }

    /// Records a callback.
    ///
    /// The app reports a user's action with `did`, which begins a step. A transition can also begin
    /// without `did`, for example if the user swipes from the left edge. A callback that can begin a
    /// transition therefore begins a new step without an action, if a screen has already been
    /// recorded for the current step. `waypost verify` then looks for an action that explains the
    /// new step.
    /// - Parameter scene: the name of a screen. For a callback to a view controller, this is its
    ///   own screen; for a callback to the delegate, the screen that the navigation controller
    ///   shows.
    public func called(_ callback: Callback, on scene: String) {
        if callback.beginsTransition, step?.screen != nil { finish() }
        var current = step ?? Step(action: nil)
        current.callbacks.append("\(callback.rawValue) \(scene)")
        step = current
    }

    /// Records the screen that the app shows after a transition. For a push or a pop, call this
    /// method in the delegate's `didShow`.
    public func shows(_ screen: TraceScreen) {
        var current = step ?? Step(action: nil)
        current.screen = screen
        step = current
    }

    /// Ends the current step and writes its line. Call this method after the last action, because
    /// the last step is lost otherwise.
    public func finish() {
        guard let step else { return }
        self.step = nil
        var line = JSONLine()
        if let action = step.action { line.member("did", of: action) }
        line.member("callbacks", step.callbacks)
        if let screen = step.screen { line.members(of: screen) }
        write(line.text)
    }
}

/// The state of an app's screen, as a trace records it.
public struct TraceScreen: Equatable, Sendable {
    /// A view controller on the visible stack.
    public struct ViewController: Equatable, Sendable {
        /// The name of the screen: a scene name of the storyboard, or a key of the dictionary
        /// `scenes` with which the recorder was created.
        public var scene: String
        /// The title in the navigation bar; nil to leave it out of the comparison.
        public var title: String?

        public init(_ scene: String, title: String? = nil) {
            self.scene = scene
            self.title = title
        }
    }

    /// The view controllers of the visible navigation controller, root first.
    public var stack: [ViewController]
    /// The title of the back button; nil to leave it out of the comparison.
    public var back: String?
    /// The title of the selected tab; nil to leave it out of the comparison.
    public var tab: String?
    /// The number of layers: 1 plus the number of screens that are presented modally; nil to leave
    /// the number out of the comparison.
    public var layers: Int?
    /// The titles of all rows of the visible table; nil to leave them out of the comparison.
    public var rows: [String]?

    public init(
        _ stack: [ViewController], back: String? = nil, tab: String? = nil, layers: Int? = nil,
        rows: [String]? = nil
    ) {
        self.stack = stack
        self.back = back
        self.tab = tab
        self.layers = layers
        self.rows = rows
    }
}
