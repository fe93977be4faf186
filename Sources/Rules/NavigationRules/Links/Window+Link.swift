import JSON

/// The link of a window's state.
extension Window {
    /// Returns the link that leads to the visible view controller, in the form of the main pattern
    /// of its scene. To open the link in this window changes nothing.
    ///
    /// The service writes the link into each response with a session. The method thus compares the
    /// layers and stacks with those that `open` builds, instead of opening the link in a copy.
    /// - Returns: nil if the login scene is shown, if the scene has no path, or if the link would
    ///   change something: a stack that is not the chain of parents of the scene, a layer above
    ///   it, another tab, or the parameters.
    public func link(in app: App) -> String? {
        guard root == .app, isAtLink(in: app) else { return nil }
        let top = topViewController
        guard let main = app.storyboard.linkIndex.main(of: top.scene),
            let link = main.constant ?? main.entry.link(top.parameters),
            link.utf8.count <= app.limits.linkLength
        else { return nil }
        if main.isUnambiguous, top.parameters.areShort(app.limits) { return link }
        let destination = try? app.storyboard.resolve(
            .path(link), in: app.dataSource, app.limits)
        guard let destination, destination.scene === top.scene,
            destination.parameters(of: top.scene) == top.parameters
        else { return nil }
        return link
    }

    /// Returns whether the layers and stacks are those that a link to the visible view controller
    /// builds.
    private func isAtLink(in app: App) -> Bool {
        let visible = topViewController.parameters
        guard case .several(let layers) = content else {
            return isRootAtLink(stack, visible, in: app)
        }
        for (index, layer) in layers.enumerated().dropFirst().reversed() {
            let stack = layer.selected.stack
            let first = stack.root.scene
            let isBare = stack.viewControllers.count == 1 && !app.storyboard.hasChildren(first)
            guard Self.isChain(stack, visible), !layer.hasTabBar, layer.selected.isBare == isBare
            else { return false }
            // A link whose first scene begins a layer leaves the root layer as it is.
            guard let parent = first.parent else {
                return index == 1
                    && (first.presentation != nil || app.storyboard.isHomeless(first))
            }
            guard first.presentation != nil else { return false }
            guard layers[index - 1].selected.topViewController.scene.name == parent else {
                return false
            }
        }
        let stack = layers[0].selected.stack
        return isRootAtLink(stack, visible, in: app) && isAtTab(layers[0], in: app)
    }

    /// Returns whether a link that leads here would leave the selected stack of the root layer as
    /// it is.
    /// - Parameter visible: the parameters of the visible view controller.
    private func isRootAtLink(
        _ stack: NavigationStack, _ visible: Parameters, in app: App
    ) -> Bool {
        let first = stack.root.scene
        guard first.parent == nil, first.presentation == nil, Self.isChain(stack, visible) else {
            return false
        }
        guard let segments,
            let segment = app.storyboard.segments.firstIndex(where: { $0.scene === first })
        else { return true }
        return segments.root(of: segment) == stack.root.id
    }

    /// Returns whether a link to the first scene of the selected stack selects this tab. A link to a
    /// scene that is the root of no tab begins a layer of its own.
    private func isAtTab(_ layer: Layer, in app: App) -> Bool {
        guard let scene = layer.tabBarScene else { return true }
        return app.storyboard.roots(of: scene)[layer.selectedIndex].scene
            === layer.selected.stack.root.scene
    }

    /// Returns whether each scene on a stack is the parent of the scene above it, and whether its
    /// parameters are those that the visible view controller has.
    private static func isChain(_ stack: NavigationStack, _ visible: Parameters) -> Bool {
        let viewControllers = stack.viewControllers
        for index in viewControllers.indices.dropFirst() {
            let below = viewControllers[index - 1]
            let scene = viewControllers[index].scene
            guard scene.presentation == nil, scene.parent == below.scene.name else { return false }
            for name in below.scene.parameters
            where !areIdentical(below.parameters[name], visible[name]) { return false }
        }
        let top = stack.top
        return top.scene.parameters.allSatisfy {
            areIdentical(top.parameters[$0], visible[$0])
        }
    }
}

extension Parameters {
    /// Returns whether a link can have all values. Only a value with more bytes than the maximum
    /// number of characters can be too long.
    fileprivate func areShort(_ limits: SizeLimits) -> Bool {
        values.allSatisfy { $0.utf8.count <= limits.textLength }
    }
}
