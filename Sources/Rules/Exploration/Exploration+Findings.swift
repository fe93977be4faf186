import NavigationRules

/// The problems of the app that follow from what the exploration reached.
extension Exploration {
    /// Explores the app and decides what can happen in it.
    /// - Parameter note: called after every 1,024 heads with the numbers of heads and moves so far.
    /// - Returns: the size of the explored app, and the problems that were found.
    package mutating func run(note: (Int, Int) -> Void = { _, _ in }) -> ExplorationReport {
        let clock = ContinuousClock()
        let start = clock.now
        reachAll(note: note)
        findings = []
        findProblemsOnTheWay()
        if listsWindows { findDeadWindows() } else { findDeadEnds() }
        findUnused()
        return ExplorationReport(
            app: app.storyboard.name, heads: order.count, countsWindows: listsWindows, moves: count,
            rows: hasLeftOutRows.isEmpty ? nil : limits.rows, longestTable: longestTable,
            findings: findings,
            seconds: (clock.now - start) / .seconds(1))
    }

    private mutating func add(
        _ severity: Finding.Severity, _ kind: Finding.Kind, _ scene: Scene.Name?,
        part: String? = nil, _ text: String, _ path: [Action]? = nil, isShortest: Bool = true
    ) {
        findings.append(
            Finding(
                severity: severity, kind: kind, scene: scene, part: part, text: text,
                flow: path.map(steps), isShortest: isShortest))
    }

    // MARK: Refusals, links and titles

    private mutating func findProblemsOnTheWay() {
        for (_, refusal) in refusals.sorted(by: { $0.key < $1.key }) {
            let scene = refusal.scene.name
            let path = path(through: refusal.use)
            let part = refusal.use.action.segue
            let what = name(of: refusal.use.action, of: scene)
            if case .loginRequired(let name) = refusal.error {
                add(
                    .error, .appSceneAtLogin, scene, part: part,
                    "\(what) leads from the login root to \(name), a scene of the app", path)
            } else {
                let code = refusal.error.code.rawValue
                add(.error, .refused, scene, part: part, "\(what) is refused with \(code)", path)
            }
        }
        for (pattern, refused) in refusedLinks.sorted(by: { $0.key < $1.key }) {
            let scene = refused.link.scene.name
            let place = self.place(of: refused.use.source)
            add(
                .error, .link, scene, part: pattern,
                "the link \(refused.link.link.text) to \(scene) \(refused.reason)\(place)",
                path(through: refused.use))
        }
        for (_, lost) in lostActions.sorted(by: { $0.key < $1.key }) {
            let place = lost.scene.map { " on \($0)" } ?? ""
            add(
                .warning, .lostAction, lost.scene, part: lost.name,
                "\(lost.name)\(place) is lost after the log-in", path(through: lost.use))
        }
        for pattern in untriedLinks.compactMap(\.paths.first?.description).sorted() {
            add(
                .warning, .linkNotTried, nil, part: pattern,
                "the link \(pattern) was not tried: no row that was seen gives its parameters")
        }
        for (scene, head) in untitled.sorted(by: { $0.value < $1.value }) {
            add(.warning, .noTitle, scene, "the scene \(scene) has no title", path(to: head))
        }
        for (scene, back) in untitledBacks.sorted(by: { $0.key < $1.key }) {
            add(
                .warning, .noBackTitle, scene,
                "the back button of \(scene) has no title: it leads to \(back.below)",
                path(through: back.use))
        }
    }

    private func name(of action: Action, of scene: Scene.Name) -> String {
        switch action {
        case .tap(let tap), .refused(let tap?, segue: nil):
            "the \(tap.place.rawValue) \(tap.title) of \(scene)"
        default: "the segue \(action.segue ?? "") of \(scene)"
        }
    }

    /// Returns what the text on a link that is refused in some windows adds: in which one.
    private func place(of head: Int32) -> String {
        guard !listsWindows else { return "" }
        let value = heads.all[Int(head)]
        guard let tabBar = heads.layer(of: head).tabBar.flatMap({ app.storyboard.scenes[$0] }),
            head != order[0]
        else { return "" }
        return " while the tab \(tabBar.tabs[Int(value.tab)].title ?? "\(value.tab)") is selected"
    }

    // MARK: Dead ends

