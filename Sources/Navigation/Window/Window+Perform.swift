extension Window {
    /// Performs an operation on this window.
    /// - Parameter animated: the value of `animated` in the lifecycle events.
    /// - Returns: the transition, the popped view controllers and the lifecycle events.
    /// - Throws: the reason why the operation is refused. The window is then unchanged.
    public mutating func perform(
        _ operation: Operation, animated: Bool, in app: App
    ) throws(NavigationError) -> Outcome {
        let (window, outcome) = try performing(operation, animated: animated, in: app)
        self = window
        return outcome
    }

    /// Performs an operation on a copy of this window. This window stays unchanged.
    /// - Parameter animated: the value of `animated` in the lifecycle events.
    /// - Returns: the changed copy and the outcome of the operation.
    /// - Throws: the reason why the operation is refused.
    public func performing(
        _ operation: Operation, animated: Bool, in app: App
    ) throws(NavigationError) -> (window: Window, outcome: Outcome) {
        var next = self
        try next.checkUserAction(operation, in: app)
        try next.apply(operation, in: app)
        next.normalize()
        guard next.differs(from: self) else { return (self, .unchanged) }
        try next.checkSize(replacing: self, app.limits)
        let outcome = next.settle(from: self, animated: animated)
        return (next, outcome)
    }
}

// MARK: - The operations

extension Window {
    mutating func apply(
        _ operation: Operation, at position: StackPosition? = nil, in app: App
    ) throws(NavigationError) {
        let position = position ?? activePosition
        switch operation {
        case .push(let target): try push(target, at: position, in: app)
        case .pop: pop(at: position, to: max(self[position].viewControllers.count - 2, 0))
        case .popTo(let id): try pop(at: position, to: id)
        case .popToScene(let name): try popToScene(name, at: position, in: app)
        case .popToRoot: pop(at: position, to: 0)
        case .setViewControllers(let targets):
            try setViewControllers(targets, at: position, in: app)
        case .setRootViewController(let target):
            try requireNavigationController(at: position)
            show([try newcomer(for: target, at: position, in: app)], at: position)
        case .select(let row): try select(row: row, at: position, in: app)
        case .selectSegment(let index): try selectSegment(index, in: app)
        case .back: try back(at: position)
        case .open(let link): try open(link, in: app)
        case .present(let presentation): try present(presentation, in: app)
        case .dismiss(let id): try dismiss(id)
        case .swipeDown: try swipeDown()
        case .selectTab(let index): try selectTab(index)
        case .tapTab(let index): try tapTab(index)
        case .segue(let identifier, let parameters, let source):
            try performSegue(identifier, parameters, from: source, in: app)
        case .show(let target): try show(target, in: app)
        case .tap(let target): try tap(target, in: app)
        case .unwind(let destination):
            try unwind(to: destination, from: topViewController.id)
        case .on(let id, let operation):
            try apply(operation, at: try self.position(of: id), in: app)
        case .batch(let operations): try batch(operations, in: app)
        case .update(let id, let changes, let parameters):
            try app.limits.check(changes)
            try update(id, changes, parameters, in: app)
        case .logIn(let username): try logIn(username, in: app)
        case .logOut: try logOut(in: app)
        }
    }

    /// Checks that the stack at `position` belongs to a navigation controller.
    /// - Throws: `.noNavigationController` if the view controller at `position` is in no navigation
    ///   controller.
    func requireNavigationController(at position: StackPosition) throws(NavigationError) {
        if isBare(at: position) { throw .noNavigationController }
    }

    mutating func push(
        _ target: Target, at position: StackPosition, in app: App
    ) throws(NavigationError) {
        if case .instance(let id) = target, self.position(of: id) != nil {
            throw .alreadyOnStack(id)
        }
        try requireNavigationController(at: position)
        let viewController = try viewController(for: target, in: app)
        self[position].push(viewController)
        segments?.release([viewController])
    }

    /// Pops view controllers from the stack at `position` until the one at `index` is on top.
    mutating func pop(at position: StackPosition, to index: Int) {
        let popped = self[position].pop(to: index)
        segments?.keep(popped)
    }

    private mutating func pop(
        at position: StackPosition, to id: ViewController.ID
    ) throws(NavigationError) {
        try requireNavigationController(at: position)
        guard let index = self[position].index(of: id) else {
            // The view controller is on another stack, or belongs to a segment and is on no stack.
            // The lookup throws if there is no view controller with this id.
            throw .notOnStack(try viewController(id).id)
        }
        pop(at: position, to: index)
    }

