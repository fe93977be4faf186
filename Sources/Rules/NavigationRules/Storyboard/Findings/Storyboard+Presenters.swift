extension Storyboard {
    /// Returns for each scene with a `dismiss` segue the names of the scenes that such a segue can
    /// show again, because their segues present the layer in which the scene can be.
    public var presenters: [Scene.Name: Set<Scene.Name>] {
        /// For each scene, the scenes that push it.
        var pushers: [Scene.Name: [Scene.Name]] = [:]
        /// For each scene that begins a stack or a tab, whether bare or not, those that present it.
        var ofBare: [Scene.Name: Set<Scene.Name>] = [:]
        var ofStacks: [Scene.Name: Set<Scene.Name>] = [:]
        let reach = SceneReach(self, LinkChains(to: linked, in: scenes))
        for scene in scenes.values {
            let isBare = !reach[scene].isDisjoint(with: .bare)
            if let select = scene.select { pushers[select, default: []].append(scene.name) }
            for segue in scene.segues {
                guard let target = target(of: segue, from: scene) else { continue }
                if presents(segue, fromBare: isBare) {
                    for root in roots(of: target) {
                        if root.isBare {
                            ofBare[root.scene.name, default: []].insert(scene.name)
                        } else {
                            ofStacks[root.scene.name, default: []].insert(scene.name)
                        }
                    }
                }
                if !presents(segue, fromBare: false) {
                    pushers[target.name, default: []].append(scene.name)
                }
            }
        }
        var presenters: [Scene.Name: Set<Scene.Name>] = [:]
        for scene in scenes.values where scene.segues.contains(where: { $0.action == .dismiss }) {
            let below = closure(of: [scene.name]) { pushers[$0] ?? [] }
            presenters[scene.name] = below.reduce(into: ofBare[scene.name] ?? []) {
                $0.formUnion(ofStacks[$1] ?? [])
            }
        }
        return presenters
    }
}
