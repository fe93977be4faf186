/// The layers in which users can find the scenes of a storyboard, if they follow segues, rows, tabs
/// and links. A scene that only the code of the app shows is in no layer.
///
/// The running time is proportional to the size of the storyboard.
struct SceneReach {
    /// The ways in which a layer can hold the view controllers of a scene.
    struct Places: OptionSet {
        let rawValue: UInt8

        static let root = Places(rawValue: 1)
        static let bareInRoot = Places(rawValue: 2)
        static let presented = Places(rawValue: 4)
        static let bareInPresented = Places(rawValue: 8)
        static let bare: Places = [.bareInRoot, .bareInPresented]
        static let inRootLayer: Places = [.root, .bareInRoot]
        static let inPresentedLayer: Places = [.presented, .bareInPresented]
    }

    private let storyboard: Storyboard
    /// Whether the user is logged in, and thus sees no log-in scene.
    private let isMember: Bool
    /// The names of the scenes that a user can reach, with the containers.
    private(set) var names: Set<Scene.Name> = []
    /// The places of each scene that is not a container.
    private var places: [Scene.Name: Places] = [:]
    /// For each scene that a segue or a row shows in the root layer, the name of the first scene
    /// from which it does.
    private(set) var pushers: [Scene.Name: Scene.Name] = [:]
    /// For each scene, the names of the scenes and containers that it shows on its stack or presents.
    private(set) var shown: [Scene.Name: Set<Scene.Name>] = [:]
    private var waiting: [(scene: Scene, place: Places)] = []

    /// Finds what users can reach from the start of the app.
    /// - Parameter isMember: whether to leave out the log-in scenes, and what only they lead to.
    init(_ storyboard: Storyboard, _ chains: LinkChains, isMember: Bool = false) {
        self.storyboard = storyboard
        self.isMember = isMember
        let starts =
            storyboard.segments.isEmpty
            ? [storyboard.initialScene] : storyboard.segments.map(\.scene)
        for scene in starts {
            showContents(of: scene, at: storyboard.initialIsBare ? .bareInRoot : .root)
        }
        if let loginScene = storyboard.loginScene, !isMember {
            showContents(of: loginScene, at: storyboard.hasGuests ? .presented : .root)
        }
        for scene in chains.members {
            guard let chain = chains[scene], !storyboard.lacksStack(for: chain),
                storyboard.bareTab(below: chain) == nil
            else { continue }
            let isHomeless = storyboard.isHomeless(chain.outermost)
            let beginsLayer =
                scene.presentation != nil || isHomeless && chain.outermost === scene
            let isBare = beginsLayer && !storyboard.hasChildren(scene)
            if chain.presentation != nil || isHomeless {
                show(scene, at: isBare ? .bareInPresented : .presented)
            } else if chain.outermost !== scene || self[scene].isDisjoint(with: .inRootLayer) {
                // The start has shown the root of a tab, which can be bare.
                show(scene, at: .root)
            }
        }
        follow()
    }

    /// Finds what a user can reach from one scene that begins a layer.
    init(from scene: Scene, in storyboard: Storyboard) {
        self.storyboard = storyboard
        isMember = false
        showContents(of: scene, at: .root)
        follow()
    }

    subscript(scene: Scene) -> Places { places[scene.name] ?? [] }

    private mutating func follow() {
        while let (scene, place) = waiting.popLast() {
            let isBare = !place.isDisjoint(with: .bare)
            let isInRoot = !place.isDisjoint(with: .inRootLayer)
            func pushed(_ target: Scene) {
                guard !isBare, !target.kind.isContainer else { return }
                if isInRoot, pushers[target.name] == nil { pushers[target.name] = scene.name }
                shown[scene.name, default: []].insert(target.name)
                show(target, at: isInRoot ? .root : .presented)
            }
            if let selected = scene.select.flatMap({ storyboard.scenes[$0] }) { pushed(selected) }
            for segue in scene.segues {
                guard let target = storyboard.target(of: segue, from: scene) else { continue }
                if storyboard.presents(segue, fromBare: isBare) {
                    shown[scene.name, default: []].insert(target.name)
                    showContents(of: target, at: .bareInPresented)
                } else {
                    pushed(target)
                }
            }
        }
    }