    private mutating func popToScene(
        _ name: Scene.Name, at position: StackPosition, in app: App
    ) throws(NavigationError) {
        guard app.storyboard.scenes[name] != nil else { throw .sceneNotFound(name) }
        try requireNavigationController(at: position)
        let below = self[position].viewControllers.dropLast()
        guard let index = below.lastIndex(where: { $0.scene.name == name }) else {
            throw .sceneNotBelowTop(name)
        }
        pop(at: position, to: index)
    }

    private mutating func setViewControllers(
        _ targets: [Target], at position: StackPosition, in app: App
    ) throws(NavigationError) {
        guard !targets.isEmpty else { throw .emptyStack }
        try requireNavigationController(at: position)
        // The list can have thousands of entries. The dictionary avoids a search for each of them.
        let onStack = Dictionary(
            uniqueKeysWithValues: self[position].viewControllers.map { ($0.id, $0) })
        var seen: Set<ViewController.ID> = []
        var new: [ViewController] = []
        new.reserveCapacity(targets.count)
        for (index, target) in targets.enumerated() {
            do throws(NavigationError) {
                let viewController =
                    if case .instance(let id) = target, let present = onStack[id] {
                        present
                    } else {
                        try newcomer(for: target, at: position, in: app)
                    }
                guard seen.insert(viewController.id).inserted else {
                    throw .duplicateViewControllers(viewController.id)
                }
                new.append(viewController)
            } catch {
                throw .atEntry(index, error)
            }
        }
        show(new, at: position)
    }

    private mutating func select(
        row: Int, at position: StackPosition, in app: App
    ) throws(NavigationError) {
        let table = self[position].top
        let scene = table.scene
        guard scene.kind == .table, scene.isSelectable else { throw .notSelectable(scene.name) }
        guard (0..<table.numberOfRows).contains(row) else {
            throw .rowOutOfRange(row: row, count: table.numberOfRows)
        }
        if let fixed = scene.fixedRows {
            guard let segue = fixed[row].segue else { throw .notSelectable(scene.name) }
            return try performSegue(segue, [:], from: table.id, in: app)
        }
        guard let rows = scene.rows,
            let row = app.dataSource.row(row, of: rows, table.parameters)
        else { throw .rowOutOfRange(row: row, count: table.numberOfRows) }
        if let identifier = scene.selectSegue {
            let segue = scene.segues.first { $0.identifier == identifier }
            let wanted =
                segue?.action.scene.flatMap { app.storyboard.scenes[$0] }
                .map(app.storyboard.parameters) ?? []
            let values = row.parameters.byName.filter { wanted.contains($0.key) }
            return try performSegue(identifier, values, from: table.id, in: app)
        }
        try requireNavigationController(at: position)
        let name = scene.select ?? ""
        // `StoryboardCheck` has verified that the scene exists and that the rows supply its
        // parameters.
        let wanted = app.storyboard.scenes[name]?.parameters ?? []
        let parameters = row.parameters.byName.filter { wanted.contains($0.key) }
        try push(.scene(name, parameters: parameters), at: position, in: app)
    }

    private mutating func selectSegment(_ index: Int, in app: App) throws(NavigationError) {
        guard let count = segments?.count, isSingleStack else { throw .noSegmentedControl }
        guard (0..<count).contains(index) else { throw .segmentOutOfRange(index, count: count) }
        let root = segmentRoot(index, in: app)
        if root.id != rootStack.root.id { show([root], at: StackPosition()) }
    }

    private mutating func back(at position: StackPosition) throws(NavigationError) {
        try requireNavigationController(at: position)
        guard self[position].backButton != nil else { throw .noBackButton }
        pop(at: position, to: self[position].viewControllers.count - 2)
    }

    private mutating func batch(
        _ operations: [Operation], in app: App
    ) throws(NavigationError) {
        for (index, operation) in operations.enumerated() {
            do throws(NavigationError) {
                try checkUserAction(operation, in: app)
                try apply(operation, in: app)
                normalize()
            } catch {
                throw .inBatch(index, error)
            }
        }
    }

