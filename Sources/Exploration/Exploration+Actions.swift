import Navigation

extension Exploration {
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

        var segue: String? {
            switch self {
            case .tap(let tap): tap.segue
            case .segue(let identifier): identifier
            case .swipeDown, .logIn, .logOut, .open: nil
            }
        }

        var link: Link? { if case .open(let link) = self { link } else { nil } }

        /// Whether the action shows something although it performs no segue.
        var showsWithoutSegue: Bool { isRow || replaces }

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
        var actions = (above + taps + below).map { Action.tap($0) }
        let tapped = Set(actions.compactMap(\.segue))
        for segue in top.scene.segues
        where segue.action != .custom && !tapped.contains(segue.identifier) {
            // The segue that the rows of a table perform is left out here: the taps on the first
            // rows, up to `limits.rows`, try it.
            if segue.identifier != top.scene.selectSegue {
                actions.append(.segue(segue.identifier))
            }
        }
        if window.layers.count > 1 { actions.append(.swipeDown) }
        return (actions, rows < count && !taps.isEmpty)
    }
}

extension Screen {
    var rowCount: Int { if case .table(let count) = self { count } else { 0 } }
}
