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
    public var toolbarItems: [String] { properties.toolbarItems }
    /// The text that a client has set in place of the scene's text of the bottom bar.
    public var bottomBarTextOverride: String? { properties.changes.bottomBarText ?? nil }
    /// Whether it wants nothing of the bars: it hides none, its navigation item is as new, and it has
    /// neither toolbar items nor a text of its own for the bottom bar.
    public var isPlain: Bool { properties.isPlain }
    /// Which of its app's `prototypes` this is the same as, but for the id and whether the view is
    /// loaded; nil if it has parameters or was changed.
    public var prototypeIndex: Int? { properties.prototypeIndex }
    /// Bytes that the texts from clients take, escaped as JSON strings.
    var textSize: Int { properties.textSize }
    /// All that `apply` has changed.
    var changes: ViewControllerChanges { properties.changes }

    /// - Parameter parameters: as `Scene.check` returns them; nil leaves those that it has.
    mutating func apply(
        _ changes: ViewControllerChanges, parameters: Parameters? = nil,
        _ dataSource: any DataSource
    ) {
        var all = properties.changes
        all.add(changes)
        properties = Properties(
            scene, parameters ?? self.parameters, dataSource, changes: all)
    }

    /// The title in the navigation bar: the navigation item's own where set, as in UIKit.
    public var effectiveTitle: String? { navigationItem.title ?? title }

    /// Compares the properties that can change; the others follow from them and from the id.
    public static func == (one: ViewController, other: ViewController) -> Bool {
        one.id == other.id && one.isViewLoaded == other.isViewLoaded
            && (one.properties === other.properties
                || one.title == other.title && one.navigationItem == other.navigationItem
                    && one.hidesBottomBarWhenPushed == other.hidesBottomBarWhenPushed
                    && one.parameters == other.parameters
                    && one.bottomBarTextOverride == other.bottomBarTextOverride
                    && one.toolbarItems == other.toolbarItems)
    }
}

extension ViewController {
    /// What clients have changed. Behind a reference of its own, which most view controllers lack.
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
        let prototypeIndex: Int?
        /// Nil while no client has changed anything, as for most.
        private let overrides: Overrides?
        let textSize: Int

        var changes: ViewControllerChanges { overrides?.changes ?? ViewControllerChanges() }

        /// The properties that a scene gives to a view controller, and what clients have changed.
        init(
            _ scene: Scene, _ parameters: Parameters, _ dataSource: any DataSource,
            prototypeIndex: Int? = nil, changes: ViewControllerChanges = ViewControllerChanges()
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
            self.prototypeIndex = prototypeIndex
            overrides = changes == ViewControllerChanges() ? nil : Overrides(changes)
            textSize = parameters.textSize + changes.textSize
        }
    }
}
