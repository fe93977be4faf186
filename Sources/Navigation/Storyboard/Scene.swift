/// The template that view controllers are made from.
///
/// A class only so that the many view controllers made from one scene share it; it never changes.
public final class Scene: Sendable {
    public typealias Name = String

    public enum Kind: String, Sendable, CaseIterable {
        case table, image, form, blank
        case navigation, tabBar

        /// Containers can be named but never be put on a stack, as in UIKit.
        public var isContainer: Bool { self == .navigation || self == .tabBar }
    }

    /// The root that a scene belongs to: it can be shown there and nowhere else.
    public enum Access: String, Sendable, CaseIterable {
        case app, login
    }

    /// The operations that a form can be submitted to.
    public enum Submission: String, Sendable, CaseIterable {
        case logIn = "log-in"
        case signUp = "sign-up"
    }

    public let name: Name
    public let kind: Kind
    public let access: Access
    public let title: TextTemplate?
    /// The text of the persistent bottom bar while a view controller of this scene is on top.
    public let bottomBar: TextTemplate?
    /// The row binding of a table.
    public let rows: String?
    /// The scene that selecting a row pushes.
    public let select: Name?
    /// The image binding of an image.
    public let image: String?
    /// The names of the parameters that a view controller of this scene must be given.
    public let parameters: [String]
    /// The path by which deep links find this scene.
    public let path: PathPattern?
    /// The scene below this one when a deep link opens it.
    public let parent: Name?
    public let navigationItem: NavigationItem
    public let hidesBottomBarWhenPushed: Bool
    /// The items of the toolbar while a view controller of this scene is on top.
    public let toolbarItems: [String]
    /// The operation that takes what a user writes into a form; nil if none does.
    public let submit: Submission?

    public init(
        name: Name, kind: Kind, access: Access = .app, title: TextTemplate? = nil,
        bottomBar: TextTemplate? = nil, rows: String? = nil, select: Name? = nil,
        image: String? = nil, parameters: [String] = [], path: PathPattern? = nil,
        parent: Name? = nil, navigationItem: NavigationItem = NavigationItem(),
        hidesBottomBarWhenPushed: Bool = false, toolbarItems: [String] = [],
        submit: Submission? = nil
    ) {
        self.name = name
        self.kind = kind
        self.access = access
        self.title = title
        self.bottomBar = bottomBar
        self.rows = rows
        self.select = select
        self.image = image
        self.parameters = parameters
        self.path = path
        self.parent = parent
        self.navigationItem = navigationItem
        self.hidesBottomBarWhenPushed = hidesBottomBarWhenPushed
        self.toolbarItems = toolbarItems
        self.submit = submit
    }
}
