/// What a view controller wants of the navigation bar while it is on top, and of the back button
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
