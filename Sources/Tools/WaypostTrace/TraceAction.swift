/// An action of an app's user, or a navigation that the app's code starts. Scenes, segues and links
/// are given by their names, identifiers and paths in the app's storyboard.
public enum TraceAction: Equatable, Sendable {
    /// A tap of the back button.
    case back
    /// A swipe from the left edge. If the user lets go early, it is not completed.
    case swipeBack(completed: Bool = true)
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
    /// The opening of a link into the app. The value is the link's URL path, such as
    /// `/books/emma`.
    case open(String)
    /// The segue with this identifier, which a control or the app's code performs.
    case segue(String)
    /// An unwind to the nearest view controller whose scene has the unwind action with this name.
    case unwind(String)
    /// The swipe that dismisses a sheet.
    case swipeDown
    case logIn(String)
    case signUp(String)
    case logOut
    /// The app's code sets flags of the storyboard.
    case setFlags([String: Bool])
    /// The app's code pushes the screen with this name: a scene name of the storyboard, or a key of
    /// the dictionary `scenes` with which the recorder was created. This case and all cases below
    /// are navigations that the app's code starts.
    case push(String)
    case pop, popToRoot
    case present(String)
    case dismiss
}

extension JSONLine {
    mutating func member(_ name: String, of action: TraceAction) {
        switch action {
        case .back: member(name, "back")
        case .swipeBack(completed: true): member(name, "swipe-back")
        case .swipeBack(completed: false): step(name, "swipe-back", "cancelled")
        case .select(let title): step(name, "select-row", title)
        case .selectRow(let row):
            member(name) {
                $0.object { $0.member("select-row") { $0.object { $0.member("row", row) } } }
            }
        case .tap(let title): step(name, "tap", title)
        case .tapTab(let title): step(name, "tap-tab", title)
        case .selectSegment(let title): step(name, "select-segment", title)
        case .open(let path): step(name, "open", path)
        case .segue(let identifier): step(name, "perform-segue", identifier)
        case .unwind(let action): step(name, "unwind", action)
        case .swipeDown: member(name, "swipe-down")
        case .logIn(let username): step(name, "log-in", username)
        case .signUp(let username): step(name, "sign-up", username)
        case .logOut: member(name, "log-out")
        case .setFlags(let flags): member(name) { $0.object { $0.member("set-flags", flags) } }
        case .push(let scene): step(name, "push", scene)
        case .pop: member(name, "pop")
        case .popToRoot: member(name, "pop-to-root")
        case .present(let scene): step(name, "present", scene)
        case .dismiss: member(name, "dismiss")
        }
    }

    /// Writes a member with an action and its argument, such as `"did":{"tap":"Buy"}`.
    /// - Parameter name: the name of the member, such as `did`.
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
