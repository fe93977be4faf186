extension Window {
    /// Carries out an operation. All changes of a window go through this method or `performing`.
    /// - Throws: the reason why the operation is refused. The window is then unchanged.
    public mutating func perform(
        _ operation: Operation, animated: Bool, in app: App
    ) throws(NavigationError) -> Outcome {
        let (window, outcome) = try performing(operation, animated: animated, in: app)
        self = window
        return outcome
    }

    /// Returns the window after an operation, with the outcome. This window is unchanged.
    /// - Throws: the reason why the operation is refused.
    public func performing(
        _ operation: Operation, animated: Bool, in app: App
    ) throws(NavigationError) -> (window: Window, outcome: Outcome) {
        var next = self
        try next.apply(operation, in: app)
        guard next.differs(from: self) else { return (self, .unchanged) }
        try next.checkSize(replacing: self, app.limits)
        let outcome = next.settle(from: self, animated: animated)
        return (next, outcome)
    }

    /// Checks the size of the window after an operation. A window that already exceeded a limit,
    /// for example because the operator has lowered it, must not grow further.
    /// - Throws: `.stackTooDeep`, `.sessionTooLarge`.
    private func checkSize(
        replacing old: Window, _ limits: SizeLimits
    ) throws(NavigationError) {
        let depth = viewControllers.count
        guard depth <= limits.stackDepth || depth <= old.viewControllers.count else {
            throw .stackTooDeep(maximum: limits.stackDepth)
        }
        let size = textSize
        guard size <= limits.sessionSize || size <= old.textSize else {
            throw .sessionTooLarge(maximum: limits.sessionSize)
        }
    }

    /// The size of the texts from clients in bytes as JSON strings.
    private var textSize: Int {
        viewControllers.reduce(0) { $0 + $1.textSize }
            + (segments?.kept.reduce(0) { $0 + $1.textSize } ?? 0)
            + (pendingLink?.path.sizeInJSON ?? 0)
    }

    private func differs(from other: Window) -> Bool {
        stack != other.stack || auth != other.auth || pendingLink != other.pendingLink
            || segments?.hasUpdates(since: other.segments) == true
    }

    /// Completes a change: one new revision, and one transition from the old top to the new one,
    /// regardless of the number of operations.
    private mutating func settle(from old: Window, animated: Bool) -> Outcome {
        revision += 1
        if let index = segments?.index(of: stack.root.id) { segments?.selectedIndex = index }
        let transition = transition(from: old)
        let events =
            topViewController.id == old.topViewController.id
            ? [] : display(animated: animated, replacing: old.topViewController)
        return Outcome(
            changed: true, transition: transition,
            popped: old.stack.viewControllers(missingFrom: stack), events: events)
    }

    private func transition(from old: Window) -> Transition {
        if root != old.root { return .root }
        if topViewController.id == old.topViewController.id { return .none }
        return old.stack.index(of: topViewController.id) == nil ? .push : .pop
    }
}

// MARK: - The operations

extension Window {
    private mutating func apply(
        _ operation: Operation, in app: App
    ) throws(NavigationError) {
        switch operation {
        case .push(let target): try push(target, in: app)
        case .pop: pop(to: max(stack.viewControllers.count - 2, 0))
        case .popTo(let id): try pop(to: id)
        case .popToScene(let name): try popToScene(name, in: app)
        case .popToRoot: pop(to: 0)
        case .setViewControllers(let targets): try setViewControllers(targets, in: app)
        case .setRootViewController(let target): try setRootViewController(target, in: app)
        case .select(let row): try select(row: row, in: app)
        case .selectSegment(let index): try selectSegment(index, in: app)
        case .back: try back()
        case .open(let link): try open(link, in: app)
        case .batch(let operations): try batch(operations, in: app)
        case .update(let id, let changes, let parameters):
            try app.limits.check(changes)
            try update(id, changes, parameters, in: app)
        case .logIn(let username): try logIn(username, in: app)
        case .logOut: try logOut(in: app)
        }
    }

    private mutating func push(_ target: Target, in app: App) throws(NavigationError) {
        if case .instance(let id) = target, stack.index(of: id) != nil { throw .alreadyOnStack(id) }
        let viewController = try viewController(for: target, in: app)
        stack.push(viewController)
        segments?.release([viewController])
    }

    private mutating func pop(to index: Int) {
        let popped = stack.pop(to: index)
        segments?.keep(popped)
    }

    private mutating func pop(to id: ViewController.ID) throws(NavigationError) {
        guard let index = stack.index(of: id) else {
            // A kept root exists but is not on the stack. For any other id the lookup throws.
            throw .notOnStack(try viewController(id).id)
        }
        pop(to: index)
    }

    private mutating func popToScene(
        _ name: Scene.Name, in app: App
    ) throws(NavigationError) {
        guard app.storyboard.scenes[name] != nil else { throw .sceneNotFound(name) }
        let below = stack.viewControllers.dropLast()
        guard let index = below.lastIndex(where: { $0.scene.name == name }) else {
            throw .sceneNotBelowTop(name)
        }
        pop(to: index)
    }

