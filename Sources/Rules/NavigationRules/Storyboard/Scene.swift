/// A scene of the storyboard: the template from which view controllers are made.
///
/// The type is a class, so that all view controllers of a scene share one instance. An instance
/// never changes.
public final class Scene: Sendable {
    public typealias Name = String

    public enum Kind: String, Sendable, CaseIterable {
        case table, image, form, blank
        case navigation, tabBar

        /// Whether the scene is a container, which means a navigation controller or a tab bar
        /// controller. A container can be presented, but it cannot be pushed on a stack.
        public var isContainer: Bool { self == .navigation || self == .tabBar }
    }

    /// A tab of a tab bar controller, as the storyboard declares it.
    public struct Tab: Sendable, Equatable {
        /// The title of the tab; nil if the tab has the title of its root view controller.
        public let title: String?
        /// The name of the scene that the tab shows: a navigation controller, or a scene that the
        /// tab shows without a navigation controller.
        public let scene: Name
        /// Whether the user may select the tab.
        public let shouldSelect: Bool
        /// The identifier of the segue of the visible scene that follows a refused tap; nil if the
        /// refusal has no consequence.
        public let whenRefused: String?

        public init(
            title: String?, scene: Name, shouldSelect: Bool = true, whenRefused: String? = nil
        ) {
            self.title = title
            self.scene = scene
            self.shouldSelect = shouldSelect
            self.whenRefused = whenRefused
        }
    }

    /// The users to whom a scene can be shown. A `login` scene can be shown only while no user is
    /// logged in. A `members` scene can be shown only while a user is logged in, or at any time if
    /// the app has no log-in. An `everyone` scene can be shown at any time in an app with guests.
    public enum Access: String, Sendable, CaseIterable {
        case members, everyone, login
    }

    /// The operation that receives what the user enters in a form.
    public enum Submission: String, Sendable, CaseIterable {
        case logIn = "log-in"
        case signUp = "sign-up"
    }

    public let name: Name
    public let kind: Kind
    public let access: Access
    public let title: TextTemplate?
    /// The text of the bottom bar while a view controller of this scene is on top; nil for no text.
    public let bottomBar: TextTemplate?
    /// The name by which the data source knows the rows of a table; nil if the scene shows no rows
    /// of the data source.
    public let rows: String?
    /// The name of the scene that is pushed when the user selects a row; nil if the selection
    /// pushes no scene.
    public let select: Name?
    /// The name by which the data source knows the image; nil if the scene shows no image.
    public let image: String?
    /// The names of the parameters of each view controller of this scene.
    public let parameters: [String]
    /// The names of the parameters that each view controller of this scene must have. The others
    /// are optional.
    public let requiredParameters: [String]
    /// The patterns for the paths of deep links to this scene; empty if no deep link opens the
    /// scene. The first pattern is the main one, in which the service writes links. The others are
    /// aliases.
    public let paths: [PathPattern]
    /// The name of the parent scene, which a deep link to this scene shows directly below it; nil
    /// if there is none. The parent is on the same stack or, if this scene has a `presentation`, in
    /// the layer that presents this scene.
    public let parent: Name?
    public let navigationItem: NavigationItem
    public let hidesBottomBarWhenPushed: Bool
    /// The titles of the toolbar items while a view controller of this scene is on top.
    public let toolbarItems: [String]
    /// The operation that receives what the user enters in a form; nil if the scene submits
    /// nothing.
    public let submit: Submission?
    /// The name of the scene of the root view controller in a navigation controller; nil if the
    /// storyboard declares no root, or if this scene is not a navigation controller.
    public let root: Name?
    /// The tabs of a tab bar controller; empty if the storyboard declares no tabs, or if this scene
    /// is not a tab bar controller.
    public let tabs: [Tab]
    public let segues: [Segue]
    /// The names of the unwind actions that can end at a view controller of this scene. An unwind
    /// segue names the action that it performs.
    public let unwindActions: [String]
    /// The presentation style in which a deep link presents the scene; nil if a deep link puts the
    /// scene on a navigation stack. Any other presentation of the scene uses this style by default.
    public let presentation: PresentationStyle?
    public let isModalInPresentation: Bool
    /// Whether the user may pop a view controller of this scene.
    public let shouldPop: Bool
    /// The identifier of the segue that follows a gesture which the visible view controller of this
    /// scene refuses; nil if the refusal has no consequence.
    public let whenRefused: String?
    /// The rows that the storyboard itself lists for a table; nil if it lists none.
    public let fixedRows: [FixedRow]?
    /// The identifier of the segue that the selection of a row of the data source performs; nil if
    /// it performs none. If the scene also has `select`, the segue takes precedence.
    public let selectSegue: String?
    public let controls: Controls
    /// Whether the app's own code shows the scene. Its absence from segues, rows, tabs and links is
    /// then no mistake.
    public let isShownByCode: Bool
    /// Whether one of the fixed rows, buttons and bar items has a condition.
    public let hasConditions: Bool

    /// The main pattern for the paths of deep links to this scene; nil if no deep link opens the
    /// scene.
    public var path: PathPattern? { paths.first }

    /// Whether the scene declares what the selection of a row does. If false, no row can be
    /// selected.
    var isSelectable: Bool {
        select != nil || selectSegue != nil || fixedRows?.contains(where: \.isSelectable) == true
    }

    /// Creates a scene.
    /// - Parameter parameters: the names of the parameters. An optional parameter has `?` after its
    ///   name.
    public init(
        name: Name, kind: Kind, access: Access = .members, title: TextTemplate? = nil,
        bottomBar: TextTemplate? = nil, rows: String? = nil, select: Name? = nil,
        image: String? = nil, parameters: [String] = [], paths: [PathPattern] = [],
        parent: Name? = nil, navigationItem: NavigationItem = NavigationItem(),
        hidesBottomBarWhenPushed: Bool = false, toolbarItems: [String] = [],
        submit: Submission? = nil, root: Name? = nil, tabs: [Tab] = [],
        segues: [Segue] = [], unwindActions: [String] = [],
        presentation: PresentationStyle? = nil, isModalInPresentation: Bool = false,
        shouldPop: Bool = true, whenRefused: String? = nil,
        fixedRows: [FixedRow]? = nil, selectSegue: String? = nil, controls: Controls = Controls(),
        isShownByCode: Bool = false
    ) {
        self.name = name
        self.kind = kind
        self.access = access
        self.title = title
        self.bottomBar = bottomBar
        self.rows = rows
        self.select = select
        self.image = image
        let required = parameters.filter { !$0.hasSuffix("?") }
        requiredParameters = required
        self.parameters =
            required.count == parameters.count
            ? required : parameters.map { String($0.hasSuffix("?") ? $0.dropLast() : $0[...]) }
        self.paths = paths
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
        self.shouldPop = shouldPop
        self.whenRefused = whenRefused
        self.fixedRows = fixedRows
        self.selectSegue = selectSegue
        self.controls = controls
        self.isShownByCode = isShownByCode
        hasConditions =
            controls.all.contains { $0.when != nil }
            || fixedRows?.contains { $0.when != nil } == true
    }
}

/// Two scenes are equal if they are the same instance.
extension Scene: Equatable {
    public static func == (one: Scene, other: Scene) -> Bool { one === other }
}
