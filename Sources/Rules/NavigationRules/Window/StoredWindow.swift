/// The part of a window's state that is stored, as plain values. The storyboard and the data source
/// supply the rest when the window is restored.
public struct StoredWindow: Sendable, Equatable {
    /// The stored state of a view controller.
    public struct Entry: Sendable, Equatable {
        public package(set) var number: Int
        public let scene: Scene.Name
        public let parameters: Parameters
        public let isViewLoaded: Bool
        private let overrides: ViewControllerOverrides?

        /// The changes that clients have made to the view controller.
        public var changes: ViewControllerChanges { overrides?.changes ?? ViewControllerChanges() }
        package var hasChanges: Bool { overrides != nil }

        public init(
            number: Int, scene: Scene.Name, parameters: Parameters, isViewLoaded: Bool,
            changes: ViewControllerChanges
        ) {
            self.init(
                number: number, scene: scene, parameters: parameters, isViewLoaded: isViewLoaded,
                overrides: ViewControllerOverrides(changes))
        }

        init(
            number: Int, scene: Scene.Name, parameters: Parameters, isViewLoaded: Bool,
            overrides: ViewControllerOverrides?
        ) {
            self.number = number
            self.scene = scene
            self.parameters = parameters
            self.isViewLoaded = isViewLoaded
            self.overrides = overrides
        }

        /// Compares the parameters in any order, because a new storyboard can change the order.
        public static func == (one: Entry, other: Entry) -> Bool {
            one.number == other.number && one.isViewLoaded == other.isViewLoaded
                && one.scene == other.scene && one.parameters.hasSameValues(as: other.parameters)
                && (one.overrides === other.overrides || one.changes == other.changes)
        }
    }

    public struct SegmentRoots: Sendable, Equatable {
        public let selectedIndex: Int
        /// The number in the id of each segment's root view controller; nil if it has not been
        /// created yet.
        public package(set) var roots: [Int?]
        /// The root view controllers of segments that have been created but are on no stack.
        public package(set) var kept: [Entry]

        public init(selectedIndex: Int, roots: [Int?], kept: [Entry]) {
            self.selectedIndex = selectedIndex
            self.roots = roots
            self.kept = kept
        }
    }

    /// The stored state of one layer.
    public typealias Layer = LayerState<Holder>

    /// The stored state of a navigation controller. If `isBare` is true, the value stands for a
    /// single view controller that is in no navigation controller.
    public struct Holder: Sendable, Equatable {
        public package(set) var number: Int
        public let isBare: Bool
        public package(set) var stack: [Entry]

        public init(number: Int, isBare: Bool, stack: [Entry]) {
            self.number = number
            self.isBare = isBare
            self.stack = stack
        }
    }

    public let lifecycle: LifecycleOrder
    public let isStrict: Bool
    public package(set) var revision: Int
    public internal(set) var auth: Auth
    /// The stack of the only navigation controller; empty if `layers` is not nil.
    public package(set) var stack: [Entry]
    /// The layers; nil if the window has only one navigation controller, in a root layer without
    /// tabs.
    public package(set) var layers: [Layer]?
    /// The number in the id of the only navigation controller; 1 as a placeholder if `layers` is
    /// not nil.
    public package(set) var navigationController: Int
    public package(set) var lastNavigationController: Int
    public package(set) var segments: SegmentRoots?
    public package(set) var pending: PendingAction?
    /// The values of the flags of the session, by name.
    public internal(set) var flags: [String: Bool]
    public package(set) var lastEvent: Int
    public package(set) var lastViewController: Int

    public init(
        lifecycle: LifecycleOrder, isStrict: Bool = false, revision: Int, auth: Auth,
        stack: [Entry],
        layers: [Layer]? = nil, navigationController: Int = 1, lastNavigationController: Int = 1,
        segments: SegmentRoots?, pending: PendingAction?, flags: [String: Bool] = [:],
        lastEvent: Int,
        lastViewController: Int
    ) {
        self.lifecycle = lifecycle
        self.isStrict = isStrict
        self.revision = revision
        self.auth = auth
        self.stack = stack
        self.layers = layers
        self.navigationController = navigationController
        self.lastNavigationController = lastNavigationController
        self.segments = segments
        self.pending = pending
        self.flags = flags
        self.lastEvent = lastEvent
        self.lastViewController = lastViewController
    }

