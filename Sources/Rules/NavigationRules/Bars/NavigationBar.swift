/// The navigation bar above the top view controller. The bar is computed from the navigation stack
/// when it is read, and is not stored.
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
    /// The navigation bar of the navigation controller that contains the visible view controller;
    /// nil if the visible view controller is in no navigation controller.
    public var navigationBar: NavigationBar? {
        guard !isBare else { return nil }
        let top = topViewController
        return NavigationBar(
            title: top.effectiveTitle,
            titleView: titleView,
            backButton: backButton,
            leftItems: leftItems(of: top),
            rightItems: rightItems(of: top))
    }

    public var backButton: NavigationBar.BackButton? {
        isBare ? nil : backButton(of: stack)
    }

    /// The segmented control that the navigation bar shows in place of the title; nil if the bar
    /// shows the title. The bar shows the segmented control while the window has only one
    /// navigation stack, and the only view controller on that stack belongs to a segment of the
    /// control.
    public var titleView: NavigationBar.TitleView? {
        guard let segments, isSingleStack, stack.viewControllers.count == 1,
            segments.index(of: topViewController.id) != nil
        else { return nil }
        return .segmentedControl
    }

    /// Returns the back button for the top view controller of a stack; nil if the top view
    /// controller is the root, hides the button, or shows left items that replace the button.
    func backButton(of stack: NavigationStack) -> NavigationBar.BackButton? {
        let item = stack.top.navigationItem
        guard let below = stack.viewControllerBelowTop, !item.hidesBackButton,
            item.leftItems.isEmpty || item.leftItemsSupplementBackButton
                || leftItems(of: stack.top).isEmpty
        else { return nil }
        let title = below.navigationItem.backButtonTitle ?? below.effectiveTitle ?? ""
        return NavigationBar.BackButton(title: title.isEmpty ? "Back" : title)
    }
}

/// The settings of a view controller for the navigation bar. They apply while the view controller
/// is on top. While another view controller is directly above it, they only supply the title of the
/// back button. Corresponds to UIKit's `UINavigationItem`.
public struct NavigationItem: Sendable, Equatable {
    /// The title that the bar shows; nil if the bar shows the title of the view controller itself.
    public var title: String?
    /// The title of the back button that leads back to this view controller; nil if the button
    /// shows the title of this view controller.
    public var backButtonTitle: String?
    public var hidesBackButton: Bool
    public var leftItems: [String]
    /// Whether the bar shows the back button in addition to the left items. If false, left items
    /// replace the back button.
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

/// A bar at the bottom of the screen, with the text of the top view controller. UIKit has no such
/// bar. In a UIKit app that adds one, each view controller sets the text in `viewWillAppear` and
/// clears it in `viewWillDisappear`.
public struct BottomBar: Sendable, Equatable {
    public let text: String?
    public let isHidden: Bool
}

extension ViewController {
    /// The state of the bottom bar while this view controller is on top.
    public var bottomBar: BottomBar {
        BottomBar(text: bottomBarText, isHidden: hidesBottomBarWhenPushed)
    }
}

extension Window {
    public var bottomBar: BottomBar { topViewController.bottomBar }
}

/// The toolbar at the bottom of the screen, as `UINavigationController` shows it, with the items of
/// the top view controller. The toolbar is hidden if the top view controller has no toolbar items,
/// sets `hidesBottomBarWhenPushed`, or is in no navigation controller.
public struct Toolbar: Sendable, Equatable {
    public let items: [String]
    public let isHidden: Bool
}

extension Window {
    /// The toolbar for the visible view controller. It is hidden if the visible view controller is
    /// in no navigation controller.
    public var toolbar: Toolbar {
        let top = topViewController
        let items = toolbarItems(of: top)
        return Toolbar(
            items: items, isHidden: isBare || items.isEmpty || top.hidesBottomBarWhenPushed)
    }
}
