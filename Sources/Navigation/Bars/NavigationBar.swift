/// The bar above the top view controller. It is computed from the stack, never stored.
public struct NavigationBar: Sendable, Equatable {
    public enum TitleView: String, Sendable {
        case segmentedControl
    }

    public struct BackButton: Sendable, Equatable {
        public let title: String
    }

    public let title: String?
    /// The view that replaces the title; nil if the bar shows the title.
    public let titleView: TitleView?
    public let backButton: BackButton?
    public let leftItems: [String]
    public let rightItems: [String]
}

extension Window {
    /// The bar of the active navigation controller; nil if the visible view controller is in none.
    public var navigationBar: NavigationBar? {
        guard !isBare else { return nil }
        let item = topViewController.navigationItem
        return NavigationBar(
            title: topViewController.effectiveTitle,
            titleView: titleView,
            backButton: backButton,
            leftItems: item.leftItems,
            rightItems: item.rightItems)
    }

    public var backButton: NavigationBar.BackButton? { isBare ? nil : stack.backButton }

    /// The segmented control if the window has one stack, whose only view controller is the root of
    /// a segment; nil otherwise.
    public var titleView: NavigationBar.TitleView? {
        guard let segments, isSingleStack, stack.viewControllers.count == 1,
            segments.index(of: topViewController.id) != nil
        else { return nil }
        return .segmentedControl
    }
}

extension NavigationStack {
    /// The back button of the top view controller; nil if it has none.
    var backButton: NavigationBar.BackButton? {
        let item = top.navigationItem
        guard let below = viewControllerBelowTop, !item.hidesBackButton,
            item.leftItems.isEmpty || item.leftItemsSupplementBackButton
        else { return nil }
        let title = below.navigationItem.backButtonTitle ?? below.effectiveTitle ?? ""
        return NavigationBar.BackButton(title: title.isEmpty ? "Back" : title)
    }
}

/// A view controller's settings for the navigation bar while it is on top, and for the back button
/// while the view controller above it is on top. Corresponds to UIKit's `UINavigationItem`.
public struct NavigationItem: Sendable, Equatable {
    /// The title in the bar; nil for the title of the view controller.
    public var title: String?
    /// The title of the back button that leads back to this view controller.
    public var backButtonTitle: String?
    public var hidesBackButton: Bool
    public var leftItems: [String]
    /// Whether the bar shows the back button in addition to the left items.
    public var leftItemsSupplementBackButton: Bool
    public var rightItems: [String]

    public init(
        title: String? = nil, backButtonTitle: String? = nil, hidesBackButton: Bool = false,
        leftItems: [String] = [], leftItemsSupplementBackButton: Bool = false,
        rightItems: [String] = []
    ) {
        self.title = title
        self.backButtonTitle = backButtonTitle
        self.hidesBackButton = hidesBackButton
        self.leftItems = leftItems
        self.leftItemsSupplementBackButton = leftItemsSupplementBackButton
        self.rightItems = rightItems
    }
}

/// The persistent bar at the bottom, below the view of the top view controller. UIKit apps that
/// have such a bar set its text in the view controller's `viewWillAppear` and clear the text in
/// `viewWillDisappear`, so that the text always belongs to the current top view controller.
public struct BottomBar: Sendable, Equatable {
    public let text: String?
    public let isHidden: Bool
}

extension ViewController {
    /// The bottom bar while this view controller is on top.
    public var bottomBar: BottomBar {
        BottomBar(text: bottomBarText, isHidden: hidesBottomBarWhenPushed)
    }
}

extension Window {
    public var bottomBar: BottomBar { topViewController.bottomBar }
}

/// The toolbar at the bottom: the items of the top view controller, as `UINavigationController`
/// shows them. The toolbar is hidden while the top view controller has no items, has
/// `hidesBottomBarWhenPushed`, or is in no navigation controller.
public struct Toolbar: Sendable, Equatable {
    public let items: [String]
    public let isHidden: Bool
}

extension ViewController {
    /// The toolbar while this view controller is on top.
    public var toolbar: Toolbar {
        Toolbar(
            items: toolbarItems, isHidden: toolbarItems.isEmpty || hidesBottomBarWhenPushed)
    }
}

extension Window {
    /// The toolbar of the active navigation controller; hidden if the visible view controller is in
    /// no navigation controller.
    public var toolbar: Toolbar {
        let toolbar = topViewController.toolbar
        return isBare ? Toolbar(items: toolbar.items, isHidden: true) : toolbar
    }
}