    /// Shows a scene that begins a layer, with its contents if it is a container.
    /// - Parameter place: the place of the scene if it is not a container.
    private mutating func showContents(of scene: Scene, at place: Places) {
        names.insert(scene.name)
        names.formUnion(scene.tabs.map(\.scene))
        guard scene.kind.isContainer else { return show(scene, at: place) }
        let isInRoot = !place.isDisjoint(with: .inRootLayer)
        for root in storyboard.roots(of: scene) {
            show(
                root.scene,
                at: root.isBare
                    ? (isInRoot ? .bareInRoot : .bareInPresented) : isInRoot ? .root : .presented)
        }
    }

    private mutating func show(_ scene: Scene, at place: Places) {
        if isMember, scene.access == .login { return }
        guard !self[scene].contains(place) else { return }
        names.insert(scene.name)
        places[scene.name, default: []].insert(place)
        waiting.append((scene, place))
    }
}

extension Storyboard {
    /// Returns the scene that a segue shows. Nil if it shows none, or if the scene belongs to the
    /// other root of an app without guests, where the segue is always refused.
    func target(of segue: Segue, from source: Scene) -> Scene? {
        guard let target = segue.action.scene.flatMap({ scenes[$0] }),
            hasGuests
                || !roots(of: target).contains(where: { $0.scene.isInOtherRoot(than: source) })
        else { return nil }
        return target
    }

    /// Returns whether a segue begins a new layer.
    /// - Parameter isBare: whether the view controller from which the segue starts is in no navigation
    ///   controller. *Show* then presents.
    func presents(_ segue: Segue, fromBare isBare: Bool) -> Bool {
        switch segue.action {
        case .present: true
        case .show: isBare
        case .push, .unwind, .dismiss, .custom: false
        }
    }

    /// The scene of the root layer in which a link to `scene` is opened: the log-in root or the app
    /// root. Nil if the app has no such root.
    func rootScene(for scene: Scene) -> Scene? {
        scene.access == .login && !hasGuests ? loginScene : initialScene
    }

    /// Returns whether a link is always refused, because the app starts with a view controller in no
    /// navigation controller, and thus has no stack for the link's view controllers.
    func lacksStack(for chain: LinkChains.Chain) -> Bool {
        let first = chain.outermost
        guard first.presentation == nil, let root = rootScene(for: first), isBareRoot(root)
        else { return false }
        return first !== root || chain.second.map { $0.presentation == nil } ?? false
    }

    /// Returns the most distant parent of a link's scene if it prevents the link from being opened;
    /// nil otherwise. The parent prevents this if tabs of the root layer show it, and none of these
    /// tabs has a navigation controller. The link then has no stack on which it could put a
    /// view controller above the parent.
    func bareTab(below chain: LinkChains.Chain) -> Scene? {
        let first = chain.outermost
        guard let root = rootScene(for: first), root.kind == .tabBar,
            let second = chain.second, first.presentation == nil, second.presentation == nil
        else { return nil }
        let tabs = roots(of: root).filter { $0.scene === first }
        return !tabs.isEmpty && tabs.allSatisfy(\.isBare) ? first : nil
    }

    /// Returns whether a link has no place in the root layer. The layer has tabs, and none of them
    /// begins with the link's chain, which thus begins a layer of its own.
    /// - Parameter outermost: the first scene of the link's chain.
    package func isHomeless(_ outermost: Scene) -> Bool {
        guard outermost.presentation == nil, let root = rootScene(for: outermost),
            root.kind == .tabBar
        else { return false }
        return !roots(of: root).contains { $0.scene === outermost }
    }
}
