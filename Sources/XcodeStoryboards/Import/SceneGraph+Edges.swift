/// The ways from one scene to another in the storyboards of a project.
extension SceneGraph {
    struct Edge {
        enum Kind { case contains, embeds, shows }

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
                    segue.kind == "embed"
                    ? .embeds : segue.kind == "relationship" ? .contains : .shows
                return Edge(source: key, target: resolved(destination), kind: kind)
            }
        }
    }

    static func reachable(from start: SceneKey, _ edges: [Edge]) -> Set<SceneKey> {
        let outgoing = Dictionary(grouping: edges, by: \.source)
        var found: Set<SceneKey> = [start]
        var waiting = [start]
        while let key = waiting.popLast() {
            for edge in outgoing[key] ?? [] where found.insert(edge.target).inserted {
                waiting.append(edge.target)
            }
        }
        return found
    }

    /// Returns the scenes to which only embed segues lead, and the scenes that only containers
    /// among them contain.
    /// - Parameter others: the scenes that are shown by other means than edges.
    static func embedded(_ edges: [Edge], besides others: Set<SceneKey>) -> Set<SceneKey> {
        let incoming = Dictionary(grouping: edges, by: \.target).filter { !others.contains($0.key) }
        var found: Set<SceneKey> = []
        var count = -1
        while found.count != count {
            count = found.count
            for (key, edges) in incoming where !found.contains(key) {
                let isHidden = edges.allSatisfy {
                    $0.kind == .embeds || $0.kind == .contains && found.contains($0.source)
                }
                if isHidden { found.insert(key) }
            }
        }
        return found
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
