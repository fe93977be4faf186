/// One instance on (or kept beside) a navigation stack: UIKit's `UIViewController`, without a view.
public struct ViewController: Sendable, Identifiable, Equatable {
    /// Unique in its session and never used again. Written `vc12`.
    public struct ID: Sendable, Hashable, CustomStringConvertible {
        public let number: Int

        public init(number: Int) { self.number = number }

        /// - Returns: nil if no view controller could have this id.
        public init?(_ text: String) {
            guard text.hasPrefix("vc"), let number = Int(text.dropFirst(2)), number > 0,
                text.count == String(number).count + 2
            else { return nil }
            self.number = number
        }

        public var description: String { "vc\(number)" }
    }

    public let id: ID
    public let scene: Scene
    public let parameters: Parameters
    /// Set when the view controller is first shown, never cleared.
    public internal(set) var isViewLoaded = false
    private var properties: Properties

    /// What seldom changes. A class, and never changed but replaced, as view controllers are copied
    /// with each operation, and as all new ones of a scene without parameters have the same.
    final class Properties: Sendable {
        let bottomBarText: String?
        let title: String?
        let navigationItem: NavigationItem
        let hidesBottomBarWhenPushed: Bool
        /// Whether it wants nothing of the bars.
        let isPlain: Bool
        /// All that `apply` has changed.
        let changes: ViewControllerChanges

        init(
            bottomBarText: String?, title: String?, navigationItem: NavigationItem,
            hidesBottomBarWhenPushed: Bool,
            changes: ViewControllerChanges = ViewControllerChanges()
        ) {
            self.bottomBarText = bottomBarText
            self.title = title
            self.navigationItem = navigationItem
            self.hidesBottomBarWhenPushed = hidesBottomBarWhenPushed
            isPlain = !hidesBottomBarWhenPushed && navigationItem == NavigationItem()
            self.changes = changes
        }

        /// Of a new view controller.
        convenience init(
            _ scene: Scene, _ parameters: Parameters, _ dataSource: any DataSource
        ) {
            self.init(
                bottomBarText: scene.bottomBar?.text(for: scene, parameters, from: dataSource),
                title: scene.title?.text(for: scene, parameters, from: dataSource),
                navigationItem: scene.navigationItem,
                hidesBottomBarWhenPushed: scene.hidesBottomBarWhenPushed)
        }
    }

    init(id: ID, scene: Scene, parameters: Parameters, in app: App) {
        self.id = id
        self.scene = scene
        self.parameters = parameters
        properties =
            app.initialProperties[ObjectIdentifier(scene)]
            ?? Properties(scene, parameters, app.dataSource)
    }

    /// What the persistent bottom bar says while this view controller is on top.
    public var bottomBarText: String? { properties.bottomBarText }
    public var title: String? { properties.title }
    public var navigationItem: NavigationItem { properties.navigationItem }
    public var hidesBottomBarWhenPushed: Bool { properties.hidesBottomBarWhenPushed }
    /// Whether it wants nothing of the bars: it hides none, and its navigation item is as new.
    public var isPlain: Bool { properties.isPlain }
    /// All that `apply` has changed.
    var changes: ViewControllerChanges { properties.changes }

    mutating func apply(_ changes: ViewControllerChanges) {
        var all = properties.changes
        all.add(changes)
        var navigationItem = properties.navigationItem
        changes.navigationItem.apply(to: &navigationItem)
        properties = Properties(
            bottomBarText: bottomBarText, title: changes.title ?? title,
            navigationItem: navigationItem,
            hidesBottomBarWhenPushed: changes.hidesBottomBarWhenPushed ?? hidesBottomBarWhenPushed,
            changes: all)
    }

    /// The title in the navigation bar: the navigation item's own where set, as in UIKit.
    public var effectiveTitle: String? { navigationItem.title ?? title }

    /// Scene, parameters and bottom bar text follow from the id: only what can change is compared.
    public static func == (one: ViewController, other: ViewController) -> Bool {
        one.id == other.id && one.isViewLoaded == other.isViewLoaded
            && (one.properties === other.properties
                || one.title == other.title && one.navigationItem == other.navigationItem
                    && one.hidesBottomBarWhenPushed == other.hidesBottomBarWhenPushed)
    }
}
