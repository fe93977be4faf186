import JSON
import NavigationRules

extension Window {
    /// A hash of what the window shows, without the ids of its view controllers. Windows with equal
    /// hashes count as the same state.
    var explorationKey: Int {
        var hasher = Hasher()
        hasher.combine(root)
        hasher.combine(segments?.selectedIndex)
        hasher.combine(isLoggedIn)
        for name in flags.names { hasher.combine(flags[name]) }
        if let pending {
            hasher.combine(JSONWriter.bytes { pending.operation.write(to: &$0) })
            combine(pending.viewController, into: &hasher)
        }
        for layer in layers {
            combine(layer.presentingViewController, into: &hasher)
            hasher.combine(layer.presentationStyle)
            hasher.combine(layer.tabBarScene?.name)
            hasher.combine(layer.isModalInPresentation)
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

    /// Combines the place of a view controller; nothing if it is on no stack.
    private func combine(_ id: ViewController.ID?, into hasher: inout Hasher) {
        guard let id else { return }
        for (index, layer) in layers.enumerated() {
            for (number, holder) in layer.navigationControllers.enumerated() {
                guard let height = holder.stack.viewControllers.firstIndex(where: { $0.id == id })
                else { continue }
                for part in [index, number, height] { hasher.combine(part) }
                return
            }
        }
    }
}
