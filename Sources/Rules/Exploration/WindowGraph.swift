import NavigationRules

/// The windows of an app with guests or flags, and the gestures between them.
///
/// A log-in in place removes parts of lower layers and of stacks that are not selected, and a flag
/// that is set above changes what a pop shows. So the heads of such an app do not decide where its
/// actions lead, and the exploration lists the windows themselves. Each has a number, in the place
/// of a head. There can be infinitely many, and the search stops at a limit.
struct WindowGraph {
    /// The number of each window, by its `explorationKey`.
    var numbers: [Int: Int32] = [:]
    /// For each window, those from which a gesture leads to it.
    var sources: [[Int32]] = []
    /// The scene that each window shows.
    var scenes: [Scene] = []
    /// The windows with one view controller and nothing presented.
    var roots: [Int32] = []
    /// The windows from which gestures may lead to others that were left out.
    var open: Set<Int32> = []
    var rowClasses: RowClasses?
    /// Whether the search has stopped at the maximum number of windows.
    var isFull = false

    /// Returns the windows from which gestures lead to one of these.
    func ancestors(of windows: [Int32]) -> Set<Int32> {
        closure(of: windows) { sources[Int($0)] }
    }
}

/// An action that a guest is asked to log in for, and that the log-in does not carry out.
struct LostAction {
    /// The scene on which the user acted; nil if the action needs none.
    let scene: Scene.Name?
    /// The name of the action for people.
    let name: String
    let use: Exploration.Use
}

/// The exploration of apps with guests or flags.
extension Exploration {
    /// Whether the exploration lists windows, not heads.
    var listsWindows: Bool { app.storyboard.hasGuests || app.storyboard.usesFlags }

    func scene(of head: Int32) -> Scene {
        listsWindows ? windowGraph.scenes[Int(head)] : heads.scene(of: head)
    }

    /// Returns the first window with flags whose values differ from the storyboard's.
    func launch(_ flags: [String: Bool]) -> Window? {
        try? Window.launch(app, opening: nil, flags: flags).window
    }

    /// The flags with which the app starts. One that no control sets has both values. A way of a
    /// user begins with the storyboard's values.
    var starts: [[String: Bool]] {
        var starts: [[String: Bool]] = [[:]]
        guard limits.actions == .all else { return starts }
        let storyboard = app.storyboard
        for flag in storyboard.flagsOfConditions.subtracting(storyboard.flagsSetByControls).sorted()
        {
            guard let value = storyboard.flags[flag] else { continue }
            starts += starts.map { $0.merging([flag: !value]) { $1 } }
        }
        return starts
    }

    /// Performs all actions on all windows, the nearest ones first.
    mutating func walkThroughWindows(note: (Int, Int) -> Void) {
        for flags in starts where !isCut {
            guard let window = launch(flags) else { continue }
            add(window, from: nil, by: nil, path: flags.isEmpty ? [] : [.launch(flags)])
        }
        var next = 0
        while next < order.count, !isCut {
            guard let window = windows[next] else { return }
            windows[next] = nil
            expand(window, Int32(next))
            next += 1
            if next % 1024 == 0 { note(order.count, count) }
        }
    }

    @discardableResult
    private mutating func add(
        _ window: Window, from parent: Int32?, by action: Action?, path: [Action] = []
    ) -> Int32 {
        let key = window.explorationKey
        if let number = windowGraph.numbers[key] { return number }
        let number = Int32(order.count)
        windowGraph.numbers[key] = number
        windowGraph.sources.append([])
        windowGraph.scenes.append(window.topViewController.scene)
        if window.layers.count == 1, window.viewControllers.count == 1 {
            windowGraph.roots.append(number)
        }
        let distance = parent.flatMap { visits[Int($0)]?.distance }.map { $0 + 1 } ?? 0
        visits.append(Visit(parent: parent, action: action, distance: distance, path: path))
        windows.append(window)
        order.append(number)
        noteFirst(window, number)
        if order.count >= limits.windows { windowGraph.isFull = true }
        return number
    }

