/// Methods with which the operations find and change the layers and stacks of a window.
extension Window {
    /// The layers from bottom to top. The root layer is the first.
    public var layers: [Layer] {
        switch content {
        case .single(let stack): [Layer(stack, id: rootNavigationController)]
        case .several(let layers): layers
        }
    }

    /// Whether the window has only one navigation controller, in a root layer without tabs.
    public var isSingleStack: Bool {
        if case .single = content { true } else { false }
    }

    /// The top layer, which contains the visible view controller.
    public var activeLayer: Layer {
        switch content {
        case .single(let stack): Layer(stack, id: rootNavigationController)
        case .several(let layers): layers[layers.count - 1]
        }
    }

    /// Whether the visible view controller is in no navigation controller.
    public var isBare: Bool { isBare(at: activePosition) }

    /// The position of the stack that contains the visible view controller.
    var activePosition: StackPosition {
        switch content {
        case .single: StackPosition()
        case .several(let layers):
            StackPosition(
                layer: layers.count - 1, controller: layers[layers.count - 1].selectedIndex)
        }
    }

    func isBare(at position: StackPosition) -> Bool {
        switch content {
        case .single: false
        case .several(let layers):
            layers[position.layer].navigationControllers[position.controller].isBare
        }
    }

    /// The stack at a position. A change through this subscript happens in place, without a copy of
    /// the stack.
    subscript(position: StackPosition) -> NavigationStack {
        get {
            switch content {
            case .single(let stack): stack
            case .several(let layers):
                layers[position.layer].navigationControllers[position.controller].stack
            }
        }
        _modify {
            switch content {
            case .single(var stack):
                content = .several([])
                defer { content = .single(stack) }
                yield &stack
            case .several(var layers):
                content = .several([])
                defer { content = .several(layers) }
                yield &layers[position.layer].navigationControllers[position.controller].stack
            }
        }
    }

    /// The first stack of the root layer. In an app with a segmented control, the control switches
    /// the root of this stack. Such an app has no tabs in its root layer.
    var rootStack: NavigationStack { self[StackPosition()] }

    /// Changes the layers as an array, even if the content is stored as `.single`. Afterwards, the
    /// content is stored as `.several`.
    /// - Parameter change: a function that changes the array of layers.
    /// - Returns: the result of `change`.
    mutating func withLayers<Value>(_ change: (inout [Layer]) -> Value) -> Value {
        var layers = layers
        content = .several([])
        defer { content = .several(layers) }
        return change(&layers)
    }

    /// Brings `content` into its normal form after a change. A reference to a presenting view
    /// controller that has left its stack is removed. If only one navigation controller without
    /// tabs is left, the content is stored as `.single`. The segmented control selects the segment
    /// whose root has become that of the stack.
    mutating func normalize() {
        if let index = segments?.index(of: rootStack.root.id) { segments?.selectedIndex = index }
        guard case .several(var layers) = content else { return }
        if layers.count == 1, !layers[0].hasTabBar, !layers[0].selected.isBare {
            rootNavigationController = layers[0].id
            content = .single(layers[0].selected.stack)
            return
        }
        // This id is not in use here, because the layers store their own ids. A fixed value makes
        // windows with equal layers compare equal.
        rootNavigationController = NavigationController.ID(number: 1)
        content = .several([])
        for index in layers.indices.dropFirst() {
            guard let presenter = layers[index].presentingViewController else { continue }
            let below = layers[index - 1].navigationControllers
            if !below.contains(where: { $0.stack.index(of: presenter) != nil }) {
                layers[index].presentingViewController = nil
            }
        }
        content = .several(layers)
    }

    /// Returns the position of the stack that contains a view controller, and the index of the view
    /// controller on that stack; nil if the view controller is on no stack.
    func position(of id: ViewController.ID) -> (stack: StackPosition, index: Int)? {
        switch content {
        case .single(let stack):
            return stack.index(of: id).map { (StackPosition(), $0) }
        case .several(let layers):
            for (layer, content) in layers.enumerated() {
                for (controller, holder) in content.navigationControllers.enumerated() {
                    if let index = holder.stack.index(of: id) {
                        return (StackPosition(layer: layer, controller: controller), index)
                    }
                }
            }
            return nil
        }
    }

