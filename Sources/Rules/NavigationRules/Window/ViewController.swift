import JSON

/// The state of a view controller. Corresponds to UIKit's `UIViewController`, without a view. The
/// view controller is on a navigation stack, or it is the root of a segment in the segmented
/// control. Such a root exists even while it is on no stack.
public struct ViewController: Sendable, Identifiable, Equatable {
    /// An id such as `vc12`, which is unique in its session and never reused.
    public struct ID: Sendable, Hashable, CustomStringConvertible {
        public let number: Int

        public init(number: Int) { self.number = number }

        /// Parses an id.
        /// - Returns: nil if the text is not `vc` followed by a positive number without leading
        ///   zeros.
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
    /// All properties except `id` and `isViewLoaded`. Copies of a view controller share this
    /// object, and so do all new view controllers of a scene without parameters. A change therefore
    /// creates a new object.
    private var properties: Properties

    init(id: ID, scene: Scene, parameters: Parameters, in app: App) {
        self.id = id
        properties =
            app.prototype(of: scene)?.properties ?? Properties(scene, parameters, app.dataSource)
    }

    /// Creates the template for a scene without parameters. All new view controllers of the scene
    /// share its properties. The id of the template is never exposed.
    init(prototype scene: Scene, _ dataSource: any DataSource) {
        id = ID(number: 0)
        properties = Properties(scene, .none, dataSource)
    }

    public var scene: Scene { properties.scene }
    public var parameters: Parameters { properties.parameters }
    public var screen: Screen { properties.screen }
    /// The text of the bottom bar while this view controller is on top; nil for no text.
    public var bottomBarText: String? { properties.bottomBarText }
    public var title: String? { properties.title }
    public var navigationItem: NavigationItem { properties.navigationItem }
    public var hidesBottomBarWhenPushed: Bool { properties.hidesBottomBarWhenPushed }
    /// Whether this view controller prevents the user from dismissing its layer with a swipe.
    public var isModalInPresentation: Bool {
        changes.isModalInPresentation ?? scene.isModalInPresentation
    }
    /// Whether the user may pop this view controller.
    public var shouldPop: Bool { changes.shouldPop ?? scene.shouldPop }
    /// Whether the user may select the tab whose root is this view controller; nil if the
    /// storyboard decides.
    var shouldSelect: Bool? { changes.shouldSelect }
    /// The identifier of the segue that follows a gesture which this view controller refuses.
    var whenRefused: String? { scene.whenRefused }
    /// The title and the badge that clients have set for the tab bar item; each is nil if no client
    /// has set it. A tab shows the item of its root view controller.
    public var tabBarItem: (title: String?, badge: String?) {
        (changes.tabBarItem.title ?? nil, changes.tabBarItem.badge ?? nil)
    }
    /// The titles of the toolbar items while this view controller is on top.
    public var toolbarItems: [String] { properties.toolbarItems }
    /// The text that a client has set for the bottom bar, which replaces the text of the scene; nil
    /// if no client has set a text.
    public var bottomBarTextOverride: String? { properties.changes.bottomBarText ?? nil }
    /// Whether the view controller has only default settings for the bars: it shows the bottom bar
    /// with the text of the scene, and has a default navigation item and no toolbar items.
    public var isPlain: Bool { properties.isPlain }
    /// The total size of the parameter values and of the texts that clients have set, in bytes,
    /// when written as JSON strings.
    var textSize: Int { properties.textSize }
    /// The changes of all calls to `apply`, combined. If two calls change the same property, the
    /// later call counts.
    var changes: ViewControllerChanges { properties.changes }
    /// The same changes in an object; nil if there are none.
    var overrides: ViewControllerOverrides? { properties.overrides }

    /// Adds changes to the changes of earlier calls, and computes all properties again.
    /// - Parameter parameters: the new parameters, checked by `Scene.check`; nil keeps the present
    ///   parameters.
    mutating func apply(
        _ changes: ViewControllerChanges, parameters: Parameters? = nil,
        _ dataSource: any DataSource
    ) {
        var all = properties.changes
        all.add(changes)
        properties = Properties(
            scene, parameters ?? self.parameters, dataSource, changes: all)
    }

    /// The title that the navigation bar shows. The title of the navigation item takes precedence
    /// over the title of the view controller, as in UIKit.
    public var effectiveTitle: String? { navigationItem.title ?? title }

    /// Whether two view controllers have the same stored form, see `stored`.
    func isStored(like other: ViewController) -> Bool {
        id == other.id && isViewLoaded == other.isViewLoaded
            && (properties === other.properties
                || stored == other.stored && hasTexts(identicalTo: other))
    }

    /// Compares the texts that a client can set byte by byte, see `areIdentical`.
    private func hasTexts(identicalTo other: ViewController) -> Bool {
        texts.elementsEqual(other.texts, by: areIdentical)
    }

    private var texts: [String] {
        let item = navigationItem
        let single = [
            title, item.title, item.backButtonTitle, bottomBarTextOverride, tabBarItem.title,
            tabBarItem.badge,
        ]
        return single.compactMap(\.self) + item.leftItems + item.rightItems + toolbarItems
    }

    /// Whether a client has set the title and the items of the bars, where the scene would give them
    /// other values later: its title can depend on parameters, and its items on flags.
    private var ownTexts: (title: Bool, left: Bool, right: Bool, toolbar: Bool) {
        let item = changes.navigationItem
        return (
            changes.title != nil && scene.title?.hasPlaceholders == true,
            item.leftItems != nil && scene.controls.leftItems.contains(where: \.hasEffect),
            item.rightItems != nil && scene.controls.rightItems.contains(where: \.hasEffect),
            changes.toolbarItems != nil && scene.controls.toolbarItems.contains(where: \.hasEffect)
        )
    }

    /// Compares the ids and the properties that can change. Equal view controllers can differ in
    /// `changes`, if a client has set a property to a value that it had already and would keep.
    public static func == (one: ViewController, other: ViewController) -> Bool {
        one.id == other.id && one.isViewLoaded == other.isViewLoaded
            && (one.properties === other.properties
                || one.title == other.title && one.navigationItem == other.navigationItem
                    && one.hidesBottomBarWhenPushed == other.hidesBottomBarWhenPushed
                    && one.isModalInPresentation == other.isModalInPresentation
                    && one.shouldPop == other.shouldPop && one.shouldSelect == other.shouldSelect
                    && one.tabBarItem == other.tabBarItem
                    && one.parameters == other.parameters
                    && one.bottomBarTextOverride == other.bottomBarTextOverride
                    && one.toolbarItems == other.toolbarItems && one.ownTexts == other.ownTexts
                    && one.hasTexts(identicalTo: other))
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
        let toolbarItems: [String]
        let isPlain: Bool
        /// The changes that clients have made; nil if there are none, as is the case for most view
        /// controllers.
        let overrides: ViewControllerOverrides?
        let textSize: Int

        var changes: ViewControllerChanges { overrides?.changes ?? ViewControllerChanges() }

        /// Computes the properties from the scene, the parameters and the changes that clients have
        /// made.
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
            overrides = ViewControllerOverrides(changes)
            textSize = parameters.textSize + changes.textSize
        }
    }
}
