import Navigation
import Sessions
import WaypostAPI

/// Explores an app breadth-first: tries each action of a user, and each segue that the app's code
/// can perform, in each state that it reaches.
///
/// A state is what a window shows. Two windows are in the same state if they differ only in the ids
/// of their view controllers.
public struct Exploration {
    public struct Limits: Sendable {
        /// The maximum number of rows of data that the exploration selects in each table; nil to
        /// select all rows. Rows that the storyboard itself lists are always selected.
        public var rows: Int? = 3
        /// The maximum number of actions between the launch of the app and a state.
        public var depth = 30
        public var states = 100_000

        public init() {}
    }

    /// An action that the exploration tries: a gesture of the user, a log-in or log-out, a segue
    /// that the app's code performs, or a link.
    enum Action: Sendable {
        case tap(Tap)
        case segue(String)
        case swipeDown
        case logIn, logOut
        case open(Link)

        /// Whether the action is a gesture of the user on the screen.
        var isGesture: Bool {
            switch self {
            case .tap, .swipeDown: true
            case .segue, .logIn, .logOut, .open: false
            }
        }

        var operation: Navigation.Operation {
            switch self {
            case .tap(let tap): Operation(TapControl(tap))
            case .segue(let identifier): Operation(PerformSegue(identifier))
            case .swipeDown: Operation(SwipeDown())
            case .logIn: Operation(LogIn(username: "ada"))
            case .logOut: Operation(LogOut())
            case .open(let link): Operation(Open(link))
            }
        }
    }

    struct State {
        /// The index in `states` of the preceding state on the shortest path from the launch; nil
        /// for the state at the launch.
        let parent: Int32?
        let action: Action?
        let depth: Int32
        /// The scene on top of the stack.
        let scene: Scene
    }

    /// An action that was performed in one state and led to another. `state` and `target` are
    /// indices in `Exploration.states`.
    struct Use {
        let state: Int
        let action: Action
        let target: Int
    }

    /// An action that was refused in a state. `state` is an index in `Exploration.states`, and
    /// `code` is the problem code that says why, such as `scene-not-found`.
    struct Refusal {
        let state: Int
        let action: Action
        let code: String
    }

    let app: App
    let limits: Limits
    private(set) var states: [State] = []
    var transitions = 0
    /// The limits at which the exploration has stopped: `depth`, `states`, or both.
    private(set) var stops: Set<ExplorationReport.Limit> = []
    /// The indices of the states in which no action was tried because of a limit.
    private(set) var unexplored: [Int32] = []
    /// The indices of the states in which `Limits.rows` left out rows that a user can tap.
    private(set) var shortened: [Int32] = []
    /// For each scene name, the index of the first explored state in which this scene is on top of
    /// the stack.
    private(set) var firstOfScene: [Scene.Name: Int] = [:]
    /// The first action that performed each segue. The key is `scene.identifier`, with the names of
    /// the scene and of the segue.
    private(set) var firstOfSegue: [String: Use] = [:]
    var firstOfLink: [String: Use] = [:]
    private(set) var tabs: Set<String> = []
    private(set) var refusals: [Refusal] = []
    var findings = FindingList()
    private var known: [Int: Int32] = [:]
    private var waiting: [(index: Int, window: Window)] = []
    private var next = 0
    /// The transitions that a user's gestures cause, as pairs of indices in `states`.
    private(set) var sources: [(from: Int32, to: Int32)] = []
    private(set) var roots: [Int32] = []
    /// The parameters of the rows that the exploration has seen, without duplicates. The links to
    /// scenes take their parameters from these rows.
    private(set) var rowParameters: [[String: String]] = []
    private var knownParameters: Set<[String: String]> = []

    public init(_ app: App, _ limits: Limits = Limits()) {
        self.app = app
        self.limits = limits
    }

    /// Explores the app from its launch until no new state appears or a limit is reached.
    /// - Parameter note: called after every 1,024 explored states with the numbers of states and
    ///   transitions so far.
    /// - Returns: the size of the explored app, and the problems that were found.
    public mutating func run(note: (Int, Int) -> Void = { _, _ in }) -> ExplorationReport {
        let clock = ContinuousClock()
        let start = clock.now
        _ = add(Window.launch(app).window, from: nil, by: nil)
        walk(note)
        openLinks()
        walk(note)
        findDeadEnds()
        findUnused()
        return ExplorationReport(
            app: app.storyboard.name, states: states.count, transitions: transitions,
            depth: Int(states.map(\.depth).max() ?? 0), limits: limits, stops: stops,
            hasLeftOutRows: !shortened.isEmpty, findings: findings.all,
            seconds: (clock.now - start) / .seconds(1))
    }

    /// Returns the actions that lead from the launch of the app to a state, in order.
    /// - Parameter index: the index of the state in `states`.
    func path(to index: Int) -> [Action] {
        var path: [Action] = []
        var index = index
        while let parent = states[index].parent, let action = states[index].action {
            path.append(action)
            index = Int(parent)
        }
        return path.reversed()
    }

    /// Returns the window of a state. Launches the app and performs all actions that lead to the
    /// state again, because `states` does not keep the windows.
    /// - Parameter index: the index of the state in `states`.
    func window(of index: Int) -> Window {
        var window = Window.launch(app).window
        for action in path(to: index) {
            if let next = try? window.performing(action.operation, animated: true, in: app) {
                window = next.0
            }
        }
        return window
    }

    static func code(of error: NavigationError) -> String {
        error.code.rawValue
    }

    // MARK: The walk

