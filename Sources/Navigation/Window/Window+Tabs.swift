/// Tabs, and unwinding, which can select one.
extension Window {
    /// The layer whose tabs an operation means: the active one, or the nearest below that has tabs.
    /// - Throws: `.noTabBar`, `.tabOutOfRange`.
    private func tabLayer(_ index: Int) throws(NavigationError) -> Int {
        let layers = layers
        guard let layer = layers.lastIndex(where: \.hasTabBar) else { throw .noTabBar }
        let count = layers[layer].navigationControllers.count
        guard (0..<count).contains(index) else { throw .tabOutOfRange(index, count: count) }
        return layer
    }

    mutating func selectTab(_ index: Int) throws(NavigationError) {
        let layer = try tabLayer(index)
        withLayers { $0[layer].selectedIndex = index }
    }

    mutating func tapTab(_ index: Int) throws(NavigationError) {
        let layer = try tabLayer(index)
        guard layer == layers.count - 1, tabBar?.isHidden == false else { throw .tabBarHidden }
        if layers[layer].selectedIndex == index {
            pop(at: StackPosition(layer: layer, controller: index), to: 0)
        } else {
            withLayers { $0[layer].selectedIndex = index }
        }
    }

    // MARK: Unwinding

    /// If no view controller takes the action, the window stays as it is.
    mutating func unwind(
        to destination: UnwindDestination, from source: ViewController.ID
    ) throws(NavigationError) {
        if case .viewController(let id) = destination { _ = try viewController(id) }
        guard let start = position(of: source),
            let (position, index) = unwindTarget(destination, start)
        else { return }
        dismissLayers(above: position.layer)
        if case .several = content {
            withLayers { $0[position.layer].selectedIndex = position.controller }
        }
        pop(at: position, to: index)
    }

    /// The nearest candidate that takes the action: on the source's stack from the top down, without the
    /// source; then on the other tabs of its layer; then in the layer below, first on the stack that
    /// presented this one; and so on.
    private func unwindTarget(
        _ destination: UnwindDestination, _ start: (stack: StackPosition, index: Int)
    ) -> (StackPosition, Int)? {
        func takes(_ viewController: ViewController) -> Bool {
            switch destination {
            case .action(let action): viewController.scene.unwindActions.contains(action)
            case .viewController(let id): viewController.id == id
            }
        }
        let layers = layers
        var first = start.stack.controller
        for layer in (0...start.stack.layer).reversed() {
            let holders = layers[layer].navigationControllers
            for controller in [first] + holders.indices.filter({ $0 != first }) {
                let position = StackPosition(layer: layer, controller: controller)
                let entries = holders[controller].stack.viewControllers
                for index in entries.indices.reversed() where takes(entries[index]) {
                    if position == start.stack, index >= start.index { continue }
                    return (position, index)
                }
            }
            guard layer > 0 else { break }
            let below = layers[layer - 1]
            let presenter = layers[layer].presentingViewController
            first =
                below.navigationControllers.firstIndex { holder in
                    presenter.map { holder.stack.index(of: $0) != nil } ?? false
                } ?? below.selectedIndex
        }
        return nil
    }
}
