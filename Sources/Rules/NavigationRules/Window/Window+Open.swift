import JSON

/// The operation that opens a deep link.
extension Window {
    mutating func open(_ link: Link, in app: App) throws(NavigationError) {
        let destination = try app.storyboard.resolve(link, in: app.dataSource, app.limits)
        let scene = destination.scene
        if root == .login, scene.access != .login {
            guard destination.pattern != nil else { throw .linkNotFound(link) }
            pending = PendingAction(link: destination.normalForm)
            return
        }
        let scenes = app.storyboard.chain(to: scene)
        guard !isLoggedIn || !scenes.contains(where: { $0.access == .login }) else {
            throw .alreadyLoggedIn
        }
        let chain = scenes.map { scene in
            ChainLink(
                scene: scene, parameters: destination.parameters(of: scene),
                pathParameters: destination.pathParameters)
        }
        // Each scene with a `presentation` begins a new layer.
        var parts: [ArraySlice<ChainLink>] = []
        for index in chain.indices {
            if parts.isEmpty || chain[index].scene.presentation != nil {
                parts.append(chain[index...index])
            } else {
                parts[parts.count - 1] = chain[parts[parts.count - 1].startIndex...index]
            }
        }
        if parts[0][0].scene.presentation == nil, !app.storyboard.isHomeless(scenes[0]) {
            try openInRootLayer(Array(parts.removeFirst()), in: app)
        }
        var layer = 0
        for part in parts {
            try open(Array(part), above: layer, in: app)
            layer += 1
        }
        dismissLayers(above: layer)
    }

    private mutating func openInRootLayer(
        _ chain: [ChainLink], in app: App
    ) throws(NavigationError) {
        var position = StackPosition()
        if case .several(let layers) = content {
            position.controller = layers[0].selectedIndex
            if let scene = layers[0].tabBarScene {
                // The link selects a tab by its root in the storyboard, because clients may have
                // replaced the root on the stack.
                let tab = app.storyboard.tab(
                    of: scene, for: chain[0].scene, needsStack: chain.count > 1,
                    shown: position.controller)
                position.controller = tab ?? position.controller
            }
            withLayers { $0[0].selectedIndex = position.controller }
        }
        try build(chain, at: position, in: app)
    }

    /// Replaces the stack at `position` by view controllers for the scenes in `chain`, from bottom
    /// to top. A view controller stays if the stack already has it at the same index, with the same
    /// scene and the same parameters in the path of the link. It takes the other parameters from
    /// the query.
    /// - Parameter chain: those scenes of `Storyboard.chain(to:)` that belong to this layer, with
    ///   their parameters.
    /// - Throws: `.noNavigationController` if the stack would change but belongs to no navigation
    ///   controller.
    private mutating func build(
        _ chain: [ChainLink], at position: StackPosition, in app: App
    ) throws(NavigationError) {
        let present = self[position].viewControllers
        let segment =
            segments == nil || position.layer > 0
            ? nil : app.storyboard.segments.firstIndex { $0.scene === chain[0].scene }
        var new: [ViewController] = []
        for (depth, link) in chain.enumerated() {
            if depth == 0, let segment {
                let root = segmentRoot(segment, in: app)
                // A client may have pushed this root in a higher layer. All layers above
                // `position` are then dismissed.
                if let place = self.position(of: root.id), place.stack.layer > position.layer {
                    dismissLayers(above: position.layer)
                }
                new.append(root.configured(by: link, app.dataSource))
            } else if depth < present.count, link.isSame(present[depth]) {
                new.append(present[depth].configured(by: link, app.dataSource))
            } else {
                new.append(makeViewController(link.scene, link.parameters, in: app))
            }
        }
        if isBare(at: position), new.map(\.id) != present.map(\.id) {
            throw .noNavigationController
        }
        show(new, at: position)
    }

    /// Shows the scenes in `chain` as the stack of the layer at `index + 1`, which is directly
    /// above the layer at `index`. An existing layer at `index + 1` stays if it meets three
    /// conditions. It has no tab bar. Its root view controller has the same scene as the first entry
    /// of `chain`, and the same parameters in the path of the link. It has a navigation controller
    /// exactly if a new layer for `chain` would have one. Otherwise, a new layer replaces all layers
    /// above `index`.
    /// - Parameter chain: the scenes with their parameters, from bottom to top.
    /// - Throws: `.tooManyLayers` if a new layer would exceed `Layer.maximum`.
    private mutating func open(
        _ chain: [ChainLink], above index: Int, in app: App
    ) throws(NavigationError) {
        let first = chain[0]
        let isBare = chain.count == 1 && !app.storyboard.hasChildren(first.scene)
        let layers = layers
        if index + 1 < layers.count {
            let next = layers[index + 1]
            let holder = next.navigationControllers[0]
            if !next.hasTabBar, holder.isBare == isBare, first.isSame(holder.stack.root) {
                return try build(chain, at: StackPosition(layer: index + 1), in: app)
            }
        }
        dismissLayers(above: index)
        guard index + 1 < Layer.maximum else { throw .tooManyLayers(maximum: Layer.maximum) }
        let root = ContainerRoot(scene: first.scene, isBare: isBare)
        let layer = makeLayer(
            first.scene, [(root, first.parameters)],
            style: (first.scene.presentation ?? .pageSheet).resolved(in: app.storyboard.uikit),
            presenter: layers[index].selected.topViewController.id, isModal: false, in: app)
        withLayers { $0.append(layer) }
        try build(chain, at: StackPosition(layer: index + 1), in: app)
    }
}

/// One of the scenes that a link shows: the scene to which the link leads, or a parent.
private struct ChainLink {
    let scene: Scene
    let parameters: Parameters
    /// The names of the parameters in the path of the link.
    let pathParameters: [String]

    /// Returns whether a view controller stays where the link shows this scene.
    func isSame(_ viewController: ViewController) -> Bool {
        viewController.scene === scene
            && pathParameters.allSatisfy {
                areIdentical(viewController.parameters[$0], parameters[$0])
            }
    }
}

extension ViewController {
    /// Returns this view controller with the parameters that a link gives to it.
    fileprivate func configured(
        by link: ChainLink, _ dataSource: any DataSource
    ) -> ViewController {
        guard parameters != link.parameters else { return self }
        var configured = self
        configured.apply(ViewControllerChanges(), parameters: link.parameters, dataSource)
        return configured
    }
}