    private mutating func walk(_ note: (Int, Int) -> Void) {
        while next < waiting.count {
            let (index, window) = waiting[next]
            // The list no longer needs this window, and so its memory is released here.
            waiting[next].window = waiting[0].window
            next += 1
            if next % 1024 == 0 { note(states.count, transitions) }
            guard states[index].depth < limits.depth else {
                leave(index, at: .depth)
                continue
            }
            guard states.count < limits.states else {
                leave(index, at: .states)
                continue
            }
            for action in actions(in: window, index) { take(action, from: index, window) }
        }
    }

    private mutating func leave(_ index: Int, at limit: ExplorationReport.Limit) {
        stops.insert(limit)
        unexplored.append(Int32(index))
    }

    private mutating func take(_ action: Action, from index: Int, _ window: Window) {
        transitions += 1
        do throws(NavigationError) {
            let (after, outcome) = try window.performing(
                action.operation, animated: true, in: app)
            guard outcome.changed else { return }
            let target = add(after, from: index, by: action)
            if action.isGesture { sources.append((Int32(index), Int32(target))) }
            noteUse(Use(state: index, action: action, target: target), in: window)
        } catch {
            let code = Self.code(of: error)
            refusals.append(Refusal(state: index, action: action, code: code))
            noteRefusal(of: action, in: window, error, code)
        }
    }

    mutating func add(_ window: Window, from parent: Int?, by action: Action?) -> Int {
        let key = window.explorationKey
        if let index = known[key] { return Int(index) }
        let index = states.count
        known[key] = Int32(index)
        let depth = parent.map { states[$0].depth + 1 } ?? 0
        states.append(
            State(
                parent: parent.map { Int32($0) }, action: action, depth: depth,
                scene: window.topViewController.scene))
        waiting.append((index, window))
        look(at: window, index)
        return index
    }

    private mutating func actions(in window: Window, _ index: Int) -> [Action] {
        let top = window.topViewController
        var actions: [Action] = []
        let (above, below) = window.tapsAroundRows(in: app)
        actions += above.map { .tap($0) }
        let count = window.screen.rowCount
        let isListed = top.scene.fixedRows != nil
        let rows = isListed ? count : min(limits.rows ?? count, count)
        let taps = app.rowTaps(0..<rows, of: top, isBare: window.isBare)
        if rows < count, !taps.isEmpty { shortened.append(Int32(index)) }
        actions += taps.map { .tap($0) }
        actions += below.map { .tap($0) }
        let tapped = Set(
            actions.compactMap { if case .tap(let tap) = $0 { tap.segue } else { nil } })
        for segue in top.scene.segues
        where segue.action != .custom && !tapped.contains(segue.identifier) {
            // The segue that the rows of a table perform is left out here: the taps on the first
            // rows, up to `limits.rows`, try it.
            if segue.identifier != top.scene.selectSegue {
                actions.append(.segue(segue.identifier))
            }
        }
        if window.layers.count > 1 { actions.append(.swipeDown) }
        if app.storyboard.loginScene != nil {
            actions.append(window.root == .login ? .logIn : .logOut)
        }
        return actions
    }

    // MARK: What is noted

    private mutating func look(at window: Window, _ index: Int) {
        let top = window.topViewController
        let scene = top.scene
        if firstOfScene[scene.name] == nil { firstOfScene[scene.name] = index }
        if window.viewControllers.count == 1, window.layers.count == 1 {
            roots.append(Int32(index))
        }
        let layer = window.activeLayer
        if let tabScene = layer.tabBarScene {
            tabs.insert("\(tabScene.name).\(layer.selectedIndex)")
        }
        if window.root == .login, scene.access == .app {
            findings.add(
                .error, "app-scene-at-login", scene.name,
                "the scene \(scene.name) of the app is shown at the login root")
        }
        if (top.effectiveTitle ?? "").isEmpty, window.titleView == nil, !window.isBare {
            findings.add(
                .warning, "no-title", scene.name, "the scene \(scene.name) has no title")
        }
        if let below = window.viewControllers.dropLast().last, window.backButton != nil,
            (below.navigationItem.backButtonTitle ?? below.effectiveTitle ?? "").isEmpty
        {
            findings.add(
                .warning, "no-back-title", scene.name,
                "the back button of \(scene.name) has no title: it leads to \(below.scene.name)")
        }
        for row in app.rows(0..<min(limits.rows ?? 1000, 1000), of: top) {
            var parameters: [String: String] = [:]
            for name in row.parameters.names { parameters[name] = row.parameters[name] }
            if !parameters.isEmpty, knownParameters.insert(parameters).inserted {
                rowParameters.append(parameters)
            }
        }
    }

    private mutating func noteUse(_ use: Use, in window: Window) {
        let scene = window.topViewController.scene
        let segue: String? =
            switch use.action {
            case .tap(let tap): tap.segue
            case .segue(let identifier): identifier
            default: nil
            }
        guard let segue else { return }
        let name = "\(scene.name).\(segue)"
        if firstOfSegue[name] == nil { firstOfSegue[name] = use }
    }

    private mutating func noteRefusal(
        of action: Action, in window: Window, _ error: NavigationError, _ code: String
    ) {
        let scene = window.topViewController.scene
        let what: String
        switch action {
        case .tap(let tap): what = "the \(tap.place.rawValue) \(tap.title) of \(scene.name)"
        case .segue(let identifier): what = "the segue \(identifier) of \(scene.name)"
        default: return
        }
        if case .loginRequired(let name) = error {
            findings.add(
                .error, "app-scene-at-login", "\(what)\(name)",
                "\(what) leads from the login root to \(name), a scene of the app")
        } else {
            findings.add(.error, "refused", "\(what)\(code)", "\(what) is refused with \(code)")
        }
    }
}

extension Screen {
    var rowCount: Int { if case .table(let count) = self { count } else { 0 } }
}
