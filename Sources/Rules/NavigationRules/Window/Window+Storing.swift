extension Window {
    /// The part of the window's state that is stored. `restore` creates an equal window from it, if
    /// the storyboard and the data have not changed in the meantime.
    public var stored: StoredWindow {
        StoredWindow(
            lifecycle: lifecycle, isStrict: isStrict, revision: revision, auth: auth,
            stack: isSingleStack ? viewControllers.map(\.stored) : [],
            layers: isSingleStack ? nil : layers.map(\.stored),
            navigationController: isSingleStack ? rootNavigationController.number : 1,
            lastNavigationController: lastNavigationController, segments: segments?.stored,
            pending: pending, flags: flags.values, lastEvent: lastEvent,
            lastViewController: lastViewController)
    }

    /// The part of the visible view controller's state from which a list can show the view
    /// controller without the rest of the window.
    public var summary: StoredWindow.Entry { topViewController.stored.summary }

    /// Restores a window from its stored state. Properties that depend on the data, such as titles,
    /// are computed again.
    ///
    /// If the state no longer fits the app, for example because the storyboard has lost a scene,
    /// the window returns to its initial state, but keeps its log-in state if possible. Users can
    /// thus continue to use their sessions after an update of the app.
    ///
    /// If the storyboard has gained tabs or segments behind the former ones, the window gets them as
    /// a new window has them: a tab with a new view controller, and a segment without one. The window
    /// keeps everything else. Both the new tabs and segments and the return to the initial state
    /// increase the revision, like any other change.
    /// - Returns: the window. The events are nil if the state fits the app as it is. Otherwise they
    ///   are the lifecycle events of the change: those of the first display, or none if the window
    ///   only got new tabs or segments.
    public static func restore(
        _ stored: StoredWindow, in app: App
    ) -> (window: Window, events: [LifecycleEvent]?) {
        let fresh = Window(freshRootFor: stored, in: app)
        var window = fresh
        if window.restoreTree(stored, in: app), let isExtended = window.addNewTabs(in: app) {
            guard isExtended || window.segments?.count != stored.segments?.roots.count else {
                return (window, nil)
            }
            window.revision += 1
            return (window, [])
        }
        window = fresh
        window.revision += 1
        let events = window.displayFirst(in: app)
        return (window, events)
    }

    /// Creates a window in its initial state, with the log-in state of the stored window if
    /// possible. The window continues the revision and the event numbers of the stored window.
    private init(freshRootFor stored: StoredWindow, in app: App) {
        self.init(
            lifecycle: stored.lifecycle, isStrict: stored.isStrict,
            auth: Self.auth(stored.auth, in: app.storyboard),
            firstViewController: stored.lastViewController + 1,
            firstNavigationController: stored.lastNavigationController + 1, in: app)
        revision = stored.revision
        // Any other action belongs to a view controller or a tab of the former window.
        if root == .login, stored.pending?.link != nil { pending = stored.pending }
        // The storyboard may have other flags than when the window was stored.
        for (name, value) in stored.flags where flags[name] != nil { flags[name] = value }
        lastEvent = stored.lastEvent
    }

    /// Returns the log-in state of a stored window. The state is adapted if the storyboard has
    /// gained or lost its login scene or its guests since the window was stored.
    private static func auth(_ found: Auth, in storyboard: Storyboard) -> Auth {
        switch found {
        case .loggedIn(_?): found
        case .loggedIn(nil), .loggedOut, .guest:
            storyboard.loginScene == nil
                ? .loggedIn(username: nil) : .withoutUser(in: storyboard)
        }
    }

    /// Restores the layers and the segments of a stored window. The layers may lack tabs that the
    /// storyboard has gained, see `addNewTabs`.
    /// - Returns: true if they were restored; false if they do not fit the storyboard or the data. The
    ///   window is then unchanged.
    private mutating func restoreTree(_ stored: StoredWindow, in app: App) -> Bool {
        let auth = auth
        func restored(_ entries: [StoredWindow.Entry]) -> [ViewController]? {
            let restored = entries.compactMap { ViewController($0, under: auth, in: app) }
            return restored.count == entries.count ? restored : nil
        }
        let rootScene = Self.rootScene(for: auth, in: app.storyboard)
        guard stored.auth == auth,
            let newContent = Self.content(of: stored, root: rootScene, in: app, restored)
        else { return false }
        let stacks =
            switch newContent {
            case .single(let stack): [stack]
            case .several(let layers): layers.flatMap(\.navigationControllers).map(\.stack)
            }
        var newSegments: Segments?
        if let found = stored.segments {
            guard let count = segments?.count, found.roots.count <= count,
                let kept = restored(found.kept)
            else { return false }
            let live = stacks.flatMap(\.viewControllers) + kept
            for (root, segment) in zip(found.roots, app.storyboard.segments) where root != nil {
                // The order of the segments in the storyboard may have changed since the window was
                // stored.
                let isLive = live.contains { $0.id.number == root && $0.scene === segment.scene }
                guard isLive else { return false }
            }
            newSegments = Segments(found, count: count, kept: kept)
        } else if segments != nil {
            return false
        }
        let former = content
        content = newContent
        if case .guest = auth {
            let kept = newSegments?.kept ?? []
            guard membersScene == nil, !kept.contains(where: { $0.scene.access == .members }) else {
                content = former
                return false
            }
        }
        rootNavigationController = NavigationController.ID(number: stored.navigationController)
        lastNavigationController = stored.lastNavigationController
        segments = newSegments
        pending = stored.pending
        lastViewController = stored.lastViewController
        return true
    }

    /// Adds the tabs that the storyboard has gained since the window was stored.
    /// - Returns: whether there were any; nil if a new window would have the view controller of one
    ///   of them only with parameters, or not in this log-in state.
    private mutating func addNewTabs(in app: App) -> Bool? {
        guard case .several(var layers) = content else { return false }
        var isExtended = false
        for index in layers.indices {
            guard let scene = layers[index].tabBarScene else { continue }
            let count = layers[index].navigationControllers.count
            for root in app.storyboard.roots(of: scene).dropFirst(count) {
                guard root.scene.canBeOnStack(under: auth),
                    root.scene.requiredParameters.isEmpty
                else { return nil }
                layers[index].navigationControllers.append(
                    makeNavigationController(root, .none, in: app))
                isExtended = true
            }
        }
        if isExtended { content = .several(layers) }
        return isExtended
    }

    /// Returns the layers of a stored window.
    /// - Parameters:
    ///   - root: the scene with which the window starts.
    ///   - restored: a function that restores the view controllers of one stack. It returns nil if
    ///     one of them cannot be restored.
    /// - Returns: nil if a view controller cannot be restored, if the first tabs in the storyboard
    ///   differ from the stored tabs, or if the stored window is inconsistent.
    private static func content(
        of stored: StoredWindow, root: Scene, in app: App,
        _ restored: ([StoredWindow.Entry]) -> [ViewController]?
    ) -> Layers? {
        let isBare = app.storyboard.isBareRoot(root)
        guard let found = stored.layers else {
            guard root.kind != .tabBar, !isBare else { return nil }
            return restored(stored.stack).flatMap(NavigationStack.init).map(Layers.single)
        }
        var ids: Set<ViewController.ID> = []
        var layers: [Layer] = []
        for layer in found {
            guard let layer = Layer(layer, in: app, restored),
                layer.navigationControllers.flatMap(\.stack.viewControllers)
                    .allSatisfy({ ids.insert($0.id).inserted }),
                (layer.presentationStyle == nil) == layers.isEmpty
            else { return nil }
            layers.append(layer)
        }
        guard let first = layers.first,
            first.tabBarScene === (root.kind == .tabBar ? root : nil),
            first.hasTabBar || first.selected.isBare == isBare,
            !isBare || first.selected.topViewController.scene === root
        else { return nil }
        return .several(layers)
    }
}

