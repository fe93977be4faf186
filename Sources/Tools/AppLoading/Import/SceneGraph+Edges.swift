import NavigationRules

/// The ways from one scene to another in the storyboards of a project.
extension SceneGraph {
    struct Edge {
        enum Kind { case contains, embeds, shows, presents }

        let source: SceneKey
        let target: SceneKey
        let kind: Kind
    }

    /// The relationships and segues between scenes, without unwind segues. No edge ends at a
    /// storyboard reference that leads to a scene: it ends at this scene.
    var edges: [Edge] {
        keys.flatMap { key in
            let scene = scene(key)
            let segues = (scene?.relationships ?? []) + (scene?.segues ?? [])
            return segues.compactMap { segue -> Edge? in
                guard segue.kind != "unwind",
                    let destination = sibling(segue.destination, of: key)
                else { return nil }
                let kind: Edge.Kind =
                    switch segue.kind {
                    case "embed": .embeds
                    case "relationship": .contains
                    default: segue.presents ? .presents : .shows
                    }
                return Edge(source: key, target: resolved(destination), kind: kind)
            }
        }
    }

    /// Returns the containers with a property, their contents, and all that segues show there
    /// without presenting it.
    func scenes(inside isContainer: (XcodeScene) -> Bool) -> Set<SceneKey> {
        let outgoing = Dictionary(grouping: edges.filter { $0.kind != .presents }, by: \.source)
        return closure(of: keys.filter { scene($0).map(isContainer) == true }) {
            outgoing[$0]?.map(\.target) ?? []
        }
    }

    static func reachable(from start: SceneKey, _ edges: [Edge]) -> Set<SceneKey> {
        let outgoing = Dictionary(grouping: edges, by: \.source)
        return closure(of: [start]) { outgoing[$0]?.map(\.target) ?? [] }
    }

    /// Returns the scenes to which only embed segues lead, and the scenes that only containers
    /// among them contain.
    /// - Parameter shown: the scenes that something else than an edge shows.
    static func embedded(_ edges: [Edge], besides shown: Set<SceneKey>) -> Set<SceneKey> {
        let contained = Dictionary(grouping: edges.filter { $0.kind == .contains }, by: \.source)
        /// The number of edges to each scene that show it outside of the scenes found so far.
        var others: [SceneKey: Int] = [:]
        for edge in edges { others[edge.target, default: 0] += edge.kind == .embeds ? 0 : 1 }
        var waiting = others.filter { $0.value == 0 }.map(\.key)
        var found: Set<SceneKey> = []
        while let key = waiting.popLast() {
            guard !shown.contains(key), found.insert(key).inserted else { continue }
            for edge in contained[key] ?? [] {
                others[edge.target, default: 0] -= 1
                if others[edge.target] == 0 { waiting.append(edge.target) }
            }
        }
        return found
    }

    /// Returns the segues of a scene and of the scenes that it embeds, each with its destination.
    /// Segues to scenes that the storyboard does not have are left out.
    func segues(of key: SceneKey) -> [(segue: XcodeSegue, destination: SceneKey)] {
        embedding(key).flatMap { source in
            (scene(source)?.segues ?? []).compactMap { segue in
                sibling(segue.destination, of: source).map { (segue, $0) }
            }
        }
    }

    /// Returns a scene and all scenes that it embeds, directly or indirectly. The import treats the
    /// segues and controls of embedded scenes, and of the contents of embedded containers, as those
    /// of the scene.
    func embedding(_ key: SceneKey) -> [SceneKey] {
        var found: [SceneKey] = [key]
        var index = 0
        while index < found.count {
            let source = found[index]
            index += 1
            for segue in scene(source)?.segues ?? [] where segue.kind == "embed" {
                guard let destination = sibling(segue.destination, of: source) else { continue }
                for content in contents(of: destination) where !found.contains(content) {
                    found.append(content)
                }
            }
        }
        return found
    }
}
