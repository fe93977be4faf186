/// The bar above the top view controller. Derived from the stack, never stored.
public struct NavigationBar: Sendable, Equatable {
    public enum TitleView: String, Sendable {
        case segmentedControl
    }

    public struct BackButton: Sendable, Equatable {
        public let title: String
    }

    public let title: String?
    /// Stands in the place of the title.
    public let titleView: TitleView?
    public let backButton: BackButton?
    public let leftItems: [String]
    public let rightItems: [String]
}

extension Window {
    public var navigationBar: NavigationBar {
        let item = topViewController.navigationItem
        return NavigationBar(
            title: topViewController.effectiveTitle,
            titleView: titleView,
            backButton: backButton,
            leftItems: item.leftItems,
            rightItems: item.rightItems)
    }

    public var backButton: NavigationBar.BackButton? {
        let item = topViewController.navigationItem
        guard let below = stack.viewControllerBelowTop, !item.hidesBackButton,
            item.leftItems.isEmpty || item.leftItemsSupplementBackButton
        else { return nil }
        let title = below.navigationItem.backButtonTitle ?? below.effectiveTitle ?? ""
        return NavigationBar.BackButton(title: title.isEmpty ? "Back" : title)
    }

    /// The control is the title view of every segment's root, while that is the perceived root.
    public var titleView: NavigationBar.TitleView? {
        guard let segments, stack.viewControllers.count == 1,
            segments.index(of: topViewController.id) != nil
        else { return nil }
        return .segmentedControl
    }
}

/// A view controller's settings of the navigation bar while it is on top, and of the back button
/// while the one above it is: UIKit's `UINavigationItem`.
public struct NavigationItem: Sendable, Equatable {
    /// Replaces the view controller's title in the bar.
    public var title: String?
    /// The title of the back button that leads back to this view controller.
    public var backButtonTitle: String?
    public var hidesBackButton: Bool
    public var leftItems: [String]
    /// Whether the back button stays beside the left items.
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

/// The persistent bar below the stack: decorated at the top's `viewWillAppear`, cleared at its
/// `viewWillDisappear`, and therefore always what the present top says.
public struct BottomBar: Sendable, Equatable {
    public let text: String?
    public let isHidden: Bool
}

extension ViewController {
    /// The bar while this view controller is on top.
    public var bottomBar: BottomBar {
        BottomBar(text: bottomBarText, isHidden: hidesBottomBarWhenPushed)
    }
}

extension Window {
    public var bottomBar: BottomBar { topViewController.bottomBar }
}

/// The toolbar at the bottom: the items of the top view controller, as `UINavigationController`
/// shows them. A view controller without items hides it.
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
    public var toolbar: Toolbar { topViewController.toolbar }
}