    private mutating func update(
        _ id: ViewController.ID, _ changes: ViewControllerChanges,
        _ parameters: [String: String]?, in app: App
    ) throws(NavigationError) {
        var changed = try viewController(id)
        var checked: Parameters?
        if let parameters {
            try app.limits.check(parameters: parameters)
            checked = try changed.scene.check(parameters, in: app.dataSource)
        }
        changed.apply(changes, parameters: checked, app.dataSource)
        if let (position, index) = position(of: id) {
            self[position].update(at: index) { $0 = changed }
        } else {
            segments?.update(id) { $0 = changed }
        }
    }

    private mutating func logIn(_ username: String, in app: App) throws(NavigationError) {
        guard app.storyboard.loginScene != nil else { throw .noLogin }
        guard auth == .loggedOut else { throw .alreadyLoggedIn }
        swapRoot(to: .loggedIn(username: username), in: app)
        guard let link = pendingLink else { return }
        pendingLink = nil
        // A pending link that cannot be opened must not prevent the log-in.
        var opened = self
        guard (try? opened.open(link, in: app)) != nil,
            (try? opened.checkSize(replacing: self, app.limits)) != nil
        else { return }
        self = opened
    }

    private mutating func logOut(in app: App) throws(NavigationError) {
        guard app.storyboard.loginScene != nil else { throw .noLogin }
        guard auth != .loggedOut else { return }
        swapRoot(to: .loggedOut, in: app)
    }
}

// MARK: - Parts of the operations

extension Window {
    /// Returns the existing view controller with the id in `target`, or creates a view controller
    /// of the scene in `target`.
    /// - Throws: the reason why there is no such view controller, or why it cannot be created.
    mutating func viewController(
        for target: Target, in app: App
    ) throws(NavigationError) -> ViewController {
        switch target {
        case .instance(let id): return try viewController(id)
        case .scene(let name, let parameters):
            let scene = try scene(name, in: app)
            try app.limits.check(parameters: parameters)
            return makeViewController(
                scene, try scene.check(parameters, in: app.dataSource), in: app)
        }
    }

    /// Returns the view controller for `target`, which the caller puts on the stack at `position`.
    /// The view controller may already be on this stack.
    /// - Throws: `.alreadyOnStack` if the view controller is on another stack.
    private mutating func newcomer(
        for target: Target, at position: StackPosition, in app: App
    ) throws(NavigationError) -> ViewController {
        if case .instance(let id) = target, let present = self.position(of: id),
            present.stack != position
        {
            throw .alreadyOnStack(id)
        }
        return try viewController(for: target, in: app)
    }

    /// Returns the scene with this name.
    /// - Throws: `.sceneNotFound` if there is none; `.unsupportedViewController` if it is a
    ///   container; `.loginRequired` or `.alreadyLoggedIn` if it cannot be shown in the present
    ///   log-in state.
    private func scene(_ name: Scene.Name, in app: App) throws(NavigationError) -> Scene {
        guard let scene = app.storyboard.scenes[name] else { throw .sceneNotFound(name) }
        guard !scene.kind.isContainer else { throw .unsupportedViewController(name) }
        try checkAccess(to: scene, as: name)
        return scene
    }

    /// Checks that a scene can be shown in the present log-in state.
    /// - Parameter name: the name for the error. If the request names a container, this is the name
    ///   of the container, not of the scene in it.
    /// - Throws: `.loginRequired` if no user is logged in, and the `access` of the scene is `app`;
    ///   `.alreadyLoggedIn` if a user is logged in, and the `access` of the scene is `login`.
    func checkAccess(to scene: Scene, as name: Scene.Name) throws(NavigationError) {
        switch (scene.access, root) {
        case (.app, .login): throw .loginRequired(name)
        case (.login, .app): throw .alreadyLoggedIn
        case (.app, .app), (.login, .login): break
        }
    }

    /// Replaces all view controllers on the stack at `position`.
    mutating func show(_ viewControllers: [ViewController], at position: StackPosition) {
        let left = self[position].set(viewControllers)
        segments?.keep(left)
        segments?.release(viewControllers)
    }

    /// Returns the root view controller of the segment at `index`. Creates it if it does not exist
    /// yet.
    mutating func segmentRoot(_ index: Int, in app: App) -> ViewController {
        if let id = segments?.root(of: index), let root = try? viewController(id) { return root }
        let root = makeViewController(app.storyboard.segments[index].scene, in: app)
        segments?.setRoot(root.id, of: index)
        return root
    }
}
