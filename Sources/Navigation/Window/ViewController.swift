/// A view controller on a navigation stack, or the root of a segment, which is kept even while it
/// is on no stack. Corresponds to UIKit's `UIViewController`, without a view.
public struct ViewController: Sendable, Identifiable, Equatable {
    /// An id such as `vc12`, which is unique in its session and never reused.
    public struct ID: Sendable, Hashable, CustomStringConvertible {
        public let number: Int

        public init(number: Int) { self.number = number }

        /// Parses an id.
        /// - Returns: nil if no view controller can have this id.
        public init?(_ text: String) {
            guard text.hasPrefix("vc"), let number = Int(text.dropFirst(2)), number > 0,
                text.count == String(number).count + 2
            else { return nil }
            self.number = number
        }

        public var description: String { "vc\(number)" }
    }

    public let id: ID
    /// Whether the view controller has been shown at least once.
    public internal(set) var isViewLoaded = false
    /// The other properties. View controllers are copied with each operation and share this object,
    /// as do all new view controllers of a scene without parameters. A change therefore replaces
    /// the object.
    private var properties: Properties

    init(id: ID, scene: Scene, parameters: Parameters, in app: App) {
        self.id = id
        properties =
            app.prototype(of: scene)?.properties ?? Properties(scene, parameters, app.dataSource)
    }

    /// Creates a prototype, whose properties all new view controllers of the scene share. Its id is
    /// never exposed.
    init(prototype scene: Scene, _ dataSource: any DataSource) {
        id = ID(number: 0)
        properties = Properties(scene, .none, dataSource)
    }

    public var scene: Scene { properties.scene }
    public var parameters: Parameters { properties.parameters }
    public var screen: Screen { properties.screen }
    /// The text of the persistent bottom bar while this view controller is on top.
    public var bottomBarText: String? { properties.bottomBarText }
    public var title: String? { properties.title }
    public var navigationItem: NavigationItem { properties.navigationItem }
    public var hidesBottomBarWhenPushed: Bool { properties.hidesBottomBarWhenPushed }
    /// Whether this view controller prevents the user from dismissing its layer with a gesture.
    public var isModalInPresentation: Bool {
        changes.isModalInPresentation ?? scene.isModalInPresentation
    }
    /// The title and the badge that clients have set for the tab bar item; nil for the defaults. A
    /// tab shows the item of its root view controller.
    public var tabBarItem: (title: String?, badge: String?) {
        (changes.tabBarItem.title ?? nil, changes.tabBarItem.badge ?? nil)
    }
    /// The items of the toolbar while this view controller is on top.
    public var toolbarItems: [String] { properties.toolbarItems }
    /// The text of the bottom bar that a client has set in place of the scene's text; nil if no
    /// client has set one.
    public var bottomBarTextOverride: String? { properties.changes.bottomBarText ?? nil }
    /// Whether the view controller does not hide the bottom bar, has a default navigation item and
    /// no toolbar items, and shows the scene's own text in the bottom bar.
    public var isPlain: Bool { properties.isPlain }
    /// The number of bytes that the texts from clients take as JSON strings.
    var textSize: Int { properties.textSize }
    /// The combined changes of all calls of `apply`.
    var changes: ViewControllerChanges { properties.changes }

    /// Adds changes to those of earlier calls, and computes all properties again.
    /// - Parameter parameters: the new parameters, as `Scene.check` returns them; nil leaves the
    ///   present ones unchanged.
    mutating func apply(
        _ changes: ViewControllerChanges, parameters: Parameters? = nil,
        _ dataSource: any DataSource
    ) {
        var all = properties.changes
        all.add(changes)
        properties = Properties(
            scene, parameters ?? self.parameters, dataSource, changes: all)
    }

    /// The title in the navigation bar. The title of the navigation item takes precedence, as in
    /// UIKit.
    public var effectiveTitle: String? { navigationItem.title ?? title }

    /// Compares the ids and the properties that can change, which together determine all other
    /// properties.
    public static func == (one: ViewController, other: ViewController) -> Bool {
        one.id == other.id && one.isViewLoaded == other.isViewLoaded
            && (one.properties === other.properties
                || one.title == other.title && one.navigationItem == other.navigationItem
                    && one.hidesBottomBarWhenPushed == other.hidesBottomBarWhenPushed
                    && one.isModalInPresentation == other.isModalInPresentation
                    && one.tabBarItem == other.tabBarItem
                    && one.parameters == other.parameters
                    && one.bottomBarTextOverride == other.bottomBarTextOverride
                    && one.toolbarItems == other.toolbarItems)
    }
}

extension ViewController {
    /// The changes by clients, in an object of their own: most view controllers have no changes and
    /// need no such object.
    private final class Overrides: Sendable {
        let changes: ViewControllerChanges

        init(_ changes: ViewControllerChanges) { self.changes = changes }
    }

    private final class Properties: Sendable {
        let scene: Scene
        let parameters: Parameters
        let screen: Screen
        let bottomBarText: String?
        let title: String?
        let navigationItem: NavigationItem
        let hidesBottomBarWhenPushed: Bool
        let toolbarItems: [String]
        let isPlain: Bool
        /// The changes of clients; nil for most view controllers, which no client has changed.
        private let overrides: Overrides?
        let textSize: Int

        var changes: ViewControllerChanges { overrides?.changes ?? ViewControllerChanges() }

        /// Creates the properties from the scene and from the changes of clients.
        init(
            _ scene: Scene, _ parameters: Parameters, _ dataSource: any DataSource,
            changes: ViewControllerChanges = ViewControllerChanges()
        ) {
            self.scene = scene
            self.parameters = parameters
            screen = Screen(scene, parameters, dataSource)
            let ownText = changes.bottomBarText ?? nil
            bottomBarText =
                ownText ?? scene.bottomBar?.text(for: scene, parameters, from: dataSource)
            title = changes.title ?? scene.title?.text(for: scene, parameters, from: dataSource)
            var navigationItem = scene.navigationItem
            changes.navigationItem.apply(to: &navigationItem)
            self.navigationItem = navigationItem
            hidesBottomBarWhenPushed =
                changes.hidesBottomBarWhenPushed ?? scene.hidesBottomBarWhenPushed
            toolbarItems = changes.toolbarItems ?? scene.toolbarItems
            isPlain =
                !hidesBottomBarWhenPushed && toolbarItems.isEmpty && ownText == nil
                && navigationItem == NavigationItem()
            overrides = changes == ViewControllerChanges() ? nil : Overrides(changes)
            textSize = parameters.textSize + changes.textSize
        }
    }
}
