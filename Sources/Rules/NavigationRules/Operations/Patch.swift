import JSON

/// Changes the properties of a view controller, which keeps its id and its place on the stack.
/// Clients send it as a merge patch (RFC 7396): an absent member leaves the property unchanged, and
/// `null` removes a text. For `bottomBarText`, `null` restores the text of the scene.
public struct Patch: NavigationOperation {
    public static let name = "patch"
    public static let summary = "Changes the properties of a view controller."
    public static let isAnimatedByDefault = false
    public static let refusals: [NavigationError.Code] = [
        .viewControllerNotFound, .sessionTooLarge,
    ]

    public var viewController = ViewController.ID(number: 0)
    public var changes = ViewControllerChanges()
    public var parameters: [String: String]?

    public init() {}

    public mutating func visitMembers(_ visitor: inout some MemberVisitor & ~Copyable) {
        visitor.member(
            "viewController", required: .viewController, &viewController,
            "The id of the view controller.")
        visitProperties(&visitor)
    }

    /// Visits the members other than the id of the view controller, which is in the path of a
    /// request.
    mutating func visitProperties(_ visitor: inout some MemberVisitor & ~Copyable) {
        visitor.member("title", .nullableText, &changes.title, "The title; null removes it.")
        visitor.member(
            "navigationItem", group: &changes.navigationItem,
            "What the navigation bar shows for the view controller.")
        visitor.member(
            "hidesBottomBarWhenPushed", .boolean, &changes.hidesBottomBarWhenPushed,
            """
            Whether the bottom bar is hidden while it is on top, and the tab bar while it is on the \
            selected stack.
            """)
        visitor.member(
            "bottomBarText", .nullableText, &changes.bottomBarText,
            "The text of the bottom bar; null restores that of the scene.")
        visitor.member("toolbarItems", .texts, &changes.toolbarItems, "The items of the toolbar.")
        visitor.member(
            "isModalInPresentation", .boolean, &changes.isModalInPresentation,
            "Whether a swipe must not dismiss its layer.")
        visitor.member(
            "shouldPop", .boolean, &changes.shouldPop, "Whether the user may pop it.")
        visitor.member(
            "shouldSelect", .boolean, &changes.shouldSelect,
            "Whether the user may select the tab whose root is the view controller.")
        visitor.member(
            "tabBarItem", group: &changes.tabBarItem,
            "What the tab bar shows for the tab whose root is the view controller.")
        visitor.member(
            "parameters", .parameters, &parameters, "New values for all parameters of its scene.")
    }

    /// Reads the body of a request, which has all members but the id of the view controller.
    public init(_ id: ViewController.ID, reading body: inout BodyReader) {
        self.init()
        viewController = id
        visitProperties(&body)
    }

    /// The members of the body of a request, for `openapi.yaml`.
    public static var propertyDescriptions: [MemberDescription] {
        var list = MemberDescriptions()
        var patch = Patch()
        patch.visitProperties(&list)
        return list.members
    }

    public init(
        _ id: ViewController.ID, _ changes: ViewControllerChanges,
        parameters: [String: String]? = nil
    ) {
        viewController = id
        self.changes = changes
        self.parameters = parameters
    }

    public func perform(on window: inout Window, in app: App) throws(NavigationError) {
        try app.limits.check(changes)
        // The id is in the path of a request.
        var changed = try window.viewController(viewController, in: nil)
        var checked: Parameters?
        if let parameters {
            try app.limits.check(parameters: parameters)
            checked = try changed.scene.check(parameters, in: app.dataSource)
        }
        changed.apply(changes, parameters: checked, app.dataSource)
        if let (position, index) = window.position(of: viewController) {
            window[position].update(at: index) { $0 = changed }
        } else {
            window.segments?.update(viewController) { $0 = changed }
        }
    }
}

extension NavigationItemChanges: MemberList {
    public init() { self.init(title: nil) }

    public mutating func visitMembers(_ visitor: inout some MemberVisitor & ~Copyable) {
        visitor.member(
            "title", .nullableText, &title, "The title; null restores the view controller's.")
        visitor.member(
            "backButtonTitle", .nullableText, &backButtonTitle,
            "The title of the back button that leads back to this view controller.")
        visitor.member(
            "hidesBackButton", .boolean, &hidesBackButton, "Whether it shows no back button.")
        visitor.member("leftItems", .texts, &leftItems, "The items on the left.")
        visitor.member(
            "leftItemsSupplementBackButton", .boolean, &leftItemsSupplementBackButton,
            "Whether the items on the left stand beside the back button.")
        visitor.member("rightItems", .texts, &rightItems, "The items on the right.")
    }
}

extension TabBarItemChanges: MemberList {
    public init() { self.init(title: nil) }

    public mutating func visitMembers(_ visitor: inout some MemberVisitor & ~Copyable) {
        visitor.member("title", .nullableText, &title, "The title; null restores the default.")
        visitor.member("badge", .nullableText, &badge, "The badge; null removes it.")
    }
}
