/// An action of an app's user, or a navigation by the app's code. The names of scenes, the
/// identifiers of segues and the paths are those of the storyboard.
public enum TraceAction: Equatable, Sendable {
    /// The back button, or the swipe from the left edge.
    case back
    /// A tap of the row with this title.
    case select(String)
    case selectRow(Int)
    /// A tap of the control with this title: a bar button item, a button, a row, a segment or a
    /// tab.
    case tap(String)
    /// A tap of the tab with this title.
    case tapTab(String)
    /// A tap of the segment with this title.
    case selectSegment(String)
    /// A link into the app, by its path.
    case open(String)
    /// A segue by its identifier.
    case segue(String)
    /// An unwind action.
    case unwind(String)
    /// The gesture that dismisses a sheet.
    case swipeDown
    case logIn(String)
    case signUp(String)
    case logOut
    /// A push of this scene by the app's code. The following cases are calls of the app's code,
    /// too.
    case push(String)
    case pop, popToRoot
    case present(String)
    case dismiss
}

extension JSONLine {
    mutating func member(_ name: String, of action: TraceAction) {
        switch action {
        case .back: member(name, "back")
        case .select(let title): step(name, "select", title)
        case .selectRow(let row):
            member(name) {
                $0.object { $0.member("select") { $0.object { $0.member("row", row) } } }
            }
        case .tap(let title): step(name, "tap", title)
        case .tapTab(let title): step(name, "tap-tab", title)
        case .selectSegment(let title): step(name, "selected-segment", title)
        case .open(let path): step(name, "open", path)
        case .segue(let identifier): step(name, "segue", identifier)
        case .unwind(let action): step(name, "unwind", action)
        case .swipeDown: member(name, "swipe-down")
        case .logIn(let username): step(name, "log-in", username)
        case .signUp(let username): step(name, "sign-up", username)
        case .logOut: member(name, "log-out")
        case .push(let scene): step(name, "push", scene)
        case .pop: member(name, "pop")
        case .popToRoot: member(name, "pop-to-root")
        case .present(let scene): step(name, "present", scene)
        case .dismiss: member(name, "dismiss")
        }
    }

    /// Writes an action with its argument, in the form of a step in a flow file.
    private mutating func step(_ name: String, _ action: String, _ argument: String) {
        member(name) { $0.object { $0.member(action, argument) } }
    }

    mutating func members(of screen: TraceScreen) {
        member("stack") { line in
            line.array(screen.stack) { line, viewController in
                line.object { line in
                    line.member("scene", viewController.scene)
                    if let title = viewController.title { line.member("title", title) }
                }
            }
        }
        if let back = screen.back { member("back", back) }
        if let tab = screen.tab { member("tab", tab) }
        if let layers = screen.layers { member("layers", layers) }
        if let rows = screen.rows { member("rows", rows) }
    }
}
