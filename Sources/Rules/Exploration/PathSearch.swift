import NavigationRules

/// Searches the shortest way of a user to a scene.
///
/// The search walks breadth-first through windows, with the rules of the module `NavigationRules`. Of
/// windows with the same head it walks on from one only, unless they differ in what a pop can show:
/// how much of the first window is left, which unwind actions are taken above that, and which view
/// controllers a link has put below others. So it ends for each app.
package struct PathSearch {
    /// Where a search begins.
    package enum Start: Sendable, Equatable {
        case launch
        /// The window in which the scene can be seen first.
        case scene(Scene.Name)
        /// The window after a link, opened at the launch or, if it needs a log-in, after the log-in.
        case link(Link)
        /// The window with which a flow ends.
        /// - Parameters:
        ///   - flow: the flow, in the form of the step `use`.
        ///   - accounts: the user names of the accounts that the flow has made, in lower case.
        case end(Window, flow: String, accounts: Set<String>)
    }

    /// A way to a scene, as the steps of a flow.
    package struct Way: Sendable, Equatable {
        /// The accounts that must exist before the first step.
        var accounts: [String]
        /// The steps that lead from the launch to the start.
        var before: [String] = []
        /// The steps that lead on to the scene.
        var steps: [String]
        /// The step that checks the last window.
        var check: String
        /// False if there may be a shorter way, for one of the reasons of `unknown`.
        var isShortest: Bool
    }

    package enum Answer: Sendable, Equatable {
        case path(Way)
        /// No user action leads to the scene. The proof is a set of windows that no user action
        /// leaves. `reached` has the names of the scenes that these windows show, in alphabetic
        /// order.
        case none(reached: [Scene.Name])
        /// The search found no way, but left out rows or links, or stacks of tabs to which an
        /// unwinding may lead.
        case unknown
    }

    fileprivate struct Key: Hashable {
        let head: Int32
        let left: [Int]
        let taken: Set<String>
        let hidden: [Int32]
        /// The link that waits for the log-in, if one waited at the start.
        let pendingLink: String?
    }

    /// The window at the start, and the unwind actions that its view controllers take. A target
    /// above them has been shown before, with a shorter way.
    private struct Origin {
        let window: Window
        let actions: Set<String>
    }

    private struct Step {
        /// Nil as soon as all actions have been performed on the window.
        var window: Window?
        let parent: Int
        let action: Exploration.Action?
        /// The number of actions since the start.
        let distance: Int
    }

    private let app: App
    private let limits: Exploration.Limits
    /// Whether only taps and swipes count: no log-in, log-out and links.
    private let onlyGestures: Bool

    package init(_ app: App, _ limits: Exploration.Limits, onlyGestures: Bool) {
        self.app = app
        self.limits = limits
        self.onlyGestures = onlyGestures
    }

    /// Searches the shortest way from a start to a scene.
    package func answer(from start: Start, to scene: Scene.Name) -> Answer {
        if start == .launch {
            return LaunchSearch(app, limits, actions: onlyGestures ? .gestures : .ofUser)
                .answer(to: scene)
        }
        let exploration = Exploration(app, limits)
        var before: [Exploration.Action] = []
        switch start {
        case .launch, .end: break
        case .scene(let name):
            let launch = Window.launch(app).window
            let result = search(exploration, from: launch, to: name, isForCode: true) {
                scenesOfLaunch(exploration, without: name)
            }
            switch result {
            case .path(let path, _): before = path
            case .none(let reached): return reached.map { .none(reached: $0.sorted()) } ?? .unknown
            }
        case .link(let link):
            let action = Exploration.Action.open(link)
            guard let window = exploration.window(after: [action]), window.pendingLink != nil else {
                before = [action]
                break
            }
            if let logIn = exploration.logInsAndLogOut(in: Window.launch(app).window).first,
                exploration.window(after: [logIn, action]) != nil
            {
                before = [logIn, action]
            } else if let way = wayToLogIn(exploration, from: window) {
                before = [action] + way
            } else {
                return .unknown
            }
        }
        var names: Usernames
        let first: [String]
        let window: Window?
        switch start {
        case .end(let end, let flow, let accounts):
            names = Usernames(isStrict: end.isStrict, taken: accounts)
            first = ["use: \(flow.asPlainScalar)"]
            window = end
        case .launch, .scene, .link:
            names = Usernames(isStrict: app.storyboard.isStrict)
            first = names.steps(before, exploration)
            window = exploration.window(after: before)
        }
        guard let window else { return .none(reached: []) }
        let result = search(exploration, from: window, to: scene, isForCode: false) {
            // The heads that are reached from the launch say nothing about other windows.
            if case .end = start { nil } else { scenesOfLaunch(exploration, without: scene) }
        }
        switch result {
        case .path(let path, let isShortest):
            guard let end = exploration.window(after: path, from: window) else { return .unknown }
            let steps = names.steps(path, exploration)
            return .path(
                Way(
                    accounts: names.accounts, before: first, steps: steps,
                    check: exploration.expectation(of: end), isShortest: isShortest))
        case .none(let reached?): return .none(reached: reached.sorted())
        case .none(nil): return .unknown
        }
    }

    /// Returns the shortest way by gestures to a log-in that opens the link of `start`, and the log-in
    /// itself; nil if none was found.
    private func wayToLogIn(
        _ exploration: Exploration, from start: Window
    ) -> [Exploration.Action]? {
        if let logIn = exploration.logInsAndLogOut(in: start).first { return [logIn] }
        let search = PathSearch(app, limits, onlyGestures: true)
        let scenes = app.storyboard.scenes.values.filter { $0.submit != nil }.map(\.name)
        let ways = scenes.sorted().compactMap { scene -> [Exploration.Action]? in
            guard
                case .path(let path, _) = search.search(
                    exploration, from: start, to: scene, isForCode: false, shortProof: { nil }),
                let window = exploration.window(after: path, from: start),
                window.pendingLink == start.pendingLink,
                let logIn = exploration.logInsAndLogOut(in: window).first
            else { return nil }
            return path + [logIn]
        }
        return ways.min { $0.count < $1.count }
    }

    /// Returns the scenes that users and the app's code reach from the launch; nil if `scene` may be
    /// one of them.
    private func scenesOfLaunch(
        _ exploration: Exploration, without scene: Scene.Name
    ) -> Set<Scene.Name>? {
        var whole = exploration
        whole.reachAll()
        guard whole.firstOfScene[scene] == nil, !whole.unknownScenes.contains(scene) else {
            return nil
        }
        return Set(whole.firstOfScene.keys)
    }

    private enum Result {
        case path([Exploration.Action], isShortest: Bool)
        /// Nil if the search left something out, and otherwise the scenes that it saw.
        case none(reached: Set<Scene.Name>?)
    }

    /// The number of windows after which a search asks whether there is a shorter proof.
    private static let longSearch = 5000

    /// - Parameters:
    ///   - isForCode: whether all actions count, including the segues that the app's code performs.
    ///   - shortProof: returns the scenes that can be reached, without `scene`; nil if this is no
    ///     proof. The search calls it at most once.
    private func search(
        _ exploration: Exploration, from start: Window, to scene: Scene.Name, isForCode: Bool,
        shortProof: () -> Set<Scene.Name>?
    ) -> Result {
        let opensLinks = isForCode || !onlyGestures
        var heads = exploration.heads
        var steps = [Step(window: start, parent: -1, action: nil, distance: 0)]
        var known: Set<Key> = []
        /// The whole windows of an app with guests or flags, in which heads decide too little.
        var knownWindows: Set<Int> = []
        var shown: Set<Int32> = []
        var unwindings = TabUnwindings()
        var reached: Set<Scene.Name> = []
        /// The distance of the first window from which another way may lead on.
        var openDistance = opensLinks && !exploration.untriedLinks.isEmpty ? 0 : nil
        var next = 0
        let actions = Set(
            start.layers.flatMap(\.navigationControllers).flatMap(\.stack.viewControllers)
                .flatMap(\.scene.unwindActions))
        let origin = Origin(window: start, actions: actions)
        _ = key(of: start, origin, &heads, &shown, &unwindings)
        while next < steps.count {
            guard let window = steps[next].window else { break }
            if window.topViewController.scene.name == scene {
                let distance = steps[next].distance
                return .path(
                    path(to: next, steps),
                    isShortest: openDistance.map { distance <= $0 + 1 } ?? true)
            }
            if next == Self.longSearch, let reached = shortProof() {
                return .none(reached: reached)
            }
            reached.insert(window.topViewController.scene.name)
            steps[next].window = nil
            var (actions, leavesOutRows) = exploration.actions(in: window)
            if opensLinks {
                actions += exploration.logInsAndLogOut(in: window)
                actions += heads.links.map { .open($0.link) }
            }
            for action in actions {
                if case .segue = action, !isForCode { continue }
                if !exploration.listsWindows { unwindings.note(action, in: window) }
                guard let after = try? exploration.perform(action, on: window),
                    after.revision != window.revision,
                    exploration.listsWindows
                        ? knownWindows.insert(after.explorationKey).inserted
                        : known.insert(key(of: after, origin, &heads, &shown, &unwindings)).inserted
                else { continue }
                steps.append(
                    Step(
                        window: after, parent: next, action: action,
                        distance: steps[next].distance + 1))
            }
            if openDistance == nil, leavesOutRows || unwindings.areUncertain {
                openDistance = steps[next].distance
            }
            next += 1
            if exploration.listsWindows, steps.count > limits.windows { return .none(reached: nil) }
        }
        if openDistance == nil { return .none(reached: reached) }
        return .none(reached: next <= Self.longSearch ? shortProof() : nil)
    }

    private func path(
        to index: Int, _ steps: [Step]
    ) -> [Exploration.Action] {
        var path: [Exploration.Action] = []
        var index = index
        while let action = steps[index].action {
            path.append(action)
            index = steps[index].parent
        }
        return path.reversed()
    }

    private func key(
        of window: Window, _ origin: Origin, _ heads: inout Heads, _ shown: inout Set<Int32>,
        _ unwindings: inout TabUnwindings
    ) -> Key {
        let start = origin.window
        let layers = window.layers
        var left: [Int] = []
        var taken: Set<String> = []
        var isSame = true
        for (index, layer) in layers.enumerated() {
            let old = index < start.layers.count ? start.layers[index] : nil
            isSame = isSame && old?.id == layer.id
            for (tab, holder) in layer.navigationControllers.enumerated() {
                let stack = holder.stack.viewControllers
                let oldStack = isSame ? old?.navigationControllers[tab].stack.viewControllers : nil
                let count = zip(stack, oldStack ?? []).prefix { $0.id == $1.id }.count
                if oldStack != nil { left.append(count) }
                if index > 0, tab == layer.selectedIndex {
                    unwindings.note(layer, above: layers[index - 1])
                }
                guard tab == layer.selectedIndex else { continue }
                unwindings.note(stack[count...], on: tab, of: layer)
                let isTop = index == layers.count - 1
                for entry in stack[count...].dropLast(isTop ? 1 : 0) {
                    taken.formUnion(entry.scene.unwindActions)
                }
            }
        }
        let letters = heads.letters(of: window)
        let head = letters[letters.count - 1]
        shown.insert(head)
        return Key(
            head: head, left: left, taken: taken.intersection(origin.actions),
            hidden: letters.filter { !shown.contains($0) },
            pendingLink: start.pendingLink == nil ? nil : window.pendingLink)
    }
}

