/// The scenes that deep links show: the linked scenes, and their direct and indirect parents. The
/// parents of all links are found in one walk, because chains of thousands of parents have most of
/// their parents in common.
struct LinkChains {
    /// The start of the chain of parents that ends at a scene.
    struct Chain {
        /// The parent that has no parent; the scene itself if it has none.
        let outermost: Scene
        /// The scene whose parent is `outermost`; nil if the chain has one scene.
        let second: Scene?
        /// The style of the last scene of the chain that has a `presentation`, so that the chain
        /// ends in a layer of its own; nil if no scene has one.
        let presentation: PresentationStyle?
        /// The last members' scene of the chain; nil if it has none.
        let membersScene: Scene?
        /// The number of scenes on the last stack of the chain.
        let depth: Int
        /// The number of scenes on the deepest stack of the chain.
        let maximumDepth: Int
    }

    /// The scenes of all chains, each once.
    private(set) var members: [Scene] = []
    private var chains: [Scene.Name: Chain] = [:]

    /// Finds the chains of links to scenes.
    /// - Precondition: no scene is its own direct or indirect parent.
    init(to linked: [Scene], in scenes: [Scene.Name: Scene]) {
        for scene in linked {
            var path: [Scene] = []
            var next: Scene? = scene
            while let scene = next, chains[scene.name] == nil {
                path.append(scene)
                next = scene.parent.flatMap { scenes[$0] }
            }
            for scene in path.reversed() {
                let above = scene.parent.flatMap { chains[$0] }
                let depth = 1 + (scene.presentation == nil ? above?.depth ?? 0 : 0)
                chains[scene.name] = Chain(
                    outermost: above?.outermost ?? scene,
                    second: above.map { $0.second ?? scene },
                    presentation: scene.presentation ?? above?.presentation,
                    membersScene: scene.access == .members ? scene : above?.membersScene,
                    depth: depth, maximumDepth: max(depth, above?.maximumDepth ?? 0))
            }
            members += path
        }
    }

    /// The chain that ends at a scene; nil if no link shows the scene.
    subscript(scene: Scene) -> Chain? { chains[scene.name] }
}