    private mutating func expand(_ window: Window, _ number: Int32) {
        let (actions, isShort) = actions(in: window)
        if isShort {
            hasLeftOutRows.insert(number)
            longestTable = max(longestTable, window.screen.rowCount)
            windowGraph.open.insert(number)
        }
        let rows = firstRows(in: window)
        for action in actions {
            if case .segue = action, limits.actions != .all { continue }
            if case .tap(let tap) = action, [.row, .accessory].contains(tap.place),
                rows?.contains(tap.index) == false
            {
                continue
            }
            take(action, window, number)
        }
        guard limits.actions != .gestures else { return }
        for action in logInsAndLogOut(in: window) { take(action, window, number) }
        for link in links(in: window) { open(link, window, number) }
    }

    /// Returns the first rows of each class in the visible table of data.
    private mutating func firstRows(in window: Window) -> Set<Int>? {
        guard window.topViewController.scene.rows != nil else { return nil }
        var classes = windowGraph.rowClasses ?? RowClasses(app, links: heads.links)
        windowGraph.rowClasses = nil
        defer { windowGraph.rowClasses = classes }
        let count = window.screen.rowCount
        return classes.firstRows(
            of: window.topViewController, among: min(limits.rows ?? count, count)
        ).map(Set.init)
    }

    /// Returns the log-ins, the sign-ups and the log-out that a user can do in a window.
    func logInsAndLogOut(in window: Window) -> [Action] {
        guard app.storyboard.loginScene != nil else { return [] }
        guard !window.isLoggedIn else { return [.logOut] }
        let scene = window.topViewController.scene
        guard app.storyboard.scenes.values.contains(where: { $0.submit != nil }) else {
            return window.root == .login || scene.access == .login ? [.logIn] : []
        }
        return switch scene.submit {
        case .logIn: [.logIn]
        case .signUp: [.signUp]
        case nil: []
        }
    }

    /// Returns the links that the exploration opens in a window. A member is shown no log-in scene,
    /// and the login root keeps each other link for the log-in.
    func links(in window: Window) -> [ExplorationLink] {
        heads.links.filter { link in
            if window.root == .login { return link.scene.access == .login }
            return !window.isLoggedIn || link.scene.access != .login
        }
    }

    private mutating func take(_ action: Action, _ window: Window, _ number: Int32) {
        count += 1
        let scene = window.topViewController.scene
        let segue = action.segue.flatMap { try? window.segue($0, of: scene) }
        let use = Use(source: number, action: action)
        let after: Window
        do throws(NavigationError) {
            after = try perform(action, on: window)
        } catch {
            switch error {
            case .notAUserAction, .noFormToSubmit: break
            case let error where error.isLimit:
                limited.append((number, action))
                if action.isGesture { windowGraph.open.insert(number) }
            default:
                guard segue != nil || action.showsWithoutSegue, action.pop(in: window) == nil else {
                    return
                }
                let key = segue.map { scene.key(of: $0) } ?? "\(scene.name).select"
                noteRefusal(use, in: scene, key, error)
            }
            return
        }
        if action.isLogIn, let pending = window.pending {
            noteCarriedOut(pending, window, after, use)
        }
        guard after.revision != window.revision else { return }
        // The segue of an action that waits for the log-in has not been performed.
        if after.pending == nil || after.pending == window.pending {
            // The action may have set the flag that chooses the segue.
            if let segue = action.segue.flatMap({ try? after.segue($0, of: scene) }) {
                noteUse(use, ofSegue: scene.key(of: segue))
            }
            noteSelection(use, in: scene)
        }
        reach(after, use)
    }

    private mutating func reach(_ after: Window, _ use: Use) {
        let isNew = windowGraph.numbers[after.explorationKey] == nil
        let target = add(after, from: use.source, by: use.action)
        if isNew { noteBacks(in: after, use) }
        if use.action.isGesture { windowGraph.sources[Int(target)].append(use.source) }
    }