extension StoredWindow.Holder {
    /// Returns whether a tab with this root can have the stack. No operation replaces a view
    /// controller that is in no navigation controller.
    fileprivate func canStand(at root: ContainerRoot) -> Bool {
        isBare == root.isBare && (!isBare || stack.first?.scene == root.scene.name)
    }
}

extension Layer {
    fileprivate var stored: StoredWindow.Layer {
        state {
            StoredWindow.Holder(
                number: $0.id.number, isBare: $0.isBare,
                stack: $0.stack.viewControllers.map(\.stored))
        }
    }

    /// Returns the layer with each of its stacks in the form that `stack` returns.
    func state<Stack>(_ stack: (NavigationController) -> Stack) -> LayerState<Stack> {
        LayerState(
            presentationStyle: presentationStyle, presenter: presentingViewController?.number,
            isContainerModal: isContainerModal, tabBar: tabBarScene?.name,
            tabScenes: tabBarScene?.tabs.map(\.scene) ?? [], selectedIndex: selectedIndex,
            stacks: navigationControllers.map(stack))
    }

    /// Restores a stored layer, with the tabs that it had.
    /// - Parameter restored: a function that restores the view controllers of one stack. It returns
    ///   nil if one of them cannot be restored.
    /// - Returns: nil if the first tabs in the storyboard differ from the stored tabs, if a view
    ///   controller on a stack of the layer cannot be restored, or if it is inconsistent.
    fileprivate init?(
        _ stored: StoredWindow.Layer, in app: App,
        _ restored: ([StoredWindow.Entry]) -> [ViewController]?
    ) {
        let scene = stored.tabBar.flatMap { app.storyboard.scenes[$0] }
        let fits =
            if let scene {
                scene.tabs.map(\.scene).starts(with: stored.tabScenes)
                    && app.storyboard.roots(of: scene).starts(with: stored.stacks) {
                        $1.canStand(at: $0)
                    }
            } else {
                stored.tabBar == nil && stored.stacks.count == 1
            }
        guard fits, stored.stacks.indices.contains(stored.selectedIndex) else { return nil }
        let holders = stored.stacks.compactMap { holder -> NavigationController? in
            guard let stack = restored(holder.stack).flatMap(NavigationStack.init),
                !holder.isBare || stack.viewControllers.count == 1
            else { return nil }
            return NavigationController(
                id: NavigationController.ID(number: holder.number), isBare: holder.isBare,
                stack: stack)
        }
        guard holders.count == stored.stacks.count else { return nil }
        self.init(
            presentationStyle: stored.presentationStyle,
            presentingViewController: stored.presenter.map(ViewController.ID.init(number:)),
            isContainerModal: stored.isContainerModal, tabBarScene: scene,
            navigationControllers: holders, selectedIndex: stored.selectedIndex)
    }
}

