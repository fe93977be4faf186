/// The tab bar of the active layer. It is computed from the layer, never stored.
public struct TabBar: Sendable, Equatable {
    public struct Item: Sendable, Equatable {
        public let title: String?
        public let badge: String?
    }

    public let selectedIndex: Int
    /// Whether any view controller on the selected stack has `hidesBottomBarWhenPushed`. The tab
    /// bar stays hidden until that view controller is popped.
    public let isHidden: Bool
    public let items: [Item]
}

extension Layer {
    /// The tab bar of the layer; nil for a layer without tabs.
    public var tabBar: TabBar? {
        guard let scene = tabBarScene else { return nil }
        return TabBar(
            selectedIndex: selectedIndex,
            isHidden: selected.stack.viewControllers.contains(where: \.hidesBottomBarWhenPushed),
            items: zip(navigationControllers, scene.tabs).map { holder, tab in
                let item = holder.stack.root.tabBarItem
                return TabBar.Item(
                    title: item.title ?? tab.title ?? holder.stack.root.title,
                    badge: item.badge)
            })
    }
}

extension Window {
    /// The tab bar of the top layer; nil if that layer has no tabs.
    public var tabBar: TabBar? {
        switch content {
        case .single: nil
        case .several(let layers): layers[layers.count - 1].tabBar
        }
    }
}
