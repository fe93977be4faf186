import NavigationRules

extension Exploration {
    /// An action that the exploration tries: a gesture of the user, a log-in or log-out, a segue
    /// that the app's code performs, or a link.
    enum Action: Sendable {
        case tap(Tap)
        case segue(String)
        case swipeDown
        /// A tap on a back button or a tab that the app refuses, nil for a swipe down; and the segue
        /// that follows the refusal, nil if there is none.
        case refused(Tap?, segue: String?)
        case logIn, signUp, logOut
        case open(Link)
        /// The launch with flags whose values differ from the storyboard's.
        case launch([String: Bool])

        /// Whether the action is a gesture of the user on the screen.
        var isGesture: Bool {
            switch self {
            case .tap, .swipeDown, .refused: true
            case .segue, .logIn, .signUp, .logOut, .open, .launch: false
            }
        }

        var operation: NavigationRules.Operation {
            switch self {
            case .tap(let tap): Operation(TapControl(tap))
            case .segue(let identifier): Operation(PerformSegue(identifier))
            case .swipeDown, .refused(nil, _): Operation(SwipeDown())
            case .refused(let tap?, _): Operation(TapControl(tap))
            case .logIn: Operation(LogIn(username: "ada"))
            case .signUp: Operation(LogIn(username: "ada", isSignUp: true))
            case .logOut: Operation(LogOut())
            case .open(let link): Operation(Open(link))
            case .launch(let flags): Operation(SetFlags(flags))
            }
        }

        var segue: String? {
            switch self {
            case .tap(let tap): tap.segue
            case .segue(let identifier): identifier
            case .refused(_, let segue): segue
            case .swipeDown, .logIn, .signUp, .logOut, .open, .launch: nil
            }
        }

        var link: Link? { if case .open(let link) = self { link } else { nil } }

        var isLogIn: Bool {
            switch self {
            case .logIn, .signUp: true
            default: false
            }
        }

        /// Whether the action shows something although it performs no segue, or would do so if the
        /// app did not refuse it.
        var showsWithoutSegue: Bool { isRow || replaces || isRefusedTab }

        var isRefusedTab: Bool {
            if case .refused(let tap?, _) = self { tap.place == .tab } else { false }
        }

        var isRow: Bool { if case .tap(let tap) = self { tap.place == .row } else { false } }

        /// Whether the action shows another stack of the same layer.
        var replaces: Bool {
            guard case .tap(let tap) = self else { return false }
            return tap.place == .tab || tap.place == .segment
        }

        /// Returns the kind of the action if it only pops in this window.
        func pop(in window: Window) -> Move.Kind? {
            switch self {
            case .swipeDown: .swipe
            case .tap(let tap) where tap.place == .backButton: .back
            case .tap(let tap)
            where tap.place == .tab && tap.index == window.activeLayer.selectedIndex:
                .popToRoot
            default: nil
            }
        }
    }

    /// Returns the actions that the exploration tries in a window, and whether it leaves out rows
    /// that a user can tap.
    func actions(in window: Window) -> (actions: [Action], leavesOutRows: Bool) {
        let top = window.topViewController
        let (above, below) = window.tapsAroundRows(in: app)
        let count = window.screen.rowCount
        let rows = top.scene.fixedRows != nil ? count : min(limits.rows ?? count, count)
        let taps = window.rowTaps(0..<rows, in: app)
        var actions = (above + taps + below).map { window.action(of: $0) }
        let tapped = Set(actions.compactMap(\.segue)).union(window.hiddenSegues(of: top.scene))
        var performed: Set<String> = []
        for segue in top.scene.segues
        where segue.action != .custom && !tapped.contains(segue.identifier) {
            // The segue that the rows of a table perform is left out here: the taps on the first
            // rows, up to `limits.rows`, try it.
            if segue.identifier != top.scene.selectSegue,
                performed.insert(segue.identifier).inserted
            {
                actions.append(.segue(segue.identifier))
            }
        }
        if window.layers.count > 1 {
            let veto = window.vetoOnSwipeDown
            actions.append(veto.map { .refused(nil, segue: $0.segue) } ?? .swipeDown)
        }
        return (actions, rows < count && !taps.isEmpty)
    }
}

extension Window {
    /// Returns the action of a tap, which the app may refuse.
    fileprivate func action(of tap: Tap) -> Exploration.Action {
        let veto: Veto? =
            switch tap.place {
            case .backButton: vetoOnPop
            case .tab: veto(onTab: tap.index)
            default: nil
            }
        return veto.map { .refused(tap, segue: $0.segue) } ?? .tap(tap)
    }

    /// Returns the segues of a scene whose controls flags hide. The app's code performs them no more
    /// than the user does.
    fileprivate func hiddenSegues(of scene: Scene) -> [String] {
        guard scene.hasConditions else { return [] }
        let controls = scene.controls.all.filter { !holds($0.when) }.compactMap(\.segue)
        let rows = (scene.fixedRows ?? []).filter { !holds($0.when) }
        return controls + rows.flatMap { [$0.segue, $0.accessorySegue].compactMap(\.self) }
    }
}

extension Screen {
    var rowCount: Int { if case .table(let count) = self { count } else { 0 } }
}