    private mutating func open(_ link: ExplorationLink, _ window: Window, _ number: Int32) {
        count += 1
        let use = Use(source: number, action: .open(link.link))
        let after: Window
        do throws(NavigationError) {
            after = try perform(use.action, on: window)
        } catch {
            return noteRefusal(use, of: link, error)
        }
        let isAsked =
            !window.isLoggedIn
            && (after.pending != window.pending
                || link.parts.joined().contains { $0.access == .members })
        if !isAsked { noteUse(use, of: link, showing: after.topViewController.scene) }
        if after.revision != window.revision { reach(after, use) }
    }

    /// Notes whether a log-in has carried out the action that waited for it: without the action,
    /// the log-in would have led to another window.
    private mutating func noteCarriedOut(
        _ pending: PendingAction, _ window: Window, _ after: Window, _ use: Use
    ) {
        guard let without = try? perform(use.action, on: window.withoutPendingAction) else {
            return
        }
        let base = pending.operation.base
        let visible = without.topViewController
        let scene = window.layers.flatMap(\.navigationControllers).flatMap(\.stack.viewControllers)
            .first { $0.id == pending.viewController }?.scene
        if without.explorationKey != after.explorationKey {
            let segue: String? =
                switch base {
                case let action as PerformSegue: action.identifier
                case let action as TapControl:
                    without.taps(in: app).first {
                        $0.title == action.title && $0.place == action.place
                    }?.segue
                default: nil
                }
            if let segue = segue.flatMap({ try? after.segue($0, of: visible.scene) }) {
                noteUse(use, ofSegue: visible.scene.key(of: segue))
            }
            return
        }
        let name =
            switch base {
            case let action as TapControl: action.title ?? TapControl.name
            case let action as PerformSegue: "the segue \(action.identifier)"
            case let action as SelectRow: "the row \(action.row)"
            case let action as TapTab: "the tab \(action.index)"
            case let action as SelectSegment: "the segment \(action.index)"
            case let action as Open: "the link \(action.link.text)"
            default: pending.operation.name
            }
        let key = "\(scene?.name ?? "") \(name)"
        if lostActions[key] == nil {
            lostActions[key] = LostAction(scene: scene?.name, name: name, use: use)
        }
    }

    // MARK: Dead ends

    /// The dead ends among the windows. They are proved if no gesture leads from one of them to a
    /// window that was left out.
    func deadWindows() -> (stuck: [Scene.Name: DeadEnd], unsure: [Scene.Name: [Action]]) {
        let left = windows.indices.filter { windows[$0] != nil }.map { Int32($0) }
        let safe = windowGraph.ancestors(of: windowGraph.roots)
        let open = windowGraph.ancestors(of: Array(windowGraph.open) + left)
        var stuck: [Scene.Name: DeadEnd] = [:]
        var unsure: [Scene.Name: [Action]] = [:]
        for number in order where !safe.contains(number) {
            let scene = windowGraph.scenes[Int(number)].name
            if open.contains(number) {
                if stuck[scene] == nil, unsure[scene] == nil { unsure[scene] = path(to: number) }
            } else if stuck[scene] == nil {
                stuck[scene] = (path(to: number), unsure[scene] == nil)
            }
        }
        return (stuck, unsure)
    }
}

extension Storyboard {
    /// Whether a control or a segue has a condition, or a control sets flags.
    fileprivate var usesFlags: Bool {
        !flagsOfConditions.isEmpty || !flagsSetByControls.isEmpty
    }

    /// The flags that conditions of controls and segues name.
    fileprivate var flagsOfConditions: Set<String> {
        Set(
            scenes.values.flatMap { scene in
                scene.controls.all.compactMap(\.when?.flag)
                    + (scene.fixedRows ?? []).compactMap(\.when?.flag)
                    + scene.segues.compactMap(\.when?.flag)
            })
    }

    fileprivate var flagsSetByControls: Set<String> {
        Set(
            scenes.values.flatMap { scene in
                scene.controls.all.flatMap(\.sets.keys)
                    + (scene.fixedRows ?? []).flatMap(\.sets.keys)
            })
    }
}