    /// Adds an error for each scene in which a user can get stuck. A user is stuck if no sequence of
    /// taps and swipes leads back to a window with one view controller on its stack and nothing
    /// presented. A log-out and links do not count.
    private mutating func findDeadEnds() {
        let fewest = WaysOut(self, .fewest)
        let isUncertain = fewest.isUncertain
        let most = isUncertain ? WaysOut(self, .most) : fewest
        let proved = DeadEnds(most)
        let possible = isUncertain ? DeadEnds(fewest) : proved
        var stuck: [Scene.Name: DeadEnd] = [:]
        for (scene, ends) in proved.found {
            stuck[scene] = (proved.path(to: ends[0]), shownParts.isEmpty)
        }
        var unsure: [Scene.Name: [Action]] = [:]
        var budget = 6000
        for (scene, ends) in possible.found {
            for end in ends where end.distance < stuck[scene]?.path.count ?? .max {
                let path = possible.path(to: end)
                if walkOut(of: path, &budget) == true {
                    stuck[scene] = (path, unsure[scene] == nil)
                    break
                }
                if unsure[scene] == nil { unsure[scene] = path }
            }
            if unsure[scene] != nil { stuck[scene]?.isShortest = false }
        }
        let reason =
            !hasLeftOutRows.isEmpty
            ? "a row after the first \(limits.rows ?? 0)"
            : refusesTab.isEmpty ? "an unwinding to another tab" : "another tab"
        add(stuck, unsure: unsure, unless: reason)
        for scene in proved.undecided.union(possible.undecided).sorted() where stuck[scene] == nil {
            add(
                .unknown, .deadEnd, scene,
                "too many combinations of unwind actions are below \(scene)")
        }
    }

    /// Adds the dead ends, by scene.
    /// - Parameter reason: what may lead from an uncertain dead end back to a root.
    private mutating func add(
        _ stuck: [Scene.Name: DeadEnd], unsure: [Scene.Name: [Action]], unless reason: String
    ) {
        deadEnds = stuck.mapValues(\.path)
        for (scene, end) in stuck.sorted(by: { $0.key < $1.key }) {
            add(
                .error, .deadEnd, scene, "\(scene) is a dead end: no tap leads back to a root",
                end.path, isShortest: end.isShortest && untriedLinks.isEmpty)
        }
        for (scene, path) in unsure.sorted(by: { $0.key < $1.key }) where stuck[scene] == nil {
            add(
                .unknown, .deadEnd, scene,
                "\(scene) is a dead end unless \(reason) leads back to a root", path)
        }
    }

    /// Adds the dead ends of an app with guests or flags.
    private mutating func findDeadWindows() {
        let (stuck, unsure) = deadWindows()
        add(stuck, unsure: unsure, unless: "a window that was not seen")
        if windowGraph.isFull {
            add(
                .unknown, .deadEnd, nil,
                "only the first \(order.count) windows were tried: the app has guests or flags, and more windows"
            )
        }
    }

    /// Walks through all windows that gestures reach after a path.
    /// - Parameter budget: the number of windows to walk through at most, which the walk reduces.
    /// - Returns: true if none of them is a root, false if one is, and nil if there are too many.
    private func walkOut(of path: [Action], _ budget: inout Int) -> Bool? {
        guard budget > 0, let start = window(after: path) else { return nil }
        var known: Set<Int> = [start.explorationKey]
        var waiting = [start]
        var next = 0
        while next < waiting.count {
            let window = waiting[next]
            next += 1
            if window.layers.count == 1, window.viewControllers.count == 1 { return false }
            let (actions, leavesOutRows) = actions(in: window)
            if leavesOutRows { return nil }
            for action in actions where action.isGesture {
                guard let after = try? perform(action, on: window),
                    known.insert(after.explorationKey).inserted
                else { continue }
                waiting.append(after)
                budget -= 1
                if budget <= 0 || waiting.count > 2000 { return nil }
            }
        }
        return true
    }

    // MARK: What no user can reach

    /// The scenes to which an action might lead that a limit of the window has refused, such as the
    /// maximum number of layers.
    private var scenesBeyondLimit: Set<Scene.Name> {
        scenes(
            after: Array(limitedLinks)
                + limited.compactMap { head, action -> Scene.Name? in
                    let scene = scene(of: head)
                    guard let name = action.segue else { return action.isRow ? scene.select : nil }
                    return scene.segues.first { $0.identifier == name }?.action.scene
                })
    }

    /// The tabs that were not shown, but that an unwinding might show if a link has replaced what
    /// another tab shows: as `scene.index`, with the scene of the tab.
    private var unsureTabs: [String: Scene.Name] {
        guard !listsWindows else { return [:] }
        let performed = order.reduce(0 as UInt64) { bits, head in
            moves[Int(head)].reduce(bits) {
                $1.kind == .unwind ? $0 | bit(Int($1.detail)) : $0
            }
        }
        let roots = Set(heads.links.compactMap { $0.parts[0].first?.name })
        var found: [String: Scene.Name] = [:]
        for (name, tab, others) in unshownTabs
        where takenByRoot(tab) & performed != 0 && !roots.isSubset(of: others) {
            found[name] = tab.scene
        }
        return found
    }

