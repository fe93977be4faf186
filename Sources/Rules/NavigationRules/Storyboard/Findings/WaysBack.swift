/// The unwindings and dismissals with which users leave layers again.
struct WaysBack {
    /// The number of each unwind action that a scene declares.
    private var actions: [String: Int] = [:]
    private var nodes: [Scene.Name: Int] = [:]
    /// For each scene, the actions that segues perform in it and above it.
    private var performed: [UnionOverPaths.Bits] = []
    /// For each scene, the actions that the scene declares, and those of the scenes that can be
    /// below it: on its stack, at the root of another tab, or in a lower layer.
    private var declared: [UnionOverPaths.Bits] = []
    /// The names of the scenes that can dismiss their layer if they are in a navigation controller,
    /// by themselves or by what they show on its stack.
    private var dismissing: Set<Scene.Name> = []
    private let storyboard: Storyboard

    init(_ storyboard: Storyboard, _ chains: LinkChains, _ reach: SceneReach) {
        self.storyboard = storyboard
        let scenes = storyboard.scenes.values.filter { reach.names.contains($0.name) }
        for scene in scenes {
            nodes[scene.name] = nodes.count
            for action in scene.unwindActions where actions[action] == nil {
                actions[action] = actions.count
            }
        }
        findActions(scenes, chains, reach)
        findDismissals(scenes)
    }

    /// Returns the names of the actions that lead away from a layer, which a segue in the layer or
    /// above it performs.
    /// - Parameter scene: the scene that begins the layer.
    func performed(from scene: Scene) -> Set<String> {
        guard let node = nodes[scene.name] else { return [] }
        return Set(
            actions.filter { performed[node][$1 / 64] & 1 << UInt64($1 % 64) != 0 }.keys)
    }

    /// Returns whether one of the actions that are performed in the layer of `scene`, and above it,
    /// ends at `presenter` or at a scene that can be below it.
    func unwinds(from scene: Scene, to presenter: Scene) -> Bool {
        guard let one = nodes[scene.name], let other = nodes[presenter.name] else { return false }
        return zip(performed[one], declared[other]).contains { $0 & $1 != 0 }
    }

    /// Returns whether a segue dismisses the layer that a scene begins.
    /// - Parameter isWrapped: whether the layer puts a scene that is not a container into a
    ///   navigation controller.
    func dismisses(_ scene: Scene, isWrapped: Bool = false) -> Bool {
        storyboard.roots(of: scene).contains { root in
            root.isBare && !(isWrapped && root.scene === scene)
                ? root.scene.dismisses : dismissing.contains(root.scene.name)
        }
    }

    // MARK: Analysis

    /// Finds what is performed above the scenes, and what is declared below them. Two more nodes
    /// stand for all scenes over which a link and the log-in of a guest present a layer.
    private mutating func findActions(
        _ scenes: [Scene], _ chains: LinkChains, _ reach: SceneReach
    ) {
        let root = nodes.count
        let guest = nodes.count + 1
        var above = UnionOverPaths(nodes: nodes.count, numbers: actions.count)
        var below = UnionOverPaths(nodes: nodes.count + 2, numbers: actions.count)
        for scene in scenes {
            guard let node = nodes[scene.name] else { continue }
            for segue in scene.segues {
                if let action = segue.action.unwindAction.flatMap({ actions[$0] }) {
                    above.add(action, to: node)
                }
            }
            // A tab bar controller stands for the roots of its tabs.
            let declaring =
                scene.kind == .tabBar ? storyboard.roots(of: scene).map(\.scene) : [scene]
            for action in declaring.flatMap(\.unwindActions).compactMap({ actions[$0] }) {
                below.add(action, to: node)
            }
            for target in covers(of: scene, reach) {
                above.addEdge(from: node, to: target)
                below.addEdge(from: target, to: node)
            }
            if let parent = scene.parent.flatMap({ nodes[$0] }), chains[scene] != nil {
                below.addEdge(from: node, to: parent)
            }
            if !reach[scene].isDisjoint(with: .inRootLayer) {
                below.addEdge(from: root, to: node)
            }
            if scene.access == .everyone { below.addEdge(from: guest, to: node) }
            if let chain = chains[scene], chain.outermost === scene,
                chain.presentation != nil || storyboard.isHomeless(scene)
            {
                below.addEdge(from: node, to: root)
            }
        }
        if storyboard.hasGuests, let login = storyboard.loginScene.flatMap({ nodes[$0.name] }) {
            below.addEdge(from: login, to: guest)
        }
        performed = above.unions
        declared = below.unions
    }

    /// Returns the nodes of the scenes that a scene can show directly above itself, or in itself.
    private func covers(of scene: Scene, _ reach: SceneReach) -> [Int] {
        let contents = scene.kind.isContainer ? storyboard.roots(of: scene).map(\.scene.name) : []
        return (contents + (reach.shown[scene.name] ?? [])).compactMap { nodes[$0] }
    }

    private mutating func findDismissals(_ scenes: [Scene]) {
        var users: [Scene.Name: [Scene.Name]] = [:]
        for scene in scenes {
            if let select = scene.select { users[select, default: []].append(scene.name) }
            for segue in scene.segues {
                guard let target = storyboard.target(of: segue, from: scene),
                    !storyboard.presents(segue, fromBare: false)
                else { continue }
                users[target.name, default: []].append(scene.name)
            }
        }
        dismissing = closure(of: scenes.filter(\.dismisses).map(\.name)) { users[$0] ?? [] }
    }
}

extension Scene {
    /// Whether a segue dismisses the layer of the scene.
    fileprivate var dismisses: Bool { segues.contains { $0.action == .dismiss } }
}
