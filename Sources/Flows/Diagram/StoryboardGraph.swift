import Navigation

/// A storyboard as a graph. The nodes are scenes, and the edges are the transitions between scenes.
public struct StoryboardGraph: Sendable {
    public struct Node: Sendable, Equatable {
        /// The name of the scene.
        public let name: String
        public let title: String?
        public let kind: String
        /// Whether the scene is shown before the log-in.
        public let isLogin: Bool
        public let isRoot: Bool
        /// Whether a flow (a scripted test) has shown the scene; nil for a container such as a tab
        /// bar controller, and for all scenes if the graph has no coverage.
        public let isUsed: Bool?
    }

    public struct Edge: Sendable, Equatable {
        public enum Kind: String, Sendable, CaseIterable {
            case select, show, push, present, unwind, root, tab, parent, segment, login
        }

        public let from: String
        public let to: String
        public let kind: Kind
        public let label: String
        public let isUsed: Bool?
    }

    public let name: String
    public private(set) var nodes: [Node] = []
    public private(set) var edges: [Edge] = []

    /// Creates the graph of a storyboard.
    /// - Parameter used: the parts of the storyboard that flows (scripted tests) have used, such as
    ///   `scene books`; nil for a graph without coverage.
    public init(_ storyboard: Storyboard, used: Set<String>? = nil) {
        name = storyboard.name
        let start = storyboard.segments.first?.scene ?? storyboard.initialScene
        let roots = Set(
            [start.name, storyboard.loginScene?.name].compactMap(\.self)
                + storyboard.segments.map(\.scene.name))
        let scenes = storyboard.scenes.values.sorted { $0.name < $1.name }
        for scene in scenes {
            nodes.append(
                Node(
                    name: scene.name, title: scene.title?.source, kind: scene.kind.rawValue,
                    isLogin: scene.access == .login, isRoot: roots.contains(scene.name),
                    isUsed: scene.kind.isContainer
                        ? nil : used.map { $0.contains("scene \(scene.name)") }))
            edges += Self.edges(from: scene, scenes, used)
        }
        if let login = storyboard.loginScene {
            edges.append(
                Edge(
                    from: login.name, to: start.name, kind: .login, label: LogIn.name, isUsed: nil))
        }
        for segment in storyboard.segments.dropFirst() {
            edges.append(
                Edge(
                    from: start.name, to: segment.scene.name, kind: .segment, label: "segment",
                    isUsed: nil))
        }
    }

    private static func edges(
        from scene: Scene, _ scenes: [Scene], _ used: Set<String>?
    ) -> [Edge] {
        var edges: [Edge] = []
        func add(_ to: String, _ kind: Edge.Kind, _ label: String, _ part: String? = nil) {
            edges.append(
                Edge(
                    from: scene.name, to: to, kind: kind, label: label,
                    isUsed: part.flatMap { part in used.map { $0.contains(part) } }))
        }
        if let select = scene.select { add(select, .select, "select", "select \(scene.name)") }
        if let root = scene.root { add(root, .root, "root") }
        for (index, tab) in scene.tabs.enumerated() {
            add(
                tab.scene, .tab, tab.title ?? "tab \(index)", "tab \(scene.name).\(index)")
        }
        if let parent = scene.parent { add(parent, .parent, "parent") }
        for segue in scene.segues {
            let part = "segue \(scene.name).\(segue.identifier)"
            switch segue.action {
            case .show(let target): add(target, .show, segue.identifier, part)
            case .push(let target): add(target, .push, segue.identifier, part)
            case .present(let target, _): add(target, .present, segue.identifier, part)
            case .unwind(let action):
                // Nothing unwinds across the log-in, which replaces the root of the window.
                for target in scenes
                where target.access == scene.access && target.unwindActions.contains(action) {
                    add(target.name, .unwind, segue.identifier, part)
                }
            case .dismiss, .custom: break
            }
        }
        return edges
    }
}