/// The unwindings of a search that may depend on the stacks of tabs that are not selected. The key
/// of a window does not say what has been put on these stacks since the start.
private struct TabUnwindings {
    private struct Place: Hashable {
        let tabBar: Scene.Name
        let tab: Int
        let action: String
    }

    /// The actions that a stack of a tab takes above what is left of the start.
    private var taken: Set<Place> = []
    /// The actions whose search leaves the stack of a tab.
    private var leaving: Set<Place> = []
    /// Whether an unwinding could have found a target that the key does not say.
    private(set) var areUncertain = false

    mutating func note(_ entries: ArraySlice<ViewController>, on tab: Int, of layer: Layer) {
        guard let tabBar = layer.tabBarScene?.name else { return }
        for action in entries.flatMap(\.scene.unwindActions) {
            note(Place(tabBar: tabBar, tab: tab, action: action), in: \.taken, and: leaving)
        }
    }

    /// Notes a layer whose presenter is on a tab that is not selected: an unwinding that leaves the
    /// layer begins there.
    mutating func note(_ layer: Layer, above below: Layer) {
        guard below.hasTabBar, let id = layer.presentingViewController else { return }
        let stack = below.selected.stack.viewControllers
        if !stack.contains(where: { $0.id == id }) { areUncertain = true }
    }

    private mutating func note(
        _ place: Place, in places: WritableKeyPath<Self, Set<Place>>, and others: Set<Place>
    ) {
        guard self[keyPath: places].insert(place).inserted else { return }
        areUncertain =
            areUncertain
            || others.contains {
                $0.tabBar == place.tabBar && $0.action == place.action && $0.tab != place.tab
            }
    }

    mutating func note(_ action: Exploration.Action, in window: Window) {
        let scene = window.topViewController.scene
        guard let identifier = action.segue,
            case .unwind(let name)? = scene.segues.first(where: { $0.identifier == identifier })?
                .action
        else { return }
        let layers = window.layers
        for (index, layer) in layers.enumerated().reversed() {
            let stack = layer.selected.stack.viewControllers
            let below = index + 1 == layers.count ? stack.dropLast() : stack[...]
            if below.contains(where: { $0.scene.unwindActions.contains(name) }) { return }
            if let tabBar = layer.tabBarScene?.name {
                let place = Place(tabBar: tabBar, tab: layer.selectedIndex, action: name)
                note(place, in: \.leaving, and: taken)
            }
        }
    }
}
