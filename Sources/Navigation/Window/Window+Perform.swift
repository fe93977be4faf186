extension Window {
    /// The one way to change a window.
    /// - Throws: why the operation is refused; the window is then unchanged.
    public mutating func perform(
        _ operation: Operation, animated: Bool, in app: App
    ) throws(NavigationError) -> Outcome {
        let (window, outcome) = try performing(operation, animated: animated, in: app)
        self = window
        return outcome
    }

    /// The window that `perform` makes of this one.
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

    /// - Throws: `.stackTooDeep`, `.sessionTooLarge`. A window that was beyond a limit before, as the
    ///   limits were others, may shrink.
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

    /// Bytes that the texts from clients take, escaped as JSON strings.
    private var textSize: Int {
        viewControllers.reduce(0) { $0 + $1.textSize }
            + (segments?.kept.reduce(0) { $0 + $1.textSize } ?? 0)
            + (pendingLink?.path.sizeInJSON ?? 0)
    }

    private func differs(from other: Window) -> Bool {
        stack != other.stack || auth != other.auth || pendingLink != other.pendingLink
            || segments?.hasUpdates(since: other.segments) == true
    }

    /// Completes the turn of the run loop: one revision, and one transition from the old top to the
    /// new one, however many operations led there.
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
            // A kept root is alive but not on the stack. The lookup throws for any other.
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
        // A stack of thousands is set in one pass: no search through the stack for each entry.
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
        // The storyboard is checked: the scene exists, and the row gives what it needs.
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
        // A link that cannot be opened now must not keep anybody out.
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

// MARK: - What the operations are made of

extension Window {
    /// The live instance, or a new one of the scene, that `target` names.
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

    /// The scene of this name, if it can be shown at the present root.
    private func scene(_ name: Scene.Name, in app: App) throws(NavigationError) -> Scene {
        guard let scene = app.storyboard.scenes[name] else { throw .sceneNotFound(name) }
        guard !scene.kind.isContainer else { throw .unsupportedViewController(name) }
        switch (scene.access, root) {
        case (.app, .login): throw .loginRequired(name)
        case (.login, .app): throw .alreadyLoggedIn
        case (.app, .app), (.login, .login): return scene
        }
    }

    /// Makes `viewControllers` the whole stack.
    private mutating func show(_ viewControllers: [ViewController]) {
        let left = stack.set(viewControllers)
        segments?.keep(left)
        segments?.release(viewControllers)
    }

    /// The kept root of a segment, made on first use.
    private mutating func segmentRoot(_ index: Int, in app: App) -> ViewController {
        if let id = segments?.root(of: index), let root = try? viewController(id) { return root }
        let root = makeViewController(app.storyboard.segments[index].scene, in: app)
        segments?.setRoot(root.id, of: index)
        return root
    }

    /// The stack that a deep link asks for: `scene` under its chain of parents. Entries of the
    /// present stack that are in place already are kept.
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
