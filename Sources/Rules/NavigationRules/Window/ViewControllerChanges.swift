/// Changes to the properties of a view controller. Nil leaves a property unchanged. `.some(nil)`
/// removes the value of a property.
public struct ViewControllerChanges: Sendable, Equatable {
    public var title: String??
    public var navigationItem: NavigationItemChanges
    public var hidesBottomBarWhenPushed: Bool?
    public var isModalInPresentation: Bool?
    public var shouldPop: Bool?
    public var shouldSelect: Bool?
    public var tabBarItem: TabBarItemChanges
    /// The text of the bottom bar, which replaces the text of the scene. `.some(nil)` restores the
    /// text of the scene.
    public var bottomBarText: String??
    public var toolbarItems: [String]?

    public init(
        title: String?? = nil, navigationItem: NavigationItemChanges = NavigationItemChanges(),
        hidesBottomBarWhenPushed: Bool? = nil, bottomBarText: String?? = nil,
        toolbarItems: [String]? = nil, isModalInPresentation: Bool? = nil,
        tabBarItem: TabBarItemChanges = TabBarItemChanges(), shouldPop: Bool? = nil,
        shouldSelect: Bool? = nil
    ) {
        self.title = title
        self.navigationItem = navigationItem
        self.hidesBottomBarWhenPushed = hidesBottomBarWhenPushed
        self.isModalInPresentation = isModalInPresentation
        self.tabBarItem = tabBarItem
        self.shouldPop = shouldPop
        self.shouldSelect = shouldSelect
        self.bottomBarText = bottomBarText
        self.toolbarItems = toolbarItems
    }

    /// Adds later changes to these changes. If both change the same property, the later change
    /// replaces the earlier one.
    mutating func add(_ later: ViewControllerChanges) {
        title = later.title ?? title
        hidesBottomBarWhenPushed = later.hidesBottomBarWhenPushed ?? hidesBottomBarWhenPushed
        isModalInPresentation = later.isModalInPresentation ?? isModalInPresentation
        shouldPop = later.shouldPop ?? shouldPop
        shouldSelect = later.shouldSelect ?? shouldSelect
        bottomBarText = later.bottomBarText ?? bottomBarText
        toolbarItems = later.toolbarItems ?? toolbarItems
        navigationItem.add(later.navigationItem)
        tabBarItem.title = later.tabBarItem.title ?? tabBarItem.title
        tabBarItem.badge = later.tabBarItem.badge ?? tabBarItem.badge
    }
}

/// The changes that clients have made to a view controller, in a separate object. Most view controllers
/// have no changes and therefore no such object.
final class ViewControllerOverrides: Sendable {
    let changes: ViewControllerChanges

    /// - Returns: nil if there are no changes.
    init?(_ changes: ViewControllerChanges) {
        guard changes != ViewControllerChanges() else { return nil }
        self.changes = changes
    }
}

/// Changes to the tab bar item of a view controller. Nil leaves a property unchanged. `.some(nil)`
/// restores the default title of the tab, or removes the badge. A tab shows the item of its root
/// view controller.
public struct TabBarItemChanges: Sendable, Equatable {
    public var title: String??
    public var badge: String??

    public init(title: String?? = nil, badge: String?? = nil) {
        self.title = title
        self.badge = badge
    }
}

/// Changes to a navigation item. Nil leaves a property unchanged. `.some(nil)` removes a title.
public struct NavigationItemChanges: Sendable, Equatable {
    public var title: String??
    public var backButtonTitle: String??
    public var hidesBackButton: Bool?
    public var leftItems: [String]?
    public var leftItemsSupplementBackButton: Bool?
    public var rightItems: [String]?

    public init(
        title: String?? = nil, backButtonTitle: String?? = nil, hidesBackButton: Bool? = nil,
        leftItems: [String]? = nil, leftItemsSupplementBackButton: Bool? = nil,
        rightItems: [String]? = nil
    ) {
        self.title = title
        self.backButtonTitle = backButtonTitle
        self.hidesBackButton = hidesBackButton
        self.leftItems = leftItems
        self.leftItemsSupplementBackButton = leftItemsSupplementBackButton
        self.rightItems = rightItems
    }

    mutating func add(_ later: NavigationItemChanges) {
        title = later.title ?? title
        backButtonTitle = later.backButtonTitle ?? backButtonTitle
        hidesBackButton = later.hidesBackButton ?? hidesBackButton
        leftItems = later.leftItems ?? leftItems
        leftItemsSupplementBackButton =
            later.leftItemsSupplementBackButton ?? leftItemsSupplementBackButton
        rightItems = later.rightItems ?? rightItems
    }

    func apply(to item: inout NavigationItem) {
        if let title { item.title = title }
        if let backButtonTitle { item.backButtonTitle = backButtonTitle }
        if let hidesBackButton { item.hidesBackButton = hidesBackButton }
        if let leftItems { item.leftItems = leftItems }
        if let supplement = leftItemsSupplementBackButton {
            item.leftItemsSupplementBackButton = supplement
        }
        if let rightItems { item.rightItems = rightItems }
    }
}
