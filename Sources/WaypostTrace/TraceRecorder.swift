/// Records the actions of an app's user, with the callbacks and the screens that follow each
/// action. `waypost verify` compares the recorded lines with the app's storyboard and with UIKit's
/// rules.
///
/// A recorder writes JSON lines. The first line describes the trace, and each further line is a
/// step: an action with the callbacks and the stack that follow it. docs/testing.md has the format,
/// and an adapter for a `UINavigationController`. A recorder is used on one thread, which in an app
/// is the main thread.
public final class TraceRecorder {
    /// The order of the callbacks: UIKit's own (`native`), or that of an app whose navigation
    /// delegate calls the appearance callbacks of the view controllers itself (`forwarded`).
    public enum Lifecycle: String, Sendable {
        case native, forwarded
    }

    /// A callback of UIKit to a view controller (`view…`), or to the delegate of its navigation
    /// controller.
    public enum Callback: String, Sendable, CaseIterable {
        case viewDidLoad
        case willShow, didShow
        case viewWillAppear, viewDidAppear
        case viewWillDisappear, viewDidDisappear

        /// Whether the callback can begin a transition.
        fileprivate var beginsTransition: Bool {
            switch self {
            case .viewDidLoad, .willShow, .viewWillAppear, .viewWillDisappear: true
            case .didShow, .viewDidAppear, .viewDidDisappear: false
            }
        }
    }

    private struct Step {
        let action: TraceAction?
        var callbacks: [String] = []
        var screen: TraceScreen?
    }

    private let write: (String) -> Void
    private var step: Step?

    /// Creates a recorder, and writes the first line.
    /// - Parameters:
    ///   - app: the name of the app, for reports.
    ///   - lifecycle: the order of the callbacks.
    ///   - username: the user who is logged in at the launch; nil if nobody is.
    ///   - scenes: the storyboard's names of the app's screens, by the names that the app gives to
    ///     the recorder. A name without an entry is the storyboard's name, too.
    ///   - callbacks: the callbacks that the app records. Other callbacks are not compared.
    ///   - write: called with each line, which ends with a line feed.
    public init(
        app: String, lifecycle: Lifecycle = .native, username: String? = nil,
        scenes: [String: String] = [:], callbacks: [Callback] = Callback.allCases,
        write: @escaping (String) -> Void
    ) {
        self.write = write
        var line = JSONLine()
        line.member("waypostTrace", 1)
        line.member("app", app)
        line.member("lifecycle", lifecycle.rawValue)
        if let username { line.member("username", username) }
        if !scenes.isEmpty { line.member("scenes", scenes) }
        if callbacks.count < Callback.allCases.count {
            line.member("callbacks", callbacks.map(\.rawValue))
        }
        write(line.text)
    }

    /// Ends the previous step, and begins a step with this action of the user.
    public func did(_ action: TraceAction) {
        finish()
        step = Step(action: action)
    }

    /// Notes a callback.
    ///
    /// A callback that begins a transition after the screen has settled begins a step without an
    /// action, like the user's swipe from the left edge. `waypost verify` then looks for an action
    /// of the storyboard that explains the step.
    /// - Parameter scene: the name of the screen whose view controller receives the callback, or
    ///   whose display the delegate is told of.
    public func called(_ callback: Callback, on scene: String) {
        if callback.beginsTransition, step?.screen != nil { finish() }
        var current = step ?? Step(action: nil)
        current.callbacks.append("\(callback.rawValue) \(scene)")
        step = current
    }

    /// Notes the screen that the app shows after a transition. For a push or a pop, call this
    /// method in the delegate's `didShow`.
    public func shows(_ screen: TraceScreen) {
        var current = step ?? Step(action: nil)
        current.screen = screen
        step = current
    }

    /// Writes the step that has begun. The last step of a trace is lost without this call.
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

/// The screen of an app.
public struct TraceScreen: Equatable, Sendable {
    /// A view controller on the visible stack.
    public struct ViewController: Equatable, Sendable {
        /// The name of the screen: the storyboard's, or a name that the recorder's `scenes` map to
        /// it.
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
    /// The number of layers: 1, and one more for each presented screen; nil to leave it out.
    public var layers: Int?
    /// The titles of all rows of the visible table; nil to leave them out.
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
