/// Selects a tab in code, as a change of `selectedIndex` does.
public struct SelectTab: NavigationOperation {
    public static let name = "select-tab"
    public static let summary =
        "Selects a tab of the topmost layer with tabs, as the app's code does."
    public static let isAnimatedByDefault = false
    public static let shortForm = ShortForm.title(of: .tab, member: "index")
    public static let refusals: [NavigationError.Code] = [
        .noTabBar, .tabOutOfRange, .loginRequired,
    ]

    public var index = 0

    public init() {}

    public mutating func visitMembers(_ visitor: inout some MemberVisitor & ~Copyable) {
        visitor.member("index", required: .integer, &index, "The index of the tab, counted from 0.")
    }

    public init(_ index: Int) { self.index = index }

    public func perform(on window: inout Window, in app: App) throws(NavigationError) {
        let layer = try window.tabLayer(index)
        window.withLayers { $0[layer].selectedIndex = index }
    }
}