    private mutating func setViewControllers(
        _ targets: [Target], in app: App
    ) throws(NavigationError) {
        guard !targets.isEmpty else { throw .emptyStack }
        // The dictionary avoids a search through the stack for each of thousands of entries.
        let onStack = Dictionary(uniqueKeysWithValues: stack.viewControllers.map { ($0.id, $0) })
        var seen: Set<ViewController.ID> = []
        var new: [ViewController] = []
        new.reserveCapacity(targets.count)
        for (index, target) in targets.enumerated() {
            do throws(NavigationError) {
                let viewController =
                    if case .instance(let id) = target, let present = onStack[id] {
                        present
                    } else {
                        try viewController(for: target, in: app)
                    }
                guard seen.insert(viewController.id).inserted else {
                    throw .duplicateViewControllers(viewController.id)
                }
                new.append(viewController)
            } catch {
                throw .atEntry(index, error)
            }
        }
        show(new)
    }

    private mutating func setRootViewController(
        _ target: Target, in app: App
    ) throws(NavigationError) {
        show([try viewController(for: target, in: app)])
    }

    private mutating func select(row: Int, in app: App) throws(NavigationError) {
        let scene = topViewController.scene
        guard scene.kind == .table, let rows = scene.rows, let name = scene.select else {
            throw .notSelectable(scene.name)
        }
        guard row >= 0, let row = app.dataSource.row(row, of: rows, topViewController.parameters)
        else {
            throw .rowOutOfRange(row: row, count: numberOfRows)
        }
        // The storyboard check guarantees that the scene exists and that the row supplies its
        // parameters.
        let wanted = app.storyboard.scenes[name]?.parameters ?? []
        let parameters = row.parameters.byName.filter { wanted.contains($0.key) }
        try push(.scene(name, parameters: parameters), in: app)
    }

    private mutating func selectSegment(
        _ index: Int, in app: App
    ) throws(NavigationError) {
        guard let count = segments?.count else { throw .noSegmentedControl }
        guard (0..<count).contains(index) else { throw .segmentOutOfRange(index, count: count) }
        let root = segmentRoot(index, in: app)
        if root.id != stack.root.id { show([root]) }
    }

    private mutating func back() throws(NavigationError) {
        guard backButton != nil else { throw .noBackButton }
        pop(to: stack.viewControllers.count - 2)
    }

    private mutating func open(_ link: Link, in app: App) throws(NavigationError) {
        try app.limits.check(link)
        let (scene, values) = try app.storyboard.resolve(link, in: app.dataSource)
        if root == .login, scene.access == .app {
            pendingLink = link
            return
        }
        guard scene.access == .app || root == .login else { throw .alreadyLoggedIn }
        show(try stack(upTo: scene, values, in: app))
    }

    private mutating func batch(
        _ operations: [Operation], in app: App
    ) throws(NavigationError) {
        for (index, operation) in operations.enumerated() {
            do throws(NavigationError) {
                try apply(operation, in: app)
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
        if let index = stack.index(of: id) {
            stack.update(at: index) { $0 = changed }
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
            opened.viewControllers.count <= app.limits.stackDepth
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
    /// Returns the existing view controller that `target` names, or a new one of its scene.
    private mutating func viewController(
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

    /// Returns the scene with this name.
    /// - Throws: an error if the scene does not exist or cannot be shown at the present root.
    private func scene(_ name: Scene.Name, in app: App) throws(NavigationError) -> Scene {
        guard let scene = app.storyboard.scenes[name] else { throw .sceneNotFound(name) }
        guard !scene.kind.isContainer else { throw .unsupportedViewController(name) }
        switch (scene.access, root) {
        case (.app, .login): throw .loginRequired(name)
        case (.login, .app): throw .alreadyLoggedIn
        case (.app, .app), (.login, .login): return scene
        }
    }

    /// Replaces the whole stack by `viewControllers`.
    private mutating func show(_ viewControllers: [ViewController]) {
        let left = stack.set(viewControllers)
        segments?.keep(left)
        segments?.release(viewControllers)
    }

    /// Returns the root of a segment, which is created on first use.
    private mutating func segmentRoot(_ index: Int, in app: App) -> ViewController {
        if let id = segments?.root(of: index), let root = try? viewController(id) { return root }
        let root = makeViewController(app.storyboard.segments[index].scene, in: app)
        segments?.setRoot(root.id, of: index)
        return root
    }

    /// Returns the stack for a deep link: `scene` above its chain of parents. View controllers of
    /// the present stack that match an entry of the new stack are reused.
    private mutating func stack(
        upTo scene: Scene, _ values: [String: String], in app: App
    ) throws(NavigationError) -> [ViewController] {
        let chain = app.storyboard.chain(to: scene)
        let segment =
            segments == nil
            ? nil : app.storyboard.segments.firstIndex { $0.scene === chain[0] }
        var new: [ViewController] = []
        for (depth, scene) in chain.enumerated() {
            let parameters = Parameters(
                names: scene.parameters, values: scene.parameters.map { values[$0] ?? "" })
            let present = depth < viewControllers.count ? viewControllers[depth] : nil
            if depth == 0, let segment {
                new.append(segmentRoot(segment, in: app))
            } else if let present, present.scene === scene, present.parameters == parameters {
                new.append(present)
            } else {
                new.append(makeViewController(scene, parameters, in: app))
            }
        }
        return new
    }
}