    /// Returns the position of a navigation controller's stack.
    /// - Throws: `.navigationControllerNotFound` if the window has no navigation controller with
    ///   this id.
    func position(
        of id: NavigationController.ID
    ) throws(NavigationError) -> StackPosition {
        for (layer, content) in layers.enumerated() {
            if let controller = content.navigationControllers.firstIndex(where: { $0.id == id }) {
                return StackPosition(layer: layer, controller: controller)
            }
        }
        throw .navigationControllerNotFound(id)
    }

    /// Returns the view controller with this id; nil if there is none. The view controller may also
    /// be the root of a segment that is on no stack, see `Segments.kept`.
    public func liveViewController(_ id: ViewController.ID) -> ViewController? {
        if let (position, index) = position(of: id) {
            return self[position].viewControllers[index]
        }
        return segments?.keptRoot(id)
    }

    /// Returns the view controller with this id. The view controller may also be the root of a
    /// segment that is on no stack, see `Segments.kept`.
    /// - Parameter member: the name of the request's member with the id; nil if the id is not in the
    ///   body.
    /// - Throws: `.viewControllerNotFound` if no view controller has this id.
    func viewController(
        _ id: ViewController.ID, in member: String? = "viewController"
    ) throws(NavigationError) -> ViewController {
        guard let viewController = liveViewController(id) else {
            throw .viewControllerNotFound(id, member: member)
        }
        return viewController
    }

    /// Returns whether the layer at this index is on screen. The top layer is on screen. Any other
    /// layer is on screen unless the layer directly above covers it.
    static func isOnScreen(_ index: Int, of layers: [Layer]) -> Bool {
        index + 1 == layers.count || !layers[index + 1].coversLayerBelow
    }

    /// Returns the index of the layer in which a view controller is on screen.
    /// - Throws: `.viewControllerNotFound` if no view controller has this id; `.notOnScreen` if the
    ///   view controller is not on top of the selected stack of its layer, or if the layer is not
    ///   on screen.
    func layerIndex(onScreen id: ViewController.ID) throws(NavigationError) -> Int {
        _ = try viewController(id, in: "from")
        let layers = layers
        let index = layers.firstIndex { $0.selected.topViewController.id == id }
        guard let index, Self.isOnScreen(index, of: layers) else { throw .notOnScreen(id) }
        return index
    }

    /// Returns a new id for a navigation controller.
    mutating func makeNavigationControllerID() -> NavigationController.ID {
        lastNavigationController += 1
        return NavigationController.ID(number: lastNavigationController)
    }

    /// Creates a layer with new view controllers, whose views are not loaded yet. Does not add the
    /// layer to the window.
    /// - Parameters:
    ///   - scene: the scene that the layer shows: a tab bar controller, a navigation controller or
    ///     a single view controller.
    ///   - roots: the scene of the first view controller in each navigation controller of the
    ///     layer, with checked parameters.
    ///   - style: the style in which the layer is presented; nil for the root layer.
    ///   - presenter: the id of the view controller that presents the layer; nil for the root
    ///     layer.
    ///   - isModal: the value of `Layer.isContainerModal`.
    mutating func makeLayer(
        _ scene: Scene, _ roots: [(root: ContainerRoot, parameters: Parameters)],
        style: PresentationStyle?, presenter: ViewController.ID?, isModal: Bool, in app: App
    ) -> Layer {
        let holders = roots.map { makeNavigationController($0, $1, in: app) }
        return Layer(
            presentationStyle: style, presentingViewController: presenter,
            isContainerModal: isModal, tabBarScene: scene.kind == .tabBar ? scene : nil,
            navigationControllers: holders)
    }

    /// Creates a navigation controller with a new view controller, whose view is not loaded yet.
    mutating func makeNavigationController(
        _ root: ContainerRoot, _ parameters: Parameters, in app: App
    ) -> NavigationController {
        NavigationController(
            id: makeNavigationControllerID(), isBare: root.isBare,
            stack: NavigationStack(root: makeViewController(root.scene, parameters, in: app)))
    }
}
