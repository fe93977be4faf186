/// The template from which view controllers are made.
///
/// The type is a class so that all view controllers of a scene share one instance, which never
/// changes.
public final class Scene: Sendable {
    public typealias Name = String

    public enum Kind: String, Sendable, CaseIterable {
        case table, image, form, blank
        case navigation, tabBar

        /// Whether the scene is a container. As in UIKit, containers can be declared but not put on
        /// a stack.
        public var isContainer: Bool { self == .navigation || self == .tabBar }
    }

    /// The root that a scene belongs to. The scene can be shown only while the window has this
    /// root.
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
    /// The name of the binding for a table's rows.
    public let rows: String?
    /// The scene that is pushed when a row is selected.
    public let select: Name?
    /// The name of the binding for an image.
    public let image: String?
    /// The names of the parameters that each view controller of this scene requires.
    public let parameters: [String]
    /// The path pattern of the scene's deep links.
    public let path: PathPattern?
    /// The scene below this one on the stack that a deep link opens.
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