extension ViewController {
    /// Makes the view controller that a window shows when it starts again at its root.
    /// - Parameter auth: the window's authentication state.
    package init(atRootFor auth: Auth, in app: App) {
        let window = Window(
            lifecycle: app.storyboard.lifecycle, isStrict: false, auth: auth,
            firstViewController: 1, in: app)
        self = window.topViewController
    }

    var stored: StoredWindow.Entry {
        StoredWindow.Entry(
            number: id.number, scene: scene.name,
            parameters: parameters, isViewLoaded: isViewLoaded, overrides: overrides)
    }

    /// Restores a view controller of a stored window.
    /// - Parameter auth: the log-in state of the window.
    /// - Returns: nil if the storyboard no longer has the scene, if the scene cannot be on a stack in
    ///   this log-in state or is a container, or if the parameters are invalid.
    package init?(_ entry: StoredWindow.Entry, under auth: Auth, in app: App) {
        guard let scene = app.storyboard.scenes[entry.scene], scene.canBeOnStack(under: auth),
            !scene.kind.isContainer,
            let parameters = try? scene.check(entry.parameters.byName, in: app.dataSource)
        else { return nil }
        self.init(
            id: ID(number: entry.number), scene: scene, parameters: parameters, in: app)
        isViewLoaded = entry.isViewLoaded
        if entry.hasChanges { apply(entry.changes, app.dataSource) }
    }
}

extension Scene {
    /// Returns whether a window can have view controllers of this scene. For a guest, the answer
    /// also depends on their places, see `Window.membersScene`.
    fileprivate func canBeOnStack(under auth: Auth) -> Bool {
        switch auth {
        case .loggedOut: access == .login
        case .guest: true
        case .loggedIn: access != .login
        }
    }
}

extension Segments {
    var stored: StoredWindow.SegmentRoots {
        StoredWindow.SegmentRoots(
            selectedIndex: selectedIndex,
            roots: (0..<count).map { root(of: $0)?.number },
            kept: kept.map(\.stored))
    }
}
