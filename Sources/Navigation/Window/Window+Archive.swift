extension Window {
    /// The persistent part of the window, from which `restore` makes an equal window.
    public var archive: WindowArchive {
        WindowArchive(
            lifecycle: lifecycle, revision: revision, auth: auth,
            stack: viewControllers.map(\.archive), segments: segments?.archive,
            pendingLink: pendingLink, lastEvent: lastEvent,
            lastViewController: lastViewController)
    }

    /// Restores a window from its archive. Properties that depend on data, such as titles, are
    /// computed again.
    ///
    /// If the storyboard lacks a scene or data of the archive, the window starts again at its root,
    /// so that users can still use their sessions after an update of the app. This counts as a
    /// change of the window and increases the revision.
    /// - Returns: the window, and the events of the first display if it starts at its root again;
    ///   nil instead of events if the window equals the archived one.
    public static func restore(
        _ archive: WindowArchive, in app: App
    ) -> (window: Window, events: [LifecycleEvent]?) {
        var window = Window(freshRootFor: archive, in: app)
        guard !window.restoreTree(archive, in: app) else { return (window, nil) }
        window.revision += 1
        let events = window.display(animated: false, replacing: nil)
        return (window, events)
    }

    /// Creates a window at its root that continues the revision and event numbers of the archive.
    private init(freshRootFor archive: WindowArchive, in app: App) {
        self.init(
            lifecycle: archive.lifecycle, auth: Self.auth(archive.auth, in: app.storyboard),
            firstViewController: archive.lastViewController + 1, in: app)
        revision = archive.revision
        // A pending link waits for a log-in, which only the login root has.
        if root == .login { pendingLink = archive.pendingLink }
        lastEvent = archive.lastEvent
    }

    /// Returns the login state, adapted if the app has gained or lost its login since.
    private static func auth(_ archived: Auth, in storyboard: Storyboard) -> Auth {
        switch archived {
        case .loggedIn(nil) where storyboard.loginScene != nil: .loggedOut
        case .loggedOut where storyboard.loginScene == nil: .loggedIn(username: nil)
        default: archived
        }
    }

    /// Restores the stack and the segments.
    /// - Returns: false, without any change, if the storyboard lacks something that the archive
    ///   refers to.
    private mutating func restoreTree(_ archive: WindowArchive, in app: App) -> Bool {
        let access: Scene.Access = root == .login ? .login : .app
        func restored(_ entries: [WindowArchive.Entry]) -> [ViewController]? {
            let restored = entries.compactMap { ViewController($0, access: access, in: app) }
            return restored.count == entries.count ? restored : nil
        }
        guard archive.auth == auth, let stack = restored(archive.stack),
            let newStack = NavigationStack(stack)
        else { return false }
        var newSegments: Segments?
        if let archived = archive.segments {
            guard archived.roots.count == segments?.count, let kept = restored(archived.kept) else {
                return false
            }
            let live = stack + kept
            for (root, segment) in zip(archived.roots, app.storyboard.segments) where root != nil {
                // The storyboard may have changed the order of its segments.
                let isLive = live.contains { $0.id.number == root && $0.scene === segment.scene }
                guard isLive else { return false }
            }
            newSegments = Segments(archived, kept: kept)
        } else if segments != nil {
            return false
        }
        self.stack = newStack
        segments = newSegments
        lastViewController = archive.lastViewController
        return true
    }
}

extension ViewController {
    fileprivate var archive: WindowArchive.Entry {
        WindowArchive.Entry(
            number: id.number, scene: scene.name,
            parameters: parameters, isViewLoaded: isViewLoaded, changes: changes)
    }

    /// Restores a view controller.
    /// - Returns: nil if the storyboard no longer has the scene at this root, or the parameters are
    ///   invalid.
    fileprivate init?(_ entry: WindowArchive.Entry, access: Scene.Access, in app: App) {
        guard let scene = app.storyboard.scenes[entry.scene], scene.access == access,
            !scene.kind.isContainer,
            let parameters = try? scene.check(entry.parameters.byName, in: app.dataSource)
        else { return nil }
        self.init(
            id: ID(number: entry.number), scene: scene, parameters: parameters, in: app)
        isViewLoaded = entry.isViewLoaded
        if entry.changes != ViewControllerChanges() { apply(entry.changes, app.dataSource) }
    }
}

extension Segments {
    fileprivate var archive: WindowArchive.SegmentRoots {
        WindowArchive.SegmentRoots(
            selectedIndex: selectedIndex,
            roots: (0..<count).map { root(of: $0)?.number },
            kept: kept.map(\.archive))
    }

    fileprivate init(_ archive: WindowArchive.SegmentRoots, kept: [ViewController]) {
        self.init(
            roots: archive.roots.map { $0.map(ViewController.ID.init(number:)) }, kept: kept,
            selectedIndex: archive.selectedIndex)
    }
}
