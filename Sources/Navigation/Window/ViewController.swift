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
    /// What the persistent bottom bar says while this view controller is on top.
    public let bottomBarText: String?
    public private(set) var title: String?
    public private(set) var navigationItem: NavigationItem
    public private(set) var hidesBottomBarWhenPushed: Bool
    /// All that `apply` has changed.
    private(set) var changes = ViewControllerChanges()
    /// Set when the view controller is first shown, never cleared.
    public internal(set) var isViewLoaded = false

    init(id: ID, scene: Scene, parameters: Parameters, dataSource: any DataSource) {
        self.id = id
        self.scene = scene
        self.parameters = parameters
        title = scene.title?.text(for: scene, parameters, from: dataSource)
        bottomBarText = scene.bottomBar?.text(for: scene, parameters, from: dataSource)
        navigationItem = scene.navigationItem
        hidesBottomBarWhenPushed = scene.hidesBottomBarWhenPushed
    }

    mutating func apply(_ changes: ViewControllerChanges) {
        self.changes.add(changes)
        if let title = changes.title { self.title = title }
        if let hides = changes.hidesBottomBarWhenPushed { hidesBottomBarWhenPushed = hides }
        changes.navigationItem.apply(to: &navigationItem)
    }

    /// The title in the navigation bar: the navigation item's own where set, as in UIKit.
    public var effectiveTitle: String? { navigationItem.title ?? title }

    /// Scene, parameters and bottom bar text follow from the id: only what can change is compared.
    public static func == (one: ViewController, other: ViewController) -> Bool {
        one.id == other.id && one.title == other.title && one.navigationItem == other.navigationItem
            && one.hidesBottomBarWhenPushed == other.hidesBottomBarWhenPushed
            && one.isViewLoaded == other.isViewLoaded
    }
}
