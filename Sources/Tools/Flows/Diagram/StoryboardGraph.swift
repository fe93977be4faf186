import NavigationRules

/// A storyboard as a graph. The nodes are scenes, and the edges are the transitions between scenes.
package struct StoryboardGraph: Sendable {
    package struct Node: Sendable, Equatable {
        /// The name of the scene.
        package let name: String
        package let title: String?
        /// Whether the scene is shown before the log-in.
        package let isLogin: Bool
        /// Whether the app shows the scene only to users who are logged in, while it shows others to
        /// guests.
        package let isLocked: Bool
        package let isRoot: Bool
        /// Whether a flow (a scripted test) has shown the scene; nil for a container such as a tab
        /// bar controller, and for all scenes if the graph has no coverage.
        package let isUsed: Bool?
    }

    package struct Edge: Sendable, Equatable {
        package enum Kind: String, Sendable, CaseIterable {
            case select, show, push, present, unwind, dismiss, root, tab, parent, segment, login
            /// A control that sets flags. The edge leads back to its own scene.
            case set

            /// Whether the edge leads back to what was shown before.
            var isReturn: Bool {
                switch self {
                case .unwind, .dismiss, .parent: true
                default: false
                }
            }
        }

        package let from: String
        package let to: String
        package let kind: Kind
        package let label: String
        package let isUsed: Bool?
    }

    package let name: String
    package private(set) var nodes: [Node] = []
    package private(set) var edges: [Edge] = []

    /// Creates the graph of a storyboard.
    /// - Parameter used: the parts of the storyboard that flows (scripted tests) have used, such as
    ///   `scene books`; nil for a graph without coverage.
    package init(_ storyboard: Storyboard, used: Set<String>? = nil) {
        name = storyboard.name
        let start = storyboard.segments.first?.scene ?? storyboard.initialScene
        let roots = Set(
            [start.name, storyboard.loginScene?.name].compactMap(\.self)
                + storyboard.segments.map(\.scene.name))
        let scenes = storyboard.scenes.values.sorted { $0.name < $1.name }
        let presenters = storyboard.presenters
        for scene in scenes {
            nodes.append(
                Node(
                    name: scene.name, title: scene.title?.source,
                    isLogin: scene.access == .login,
                    isLocked: storyboard.hasGuests && scene.access == .members
                        && !scene.kind.isContainer,
                    isRoot: roots.contains(scene.name),
                    isUsed: scene.kind.isContainer
                        ? nil : used.map { $0.contains("scene \(scene.name)") }))
            let below = scenes.filter { presenters[scene.name]?.contains($0.name) == true }
            edges += Self.edges(from: scene, scenes, below, used)
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

    /// - Parameter presenters: the scenes that the dismissal of the scene's layer shows again.
    private static func edges(
        from scene: Scene, _ scenes: [Scene], _ presenters: [Scene], _ used: Set<String>?
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
            let part = "segue \(scene.key(of: segue))"
            let label = segue.label
            switch segue.action {
            case .show(let target): add(target, .show, label, part)
            case .push(let target): add(target, .push, label, part)
            case .present(let target, _): add(target, .present, label, part)
            case .unwind(let action):
                for target in scenes
                where scene.isOnSameSide(as: target) && target.unwindActions.contains(action) {
                    add(target.name, .unwind, label, part)
                }
            case .dismiss, .custom: break
            }
        }
        let setters =
            scene.controls.all.map { ($0.sets, $0.when) }
            + (scene.fixedRows ?? []).map { ($0.sets, $0.when) }
        for (sets, when) in setters where !sets.isEmpty {
            let flags = sets.sorted { $0.key < $1.key }.map { $1 ? $0 : "!\($0)" }
            add(scene.name, .set, "set \(flags.joined(separator: ", "))\(when.label)")
        }
        for segue in scene.segues where segue.action == .dismiss {
            for presenter in presenters where scene.isOnSameSide(as: presenter) {
                let part = "segue \(scene.key(of: segue))"
                add(presenter.name, .dismiss, segue.label, part)
            }
        }
        return edges
    }
}

extension Segue {
    /// The identifier, with the condition of the segue if it has one.
    fileprivate var label: String { identifier + when.label }
}

extension FlagCondition? {
    fileprivate var label: String { map { " [\($0.text)]" } ?? "" }
}

extension Scene {
    /// Whether both scenes are shown before the log-in, or neither is. Nothing unwinds across the
    /// log-in, which takes its own layers away.
    fileprivate func isOnSameSide(as other: Scene) -> Bool {
        (access == .login) == (other.access == .login)
    }
}
