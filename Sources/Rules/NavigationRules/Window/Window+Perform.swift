extension Window {
    /// Performs an operation on this window.
    /// - Parameter animated: the value of the member `animated`; nil if the request has none.
    /// - Returns: the transition, the popped view controllers and the lifecycle events.
    /// - Throws: the reason why the operation is refused. The window is then unchanged.
    public mutating func perform(
        _ operation: Operation, animated: Bool?, in app: App
    ) throws(NavigationError) -> Outcome {
        let (window, outcome) = try performing(operation, animated: animated, in: app)
        self = window
        return outcome
    }

    /// Performs an operation on a copy of this window. This window stays unchanged.
    /// - Parameter animated: the value of the member `animated`; nil if the request has none.
    /// - Returns: the changed copy and the outcome of the operation.
    /// - Throws: the reason why the operation is refused.
    public func performing(
        _ operation: Operation, animated: Bool?, in app: App
    ) throws(NavigationError) -> (window: Window, outcome: Outcome) {
        var next = self
        try next.checkUserAction(operation, in: app)
        try operation.base.perform(on: &next, in: app)
        next.normalize()
        var isAnimated = animated ?? operation.base.isAnimatedByDefault
        switch auth {
        case .loggedIn: break
        case .guest:
            let isLoggedIn = try next.finish(operation, ofGuest: self, animated: animated, in: app)
            if isLoggedIn { isAnimated = pending?.animated ?? true }
        case .loggedOut: next.keepAnimated(of: operation, animated, since: pending)
        }
        next.dropGestures(withoutEventsSince: self, animated: isAnimated)
        guard next.differs(from: self) else { return (self, .unchanged) }
        try next.checkSize(replacing: self, app.limits)
        let outcome = next.settle(from: self, animated: isAnimated, in: app)
        return (next, outcome)
    }

    /// Checks whether the session accepts an operation. A strict session accepts only operations
    /// that a user of the app can perform.
    /// - Throws: `.notAUserAction` if the session is strict and a user cannot perform the
    ///   operation.
    func checkUserAction(_ operation: Operation, in app: App) throws(NavigationError) {
        guard isStrict, !operation.base.isUserAction(in: self, app) else { return }
        throw .notAUserAction(operation.name)
    }
}

// MARK: - Parts of the operations

extension Window {
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
    mutating func newcomer(
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
    /// - Throws: `.loginRequired` if the window shows the login root, and the `access` of the scene
    ///   is not `login`; `.alreadyLoggedIn` if a user is logged in, and the `access` of the scene is
    ///   `login`. The scenes of a guest are checked after the operation, see `finish(_:ofGuest:)`.
    func checkAccess(to scene: Scene, as name: Scene.Name) throws(NavigationError) {
        switch (scene.access, auth) {
        case (.members, .loggedOut), (.everyone, .loggedOut): throw .loginRequired(name)
        case (.login, .loggedIn): throw .alreadyLoggedIn
        case (_, .guest), (.login, .loggedOut), (.members, .loggedIn), (.everyone, .loggedIn): break
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