    /// Returns whether another stored window is the same, apart from flags that only one of the two
    /// has, and from the scenes of the tabs. A new storyboard changes these flags in a window without
    /// a change of the session, and earlier versions did not store the scenes of the tabs.
    package func isSame(as other: StoredWindow) -> Bool {
        guard flags.allSatisfy({ (other.flags[$0] ?? $1) == $1 }) else { return false }
        var one = withoutTabScenes
        one.flags = other.flags
        return one == other.withoutTabScenes
    }

    private var withoutTabScenes: StoredWindow {
        var window = self
        for index in (layers ?? []).indices { window.layers?[index].tabScenes = [] }
        return window
    }
}

/// A layer of a stored window, or one after a change.
public struct LayerState<Stack: Sendable & Equatable>: Sendable, Equatable {
    /// The style in which the layer is presented; nil for the root layer.
    public let presentationStyle: PresentationStyle?
    /// The number in the id of the view controller that presented the layer; nil for the root layer,
    /// or if that view controller has left its stack.
    public package(set) var presenter: Int?
    public let isContainerModal: Bool
    /// The name of the tab bar controller's scene; nil for a layer without tabs.
    public let tabBar: Scene.Name?
    /// The names of the scenes of the tabs. A client can replace the root view controller of a tab,
    /// which thus does not tell them. Empty for a layer without tabs, or if an earlier version has
    /// stored the layer.
    public package(set) var tabScenes: [Scene.Name]
    public let selectedIndex: Int
    public package(set) var stacks: [Stack]

    public init(
        presentationStyle: PresentationStyle?, presenter: Int?, isContainerModal: Bool,
        tabBar: Scene.Name?, tabScenes: [Scene.Name] = [], selectedIndex: Int, stacks: [Stack]
    ) {
        self.presentationStyle = presentationStyle
        self.presenter = presenter
        self.isContainerModal = isContainerModal
        self.tabBar = tabBar
        self.tabScenes = tabScenes
        self.selectedIndex = selectedIndex
        self.stacks = stacks
    }
}

extension StoredWindow {
    /// The visible view controller, which is on the selected stack of the highest layer; nil if
    /// there is no such view controller.
    public var topViewController: Entry? {
        guard let layer = layers?.last else { return stack.last }
        guard layer.stacks.indices.contains(layer.selectedIndex) else { return nil }
        return layer.stacks[layer.selectedIndex].stack.last
    }
}

extension StoredWindow.Entry {
    /// The part of the view controller's state from which its scene and its title can be restored.
    /// It is small, because it contains no bar items.
    public var summary: StoredWindow.Entry {
        StoredWindow.Entry(
            number: number, scene: scene, parameters: parameters, isViewLoaded: false,
            changes: ViewControllerChanges(
                title: changes.title,
                navigationItem: NavigationItemChanges(title: changes.navigationItem.title)))
    }
}

extension StoredWindow {
    /// Whether the state is consistent, so that operations can run on the restored window. Each
    /// stack must contain a view controller. The numbers of view controllers must be unique, and
    /// none may exceed `lastViewController`. The same holds for navigation controllers and
    /// `lastNavigationController`.
    package var isSound: Bool {
        let kept = segments?.kept ?? []
        let holders = (layers ?? []).flatMap(\.stacks)
        var numbers: Set<Int> = []
        var holderNumbers: Set<Int> = []
        return stack.isEmpty == (layers != nil) && layers?.isEmpty != true
            && holders.allSatisfy {
                !$0.stack.isEmpty && $0.number <= lastNavigationController
                    && holderNumbers.insert($0.number).inserted
            }
            && navigationController <= lastNavigationController
            && (stack + kept + holders.flatMap(\.stack)).allSatisfy {
                $0.number <= lastViewController && numbers.insert($0.number).inserted
            }
    }
}
