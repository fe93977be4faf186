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
