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

    /// A tab of a tab bar controller.
    public struct Tab: Sendable, Equatable {
        /// The title of the tab; nil stands for the title of its root.
        public let title: String?
        /// The name of a navigation controller's scene, or of a content scene, which the tab then
        /// shows without a navigation controller.
        public let scene: Name

        public init(title: String?, scene: Name) {
            self.title = title
            self.scene = scene
        }
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
    /// The scene that a deep link to this scene shows directly below it: on the same stack or, if
    /// this scene has a `presentation`, in the layer below.
    public let parent: Name?
    public let navigationItem: NavigationItem
    public let hidesBottomBarWhenPushed: Bool
    /// The items of the toolbar while a view controller of this scene is on top.
    public let toolbarItems: [String]
    /// The operation that receives the user's entries in a form; nil if none does.
    public let submit: Submission?
    /// The scene of a navigation controller's root; nil if the storyboard declares the navigation
    /// controller without a root.
    public let root: Name?
    /// The tabs of a tab bar controller; empty if the storyboard declares the tab bar controller
    /// without tabs.
    public let tabs: [Tab]
    public let segues: [Segue]
    /// The actions of unwind segues that end at a view controller of this scene.
    public let unwindActions: [String]
    /// The style of the layer in which a deep link shows the scene; nil if the link shows it on the
    /// stack. It is also the default style when the scene is presented.
    public let presentation: PresentationStyle?
    public let isModalInPresentation: Bool
    /// The rows that the storyboard itself declares for a table; nil if it declares none.
    public let fixedRows: [FixedRow]?
    /// The identifier of the segue that is performed when a row of the data source is selected;
    /// used in place of `select`.
    public let selectSegue: String?
    public let controls: Controls

    /// Whether a row can be selected.
    var isSelectable: Bool {
        select != nil || selectSegue != nil || fixedRows?.contains { $0.segue != nil } == true
    }

    public init(
        name: Name, kind: Kind, access: Access = .app, title: TextTemplate? = nil,
        bottomBar: TextTemplate? = nil, rows: String? = nil, select: Name? = nil,
        image: String? = nil, parameters: [String] = [], path: PathPattern? = nil,
        parent: Name? = nil, navigationItem: NavigationItem = NavigationItem(),
        hidesBottomBarWhenPushed: Bool = false, toolbarItems: [String] = [],
        submit: Submission? = nil, root: Name? = nil, tabs: [Tab] = [],
        segues: [Segue] = [], unwindActions: [String] = [],
        presentation: PresentationStyle? = nil, isModalInPresentation: Bool = false,
        fixedRows: [FixedRow]? = nil, selectSegue: String? = nil, controls: Controls = Controls()
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
        self.root = root
        self.tabs = tabs
        self.segues = segues
        self.unwindActions = unwindActions
        self.presentation = presentation
        self.isModalInPresentation = isModalInPresentation
        self.fixedRows = fixedRows
        self.selectSegue = selectSegue
        self.controls = controls
    }
}

/// Two scenes are equal if they are the same instance.
extension Scene: Equatable {
    public static func == (one: Scene, other: Scene) -> Bool { one === other }
}
