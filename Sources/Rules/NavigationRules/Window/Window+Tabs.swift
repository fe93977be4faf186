/// Parts of the operations that select a tab, and unwinding, which can also select a tab.
extension Window {
    /// Returns the index of the topmost layer with tabs. Operations on tabs act on this layer.
    /// - Parameter index: the index of a tab.
    /// - Throws: `.noTabBar` if no layer has tabs; `.tabOutOfRange` if the layer has no tab at
    ///   `index`.
    func tabLayer(_ index: Int) throws(NavigationError) -> Int {
        let layers = layers
        guard let layer = layers.lastIndex(where: \.hasTabBar) else { throw .noTabBar }
        let count = layers[layer].navigationControllers.count
        guard (0..<count).contains(index) else { throw .tabOutOfRange(index, count: count) }
        return layer
    }

    // MARK: Unwinding

    /// Unwinds from `source` to the nearest view controller that takes the unwind action. Changes
    /// nothing if none does.
    mutating func unwind(
        from source: ViewController.ID, to takes: (ViewController) -> Bool
    ) {
        guard let start = position(of: source),
            let (position, index) = unwindTarget(start, takes)
        else { return }
        dismissLayers(above: position.layer)
        if case .several = content {
            withLayers { $0[position.layer].selectedIndex = position.controller }
        }
        pop(at: position, to: index)
    }

    /// Returns the position of the nearest view controller that takes the unwind action; nil if none
    /// does. The search begins on the stack of the source, below the source. It continues
    /// with the other tabs of the same layer, and then with the layers below, from top to bottom.
    /// In each of these layers, the search begins with the stack of the view controller that
    /// presented the layer above. If that view controller is unknown, the search begins with the
    /// selected stack. Each stack is searched from top to bottom.
    private func unwindTarget(
        _ start: (stack: StackPosition, index: Int), _ takes: (ViewController) -> Bool
    ) -> (StackPosition, Int)? {
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
