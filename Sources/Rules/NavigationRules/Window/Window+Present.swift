/// Parts of the operations that present and dismiss layers, of segues and of *show*.
extension Window {
    mutating func present(_ presentation: Present, in app: App) throws(NavigationError) {
        let presenter = presentation.from ?? topViewController.id
        let layer = try layerIndex(onScreen: presenter)
        guard let scene = app.storyboard.scenes[presentation.scene] else {
            throw .sceneNotFound(presentation.scene)
        }
        let roots = try contents(of: scene, presentation.parameters ?? [:], in: app)
        let count = layers.count
        guard layer == count - 1 else { throw .alreadyPresenting(presenter) }
        guard count < Layer.maximum else { throw .tooManyLayers(maximum: Layer.maximum) }
        let style = presentation.presentationStyle ?? scene.presentation ?? .automatic
        var new = makeLayer(
            scene, roots, style: style.resolved(in: app.storyboard.uikit), presenter: presenter,
            isModal: scene.kind.isContainer
                && presentation.isModalInPresentation ?? scene.isModalInPresentation,
            in: app)
        if !scene.kind.isContainer, let isModal = presentation.isModalInPresentation {
            new.selected.stack.updateTop {
                $0.apply(ViewControllerChanges(isModalInPresentation: isModal), app.dataSource)
            }
        }
        withLayers { $0.append(new) }
    }

    /// Returns the scenes of the view controllers with which a layer that presents `scene` starts,
    /// each with its checked parameters. These are the root of a navigation controller, the root of
    /// each tab of a tab bar controller, or `scene` itself.
    /// - Throws: the reason why the scene cannot be presented with these parameters.
    private func contents(
        of scene: Scene, _ parameters: [String: String], in app: App
    ) throws(NavigationError) -> [(root: ContainerRoot, parameters: Parameters)] {
        guard scene.kind.isContainer else {
            try checkAccess(to: scene, as: scene.name)
            try app.limits.check(parameters: parameters)
            let checked = try scene.check(parameters, in: app.dataSource)
            return [(ContainerRoot(scene: scene, isBare: true), checked)]
        }
        let roots = app.storyboard.roots(of: scene)
        guard !roots.isEmpty else { throw .unsupportedViewController(scene.name) }
        for root in roots { try checkAccess(to: root.scene, as: scene.name) }
        try app.limits.check(parameters: parameters)
        let known = Set(roots.flatMap(\.scene.parameters))
        let unknown = parameters.keys.filter { !known.contains($0) }.sorted()
        guard unknown.isEmpty else {
            throw .invalidParameters(
                scene.name, unknown.map { ParameterDefect(name: $0, reason: .unknown) })
        }
        var contents: [(root: ContainerRoot, parameters: Parameters)] = []
        for root in roots {
            let given = parameters.filter { root.scene.parameters.contains($0.key) }
            contents.append((root, try root.scene.check(given, in: app.dataSource)))
        }
        return contents
    }

    /// Removes all layers above the layer at `index`.
    mutating func dismissLayers(above index: Int) {
        guard layers.count > index + 1 else { return }
        let gone = withLayers { layers in
            defer { layers.removeSubrange((index + 1)...) }
            return layers[(index + 1)...].flatMap(\.navigationControllers)
                .flatMap(\.stack.viewControllers)
        }
        segments?.keep(gone)
    }

    /// Pushes the target on the stack at `position`. If the view controller there is in no
    /// navigation controller, presents the target modally instead. The target must then be a scene,
    /// not an existing view controller.
    /// - Throws: `.onlyScenesPresented` if it is an existing one.
    mutating func show(
        _ target: Target, from position: StackPosition, in app: App
    ) throws(NavigationError) {
        guard isBare(at: position) else { return try push(target, at: position, in: app) }
        switch target {
        case .scene(let name, let parameters):
            try present(
                Present(
                    scene: name, parameters: parameters, from: self[position].top.id), in: app)
        case .instance(let id):
            if self.position(of: id) != nil { throw .alreadyOnStack(id) }
            throw .onlyScenesPresented(try viewController(id).id)
        }
    }

    /// Performs a segue that follows a tap or a gesture.
    /// - Throws: the reason why it is refused. A reason that names members of a request for a view
    ///   controller is in `.inSegue`, since a request for a tap does not have them.
    mutating func follow(
        _ identifier: String, _ parameters: [String: String] = [:],
        from id: ViewController.ID? = nil, in app: App
    ) throws(NavigationError) {
        do throws(NavigationError) {
            try performSegue(identifier, parameters, from: id, in: app)
        } catch {
            switch error {
            case .invalidParameters, .beyondLimit, .unsupportedViewController:
                throw .inSegue(identifier, error)
            default: throw error
            }
        }
    }

    /// Performs the segue of a view controller with this identifier whose condition holds. If no
    /// condition holds, nothing happens, as after `shouldPerformSegue` has returned false.
    mutating func performSegue(
        _ identifier: String, _ parameters: [String: String], from id: ViewController.ID?,
        in app: App
    ) throws(NavigationError) {
        let source = try viewController(id ?? topViewController.id, in: "from")
        let layer = try layerIndex(onScreen: source.id)
        guard let segue = try segue(identifier, of: source.scene) else { return }
        let position = StackPosition(layer: layer, controller: layers[layer].selectedIndex)
        let values = segue.parameters(from: source, parameters, in: app.storyboard)
        switch segue.action {
        case .show(let scene):
            try show(.scene(scene, parameters: values), from: position, in: app)
        case .push(let scene):
            try push(.scene(scene, parameters: values), at: position, in: app)
        case .present(let scene, let style):
            try present(
                Present(scene: scene, parameters: values, style: style, from: source.id),
                in: app)
        case .unwind(let action):
            try source.scene.refuse(parameters)
            unwind(from: source.id) { $0.scene.unwindActions.contains(action) }
        case .dismiss:
            try source.scene.refuse(parameters)
            guard layer > 0 else { throw .inRootLayer(source.id) }
            dismissLayers(above: layer - 1)
        case .custom: throw .segueNotExecutable(identifier)
        }
    }
}

extension Scene {
    /// Refuses the parameters for a segue of the scene that shows no new view controller.
    /// - Throws: `.invalidParameters` if there is one.
    fileprivate func refuse(_ parameters: [String: String]) throws(NavigationError) {
        guard let parameter = parameters.keys.min() else { return }
        throw .invalidParameters(name, [ParameterDefect(name: parameter, reason: .unknown)])
    }
}
