import Navigation

extension Window {
    /// A hash of what the window shows, without the ids of its view controllers. Windows with equal
    /// hashes count as the same state.
    var explorationKey: Int {
        var hasher = Hasher()
        hasher.combine(root)
        hasher.combine(segments?.selectedIndex)
        hasher.combine(pendingLink)
        for (index, layer) in layers.enumerated() {
            let presenter = layer.presentingViewController.flatMap { id in
                layers[index - 1].navigationControllers.firstIndex { holder in
                    holder.stack.viewControllers.contains { $0.id == id }
                }
            }
            hasher.combine(presenter)
            hasher.combine(layer.presentationStyle)
            hasher.combine(layer.selectedIndex)
            for holder in layer.navigationControllers {
                hasher.combine(holder.isBare)
                for viewController in holder.stack.viewControllers {
                    hasher.combine(ObjectIdentifier(viewController.scene))
                    hasher.combine(viewController.parameters.values)
                }
                hasher.combine(0)
            }
        }
        return hasher.finalize()
    }
}
