import NavigationRules

/// Decides which scenes, tabs, segues and links of an app a user can reach, and in which windows a
/// user is stuck.
///
/// The windows of an app are infinitely many as soon as a scene can show itself. Their heads are
/// not, see `Head`, and a pop shows no head that has not been on top before. The exploration
/// therefore walks through the heads without pops, which takes finitely many steps. `WaysOut` and
/// `DeadEnds` add the pops.
///
/// Each head keeps the window in which it was first reached until all actions have been performed
/// on this window. So the rules are those of the module `NavigationRules`, applied to the smallest
/// window with this head, and there is no second copy of them that could differ. One operation
/// takes a few microseconds; the passes after this one only handle numbers.
package struct Exploration {
    package struct Limits: Sendable {
        /// The maximum number of rows of data that the exploration selects in each table; nil to
        /// select all rows. Rows that the storyboard itself lists are always selected.
        package var rows: Int? = Limits.defaultRows
        /// The actions that the exploration performs.
        package var actions = Actions.all
        /// The number of actions after which the exploration stops, before it has reached
        /// everything; nil for no such limit.
        package var moves: Int?
        /// The number of windows after which the exploration of an app with guests or flags stops.
        package var windows = 100_000

        package static let defaultRows = 1000

        package init() {}
    }

    package enum Actions: Sendable {
        /// The actions of users, and the segues that only the app's code performs.
        case all
        /// Gestures, log-ins, log-outs and links.
        case ofUser
        case gestures
    }

    let app: App
    let limits: Limits
    /// The scenes with a link for which no row has all parameters; empty if the exploration opens no
    /// links.
    let untriedLinks: [Scene]
    /// The names of the unwind actions that a scene takes.
    let unwindActions: [String]
    /// For each content, the unwind actions that it takes.
    var takes: [UInt64] = []
    var heads: Heads
    /// For each head, how it was reached; nil for a head that has only been seen below another one.
    var visits: [Visit?] = []
    var moves: [[Move]] = []
    /// The heads that links present at once; see `Move.Kind.chain`.
    var chains: [[Int32]] = []
    var jumps: [Jump] = []
    /// The heads in the order in which they were reached.
    var order: [Int32] = []
    private var next = 0
    /// The first windows of the heads on which no action has been performed yet.
    var windows: [Window?] = []
    /// The windows of an app with guests or flags, which stand in the place of heads.
    var windowGraph = WindowGraph()
    var opened: Set<OpenedLink> = []
    private var walls: Set<Window.Root> = []
    /// The windows after links that have put something below others; see `leaveLayers`.
    var hidden: [(window: Window, use: Use, mark: Int16)] = []
    /// The heads below a link's that pops have shown, each after a head that opens the link.
    var shownParts: Set<[Int32]> = []
    /// The heads with rows that a user can tap and that were left out.
    var hasLeftOutRows: Set<Int32> = []
    /// The heads whose tab bar has a tab that the app refuses to select.
    var refusesTab: Set<Int32> = []
    /// The number of rows of the longest table of which rows were left out; 0 if there is none.
    var longestTable = 0
    /// The number of actions that were performed.
    var count = 0
    /// The number of actions that were performed again, to try others after them.
    var repeated = 0
    var findings: [Finding] = []

    /// The first use of each segue. The key is `scene.identifier`.
    var firstOfSegue: [String: Use] = [:]
    /// The first selection of a row in each scene whose rows show a scene.
    var firstOfSelect: [Scene.Name: Use] = [:]
    /// The first use of each link. The key is the pattern of the path.
    var firstOfLink: [String: Use] = [:]
    /// The unwind segues that had no effect in the windows that were tried, but perhaps have one if
    /// another tab shows something else.
    var unsureSegues: Set<String> = []
    private(set) var firstOfScene: [Scene.Name: Int32] = [:]
    /// For each tab, as `scene.index`, the first head on its stack.
    private(set) var firstOfTab: [String: Int32] = [:]
    /// For each dead end, the actions that lead there.
    var deadEnds: [Scene.Name: [Action]] = [:]
    var refusals: [String: Refusal] = [:]
    var refusedLinks: [String: (use: Use, link: ExplorationLink, reason: String)] = [:]
    /// The actions that a log-in does not carry out. The key names the scene and the action.
    var lostActions: [String: LostAction] = [:]
    /// The actions that only a limit of the window prevented, such as the maximum number of layers.
    var limited: [(head: Int32, action: Action)] = []
    /// The scenes of the links that only a limit of the window prevented.
    var limitedLinks: Set<Scene.Name> = []
    private(set) var untitled: [Scene.Name: Int32] = [:]
    private(set) var untitledBacks: [Scene.Name: (below: Scene.Name, use: Use)] = [:]

    /// A link with all that decides what it shows.
    struct OpenedLink: Hashable {
        let link: Int
        let layer: Int32
        let tab: Int16
        let bareContent: Int32
        let head: Int32
    }

    package init(_ app: App, _ limits: Limits = Limits()) {
        self.app = app
        self.limits = limits
        let rows = ExplorationLink.rows(of: app, limit: limits.rows ?? 1000)
        let (links, untried) = ExplorationLink.all(app, rows: rows)
        untriedLinks = limits.actions == .gestures ? [] : untried
        heads = Heads(app, links: links, values: Set(rows.flatMap(\.values)))
        let scenes = app.storyboard.scenes.values
        unwindActions = Set(scenes.flatMap(\.unwindActions)).sorted()
    }

    /// Whether the exploration has stopped at one of its limits.
    var isCut: Bool {
        windowGraph.isFull || limits.moves.map { count + repeated >= $0 } ?? false
    }

    /// Reaches all heads, until no action leads to a new one.
    mutating func reachAll(note: (Int, Int) -> Void = { _, _ in }) {
        if listsWindows { return walkThroughWindows(note: note) }
        repeat { walk(note: note) } while !isCut && (findUnwinds() || presentInLowerLayers())
    }

    /// Performs all actions on all heads that it reaches, until no new head appears.
    private mutating func walk(note: (Int, Int) -> Void = { _, _ in }) {
        if order.isEmpty {
            let window = Window.launch(app).window
            reach(window, from: nil, by: nil)
            jumps.append(Jump(path: [], letters: heads.letters(of: window)))
        }
        while next < order.count || !hidden.isEmpty, !isCut {
            guard next < order.count else {
                let (window, use, mark) = hidden.removeFirst()
                leaveLayers(window, use, mark: mark)
                continue
            }
            let head = order[next]
            next += 1
            if next % 1024 == 0 { note(order.count, count) }
            guard let window = windows[Int(head)] else { continue }
            windows[Int(head)] = nil
            expand(head, window)
        }
    }

    /// Returns the actions that lead from the launch to a head, in order.
    func path(to head: Int32) -> [Action] {
        var path: [Action] = []
        var head = head
        while let visit = visits[Int(head)] {
            guard let parent = visit.parent, let action = visit.action else {
                return visit.path + path.reversed()
            }
            path.append(action)
            head = parent
        }
        return path.reversed()
    }

    /// Returns the actions that lead from the launch through a use.
    func path(through use: Use) -> [Action] { (use.path ?? path(to: use.source)) + [use.action] }

    /// Performs actions from the launch or from another window. Returns nil if one is refused.
    func window(after actions: [Action], from start: Window? = nil) -> Window? {
        var window = start ?? Window.launch(app).window
        for action in actions {
            if case .launch(let flags) = action {
                guard let first = launch(flags) else { return nil }
                window = first
                continue
            }
            guard
                let next = try? window.performing(action.operation, animated: true, in: app).window
            else { return nil }
            window = next
        }
        return window
    }

    // MARK: The walk

    @discardableResult
    mutating func reach(
        _ window: Window, from parent: Int32?, by action: Action?, path: [Action] = [],
        mark: Int16 = 0
    ) -> Int32 {
        let head = heads.head(of: window, mark: mark)
        makeRoom()
        guard visits[Int(head)] == nil else { return head }
        let distance = parent.flatMap { visits[Int($0)]?.distance }.map { $0 + 1 } ?? path.count
        visits[Int(head)] = Visit(
            parent: parent, action: action, distance: distance, path: path)
        windows[Int(head)] = window
        order.append(head)
        noteFirst(window, head)
        return head
    }

    /// Notes the scene and the tab that a window shows if no window has shown them before.
    mutating func noteFirst(_ window: Window, _ head: Int32) {
        let scene = window.topViewController.scene
        if firstOfScene[scene.name] == nil { firstOfScene[scene.name] = head }
        let layer = window.activeLayer
        if let tabBar = layer.tabBarScene {
            let name = "\(tabBar.name).\(layer.selectedIndex)"
            if firstOfTab[name] == nil { firstOfTab[name] = head }
        }
        if untitled[scene.name] == nil, (window.topViewController.effectiveTitle ?? "").isEmpty,
            !window.isBare, window.titleView == nil
        {
            untitled[scene.name] = head
        }
    }

    /// Extends the lists with an element for each head.
    mutating func makeRoom() {
        let missing = heads.all.count - visits.count
        guard missing > 0 else { return }
        visits += repeatElement(nil, count: missing)
        windows += repeatElement(nil, count: missing)
        moves += repeatElement([], count: missing)
        for scene in heads.contents.dropFirst(takes.count) {
            takes.append(bits(of: scene))
        }
    }

    /// The bits of the unwind actions that a scene takes.
    func bits(of scene: Scene) -> UInt64 {
        scene.unwindActions.reduce(0) { bits, name in
            bits | (unwindActions.firstIndex(of: name).map(bit) ?? 0)
        }
    }

    /// The bit of an unwind action. The actions after the last bit share it, and what depends on it
    /// is then unknown; see `TabTargets.blocked`.
    func bit(_ action: Int) -> UInt64 { 1 << UInt64(min(action, WaysOut.lastAction)) }

    private mutating func expand(_ head: Int32, _ window: Window) {
        let (actions, isShort) = actions(in: window)
        if isShort {
            hasLeftOutRows.insert(head)
            longestTable = max(longestTable, window.screen.rowCount)
        }
        if actions.contains(where: \.isRefusedTab) { refusesTab.insert(head) }
        for action in actions {
            if case .segue = action, limits.actions != .all { continue }
            take(action, from: head, window)
        }
        guard limits.actions != .gestures else { return }
        for action in logInsAndLogOut(in: window) where !walls.contains(window.root) {
            jump(action, from: head, window)
        }
        for index in heads.links.indices { open(index, from: head, window) }
    }

    private mutating func jump(_ action: Action, from head: Int32, _ window: Window) {
        count += 1
        guard let after = try? perform(action, on: window) else { return }
        walls.insert(window.root)
        reach(after, from: head, by: action)
        addJump(path(to: head) + [action], after)
    }

    mutating func addJump(_ path: [Action], _ window: Window, mark: Int16 = 0) {
        jumps.append(Jump(path: path, letters: heads.letters(of: window, mark: mark)))
        makeRoom()
    }

    func perform(_ action: Action, on window: Window) throws(NavigationError) -> Window {
        try window.performing(action.operation, animated: true, in: app).window
    }

    private mutating func take(_ action: Action, from head: Int32, _ window: Window) {
        let isGesture = action.isGesture
        let mark = heads.all[Int(head)].mark
        if let kind = action.pop(in: window) {
            guard kind != .swipe || (try? perform(action, on: window)) != nil else { return }
            moves[Int(head)].append(Move(kind: kind, action: action, isGesture: isGesture))
            if mark != 0, let after = try? perform(action, on: window) {
                reachByPop(after, Use(source: head, action: action), mark: mark)
            }
            return
        }
        let scene = window.topViewController.scene
        let segue = action.segue.flatMap { name in scene.segues.first { $0.identifier == name } }
        if segue == nil, !action.showsWithoutSegue { return }
        count += 1
        let key = "\(scene.name).\(segue?.identifier ?? "select")"
        let use = Use(source: head, action: action)
        let after: Window
        do throws(NavigationError) {
            after = try perform(action, on: window)
        } catch {
            switch error {
            case .notAUserAction: break
            case let error where error.isLimit: limited.append((head, action))
            default: noteRefusal(use, in: scene, key, error)
            }
            return
        }
        let isChanged = after.revision != window.revision
        if isChanged {
            if segue != nil { noteUse(use, ofSegue: key) }
            noteSelection(use, in: scene)
        }
        if case .unwind(let name) = segue?.action {
            guard let number = unwindActions.firstIndex(of: name) else { return }
            moves[Int(head)].append(
                Move(
                    kind: .unwind, action: action, isGesture: isGesture, detail: Int32(number)))
            // Only an unwinding to another tab, or below a link's scenes, shows a new head.
            if isChanged { reachByPop(after, use, mark: mark) }
            return
        }
        guard isChanged else { return }
        if segue?.action == .dismiss {
            // The layer goes as with a swipe.
            moves[Int(head)].append(Move(kind: .swipe, action: action, isGesture: isGesture))
            if mark != 0 { reachByPop(after, use, mark: mark) }
            return
        }
        show(after, use, from: window)
    }

    /// Reaches the head that an action has shown on top, and adds the move there.
    mutating func show(_ after: Window, _ use: Use, from window: Window) {
        let action = use.action
        let mark = heads.all[Int(use.source)].mark
        let isPushed = after.layers.count == window.layers.count
        if isPushed, !action.replaces {
            let stack = after.viewControllers
            noteBack(stack[stack.count - 1], stack[stack.count - 2], use)
        }
        let target =
            use.path == nil
            ? reach(after, from: use.source, by: action, mark: mark)
            : reach(after, from: nil, by: nil, path: path(through: use), mark: mark)
        // A stack that was left is found again as it was, which adds no window.
        if action.replaces, !heads.all[Int(target)].isFirst { return }
        moves[Int(use.source)].append(
            Move(
                kind: action.replaces ? .replace : isPushed ? .push : .present, action: action,
                isGesture: action.isGesture, target: target))
    }

    /// Reaches the head after a pop or an unwinding if it is new.
    mutating func reachByPop(_ after: Window, _ use: Use, mark: Int16) {
        let head = heads.head(of: after, mark: mark)
        makeRoom()
        guard visits[Int(head)] == nil else { return }
        let path = path(through: use)
        reach(after, from: nil, by: nil, path: path, mark: mark)
        addJump(path, after, mark: mark)
    }

    mutating func noteBack(_ above: ViewController, _ below: ViewController, _ use: Use) {
        let item = above.navigationItem
        guard untitledBacks[above.scene.name] == nil, !item.hidesBackButton,
            item.leftItems.isEmpty || item.leftItemsSupplementBackButton,
            (below.navigationItem.backButtonTitle ?? below.effectiveTitle ?? "").isEmpty
        else { return }
        untitledBacks[above.scene.name] = (below.scene.name, use)
    }
}
