/// The tab bar of a layer of the window: of the root layer, or of a modal presentation. The tab bar
/// is computed from the layer when it is read, and is not stored.
public struct TabBar: Sendable, Equatable {
    public struct Item: Sendable, Equatable {
        public let title: String?
        public let badge: String?
    }

    /// The number of items that UIKit shows on a phone. Further tabs are in its More list.
    public static let maximumItems = 5

    public let selectedIndex: Int
    /// Whether the tab bar is hidden because a view controller on the stack of the selected tab
    /// sets `hidesBottomBarWhenPushed`. That view controller need not be on top.
    public let isHidden: Bool
    public let items: [Item]
}

extension Layer {
    /// The tab bar of the layer; nil if the layer has no tab bar controller.
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
    /// The tab bar of the top layer, which contains the visible view controller; nil if that layer
    /// has no tab bar controller.
    public var tabBar: TabBar? {
        switch content {
        case .single: nil
        case .several(let layers): layers[layers.count - 1].tabBar
        }
    }
}
