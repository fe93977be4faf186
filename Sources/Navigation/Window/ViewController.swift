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
    /// Set when the view controller is first shown, never cleared.
    public internal(set) var isViewLoaded = false
    /// All else. Behind one reference, as view controllers are copied with each operation; never
    /// changed but replaced, as all new ones of a scene without parameters share it.
    private var properties: Properties

    init(id: ID, scene: Scene, parameters: Parameters, in app: App) {
        self.id = id
        properties =
            app.prototype(of: scene)?.properties ?? Properties(scene, parameters, app.dataSource)
    }

    /// A prototype: what it has but for the id, which nobody sees, is shared by others.
    init(prototype scene: Scene, at index: Int, _ dataSource: any DataSource) {
        id = ID(number: 0)
        properties = Properties(scene, .none, dataSource, prototypeIndex: index)
    }

    public var scene: Scene { properties.scene }
    public var parameters: Parameters { properties.parameters }
    public var screen: Screen { properties.screen }
    /// The text of the persistent bottom bar while this view controller is on top.
    public var bottomBarText: String? { properties.bottomBarText }
    public var title: String? { properties.title }
    public var navigationItem: NavigationItem { properties.navigationItem }
    public var hidesBottomBarWhenPushed: Bool { properties.hidesBottomBarWhenPushed }
    /// Whether the user cannot dismiss the layer while this view controller is on its selected stack.
    public var isModalInPresentation: Bool {
        changes.isModalInPresentation ?? scene.isModalInPresentation
    }
    /// What clients have set of the tab's item, nil where they have not; shown while this view
    /// controller is the root of a tab.
    public var tabBarItem: (title: String?, badge: String?) {
        (changes.tabBarItem.title ?? nil, changes.tabBarItem.badge ?? nil)
    }
    /// Whether it wants nothing of the bars: it hides none, and its navigation item is as new.
    public var isPlain: Bool { properties.isPlain }
    /// Which of its app's `prototypes` this is the same as, but for the id and whether the view is
    /// loaded; nil if it has parameters or was changed.
    public var prototypeIndex: Int? { properties.prototypeIndex }
    /// Bytes that the texts from clients take, escaped as JSON strings.
    var textSize: Int { properties.textSize }
    /// All that `apply` has changed.
    var changes: ViewControllerChanges { properties.changes }

    mutating func apply(_ changes: ViewControllerChanges) {
        properties = properties.applying(changes)
    }

    /// The title in the navigation bar: the navigation item's own where set, as in UIKit.
    public var effectiveTitle: String? { navigationItem.title ?? title }

    /// Compares the properties that can change; the others follow from the id.
    public static func == (one: ViewController, other: ViewController) -> Bool {
        one.id == other.id && one.isViewLoaded == other.isViewLoaded
            && (one.properties === other.properties
                || one.title == other.title && one.navigationItem == other.navigationItem
                    && one.hidesBottomBarWhenPushed == other.hidesBottomBarWhenPushed
                    && one.isModalInPresentation == other.isModalInPresentation
                    && one.tabBarItem == other.tabBarItem)
    }
}

extension ViewController {
    private final class Properties: Sendable {
        let scene: Scene
        let parameters: Parameters
        let screen: Screen
        let bottomBarText: String?
        let title: String?
        let navigationItem: NavigationItem
        let hidesBottomBarWhenPushed: Bool
        let isPlain: Bool
        let prototypeIndex: Int?
        let changes: ViewControllerChanges
        let textSize: Int

        /// The properties of a new view controller.
        init(
            _ scene: Scene, _ parameters: Parameters, _ dataSource: any DataSource,
            prototypeIndex: Int? = nil
        ) {
            self.scene = scene
            self.parameters = parameters
            screen = Screen(scene, parameters, dataSource)
            bottomBarText = scene.bottomBar?.text(for: scene, parameters, from: dataSource)
            title = scene.title?.text(for: scene, parameters, from: dataSource)
            navigationItem = scene.navigationItem
            hidesBottomBarWhenPushed = scene.hidesBottomBarWhenPushed
            isPlain = !hidesBottomBarWhenPushed && navigationItem == NavigationItem()
            self.prototypeIndex = prototypeIndex
            changes = ViewControllerChanges()
            textSize = parameters.textSize
        }

        private init(_ old: Properties, _ changes: ViewControllerChanges) {
            scene = old.scene
            parameters = old.parameters
            screen = old.screen
            bottomBarText = old.bottomBarText
            title = changes.title ?? old.title
            var navigationItem = old.navigationItem
            changes.navigationItem.apply(to: &navigationItem)
            self.navigationItem = navigationItem
            hidesBottomBarWhenPushed =
                changes.hidesBottomBarWhenPushed ?? old.hidesBottomBarWhenPushed
            isPlain = !hidesBottomBarWhenPushed && navigationItem == NavigationItem()
            prototypeIndex = nil
            var all = old.changes
            all.add(changes)
            self.changes = all
            textSize = parameters.textSize + all.textSize
        }

        func applying(_ changes: ViewControllerChanges) -> Properties { Properties(self, changes) }
    }
}