    /// The tabs that were not shown, as `scene.index`, each with the scenes that links find at the
    /// bottom of the tabs of its tab bar.
    var unshownTabs: [(name: String, tab: Scene.Tab, roots: Set<Scene.Name>)] {
        app.storyboard.scenes.values.flatMap { scene in
            let roots = Set(
                scene.tabs.map { app.storyboard.scenes[$0.scene]?.root ?? $0.scene })
            return scene.tabs.enumerated().map { ("\(scene.name).\($0)", $1, roots) }
        }.filter { firstOfTab[$0.0] == nil }
    }

    /// The scenes to which unsure tabs and links that were not tried may lead.
    private var unsureScenes: Set<Scene.Name> {
        let linked = closure(of: untriedLinks.map(\.name)) { name in
            app.storyboard.scenes[name]?.parent.map { [$0] } ?? []
        }
        return scenes(after: Array(linked.union(unsureTabs.values)))
    }

    /// The scenes of which it is unknown whether a user can reach them.
    var unknownScenes: Set<Scene.Name> {
        var found = unsureScenes
        if isCut { found.formUnion(app.storyboard.scenes.keys) }
        if !hasLeftOutRows.isEmpty { found.formUnion(app.storyboard.reachableScenes) }
        return found.subtracting(firstOfScene.keys)
    }

    /// Returns the scenes to which segues, rows and tabs lead from these scenes, and these scenes.
    private func scenes(after names: [Scene.Name]) -> Set<Scene.Name> {
        closure(of: names) { name in
            guard let scene = app.storyboard.scenes[name] else { return [] }
            return [scene.root, scene.select].compactMap(\.self) + scene.tabs.map(\.scene)
                + scene.segues.compactMap(\.action.scene)
        }
    }

    /// Adds a finding for each scene, tab and segue that the exploration has not reached. If it has
    /// left out rows, these may lead there.
    private mutating func findUnused() {
        let unknownScenes = unknownScenes
        // A limit of the window is no defect of the app, and proves nothing about it.
        let beyond = scenesBeyondLimit
        let shownByCode = app.storyboard.scenesShownByCode
        let limitedSegues = Set(
            limited.map { "\(scene(of: $0.head).name).\($0.action.segue ?? "")" })
        let isShort = !hasLeftOutRows.isEmpty || windowGraph.isFull
        let unsure = unsureScenes
        for scene in app.storyboard.scenes.values.sorted(by: { $0.name < $1.name }) {
            let name = scene.name
            guard !scene.kind.isContainer else {
                let shown = scene.tabs.indices.map { firstOfTab["\(name).\($0)"] != nil }
                guard shown.contains(true) else { continue }
                for index in scene.tabs.indices where !shown[index] {
                    let tab = scene.tabs[index].scene
                    let isUnknown =
                        isShort || unsure.contains(app.storyboard.scenes[tab]?.root ?? tab)
                    add(
                        isUnknown ? .unknown : .warning, .unreachableTab, name, part: "\(index)",
                        isUnknown
                            ? "the tab \(name).\(index) was not reached"
                            : "no user can reach the tab \(name).\(index)")
                }
                continue
            }
            guard firstOfScene[name] != nil else {
                if unknownScenes.contains(name) {
                    add(.unknown, .unreachableScene, name, "the scene \(name) was not reached")
                } else if shownByCode.contains(name) {
                    let verb = scene.isShownByCode ? "shows" : "leads to"
                    add(.warning, .unreachableScene, name, "only code \(verb) the scene \(name)")
                } else if beyond.contains(name) {
                    add(
                        .unknown, .unreachableScene, name,
                        "the scene \(name) was not reached: a limit of the window refused actions that may lead there"
                    )
                } else {
                    add(.error, .unreachableScene, name, "no user can reach the scene \(name)")
                }
                continue
            }
            for segue in scene.segues where segue.action != .custom {
                let key = scene.key(of: segue)
                guard firstOfSegue[key] == nil else { continue }
                let isUnknown =
                    isShort || unsureSegues.contains(key) || unsure.contains(name)
                    || limitedSegues.contains("\(name).\(segue.identifier)")
                add(
                    isUnknown ? .unknown : .warning, .unreachableSegue, name,
                    part: segue.identifier,
                    isUnknown
                        ? "the segue \(segue.identifier) of \(name) had no effect yet"
                        : "the segue \(segue.identifier) of \(name) has no effect here")
            }
        }
    }
}
